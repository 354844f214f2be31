package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

func newExplain(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain DIR [QUERY]",
		Short: "Say why the design is as it is",
		Long: `Explain one access pattern: its SQL, the requests that serve it in DynamoDB's and in
PartiQL's words, what a call costs, why it is served so, and what was not chosen.
Without QUERY, explain the keys, the indexes and all patterns in brief.`,
		Example: "  keyfold explain examples/catalog\n  keyfold explain examples/catalog GetProductsByBrandAndCategory",
		Args:    arguments(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runExplain(args, asJSON)
		},
		ValidArgsFunction: completeQuery,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func (c *console) runExplain(args []string, asJSON bool) error {
	from := diag.Warning
	if len(args) == 2 {
		from = diag.Error // the others' warnings are of no interest
	}
	p, err := c.design(args[0], from)
	if err != nil {
		return err
	}
	doc := p.Document()
	if len(args) == 1 {
		if asJSON {
			return c.json(doc)
		}
		c.showOverview(p.Design)
		return nil
	}
	plan, err := p.plan(args[1])
	if err != nil {
		return err
	}
	i := slices.Index(p.Design.Plans, plan)
	if asJSON {
		return c.json(doc.Patterns[i])
	}
	c.showPlan(p.Design, plan, doc.Patterns[i])
	return nil
}

// plan finds a plan by its query's name, in any case.
func (p *compiled) plan(name string) (*design.Plan, error) {
	var names []string
	for _, plan := range p.Design.Plans {
		if strings.EqualFold(plan.Pattern.Name, name) {
			return plan, nil
		}
		names = append(names, plan.Pattern.Name)
	}
	hint := didYouMean(name, names)
	if hint == "" {
		hint = "; there are " + strings.Join(names, ", ")
	}
	if name == "" {
		return nil, usagef("which query of %s? There are %s", p.Dir, strings.Join(names, ", "))
	}
	return nil, usagef("%s has no query %q%s", p.Dir, name, hint)
}

// completeQuery completes DIR as a folder and the second argument as a query's name.
func completeQuery(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, p := range patterns(args[0]) {
		names = append(names, p.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// showPlan prints one pattern; doc is the same plan as JSON has it.
func (c *console) showPlan(d *design.Design, p *design.Plan, doc design.PatternDocument) {
	c.title("%s  %s", p.Pattern.Name, p.Pattern.Pos)
	for line := range strings.Lines(p.Pattern.SQL) {
		c.printf("  %s\n", styleFaint.Render(strings.TrimRight(line, "\n")))
	}
	c.printf("\n")
	if p.Refused {
		c.field("Refused", p.Reason)
	} else {
		c.field("Strategy", p.Strategy)
		c.field("Why", p.Reason)
	}
	for i, r := range p.Requests {
		c.printf("\n")
		c.showRequest(d, p, r, doc.Requests[i])
	}
	c.printf("\n")
	c.field("In memory", doc.Client)
	if !p.Refused {
		c.field("Cost", costText(p.Cost))
	}
	for _, name := range indexNames(p) {
		c.field(name, "serves "+strings.Join(users(d, name), ", "))
	}
	for _, a := range p.Alternatives {
		c.field("Not chosen", a.Strategy+": "+a.Reason)
	}
}

func (c *console) showRequest(d *design.Design, p *design.Plan, r *design.Request, doc design.RequestDocument) {
	c.field("Request", requestText(doc))
	if len(r.Writes) == 0 {
		c.field("Key", doc.KeyCondition)
	}
	for _, w := range doc.Writes {
		c.field(strings.TrimSuffix(w.Op, "Item"), w.Key)
		c.field("  set", w.Update)
		c.field("  if", w.Condition)
		for _, name := range slices.Sorted(maps.Keys(w.Keys)) {
			c.field("  "+name, w.Keys[name])
		}
	}
	if doc.Filter != nil {
		c.field("Filter", *doc.Filter)
	}
	if doc.Expression != "" {
		c.field("In the API", doc.Expression)
		for _, name := range slices.Sorted(maps.Keys(doc.Values)) {
			c.field("", name+" is "+doc.Values[name])
		}
	}
	for _, s := range d.PartiQL(p, r) {
		c.field("PartiQL", s.String())
	}
}

// requestText names a request and its settings in words.
func requestText(r design.RequestDocument) string {
	s := r.Op + " on " + r.Table
	if r.Index != nil {
		s = r.Op + " on " + *r.Index
	}
	if r.Each != "" {
		s += ", once for each row of " + r.Each
	}
	if r.Consistent {
		s += ", strongly consistent"
	}
	if r.Descending {
		s += ", descending"
	}
	if r.Limit != nil {
		s += fmt.Sprintf(", limit %v", r.Limit)
	}
	return s
}

// indexNames are the indexes that a plan reads, each once.
func indexNames(p *design.Plan) []string {
	var out []string
	for _, r := range p.Requests {
		if r.Index != "" && !slices.Contains(out, r.Index) {
			out = append(out, r.Index)
		}
	}
	return out
}

// field prints a labelled line, continued below itself where it is too long; nothing when
// there is no value.
func (c *console) field(label, value string) {
	const labelWidth = 10
	if value == "" {
		return
	}
	for i, line := range wrap(value, c.width-len(indent)-labelWidth-len(gap)) {
		if i > 0 {
			label = ""
		}
		pad := strings.Repeat(" ", max(0, labelWidth-len(label)))
		c.printf("%s%s%s%s%s\n", indent, styleFaint.Render(label), pad, gap, line)
	}
}

// paragraph prints running text.
func (c *console) paragraph(text string) {
	for _, line := range wrap(text, c.width-len(indent)) {
		c.printf("%s%s\n", indent, line)
	}
}

func (c *console) showOverview(d *design.Design) {
	c.title("%s: %s", tableNames(d), summary(d))
	c.printf("\n")
	c.title("Keys")
	keyTable(d).print(c.out, c.width)
	why := &table{head: []string{"Entity", "Why"}, details: 1}
	for _, e := range d.Entities {
		if e.Reason != "" {
			why.add(e.Name, e.Reason)
		}
	}
	if len(why.rows) > 0 {
		c.printf("\n")
		why.print(c.out, c.width)
	}
	if t := indexTable(d); len(t.rows) > 0 {
		c.printf("\n")
		c.title("Indexes, and the patterns that they exist for")
		t.print(c.out, c.width)
	}
	c.printf("\n")
	c.title("Access patterns")
	t := &table{head: []string{"Access pattern", "Units", "Strategy", "Why"}, details: 2, right: map[int]bool{1: true}}
	assumed := false
	for _, p := range d.Plans {
		if !p.Refused {
			t.add(p.Pattern.Name, unitsText(p.Cost.ReadUnits, p.Cost.WriteUnits), p.Strategy, p.Reason)
			assumed = assumed || p.Cost.Assumed
		}
	}
	t.print(c.out, c.width)
	if assumed {
		c.printf("\n")
		c.paragraph("Units are estimates for one call. Sizes and counts that no `-- keyfold:` line gives are assumed.")
	}
	c.showRefused(d)
}

// patterns are the access patterns of a project, for completion; none when it has faults.
func patterns(dir string) []*model.AccessPattern {
	p, err := quiet().compile(dir, diag.Error)
	if err != nil || p.Model == nil {
		return nil
	}
	return p.Model.Patterns
}
