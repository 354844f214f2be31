package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/partiql"
)

// maxStatement is the length of the longest PartiQL statement (API Reference,
// "ExecuteStatement").
const maxStatement = 8192

// The service's texts about statements that need an engine to be found out.
const (
	textExistsAlone      = "EXISTS can only be used in ExecuteTransaction write requests."
	textConsistentGlobal = "Strongly consistent read is not supported on Global Secondary Indexes"
	textDuplicateItem    = "Duplicate primary key exists in table"
)

const codeDuplicateItem = "DuplicateItemException"

// ExecuteStatement runs one PartiQL statement: a SELECT answers one page of items, a write
// what its RETURNING clause asks for.
func (db *DB) ExecuteStatement(ctx context.Context, in *dynamo.ExecuteStatementInput) (*dynamo.ExecuteStatementOutput, error) {
	statement := dynamo.BatchStatement{Statement: in.Statement, Parameters: in.Parameters, ConsistentRead: in.ConsistentRead,
		ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure}
	if err := checkStatement(&statement, ""); err != nil {
		return nil, err
	}
	if err := checkDetail(in.ReturnConsumedCapacity); err != nil {
		return nil, err
	}
	rows, err := limit(in.Limit, "Value '%d' at 'limit'")
	if err != nil {
		return nil, err
	}
	b, err := db.statement(&statement)
	if err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	t, err := db.table(b.Table())
	switch {
	case err != nil:
		return nil, err
	case b.Verb() == partiql.Exists:
		return nil, invalid(textExistsAlone)
	case b.Verb() == partiql.Select:
		r := reading{db: db, in: in, table: t, bound: b, limit: rows}
		out, err := r.run(ctx)
		return out, partiql.Fault(err)
	}
	return db.executeWrite(ctx, t, b, in)
}

// checkStatement checks what can be seen without reading the statement. path is that of a
// statement among others, with a dot at its end.
func checkStatement(s *dynamo.BatchStatement, path string) error {
	switch {
	case s.Statement == "":
		return unlike("", path+"statement", textLengthAtLeast, 1)
	case len(s.Statement) > maxStatement:
		return unlike(s.Statement, path+"statement", textLengthAtMost, maxStatement)
	case s.Parameters != nil && len(s.Parameters) == 0:
		return unlike("[]", path+"parameters", textLengthAtLeast, 1)
	}
	switch on := s.ReturnValuesOnConditionCheckFailure; on {
	case "", dynamo.ReturnNone, dynamo.ReturnAllOld:
		return nil
	default:
		return unlike(on, path+"returnValuesOnConditionCheckFailure", textEnum, "[ALL_OLD, NONE]")
	}
}

// memberPath is the path of a statement among others in the service's texts.
func memberPath(list string, i int) string { return list + "." + strconv.Itoa(i+1) + ".member." }

// statement reads a statement and puts its parameters in.
func (db *DB) statement(s *dynamo.BatchStatement) (*partiql.Bound, error) {
	for _, v := range s.Parameters {
		if valueDeeper(v, dynamo.MaxDepth) {
			return nil, invalid(textTooDeep)
		}
	}
	parsed, err := db.parsed.statements.get(s.Statement)
	if err != nil {
		return nil, err
	}
	return parsed.Bind(s.Parameters)
}

func (db *DB) executeWrite(ctx context.Context, t *table, b *partiql.Bound, in *dynamo.ExecuteStatementInput) (*dynamo.ExecuteStatementOutput, error) {
	a, err := db.statementAction(t, b, in.ReturnValuesOnConditionCheckFailure)
	if err != nil {
		return nil, err
	}
	if err := db.runAction(ctx, b, &a); err != nil {
		return nil, err
	}
	written := a.output(in.ReturnConsumedCapacity)
	out := &dynamo.ExecuteStatementOutput{Items: []dynamo.Item{}, ConsumedCapacity: written.ConsumedCapacity}
	if written.Attributes != nil {
		out.Items = append(out.Items, written.Attributes)
	}
	return out, nil
}

// statementAction makes the action of a statement that writes, and finds its place.
func (db *DB) statementAction(t *table, b *partiql.Bound, onFailure dynamo.ReturnValues) (a action, err error) {
	w, err := b.Write(&t.stored.Definition)
	if err != nil {
		return a, err
	}
	returnOnFailure(&w, onFailure)
	if a, err = db.transactAction(&w, 0); err != nil {
		return a, partiql.Fault(err)
	}
	if a.newSize > dynamo.MaxItemSize {
		return a, invalid(textItemTooLarge)
	}
	if err = a.resolve(db); err != nil {
		return a, err
	}
	if err = a.checkTypes(); err == nil {
		err = a.checkValues()
	}
	if err == nil {
		a.locate()
	}
	return a, err
}

// returnOnFailure asks for the item of a failed condition.
func returnOnFailure(w *dynamo.TransactAction, values dynamo.ReturnValues) {
	switch {
	case w.Update != nil:
		w.Update.ReturnValuesOnConditionCheckFailure = values
	case w.Delete != nil:
		w.Delete.ReturnValuesOnConditionCheckFailure = values
	case w.Check != nil:
		w.Check.ReturnValuesOnConditionCheckFailure = values
	}
}

// runAction carries out the action of a statement.
func (db *DB) runAction(ctx context.Context, b *partiql.Bound, a *action) error {
	failed, err := db.commit(ctx, []*action{a}, nil)
	if err == nil && failed != nil {
		err = failed[0]
	}
	var e *dynamo.Error
	if b.Verb() == partiql.Insert && errors.As(err, &e) && e.Code == dynamo.CodeConditionalCheckFailed {
		return &dynamo.Error{Code: codeDuplicateItem, Message: textDuplicateItem}
	}
	return partiql.Fault(err)
}
