package design

import (
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A Plan is how one access pattern is served: requests in order and what is left to do
// with their rows. A refused plan has no requests, and its Codes and Reason say why.
type Plan struct {
	Pattern  *model.AccessPattern
	Refused  bool
	Strategy string // the strategy by its usual name: "item collection", "secondary index + Query"
	// Query is the read in canonical form: the pattern's query without redundant joins.
	// Sources of requests, conjuncts and columns refer to it. Nil for writes.
	Query    *model.Query
	Requests []*Request
	// Client is the work that remains after the requests, empty when the rows come back
	// as the SQL wants them.
	Client Client

	Cost         Cost
	Codes        []diag.Code
	Reason       string
	Alternatives []Alternative
}

// A Client says what the caller of a plan does with the rows of its requests. What is
// not named here the requests guarantee: design.Check proves it.
type Client struct {
	// Join builds rows from several sources by the query's join conditions, in memory.
	Join bool
	// Filter holds conjuncts of the WHERE that no request guarantees.
	Filter []model.Expr
	// Sort orders by the query's ORDER BY.
	Sort bool
	// Distinct drops duplicate rows.
	Distinct bool
	// Aggregate computes GROUP BY and aggregate functions, or counts.
	Aggregate bool
	// Limit cuts after LIMIT rows (and skips OFFSET); requests fetch more than that.
	Limit bool
}

// A Cost is an estimate for one call in DynamoDB's capacity units.
type Cost struct {
	ReadUnits  float64
	WriteUnits float64
	Items      float64 // items read or written, in all requests
	Requests   float64
	Assumed    bool // at least one statistic was assumed
}

// An Alternative is a way to serve the pattern that lost, and why.
type Alternative struct {
	Strategy string `json:"strategy"`
	Reason   string `json:"reason"`
}

// An Op is a DynamoDB operation.
type Op string

// The operations that plans use.
const (
	GetItem            Op = "GetItem"
	BatchGetItem       Op = "BatchGetItem"
	Query              Op = "Query"
	PutItem            Op = "PutItem"
	UpdateItem         Op = "UpdateItem"
	DeleteItem         Op = "DeleteItem"
	TransactWriteItems Op = "TransactWriteItems"
)

// A Request is one DynamoDB request of a plan.
//
// GetItem and BatchGetItem use Gets; Query uses Key to Limit; the writes use Writes (one
// of it, but for TransactWriteItems).
type Request struct {
	Op    Op
	Table string

	// Gets are the items to read by their whole keys. With Each they are read for every
	// row of that source, each key once.
	Gets []Get
	// Each is the index of the source whose rows, read by an earlier request, drive this
	// one: components of Gets then name columns of that source. -1 when there is none.
	Each int

	Index      string // of a Query; "" for the table
	Partition  []KeyCondition
	Sort       *SortCondition
	Filter     []model.Expr // conjuncts over the rows of Kinds[0], sent as FilterExpression
	Kinds      []Kind       // the kinds of items a Query returns and the source each one feeds
	SkipKinds  bool         // other kinds share the range: a FilterExpression on TypeAttribute skips them
	Consistent bool
	Descending bool
	Limit      model.Expr // a Literal or ParamRef: nil for all
	Count      bool       // Select=COUNT

	Writes []*Write
}

// A Get is one item to read.
type Get struct {
	Kind   Kind
	PK, SK Template // SK is nil when the table has no sort key
}

// A Kind ties items of an entity to a source of the plan's query. Source -1 stands for
// the target row of a write that has to read first.
type Kind struct {
	Entity string
	Source int
}

// A KeyCondition fixes one partition key attribute.
type KeyCondition struct {
	Attribute string
	Value     Template
}

// A SortOp is how a sort key is compared.
type SortOp string

// The comparisons. Between is inclusive at both ends; templates that end in Beyond make
// a bound exclusive or open. When Low spells a greater key than High, no item matches
// and no request must be sent.
const (
	SortEqual      SortOp = "="
	SortBeginsWith SortOp = "begins_with"
	SortBetween    SortOp = "BETWEEN"
)

// A SortCondition restricts the sort key. High is set for Between only. A bound whose
// parameter is NULL matches nothing, as in SQL.
type SortCondition struct {
	Attribute string
	Op        SortOp
	Low, High Template
}

// A Write is one action on one item. Expressions that call gen_random_uuid or now have one
// value for the whole statement: the same Call is evaluated once.
type Write struct {
	Op     Op // PutItem, UpdateItem, DeleteItem, or ConditionCheck
	Kind   Kind
	PK, SK Template

	// Set gives attributes of the item: for a put all columns (NULLs are left out); for
	// an update those to change (a NULL removes the attribute). Update expressions may
	// name columns of the row as it was: c = c + @n.
	Set []model.Assignment
	// Keys are the index keys to spell anew: all of them for a put, those whose columns
	// change for an update. A key with a NULL component is removed.
	Keys []*Key

	// Optional writes are left out when a component of their key is NULL: the guard of a
	// unique key that the row has no value for.
	Optional bool
	// Upsert lets an update make the item anew: it also sets the item's kind.
	Upsert bool

	// Exists and Absent ask that the item is there, or is not. Condition holds further
	// conjuncts over the row as it is.
	Exists    bool
	Absent    bool
	Condition []model.Expr
	// Unchanged lists columns that must still have the value that the first request of
	// the plan read.
	Unchanged []string
	// ErrorOnFail makes a failed condition an error of the statement (a duplicate key);
	// otherwise the statement then affects no row.
	ErrorOnFail bool
}

// ConditionCheck is a Write's operation in a transaction that only checks.
const ConditionCheck Op = "ConditionCheck"

// Sources returns the sources that the request feeds, each once, in order.
func (r *Request) Sources() []int {
	var out []int
	seen := map[int]bool{}
	add := func(s int) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for _, k := range r.Kinds {
		add(k.Source)
	}
	for _, g := range r.Gets {
		add(g.Kind.Source)
	}
	return out
}
