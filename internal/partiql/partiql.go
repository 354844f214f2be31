// Package partiql reads DynamoDB's dialect of PartiQL and turns statements into the requests
// they stand for. It hides the grammar, the syntax tree, how a WHERE clause becomes keys,
// key conditions and filters, and the service's texts for what is wrong with a statement. It
// knows no storage: of a table it sees the description only.
//
// A parsed statement is immutable, so callers may keep it by its text and share it between
// goroutines. Bind puts the parameters of one request into it. Errors are *dynamo.Error,
// ValidationException, with the service's texts.
package partiql

import (
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/expr"
)

// A Verb says what a statement does.
type Verb uint8

// The verbs. Exists is the check EXISTS(SELECT ...) of a transaction.
const (
	Select Verb = iota
	Insert
	Update
	Delete
	Exists
)

// A Statement is a parsed statement (Developer Guide, "PartiQL - a SQL-compatible query
// language for Amazon DynamoDB").
type Statement struct {
	verb      Verb
	from      source
	columns   []*node // of SELECT; nil for *
	where     *node   // nil for none
	order     []sorting
	value     *node // of INSERT
	actions   []assignment
	returning string // "ALL OLD", "MODIFIED NEW" and so on; "" for none
	fromFirst bool   // an UPDATE in the form FROM table WHERE condition SET path = value
}

// A source is a table or an index.
type source struct {
	path  []string // the table's name, then the index's
	alias bool     // a name was given to it, which the service does not support
}

// A sorting is one member of ORDER BY.
type sorting struct {
	by         *node
	descending bool
}

// An assignment is one SET, or a REMOVE when it has no value.
type assignment struct {
	target *node
	value  *node
}

// Verb tells what the statement does.
func (s *Statement) Verb() Verb { return s.verb }

// Table is the name or the ARN of the table that the statement speaks of.
func (s *Statement) Table() string { return s.from.path[0] }

// Index is the name of the index that the statement reads, "" for none.
func (s *Statement) Index() string {
	if len(s.from.path) < 2 {
		return ""
	}
	return s.from.path[1]
}

// Returns reports whether the statement has a RETURNING clause.
func (s *Statement) Returns() bool { return s.returning != "" }

// A Bound is a statement with its parameters. It belongs to one request.
type Bound struct {
	*Statement
	parameters []dynamo.Value
	item       dynamo.Item // of INSERT
	update     clause      // of UPDATE
}

// A Column is one member of a SELECT's list: where its value is and what it is called in the
// answer.
type Column struct {
	Name string
	Path expr.Path
}

// Apply makes the answer's item of one that was read. Without columns it is the item itself.
func Apply(columns []Column, it dynamo.Item) dynamo.Item {
	if columns == nil || it == nil {
		return it
	}
	out := make([]dynamo.Attr, 0, len(columns))
	for _, c := range columns {
		out = append(out, dynamo.Attr{Name: c.Name, Value: c.Path.Get(it)})
	}
	return dynamo.NewItem(out...)
}

// A Read is what a SELECT asks for: either a Scan or one or several Queries whose answers
// follow one another. The projections in them name the attributes that are read; Columns, if
// not nil, says how the answer shows them. Filters may speak of key attributes, which Query
// itself does not allow.
type Read struct {
	Scan    *dynamo.ScanInput
	Queries []dynamo.QueryInput
	Columns []Column
	// Alternatives is set when the WHERE clause has the form a OR b: only a filter without
	// alternatives is refused for attributes that an index does not hold.
	Alternatives bool
}

// invalid makes a ValidationException.
func invalid(format string, args ...any) error { return dynamo.Invalid(fmt.Sprintf(format, args...)) }

// The service's texts for statements. What is wrong with an expression in one of them is
// told by package expr.
const (
	faultMalformed   = "Statement wasn't well formed, can't be processed: "
	faultParameters  = "Number of parameters in request and statement don't match."
	faultAlias       = "Aliasing is not supported"
	faultEmptyName   = "Path component cannot be an empty string"
	faultLongPath    = "A path may contain at most 2 components in the FROM clause"
	faultTableName   = "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'."
	faultSources     = "Only select from a single table or index is supported."
	faultSource      = "Unexpected from source"
	faultInsertFrom  = "FROM clause may only contain a single table name in data manipulation statements"
	faultWriteIndex  = "This operation is not supported on an index"
	faultOperation   = "Unsupported operation: %s"
	faultClause      = "Unsupported clause: %s"
	faultToken       = "Unsupported token in expression: %s%s"
	faultSelectValue = "Select projection doesn't support value or pivot keywords"
	faultHierarchy   = "Changing item's hierarchy while reading isn't supported"
	faultColumn      = "Unexpected path component%s"
	faultColumns     = "Duplicate identifiers in select clause: %s"
	faultTypeTest    = "Unsupported data type for IS operator: %s. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]%s"
	faultMissing     = "MISSING must be compared using IS operator"
	faultBoolean     = "WHERE clause must contain an expression that resolves to a boolean"
	faultJunction    = "The arguments to AND/OR must be Expressions"
	faultNot         = "The argument to NOT must be a Type or Expression"
	faultIn          = "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member"
	faultOperator    = "Unsupported operator in %s Expression. Operator: %s"
	faultFunction    = "Unrecognized function: %s%s"
	faultNegation    = "Incorrect number of operands for operator or function; operator or function: -, number of operands: 1"
	faultData        = "Unsupported data type: %s under key %s%s"
	faultBag         = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
	faultEmptyBag    = "Empty bags are not supported"
	faultTupleKey    = "Tuple keys must be of type String. Actual type: %s under %s%s"
	faultTupleKeys   = "Duplicate keys in tuple. Key: %s under %s%s"
	faultInsertValue = "Unsupported format in item expression. Please use struct format {...} to express item values for insert statement.%s"
	faultNotInsert   = "RETURNING is not supported in INSERT"
	faultReturning   = "Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"
	faultNotDelete   = "Invalid returning clause: RETURNING %s *. Only RETURNING ALL OLD * is allowed in DELETE statements."
	faultSetTarget   = "The first argument to %s must equal the assignment value%s"
	faultSetValue    = "The second argument to %s must be a value with type SET%s"
	faultSetCount    = "%s must have exactly two arguments%s"
	faultKeyMissing  = "Where clause does not contain a mandatory equality on all key attributes"
	faultKeyTwice    = "Multiple conditions on same key %s. Only single item Update/Insert/Delete are supported"
	faultKeyType     = "Key attribute's data type should match its data type in table's schema: Key %s"
	faultScanType    = "One or more parameter values were invalid: Condition parameter type does not match schema type"
	faultKeyAbsent   = "Key attribute should be present in the item: Key %s"
	faultNoIndex     = "The table does not have the specified index"
	faultManyKeys    = "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
	faultOverlap     = "Overlapping conditions with range keys are not supported in where clause"
	faultOrderWhere  = "Must have WHERE clause in the statement when using ORDER BY clause."
	faultOrderKey    = "Attribute %s in ORDER BY clause must be part of the primary key"
	faultOrderHash   = "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
	faultOrderHashes = "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
	faultOrderBy     = "Argument to ORDER BY must be of type VariableReference. Type: %s"
)
