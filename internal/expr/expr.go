// Package expr parses, prints, checks and evaluates DynamoDB's expressions: conditions and
// filters, key conditions, updates and projections, and the older parameters that say the
// same in another form. It hides the grammar, the syntax tree and the service's rules and
// texts for what is wrong with an expression.
//
// A parsed expression is immutable, so callers may keep it by its text and share it
// between goroutines. Bind puts the names and values of one request into it; what Bind
// returns serves that request. Errors are *dynamo.Error, ValidationException, with the
// service's texts.
package expr

import "github.com/keyfold-dev/keyfold/dynamo"

// A Kind is one of the expression parameters of the API, by name.
type Kind string

// The kinds of expressions.
const (
	ConditionExpression    Kind = "ConditionExpression"
	FilterExpression       Kind = "FilterExpression"
	KeyConditionExpression Kind = "KeyConditionExpression"
	UpdateExpression       Kind = "UpdateExpression"
	ProjectionExpression   Kind = "ProjectionExpression"
)

// A Path leads to an attribute or to something inside one. The first step is the name of
// a top-level attribute.
type Path []Step

// A Step is an attribute name, or a list position when Name is "".
type Step struct {
	Name  string
	Index int
}

// String prints the path as error messages show it: [a, b, [3]].
func (p Path) String() string { panic("not yet") }

// Get follows the path into it; the value is absent when the path leads nowhere.
func (p Path) Get(it dynamo.Item) dynamo.Value { panic("not yet") }

// A Scope holds what the placeholders of one request's expressions stand for, and which of
// them have been used.
type Scope struct{}

// NewScope returns the scope of a request. It keeps x. The error tells of placeholders
// that are not well formed and of empty lists of them (not nil but of length 0).
func NewScope(x *dynamo.Expressions) (*Scope, error) { panic("not yet") }

// Unused returns an error when a name or a value was given that no expression bound in
// this scope uses, nil otherwise. Call it when all expressions are bound.
func (s *Scope) Unused() error { panic("not yet") }

// NotAllowed returns an error when names or values are given but the request has none of
// the expressions it could have, which are kinds; nil otherwise.
func NotAllowed(x *dynamo.Expressions, kinds ...Kind) error { panic("not yet") }

// A Condition is a condition or a filter.
type Condition struct{}

// ParseCondition parses a ConditionExpression or FilterExpression.
func ParseCondition(kind Kind, src string) (*Condition, error) { panic("not yet") }

// Bind resolves the placeholders of c in s.
func (c *Condition) Bind(s *Scope) (*Condition, error) { panic("not yet") }

// Eval reports whether the bound condition holds for it; an item that does not exist is nil.
func (c *Condition) Eval(it dynamo.Item) bool { panic("not yet") }

// Attributes returns the top-level attributes that the bound condition speaks of, sorted.
func (c *Condition) Attributes() []string { panic("not yet") }

// String prints the condition as an expression that parses to the same.
func (c *Condition) String() string { panic("not yet") }

// A KeyCondition is a parsed KeyConditionExpression.
type KeyCondition struct{}

// A KeyTerm is one condition on one key attribute. Op is =, <, <=, >, >=, BETWEEN or
// begins_with; Values has two elements for BETWEEN and one otherwise.
type KeyTerm struct {
	Attribute string
	Op        string
	Values    []dynamo.Value
}

// ParseKeyCondition parses a KeyConditionExpression.
func ParseKeyCondition(src string) (*KeyCondition, error) { panic("not yet") }

// Bind returns the terms in the order written. Whether they suit the key schema is for the
// caller to find out.
func (k *KeyCondition) Bind(s *Scope) ([]KeyTerm, error) { panic("not yet") }

// String prints the key condition as an expression that parses to the same.
func (k *KeyCondition) String() string { panic("not yet") }

// An Update is a parsed UpdateExpression.
type Update struct{}

// ParseUpdate parses an UpdateExpression.
func ParseUpdate(src string) (*Update, error) { panic("not yet") }

// Bind resolves the placeholders of u in s.
func (u *Update) Bind(s *Scope) (*Update, error) { panic("not yet") }

// Attributes returns the top-level attributes that the bound update may change, sorted.
func (u *Update) Attributes() []string { panic("not yet") }

// OnlyRemoves reports whether the update cannot make an attribute, so that updating an item
// that does not exist makes none.
func (u *Update) OnlyRemoves() bool { panic("not yet") }

// Apply returns what the bound update makes of old, which stays as it is, and the paths
// that it set or removed. All operands are read from old.
func (u *Update) Apply(old dynamo.Item) (updated dynamo.Item, touched []Path, err error) {
	panic("not yet")
}

// String prints the update as an expression that parses to the same.
func (u *Update) String() string { panic("not yet") }

// A Projection chooses parts of items.
type Projection struct{}

// ParseProjection parses a ProjectionExpression.
func ParseProjection(src string) (*Projection, error) { panic("not yet") }

// Project returns the bound projection to the given paths, such as those an update touched.
func Project(paths []Path) *Projection { panic("not yet") }

// Bind resolves the placeholders of p in s.
func (p *Projection) Bind(s *Scope) (*Projection, error) { panic("not yet") }

// Apply returns the parts of it that the bound projection chooses; values are shared with it.
func (p *Projection) Apply(it dynamo.Item) dynamo.Item { panic("not yet") }

// Attributes returns the top-level attributes the bound projection chooses from, sorted.
func (p *Projection) Attributes() []string { panic("not yet") }

// String prints the projection as an expression that parses to the same.
func (p *Projection) String() string { panic("not yet") }

// LegacyCondition makes the bound condition of QueryFilter or ScanFilter. The operator is
// AND, OR or "".
func LegacyCondition(conds []dynamo.LegacyCondition, operator string) (*Condition, error) {
	panic("not yet")
}

// LegacyExpected makes the bound condition of Expected.
func LegacyExpected(conds []dynamo.ExpectedAttribute, operator string) (*Condition, error) {
	panic("not yet")
}

// LegacyKeyConditions makes the terms of KeyConditions.
func LegacyKeyConditions(conds []dynamo.LegacyCondition) ([]KeyTerm, error) { panic("not yet") }

// LegacyUpdate makes the bound update of AttributeUpdates.
func LegacyUpdate(updates []dynamo.AttributeUpdate) (*Update, error) { panic("not yet") }

// LegacyProjection makes the bound projection of AttributesToGet.
func LegacyProjection(names []string) (*Projection, error) { panic("not yet") }

// IsReserved reports whether a word is reserved in expressions, in any case of letters
// (Developer Guide, "Reserved words in DynamoDB").
func IsReserved(word string) bool { panic("not yet") }
