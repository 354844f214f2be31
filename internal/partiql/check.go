package partiql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/expr"
)

// check finds faults that the service reports after it has read the whole statement.
func (s *Statement) check() error {
	from := &s.from
	switch {
	case slices.Contains(from.path, ""):
		return invalid("%s", faultEmptyName)
	case from.alias:
		return invalid("%s", faultAlias)
	case len(from.path) > 1 && s.verb == Insert:
		return invalid("%s", faultInsertFrom)
	case len(from.path) > 1 && (s.verb == Update || s.verb == Delete):
		return invalid("%s", faultWriteIndex)
	case len(from.path) > 2:
		return invalid("%s", faultLongPath)
	case !validTable(from.path[0]):
		return invalid("%s", faultTableName)
	case s.verb == Insert && s.returning != "":
		return invalid("%s", faultNotInsert)
	case s.verb == Delete && s.returning != "" && s.returning != "ALL OLD":
		return invalid(faultNotDelete, s.returning)
	case s.verb == Insert && s.value.op != opTuple:
		return invalid(faultInsertValue, s.value.at)
	}
	for _, o := range s.order {
		if o.by.op != opPath || len(o.by.path) > 1 || o.by.wild {
			return invalid(faultOrderBy, o.by.sortName())
		}
	}
	return nil
}

func (n *node) sortName() string {
	switch n.op {
	case opPath:
		return "PATH"
	case opNumber, opString:
		return n.text
	}
	return n.kindName()
}

func validTable(name string) bool {
	if strings.HasPrefix(name, "arn:") {
		return true
	}
	return len(name) >= 3 && len(name) <= 255 && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}) < 0
}

// projection makes the columns of a SELECT's list.
func (s *Statement) projection() ([]Column, error) {
	var columns []Column
	for _, n := range s.columns {
		if n.op != opPath {
			return nil, invalid(faultColumn, n.at)
		}
		if n.wild {
			return nil, invalid("%s", faultHierarchy)
		}
		name := columnName(n.path)
		if slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name }) {
			return nil, invalid(faultColumns, name)
		}
		columns = append(columns, Column{Name: name, Path: n.path})
	}
	return columns, nil
}

// columnName is the last name of a path and the positions that follow it.
func columnName(path expr.Path) string {
	last := len(path) - 1
	for path[last].Name == "" {
		last--
	}
	name := path[last].Name
	for _, s := range path[last+1:] {
		name += "[" + strconv.Itoa(s.Index) + "]"
	}
	return name
}
