// Package exec runs the plans of a design against any DynamoDB: arguments become requests,
// pages become rows, rows become items. What it does is the meaning of a design; code
// generated from a design does the same. It hides paging, batches and their leftovers,
// the telling apart of several kinds of items in one answer, joins, sorting and
// aggregation in memory, optimistic writes and their retries, and SQL's arithmetic and
// three-valued logic.
//
// Of the work in memory only what the plan's Client names is done. A plan that promises
// more than its requests keep gives wrong rows here as it would in generated code;
// Runner.Audit makes it an error.
//
// Sources of a plan's requests are numbered through the branches of a UNION ALL: those of
// the first SELECT, then those of the next.
package exec

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A Client is a DynamoDB: the engine, or the service itself. *engine.DB is one. Faults of
// the service are *dynamo.Error. Methods must be safe for concurrent use.
type Client interface {
	CreateTable(ctx context.Context, in *dynamo.Table) (*dynamo.Table, error)
	DescribeTable(ctx context.Context, name string) (*dynamo.Table, error)
	GetItem(ctx context.Context, in *dynamo.GetItemInput) (*dynamo.GetItemOutput, error)
	BatchGetItem(ctx context.Context, in *dynamo.BatchGetItemInput) (*dynamo.BatchGetItemOutput, error)
	Query(ctx context.Context, in *dynamo.QueryInput) (*dynamo.PageOutput, error)
	Scan(ctx context.Context, in *dynamo.ScanInput) (*dynamo.PageOutput, error)
	PutItem(ctx context.Context, in *dynamo.PutItemInput) (*dynamo.WriteOutput, error)
	UpdateItem(ctx context.Context, in *dynamo.UpdateItemInput) (*dynamo.WriteOutput, error)
	DeleteItem(ctx context.Context, in *dynamo.DeleteItemInput) (*dynamo.WriteOutput, error)
	BatchWriteItem(ctx context.Context, in *dynamo.BatchWriteItemInput) (*dynamo.BatchWriteItemOutput, error)
	TransactWriteItems(ctx context.Context, in *dynamo.TransactWriteItemsInput) (*dynamo.TransactWriteItemsOutput, error)
}

// Args are the arguments of an access pattern by parameter name, in the representation of
// model.Kind; dynamo.Null() or no value is NULL. A list parameter takes an L. ParseValue
// makes them from text.
type Args map[string]dynamo.Value

// A Row is one row of an entity: its columns' values by column name, NULLs left out.
type Row = dynamo.Item

// A Result is what one call of an access pattern gave. Columns and Types name what a read
// or a RETURNING clause returns; Rows hold dynamo.Null() for NULL.
type Result struct {
	Columns  []string
	Types    []model.Type
	Rows     [][]dynamo.Value
	Affected int // rows a write changed
	// Order holds for each row of a read the values it is ordered by, so that rows whose
	// order is free can be told; empty lists without ORDER BY.
	Order [][]dynamo.Value

	ReadUnits  float64 // as the service reports them
	WriteUnits float64
	Requests   []Sent // in the order sent
}

// Sent is one request of a call, all its pages together.
type Sent struct {
	Op    design.Op
	Table string
	Index string // "" for the table itself
	Pages int    // round trips, retries of leftovers among them
	Items int    // items returned, or written
	Units float64
}

// A Runner runs plans of one design. Client and Design are required. Its methods are safe
// for concurrent use when Clock and Random are.
type Runner struct {
	Client Client
	Design *design.Design
	Clock  func() time.Time // for now(); nil is time.Now
	Random io.Reader        // for gen_random_uuid(); nil is a secure source
	// Audit checks what the plan promises: every row that the requests return satisfies
	// the WHERE but for the plan's own Filter, comes once, and in the query's order unless
	// the plan sorts. A broken promise is a *PlanError.
	Audit bool
	// PageLimit, when not 0, is the most items one page of a Query may evaluate. It is for
	// tests of paging.
	PageLimit int64
}

// Run runs one plan with the default clock and source of randomness. See Runner.Run.
func Run(ctx context.Context, c Client, d *design.Design, p *design.Plan, args Args) (*Result, error) {
	r := Runner{Client: c, Design: d}
	return r.Run(ctx, p, args)
}

// A PlanError says that a plan is not fit to run: it was refused, or it contradicts its
// design. Nothing the caller passes can mend it.
type PlanError struct {
	Pattern string
	Reason  string
}

// Error names the access pattern and the reason.
func (e *PlanError) Error() string { return e.Pattern + ": " + e.Reason }

// An ArgumentError says what is wrong with one argument.
type ArgumentError struct {
	Pattern string
	Param   string
	Reason  string
}

// Error names the access pattern, the parameter and the reason.
func (e *ArgumentError) Error() string {
	return e.Pattern + ": argument " + e.Param + ": " + e.Reason
}

// A DuplicateError says that an INSERT or UPDATE would have made a second row with the
// same key.
type DuplicateError struct {
	Pattern string
	Entity  string
	Columns []string // of the key; nil when it is not known which
}

// Error names the access pattern and the key.
func (e *DuplicateError) Error() string {
	s := e.Pattern + ": a row of " + e.Entity + " with the same "
	if len(e.Columns) == 0 {
		return s + "key exists"
	}
	return s + strings.Join(e.Columns, ", ") + " exists"
}

// A ValueError says that a value does not fit the column it is assigned to.
type ValueError struct {
	Entity, Column string
	Reason         string
}

// Error names the column and the reason.
func (e *ValueError) Error() string { return e.Entity + "." + e.Column + ": " + e.Reason }

// Run runs one plan. Errors are *PlanError, *ArgumentError, *ValueError and
// *DuplicateError, those of the client, or say what SQL finds wrong with the statement's
// arithmetic. A write that finds no row is no error: Affected is then 0.
func (r *Runner) Run(ctx context.Context, p *design.Plan, args Args) (*Result, error) {
	if p.Refused {
		return nil, &PlanError{p.Pattern.Name, "the design does not serve this access pattern: " + p.Reason}
	}
	given, err := checkArgs(p.Pattern, args)
	if err != nil {
		return nil, err
	}
	c := &call{Runner: r, ctx: ctx, plan: p, args: given, result: &Result{}, uuids: map[*model.Call]dynamo.Value{}}
	if p.Pattern.IsWrite() {
		err = c.write()
	} else {
		err = c.read()
	}
	if err != nil {
		return nil, err
	}
	return c.result, nil
}

// A call is one run of a plan.
type call struct {
	*Runner
	ctx    context.Context
	plan   *design.Plan
	args   Args
	result *Result
	now    time.Time
	uuids  map[*model.Call]dynamo.Value
}

func (c *call) fault(format string, args ...any) error {
	return &PlanError{c.plan.Pattern.Name, fmt.Sprintf(format, args...)}
}

// checkArgs returns the arguments with every NULL spelled out. Unknown and missing names
// and values of the wrong kind are errors.
func checkArgs(p *model.AccessPattern, args Args) (Args, error) {
	names := make([]string, 0, len(args))
	for name := range args {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if p.Param(name) == nil {
			return nil, &ArgumentError{p.Name, name, "there is no such parameter; " + parameterList(p)}
		}
	}
	out := Args{}
	for _, q := range p.Params {
		v, ok := args[q.Name]
		if v.IsAbsent() || v.IsNull() {
			if !ok && !q.Optional && !q.Nullable {
				return nil, &ArgumentError{p.Name, q.Name, "is missing; " + parameterList(p)}
			}
			out[q.Name] = dynamo.Null()
			continue
		}
		if err := checkArg(q, v); err != nil {
			return nil, &ArgumentError{p.Name, q.Name, err.Error()}
		}
		out[q.Name] = v
	}
	return out, nil
}

func parameterList(p *model.AccessPattern) string {
	if len(p.Params) == 0 {
		return "it takes none"
	}
	list := make([]string, len(p.Params))
	for i, q := range p.Params {
		list[i] = q.Name + " " + q.Type.String()
		if q.List && !q.Type.Array {
			list[i] += "[]"
		}
	}
	return "it takes " + strings.Join(list, ", ")
}

func checkArg(q *model.Param, v dynamo.Value) error {
	if !q.List {
		return CheckValue(q.Type, v)
	}
	if v.Type() != dynamo.TypeList {
		return fmt.Errorf("a list is needed, not a single value of type %s", v.Type())
	}
	t := q.Type
	t.Array = false
	for _, el := range v.Elements() {
		if el.IsNull() {
			continue
		}
		if err := CheckValue(t, el); err != nil {
			return err
		}
	}
	return nil
}
