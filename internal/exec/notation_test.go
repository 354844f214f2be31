package exec_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A notation reads hand-written designs:
//
//	table main PK SK
//	gsi GSI1 GSI1PK GSI1SK include name,_type
//	entity products P
//	  PK P#{product_id}
//	entity people.email E of=people unique=email columns=person_id,email
//	  ...
//	plan GetProducts
//	  Query GSI1 | GSI1PK = B#{@brand_id} | GSI1SK begins_with C#{@category_id}# | products:0 | desc limit=@n filter=1
//	  GetItem | P#{@id} | METADATA | products:0
//	  PutItem | products | P#{@id} | METADATA | keys=GSI1PK absent error
//	  then sort limit
//
// {@p} is a parameter, {c} a column, {'x'} a constant; behind it may stand * for a prefix,
// ? for nullable and " desc". Lines below TransactWriteItems that begin with + are its
// writes. filter= and cond= number the conjuncts of the statement.
type notation struct {
	model  *model.Model
	design *design.Design
	entity *design.Entity
	plan   *design.Plan
}

func parseDesign(m *model.Model, text string) (*design.Design, error) {
	n := &notation{model: m, design: &design.Design{}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, " //")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := n.line(line); err != nil {
			return nil, fmt.Errorf("design, line %d: %w", i+1, err)
		}
	}
	return n.design, nil
}

func (n *notation) line(line string) error {
	words := strings.Fields(line)
	if !strings.HasPrefix(line, " ") {
		return n.heading(words)
	}
	switch {
	case n.plan == nil:
		attribute, template, _ := strings.Cut(strings.TrimSpace(line), " ")
		e := n.entity
		n.entity.Keys = append(n.entity.Keys, &design.Key{Attribute: attribute, Template: n.template(template, e, "", 0)})
		return nil
	case words[0] == "then":
		return n.client(words[1:])
	}
	return n.request(line)
}

func (n *notation) heading(words []string) error {
	switch words[0] {
	case "table":
		t := &design.Table{Name: words[1], PartitionKey: design.KeyAttribute{Name: words[2], Type: dynamo.TypeString}}
		if len(words) > 3 {
			t.SortKey = design.KeyAttribute{Name: words[3], Type: dynamo.TypeString}
		}
		n.design.Tables = append(n.design.Tables, t)
	case "gsi", "lsi":
		t := n.design.Tables[len(n.design.Tables)-1]
		ix := &design.Index{Name: words[1], Local: words[0] == "lsi", Projection: dynamo.Projection{Type: dynamo.ProjectAll}}
		keys := []design.KeyAttribute{{Name: words[2], Type: dynamo.TypeString}}
		rest := words[3:]
		if !ix.Local {
			ix.PartitionKey, keys = keys, []design.KeyAttribute{{Name: words[3], Type: dynamo.TypeString}}
			rest = words[4:]
		} else {
			ix.PartitionKey = []design.KeyAttribute{t.PartitionKey}
		}
		ix.SortKey = keys
		if rest[0] == "include" {
			ix.Projection = dynamo.Projection{Type: dynamo.ProjectInclude, Attributes: strings.Split(rest[1], ",")}
		}
		if ix.Local {
			t.LSIs = append(t.LSIs, ix)
		} else {
			t.GSIs = append(t.GSIs, ix)
		}
	case "entity":
		n.newEntity(words)
	case "plan":
		p := n.model.Pattern(words[1])
		if p == nil {
			return fmt.Errorf("no pattern %s", words[1])
		}
		n.plan = &design.Plan{Pattern: p, Query: p.Query}
		n.design.Plans = append(n.design.Plans, n.plan)
	case "refused":
		n.design.Plans = append(n.design.Plans, &design.Plan{Pattern: n.model.Pattern(words[1]), Refused: true, Reason: strings.Join(words[2:], " ")})
	default:
		return fmt.Errorf("unknown word %s", words[0])
	}
	return nil
}

func (n *notation) newEntity(words []string) {
	t := n.design.Tables[len(n.design.Tables)-1]
	e := &design.Entity{Name: words[1], Tag: words[2], Table: t.Name}
	var columns []string
	for _, w := range words[3:] {
		switch key, value, _ := strings.Cut(w, "="); key {
		case "of":
			e.Of = value
		case "unique":
			e.Unique = strings.Split(value, ",")
		case "columns":
			columns = strings.Split(value, ",")
		}
	}
	for _, a := range n.model.Entity(e.RowEntity()).Attributes {
		if columns == nil || slices.Contains(columns, a.Name) {
			e.Attributes = append(e.Attributes, &design.Attribute{Name: a.Name, Column: a.Name, Type: a.Type, NotNull: a.NotNull})
		}
	}
	n.design.Entities = append(n.design.Entities, e)
	n.entity, n.plan = e, nil
}

// template reads a template. The types of parameters and constants are those of the
// components in the same place of the entity's own key; source is that of columns.
func (n *notation) template(s string, e *design.Entity, key string, source int) design.Template {
	var own []design.Part
	if k := e.Key(key); k != nil {
		own = slices.DeleteFunc(slices.Clone(k.Template), func(p design.Part) bool { return p.Value == nil })
	}
	var out design.Template
	for s != "" {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			return append(out, design.Part{Literal: s})
		}
		if open > 0 {
			out = append(out, design.Part{Literal: s[:open]})
		}
		end := strings.IndexByte(s, '}')
		p := n.part(s[open+1:end], e, source)
		if len(own) > 0 {
			p.Type = own[0].Type
			own = own[1:]
		}
		out = append(out, p)
		s = s[end+1:]
	}
	return out
}

func (n *notation) part(s string, e *design.Entity, source int) design.Part {
	var p design.Part
	s, p.Desc = strings.CutSuffix(s, " desc")
	s, p.Nullable = strings.CutSuffix(s, "?")
	s, p.Prefix = strings.CutSuffix(s, "*")
	switch {
	case strings.HasPrefix(s, "@"):
		q := n.plan.Pattern.Param(s[1:])
		p.Type = q.Type
		p.Value = model.NewParamRef(model.At(q.Type, diag.Pos{}), q.Name)
	case strings.HasPrefix(s, "'"):
		p.Value = model.NewLiteral(model.At(p.Type, diag.Pos{}), dynamo.String(strings.Trim(s, "'")))
	case s == "NULL":
		p.Value = model.NewLiteral(model.At(p.Type, diag.Pos{}), dynamo.Null())
	default:
		for _, x := range n.model.Entities {
			if a := x.Attribute(s); a != nil && (p.Value == nil || x.Name == e.RowEntity()) {
				p.Type = a.Type
				p.Value = model.NewColumn(model.At(a.Type, diag.Pos{}), source, "", s)
			}
		}
	}
	return p
}

func (n *notation) client(words []string) error {
	c := &n.plan.Client
	for _, w := range words {
		switch key, value, _ := strings.Cut(w, "="); key {
		case "join":
			c.Join = true
		case "sort":
			c.Sort = true
		case "distinct":
			c.Distinct = true
		case "aggregate":
			c.Aggregate = true
		case "limit":
			c.Limit = true
		case "filter":
			c.Filter = pick(n.plan.Query.Where, value)
		default:
			return fmt.Errorf("unknown work %s", w)
		}
	}
	return nil
}

func pick(list []model.Expr, numbers string) []model.Expr {
	var out []model.Expr
	for _, s := range strings.Split(numbers, ",") {
		i, _ := strconv.Atoi(s)
		out = append(out, list[i])
	}
	return out
}

func (n *notation) request(line string) error {
	var cells []string
	for _, c := range strings.Split(line, "|") {
		cells = append(cells, strings.TrimSpace(c))
	}
	words := strings.Fields(cells[0])
	op := design.Op(words[0])
	r := &design.Request{Op: op, Table: n.design.Tables[0].Name, Each: -1}
	for _, w := range words[1:] {
		if v, ok := strings.CutPrefix(w, "each="); ok {
			r.Each, _ = strconv.Atoi(v)
		} else if w != r.Table {
			r.Index = w
		}
	}
	switch op {
	case design.Query:
		if err := n.query(r, cells[1:]); err != nil {
			return err
		}
	case design.GetItem, design.BatchGetItem:
		kinds, err := n.kinds(cells[3])
		if err != nil {
			return err
		}
		e := n.design.Entity(kinds[0].Entity)
		source := max(r.Each, 0)
		r.Gets = []design.Get{{Kind: kinds[0], PK: n.template(cells[1], e, "PK", source), SK: n.template(cells[2], e, "SK", source)}}
		r.Consistent = len(cells) > 4 && strings.Contains(cells[4], "consistent")
	case design.TransactWriteItems:
	default:
		w, err := n.write(cells)
		if err != nil {
			return err
		}
		if w.Op, r.Op = design.Op(strings.TrimPrefix(string(op), "+")), w.Op; strings.HasPrefix(string(op), "+") {
			last := n.plan.Requests[len(n.plan.Requests)-1]
			last.Writes = append(last.Writes, w)
			return nil
		}
		r.Op, r.Writes = w.Op, []*design.Write{w}
	}
	n.plan.Requests = append(n.plan.Requests, r)
	return nil
}

func (n *notation) kinds(s string) ([]design.Kind, error) {
	var out []design.Kind
	for _, k := range strings.Split(s, ",") {
		name, source, _ := strings.Cut(k, ":")
		if n.design.Entity(name) == nil {
			return nil, fmt.Errorf("no entity %s", name)
		}
		i, _ := strconv.Atoi(source)
		out = append(out, design.Kind{Entity: name, Source: i})
	}
	return out, nil
}

func (n *notation) query(r *design.Request, cells []string) error {
	var err error
	if r.Kinds, err = n.kinds(cells[len(cells)-2]); err != nil {
		return err
	}
	e := n.design.Entity(r.Kinds[0].Entity)
	source := max(r.Each, 0)
	attribute, value, _ := strings.Cut(cells[0], " = ")
	r.Partition = []design.KeyCondition{{Attribute: attribute, Value: n.template(value, e, attribute, source)}}
	if len(cells) == 4 {
		attribute, rest, _ := strings.Cut(cells[1], " ")
		op, value, _ := strings.Cut(rest, " ")
		s := &design.SortCondition{Attribute: attribute, Op: design.SortOp(op)}
		low, high, _ := strings.Cut(value, " AND ")
		s.Low = n.template(low, e, attribute, source)
		if high != "" {
			s.High = n.template(high, e, attribute, source)
		}
		r.Sort = s
	}
	for _, w := range strings.Fields(cells[len(cells)-1]) {
		switch key, value, _ := strings.Cut(w, "="); key {
		case "desc":
			r.Descending = true
		case "skip":
			r.SkipKinds = true
		case "consistent":
			r.Consistent = true
		case "count":
			r.Count = true
		case "filter":
			r.Filter = pick(n.where(), value)
		case "limit":
			r.Limit = n.part(value, e, 0).Value
			if i, err := strconv.Atoi(value); err == nil {
				r.Limit = model.NewLiteral(model.At(model.Type{Kind: model.Integer}, diag.Pos{}), dynamo.Int(int64(i)))
			}
		}
	}
	return nil
}

func (n *notation) where() []model.Expr {
	switch p := n.plan.Pattern; {
	case p.Update != nil:
		return p.Update.Where
	case p.Delete != nil:
		return p.Delete.Where
	}
	return n.plan.Query.Where
}

// assigned is what the statement assigns to a column, nil for nothing.
func (n *notation) assigned(column string) model.Expr {
	var list []*model.Assignment
	switch p := n.plan.Pattern; {
	case p.Insert != nil:
		list = p.Insert.Values
	case p.Update != nil:
		list = p.Update.Set
	}
	for _, a := range list {
		if a.Attribute == column {
			return a.Value
		}
	}
	return nil
}

func (n *notation) write(cells []string) (*design.Write, error) {
	e := n.design.Entity(cells[1])
	if e == nil {
		return nil, fmt.Errorf("no entity %s", cells[1])
	}
	w := &design.Write{Kind: design.Kind{Entity: e.Name, Source: -1}, Optional: e.Of != "",
		PK: n.template(cells[2], e, "PK", 0), SK: n.template(cells[3], e, "SK", 0)}
	p := n.plan.Pattern
	if p.Insert != nil {
		w.PK, w.SK = w.PK.Bind(n.assigned), w.SK.Bind(n.assigned)
	}
	set := func(list []*model.Assignment) {
		for _, a := range list {
			if e.Column(a.Attribute) != nil {
				w.Set = append(w.Set, *a)
			}
		}
	}
	isDelete := strings.HasSuffix(cells[0], string(design.DeleteItem))
	switch {
	case p.Insert != nil:
		set(p.Insert.Values)
	case p.Update != nil && !isDelete:
		set(p.Update.Set)
	}
	for _, word := range strings.Fields(cells[4]) {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "keys":
			for _, k := range strings.Split(value, ",") {
				w.Keys = append(w.Keys, &design.Key{Attribute: k, Template: e.Key(k).Template.Bind(n.assigned)})
			}
		case "copy": // columns that the put takes over from the row that was read
			for _, c := range strings.Split(value, ",") {
				a := e.Column(c)
				w.Set = append(w.Set, model.Assignment{Attribute: c, Value: model.NewColumn(model.At(a.Type, diag.Pos{}), 0, "", c)})
			}
		case "exists":
			w.Exists = true
		case "absent":
			w.Absent = true
		case "error":
			w.ErrorOnFail = true
		case "upsert":
			w.Upsert = true
		case "cond":
			w.Condition = pick(n.where(), value)
		case "unchanged":
			w.Unchanged = strings.Split(value, ",")
		}
	}
	return w, nil
}
