package expr

import "github.com/keyfold-dev/keyfold/dynamo"

// A Projection chooses parts of items.
type Projection struct {
	paths []Path // as written
	at    []Path // as bound
	tree  []branch
}

// ParseProjection parses a ProjectionExpression (Developer Guide, "Using projection
// expressions in DynamoDB").
func ParseProjection(src string) (*Projection, error) {
	p := newParser(ProjectionExpression, projectionGrammar, src)
	paths := []Path{p.readPath()}
	for p.take(tokComma) {
		paths = append(paths, p.readPath())
	}
	if err := p.finish(conditionFaults[:]); err != nil {
		return nil, err
	}
	return &Projection{paths: paths}, nil
}

// Project returns the bound projection to the given paths, such as those an update touched.
func Project(paths []Path) *Projection {
	return &Projection{paths: paths, at: paths, tree: grow(paths)}
}

// String prints the projection as an expression that parses to the same.
func (p *Projection) String() string {
	var dst []byte
	for i, path := range p.paths {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = path.appendText(dst)
	}
	return string(dst)
}

// Bind resolves the placeholders of p in s.
func (p *Projection) Bind(s *Scope) (*Projection, error) {
	b := binder{kind: ProjectionExpression, scope: s}
	at := make([]Path, len(p.paths))
	for i, path := range p.paths {
		at[i] = b.path(path)
	}
	if b.err == nil {
		if fault := checkPaths(at); fault != "" {
			b.fail("%s", fault)
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	return &Projection{paths: p.paths, at: at, tree: grow(at)}, nil
}

// Attributes returns the top-level attributes the bound projection chooses from, sorted.
func (p *Projection) Attributes() []string { return roots(p.at, false) }

// Nested returns the top-level attributes that the bound projection looks into by a
// document path, sorted. Key attributes must not be among them.
func (p *Projection) Nested() []string { return roots(p.at, true) }

// Apply returns the parts of it that the bound projection chooses; values are shared with
// it. Of lists the chosen elements are left, in their order, moved together. It is nil when
// nothing is left.
func (p *Projection) Apply(it dynamo.Item) dynamo.Item { return chooseFields(it, p.tree) }

func chooseFields(it dynamo.Item, branches []branch) dynamo.Item {
	var out dynamo.Item
	for i, b := range branches {
		v := choose(it.Get(b.step.Name), b)
		if v.IsAbsent() {
			continue
		}
		if out == nil {
			out = make(dynamo.Item, 0, len(branches)-i)
		}
		out = append(out, dynamo.Attr{Name: b.step.Name, Value: v})
	}
	return out
}

func choose(v dynamo.Value, b branch) dynamo.Value {
	if b.leaf >= 0 {
		return v
	}
	inList := b.next[0].step.Name == ""
	switch {
	case v.Type() == dynamo.TypeMap && !inList:
		if fields := chooseFields(v.Fields(), b.next); fields != nil {
			return dynamo.Map(fields)
		}
	case v.Type() == dynamo.TypeList && inList:
		var out []dynamo.Value
		for _, n := range b.next {
			if n.step.Index >= len(v.Elements()) {
				break
			}
			if e := choose(v.Elements()[n.step.Index], n); !e.IsAbsent() {
				out = append(out, e)
			}
		}
		if out != nil {
			return dynamo.List(out...)
		}
	}
	return dynamo.Value{}
}
