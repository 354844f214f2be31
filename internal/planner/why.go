package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
)

var wayNames = map[wayKind]string{direct: "key + Query", collection: "item collection + Query",
	points: "primary keys + BatchGetItem", chain: "Query + BatchGetItem", parallel: "parallel Queries"}

// otherWays tells of the strategies that were possible and lost.
func (l *layout) otherWays(r *read, chosen *way) []design.Alternative {
	var out []design.Alternative
	for i := range r.ways {
		w := &r.ways[i]
		name := wayNames[w.kind]
		if w == chosen || slices.ContainsFunc(out, func(a design.Alternative) bool { return a.Strategy == name }) || w.kind == chosen.kind {
			continue
		}
		reason := fmt.Sprintf("takes %d requests instead of %d", w.requests, chosen.requests)
		if w.requests == chosen.requests {
			reason = "takes as many requests, and more indexes or more writing for the other patterns"
		}
		out = append(out, design.Alternative{Strategy: name, Reason: reason})
	}
	return out
}

// remark says what a served read costs in requests.
func (l *layout) remark(out *design.Plan) {
	if len(out.Requests) < 2 || strings.HasSuffix(out.Strategy, "element") {
		return
	}
	l.w.findings = append(l.w.findings, finding{out.Pattern, diag.Warning, CodeRequests, out.Pattern.Pos,
		fmt.Sprintf("served by %d requests, one after the other's rows are known or side by side", len(out.Requests)),
		"a copy of the joined columns would make it one; the rows here are always current"})
}

// strategy names how a Query finds its rows.
func (l *layout) strategy(s *seat, d *demand) string {
	reach := d.reach(s.path)
	switch {
	case s.guard != nil:
		return "unique key item + Query"
	case len(s.path.h) == 0 && len(d.eq) == 0:
		return strings.TrimSpace("singleton partition + Query")
	case s.slot.local:
		return "local secondary index + Query"
	case s.slot.index == "" && reach > 0:
		return "composite sort key + Query"
	case s.slot.index == "":
		return "primary key + Query"
	case reach > 0:
		return "secondary index + composite sort key + Query"
	}
	return "secondary index + Query"
}

// why says in a sentence what makes the path fit.
func (l *layout) why(s *seat, d *demand) string {
	if s.guard != nil {
		return l.d.Entity(l.kind(s, 0).Entity).Reason
	}
	where := "the table's key"
	if s.slot.index != "" {
		where = s.slot.index
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s has the partition %s", where, s.pkT)
	if s.skT != nil {
		fmt.Fprintf(&b, " and the sort key %s", s.skT)
	}
	if len(s.ds) > 1 {
		var with []string
		for _, o := range s.ds {
			if o.pattern != d.pattern && !slices.Contains(with, o.pattern.Name) {
				with = append(with, o.pattern.Name)
			}
		}
		if len(with) > 0 {
			b.WriteString(", shared with " + strings.Join(with, ", "))
		}
	}
	return b.String()
}
