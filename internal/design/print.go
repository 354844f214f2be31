package design

import (
	"fmt"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// String prints the design in its canonical text form: tables with their indexes, how
// each kind of item spells its keys, and a line for each request of each plan. Equal
// designs print equal text.
func (d *Design) String() string {
	var b strings.Builder
	for _, t := range d.Tables {
		t.print(&b)
	}
	for _, e := range d.Entities {
		e.print(&b)
	}
	for _, p := range d.Plans {
		d.printPlan(&b, p)
	}
	return b.String()
}

func (t *Table) print(b *strings.Builder) {
	fmt.Fprintf(b, "table %s (%s)\n", t.Name, keyNames([]KeyAttribute{t.PartitionKey}, []KeyAttribute{t.SortKey}))
	for _, ix := range t.GSIs {
		fmt.Fprintf(b, "  global index %s (%s) %s\n", ix.Name, keyNames(ix.PartitionKey, ix.SortKey), projectionText(ix.Projection))
	}
	for _, ix := range t.LSIs {
		fmt.Fprintf(b, "  local index %s (%s) %s\n", ix.Name, keyNames(ix.PartitionKey, ix.SortKey), projectionText(ix.Projection))
	}
	if t.TTLAttribute != "" {
		fmt.Fprintf(b, "  expires by %s\n", t.TTLAttribute)
	}
}

func keyNames(lists ...[]KeyAttribute) string {
	var out []string
	for _, list := range lists {
		for _, k := range list {
			if k.Name != "" {
				out = append(out, k.Name+" "+string(k.Type))
			}
		}
	}
	return strings.Join(out, ", ")
}

func projectionText(p dynamo.Projection) string {
	if p.Type == dynamo.ProjectInclude {
		return "include " + strings.Join(p.Attributes, ", ")
	}
	return strings.ToLower(string(p.Type))
}

func (e *Entity) print(b *strings.Builder) {
	fmt.Fprintf(b, "%s", e.Name)
	if e.Of != "" {
		fmt.Fprintf(b, " (a further item of %s)", e.Of)
	}
	b.WriteByte('\n')
	for _, k := range e.Keys {
		fmt.Fprintf(b, "  %-7s %s\n", k.Attribute, k.Template)
	}
}

func (d *Design) printPlan(b *strings.Builder, p *Plan) {
	if p.Refused {
		fmt.Fprintf(b, "%s refused %s\n", p.Pattern.Name, joinCodes(p))
		return
	}
	fmt.Fprintf(b, "%s by %s\n", p.Pattern.Name, p.Strategy)
	for _, r := range p.Requests {
		b.WriteString("  " + d.requestText(p, r) + "\n")
	}
	if s := p.Client.String(); s != "" {
		fmt.Fprintf(b, "  then %s\n", s)
	}
}

func joinCodes(p *Plan) string {
	out := make([]string, len(p.Codes))
	for i, c := range p.Codes {
		out[i] = string(c)
	}
	return strings.Join(out, ", ")
}

// requestText is one line for one request.
func (d *Design) requestText(p *Plan, r *Request) string {
	var b strings.Builder
	b.WriteString(string(r.Op))
	if r.Index != "" {
		b.WriteString(" " + r.Index)
	}
	if s := d.KeyConditionText(r); s != "" {
		b.WriteString(" " + s)
	}
	if f := d.FilterText(p, r); f != "" {
		b.WriteString(" filter " + f)
	}
	for _, w := range r.Writes {
		b.WriteString(d.writeText(p, w))
	}
	if r.Each >= 0 {
		fmt.Fprintf(&b, " for each row of %s", p.Query.Sources[r.Each].Alias)
	}
	if r.Limit != nil {
		b.WriteString(" limit " + r.Limit.String())
	}
	for _, flag := range []struct {
		set  bool
		word string
	}{{r.Descending, " descending"}, {r.Consistent, " consistent"}, {r.Count, " count"}} {
		if flag.set {
			b.WriteString(flag.word)
		}
	}
	return b.String()
}

func (d *Design) writeText(p *Plan, w *Write) string {
	var b strings.Builder
	e := d.Entity(w.Kind.Entity)
	fmt.Fprintf(&b, " %s %s", strings.ToLower(strings.TrimSuffix(string(w.Op), "Item")), d.keyText(d.Table(e.Table), w.PK, w.SK))
	if x, err := d.ExpressWrite(p, w, nil); err == nil {
		if x.Update != "" {
			b.WriteString(" " + x.plain(x.Update))
		}
		if x.Condition != "" {
			b.WriteString(" if " + x.plain(x.Condition))
		}
	}
	return b.String()
}

// String names what is left to the client, "" for nothing.
func (c Client) String() string {
	var out []string
	if c.Join {
		out = append(out, "join")
	}
	for _, f := range c.Filter {
		out = append(out, "keep rows with "+f.String())
	}
	for _, step := range []struct {
		set  bool
		word string
	}{{c.Aggregate, "aggregate"}, {c.Distinct, "drop duplicates"}, {c.Sort, "sort"}, {c.Limit, "cut at LIMIT"}} {
		if step.set {
			out = append(out, step.word)
		}
	}
	return strings.Join(out, ", ")
}

// LimitText is a request's limit as a number or @name, "" for none.
func (r *Request) LimitText() string {
	switch l := r.Limit.(type) {
	case nil:
		return ""
	case *model.Literal:
		return l.Value.Str()
	default:
		return l.String()
	}
}
