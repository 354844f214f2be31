package sqlfront

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// finishSchema resolves foreign keys, drops the tables that cannot be used, and fills in
// statistics.
func (l *loader) finishSchema() {
	for _, t := range l.order {
		if !t.hasKey && len(t.entity.Attributes) > 0 && !l.broken[t.entity.Name] || len(t.entity.Attributes) == 0 {
			l.diags.Errorf(codeNoKey, t.entity.Pos, "add PRIMARY KEY (...): DynamoDB finds every row by its key", "table %q has no primary key", t.entity.Name)
		}
		if len(t.entity.PrimaryKey) == 0 {
			l.broken[t.entity.Name] = true
		}
	}
	l.order = slices.DeleteFunc(l.order, func(t *table) bool { return l.broken[t.entity.Name] })
	for name := range l.broken {
		delete(l.tables, name)
	}
	for _, t := range l.order {
		l.model.Entities = append(l.model.Entities, t.entity)
	}
	for _, t := range l.order {
		for _, k := range t.keys {
			l.relate(k)
		}
	}
	l.assumeStatistics()
}

// relate makes a relationship of a foreign key.
func (l *loader) relate(k *pendingKey) {
	parent := l.find(k.st, k.refTable, &l.diags)
	if parent == nil {
		return
	}
	child := k.table.entity
	at := k.st.pos(k.span)
	r := &model.Relationship{Child: child.Name, Parent: parent.entity.Name, PerParent: k.perParent, Max: k.most, Pos: at}
	for _, c := range k.columns {
		r.ChildAttrs = append(r.ChildAttrs, c.name)
	}
	r.ParentAttrs = parent.entity.PrimaryKey
	if k.refColumns != nil {
		r.ParentAttrs = nil
		for _, c := range k.refColumns {
			if attribute(k.st, parent.entity, c, &l.diags) == nil {
				return
			}
			r.ParentAttrs = append(r.ParentAttrs, c.name)
		}
	}
	if !l.keysMatch(k, r, parent.entity) {
		return
	}
	if r.Max.Value > 0 && r.PerParent.Value > r.Max.Value {
		l.diags.Errorf(codeHintValue, at, "", "per_parent=%s is more than max=%s", r.PerParent, r.Max)
	}
	r.Name = l.uniqueName(orDefault(k.name, constraintName(child.Name, r.ChildAttrs, "fkey")), child.Name)
	l.model.Relationships = append(l.model.Relationships, r)
	for _, action := range k.actions {
		l.diags.Notef(codeAction, at, "write the queries that change the children", "%s is not carried out: DynamoDB knows no foreign keys", action)
	}
}

func (l *loader) keysMatch(k *pendingKey, r *model.Relationship, parent *model.Entity) bool {
	at := k.st.pos(k.span)
	if len(r.ChildAttrs) != len(r.ParentAttrs) {
		l.diags.Errorf(codeKeyColumns, at, "name as many columns on both sides", "the foreign key has %s, the key of %s has %d", plural(len(r.ChildAttrs), "column"), parent.Name, len(r.ParentAttrs))
		return false
	}
	if !isKey(parent, r.ParentAttrs) {
		l.diags.Errorf(codeKeyNotUnique, at, "refer to its primary key, or make the columns UNIQUE", "a foreign key must refer to a key of %s", parent.Name)
		return false
	}
	for i, c := range r.ChildAttrs {
		a, b := k.table.entity.Attribute(c), parent.Attribute(r.ParentAttrs[i])
		if a.Type.Kind != b.Type.Kind || a.Type.Array || a.Type.Name != b.Type.Name {
			l.diags.Errorf(codeKeyType, at, "give both the same type", "%s is %s, but %s.%s is %s", c, a.Type, parent.Name, b.Name, b.Type)
			return false
		}
	}
	return true
}

// uniqueName makes the name of a relationship unique in the model; PostgreSQL demands
// that only within a table.
func (l *loader) uniqueName(name, child string) string {
	taken := func(s string) bool {
		return slices.ContainsFunc(l.model.Relationships, func(r *model.Relationship) bool { return r.Name == s })
	}
	if taken(name) {
		name = child + "_" + name
	}
	for taken(name) {
		name += "1"
	}
	return name
}
