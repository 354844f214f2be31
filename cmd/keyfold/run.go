package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/dev"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/exec/remote"
	"github.com/keyfold-dev/keyfold/internal/model"
	"github.com/keyfold-dev/keyfold/internal/sample"
)

func newRun(c *console) *cobra.Command {
	var asJSON bool
	var rows int
	cmd := &cobra.Command{
		Use:   "run DIR QUERY [NAME=VALUE ...]",
		Short: "Run one access pattern, show its rows and what they cost",
		Long: `Run one access pattern of the project in DIR with the given arguments. It runs on the
database of ` + "`keyfold dev DIR`" + `, whether that is running or not; where there is none, on
sample rows in memory, and nothing is kept.`,
		Example: "  keyfold run examples/catalog GetProductsByBrand brand_id=tesla\n" +
			"  keyfold run examples/catalog DecreaseStock product_id=model-3 stock_decrement=1",
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runQuery(cmd.Context(), args, rows, asJSON)
		},
		ValidArgsFunction: completeArguments,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().IntVar(&rows, "rows", 20, "rows to make up for a table without a sample file")
	return cmd
}

// completeArguments completes NAME= for the parameters not given yet.
func completeArguments(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) < 2 {
		return completeQuery(cmd, args, word)
	}
	var names []string
	for _, p := range patterns(args[0]) {
		if !strings.EqualFold(p.Name, args[1]) {
			continue
		}
		for _, q := range p.Params {
			names = append(names, q.Name+"=")
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func (c *console) runQuery(ctx context.Context, args []string, rows int, asJSON bool) error {
	p, err := c.design(args[0], diag.Error)
	if err != nil {
		return err
	}
	if len(args) < 2 {
		args = append(args, "")
	}
	plan, err := p.plan(args[1])
	if err != nil {
		return err
	}
	values, err := parseArguments(plan.Pattern, args[2:])
	if err != nil {
		return err
	}
	data, err := c.sample(p, rows)
	if err != nil {
		return err
	}
	db, err := c.database(ctx, p, data)
	if err != nil {
		return err
	}
	result, err := exec.Run(ctx, db, p.Design, plan, values)
	if err := errors.Join(err, db.close()); err != nil {
		var bad *exec.ArgumentError
		if errors.As(err, &bad) {
			return usageError{err}
		}
		return err
	}
	if asJSON {
		return c.json(resultDocument(plan, result, db.name))
	}
	c.showResult(plan, result, db.name)
	return nil
}

// A database is what a call runs on.
type database struct {
	exec.Client
	name  string // in words
	close func() error
}

// database finds the database to run on: that of `keyfold dev`, over its endpoint while it
// runs, otherwise sample rows in memory.
func (c *console) database(ctx context.Context, p *compiled, data *sample.Data) (*database, error) {
	folder := filepath.Join(p.Dir, ".keyfold")
	holding, err := dev.Holds(folder, p.Design, data)
	if err != nil {
		return nil, err
	}
	if holding == dev.Same {
		s, err := dev.Open(dev.Options{Folder: folder, Region: p.Config.Region.Text})
		if err == nil {
			return &database{s.DB, folder, s.Close}, nil
		}
		url := dev.Endpoint(folder)
		if !errors.Is(err, engine.ErrInUse) || url == "" {
			return nil, err
		}
		return &database{remote.At(url, p.Config.Region.Text), url, func() error { return nil }}, nil
	}
	if holding == dev.Other {
		c.note("note: %s was made for another design or other sample rows; `keyfold dev %s` makes it anew.\n"+
			"note: this call runs on sample rows in memory.", folder, p.Dir)
	}
	s, err := dev.Open(dev.Options{Region: p.Config.Region.Text})
	if err != nil {
		return nil, err
	}
	if _, err := s.Adopt(ctx, p.Design, data); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &database{s.DB, "sample rows in memory", s.Close}, nil
}

// parseArguments reads NAME=VALUE words. A list is written a,b or as JSON.
func parseArguments(p *model.AccessPattern, words []string) (exec.Args, error) {
	args := exec.Args{}
	for _, word := range words {
		name, text, ok := strings.Cut(word, "=")
		if !ok {
			return nil, usagef("arguments are written NAME=VALUE, not %q; %s", word, takes(p))
		}
		q := p.Param(name)
		if q == nil {
			var names []string
			for _, q := range p.Params {
				names = append(names, q.Name)
			}
			return nil, usagef("%s has no parameter %q%s\n%s", p.Name, name, didYouMean(name, names), takes(p))
		}
		t := q.Type
		if q.List {
			t.Array = true
			if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
				text = "{" + text + "}"
			}
		}
		v, err := exec.ParseValue(t, text)
		if err != nil {
			return nil, usagef("%s: %w", name, err)
		}
		args[name] = v
	}
	var missing []string
	for _, q := range p.Params {
		if _, ok := args[q.Name]; !ok && !q.Optional && !q.Nullable {
			missing = append(missing, q.Name)
		}
	}
	if len(missing) > 0 {
		return nil, usagef("%s also needs %s\n%s", p.Name, strings.Join(missing, ", "), takes(p))
	}
	return args, nil
}

// takes lists the parameters of a pattern with their types.
func takes(p *model.AccessPattern) string {
	if len(p.Params) == 0 {
		return p.Name + " takes no arguments"
	}
	var out []string
	for _, q := range p.Params {
		s := q.Name + "=" + q.Type.String()
		if q.List && !q.Type.Array {
			s += ",..."
		}
		if q.Optional || q.Nullable {
			s = "[" + s + "]"
		}
		out = append(out, s)
	}
	return p.Name + " takes " + strings.Join(out, " ")
}

// argsText spells arguments as `keyfold run` takes them.
func argsText(p *design.Plan, args exec.Args) string {
	var b strings.Builder
	for _, q := range p.Pattern.Params {
		v, ok := args[q.Name]
		if !ok || v.IsNull() {
			continue
		}
		text := sample.Text(v)
		if q.List {
			text = strings.ReplaceAll(strings.Trim(text, "[]"), ", ", ",")
		}
		b.WriteString(" " + shellQuote(q.Name+"="+text))
	}
	return b.String()
}

// shellQuote quotes a word when a shell would read it otherwise.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-=.,:/@%+", r)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (c *console) showResult(plan *design.Plan, r *exec.Result, where string) {
	if len(r.Columns) > 0 && len(r.Rows) > 0 {
		t := &table{head: r.Columns, right: map[int]bool{}}
		for i, typ := range r.Types {
			t.right[i] = typ.IsNumber()
		}
		for _, row := range r.Rows {
			var cells []string
			for _, v := range row {
				cells = append(cells, sample.Text(v))
			}
			t.add(cells...)
		}
		t.print(c.out, c.width)
		c.printf("\n")
	}
	what := count(len(r.Rows), "row")
	if plan.Pattern.IsWrite() {
		what = count(r.Affected, "row") + " changed"
	}
	units := unitsText(r.ReadUnits, r.WriteUnits)
	if units != "" {
		units = "; " + units + " units consumed"
	}
	c.printf("%s by %s on %s%s (%s)\n", what, operations(plan), indexes(plan), units, where)
}

type resultJSON struct {
	Pattern    string           `json:"pattern"`
	Database   string           `json:"database"`
	Columns    []string         `json:"columns"`
	Rows       []map[string]any `json:"rows"`
	Affected   int              `json:"affected"`
	ReadUnits  float64          `json:"read_units"`
	WriteUnits float64          `json:"write_units"`
	Requests   []sentJSON       `json:"requests"`
}

type sentJSON struct {
	Op    string  `json:"op"`
	Table string  `json:"table"`
	Index string  `json:"index,omitempty"`
	Pages int     `json:"pages"`
	Items int     `json:"items"`
	Units float64 `json:"units"`
}

func resultDocument(plan *design.Plan, r *exec.Result, where string) resultJSON {
	doc := resultJSON{Pattern: plan.Pattern.Name, Database: where, Columns: append([]string{}, r.Columns...),
		Rows: []map[string]any{}, Affected: r.Affected, ReadUnits: r.ReadUnits, WriteUnits: r.WriteUnits, Requests: []sentJSON{}}
	for _, row := range r.Rows {
		fields := map[string]any{}
		for i, v := range row {
			fields[r.Columns[i]] = plainValue(v)
		}
		doc.Rows = append(doc.Rows, fields)
	}
	for _, s := range r.Requests {
		doc.Requests = append(doc.Requests, sentJSON{string(s.Op), s.Table, s.Index, s.Pages, s.Items, s.Units})
	}
	return doc
}

// plainValue is a value as plain JSON: numbers with all their digits, bytes in base64.
func plainValue(v dynamo.Value) any {
	switch v.Type() {
	case dynamo.TypeString:
		return v.Str()
	case dynamo.TypeNumber:
		return json.Number(v.Str())
	case dynamo.TypeBool:
		return v.IsTrue()
	case dynamo.TypeBinary:
		return base64.StdEncoding.EncodeToString([]byte(v.Str()))
	case dynamo.TypeMap:
		fields := map[string]any{}
		for _, a := range v.Fields() {
			fields[a.Name] = plainValue(a.Value)
		}
		return fields
	case dynamo.TypeList, dynamo.TypeStringSet, dynamo.TypeNumberSet, dynamo.TypeBinarySet:
		list := []any{}
		for _, el := range v.Elements() {
			list = append(list, plainValue(el))
		}
		return list
	}
	return nil
}
