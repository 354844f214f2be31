package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/partiql"
)

const textBatchKey = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."

// BatchExecuteStatement runs up to 25 statements, each on its own: the failure of one is
// part of the answer.
func (db *DB) BatchExecuteStatement(ctx context.Context, in *dynamo.BatchExecuteStatementInput) (*dynamo.BatchExecuteStatementOutput, error) {
	if err := checkStatements(in.Statements, "statements", dynamo.MaxStatements); err != nil {
		return nil, err
	}
	if err := checkDetail(in.ReturnConsumedCapacity); err != nil {
		return nil, err
	}
	members := make([]batchMember, len(in.Statements))
	for i := range members {
		members[i].statement = &in.Statements[i]
		members[i].bound, members[i].err = db.statement(&in.Statements[i])
	}
	if mixed(members) {
		return nil, invalid("Read and write requests together in the same batch is not supported.")
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	seen := make(map[string]bool, len(members))
	for i := range members {
		m := &members[i]
		if m.err != nil {
			continue
		}
		key := ""
		if key, m.err = m.locate(db); m.err != nil {
			continue
		}
		if seen[key] {
			return nil, invalid(textDuplicateKeys)
		}
		seen[key] = true
	}
	return db.runBatch(ctx, members, in.ReturnConsumedCapacity)
}

func checkStatements(list []dynamo.BatchStatement, field string, most int) error {
	switch n := len(list); {
	case n == 0:
		return unlike("[]", field, textLengthAtLeast, 1)
	case n > most:
		dump := "[" + strings.TrimSuffix(strings.Repeat("BatchStatementRequest, ", n), ", ") + "]"
		return unlike(dump, field, textLengthAtMost, most)
	}
	for i := range list {
		if err := checkStatement(&list[i], memberPath(field, i)); err != nil {
			return err
		}
	}
	return nil
}

// A batchMember is one statement of a batch or of a transaction.
type batchMember struct {
	statement *dynamo.BatchStatement
	bound     *partiql.Bound
	err       error

	table   *table
	get     dynamo.GetItemInput // of a SELECT
	columns []partiql.Column
	action  action // of any other
}

// mixed reports whether some of the members that could be read are SELECTs and some not.
func mixed(members []batchMember) bool {
	reads, writes := false, false
	for i := range members {
		if b := members[i].bound; b != nil {
			reads = reads || b.Verb() == partiql.Select
			writes = writes || b.Verb() != partiql.Select
		}
	}
	return reads && writes
}

// locate makes the request of a batch's member and returns the place of its item.
func (m *batchMember) locate(db *DB) (key string, err error) {
	if m.bound.Verb() == partiql.Exists {
		return "", invalid(textExistsAlone)
	}
	t, err := db.table(m.bound.Table())
	if err != nil {
		return "", err
	}
	if m.bound.Verb() != partiql.Select {
		if m.action, err = db.statementAction(t, m.bound, m.statement.ReturnValuesOnConditionCheckFailure); err == nil {
			m.table = t
		}
		return string(m.action.key), err
	}
	ok := false
	if m.get, m.columns, ok, err = m.bound.Get(&t.stored.Definition); err != nil {
		return "", err
	}
	if !ok {
		return "", invalid(textBatchKey)
	}
	if err := t.checkKeyValues(m.get.Key); err != nil {
		return "", err
	}
	m.table = t
	k, _ := t.base.AppendKey(nil, m.get.Key)
	return string(k), nil
}

func (db *DB) runBatch(ctx context.Context, members []batchMember, detail dynamo.CapacityDetail) (*dynamo.BatchExecuteStatementOutput, error) {
	out := &dynamo.BatchExecuteStatementOutput{Responses: make([]dynamo.BatchStatementResponse, len(members))}
	var costs tallies
	for i := range members {
		m, response := &members[i], &out.Responses[i]
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if m.err == nil {
			response.TableName = m.table.name()
			response.Item, m.err = m.run(ctx, db, costs.of(m.table))
		}
		if m.err == nil {
			continue
		}
		if response.Error = batchError(m.err); response.Error == nil {
			return nil, m.err
		}
	}
	out.ConsumedCapacity = costs.consumed(detail, noTransaction)
	return out, nil
}

// run carries out the member and adds to c what it costs.
func (m *batchMember) run(ctx context.Context, db *DB, c *tally) (dynamo.Item, error) {
	if m.bound.Verb() == partiql.Select {
		it, size, err := m.table.get(db.store.Now(), m.get.Key)
		c.units += dynamo.ReadUnits(size, m.statement.ConsistentRead)
		return partiql.Apply(m.columns, it), err
	}
	err := db.runAction(ctx, m.bound, &m.action)
	c.write(&m.action.cost)
	if err != nil {
		return nil, err
	}
	return m.action.output("").Attributes, nil
}

// batchError makes the error of a member, nil if it is not the service's.
func batchError(err error) *dynamo.BatchStatementError {
	var e *dynamo.Error
	if !errors.As(err, &e) {
		return nil
	}
	code := strings.TrimSuffix(e.Code, "Exception")
	if e.Code == dynamo.CodeValidation {
		code = "ValidationError"
	}
	return &dynamo.BatchStatementError{Code: code, Message: e.Message, Item: e.Item}
}

// ExecuteTransaction runs up to 100 statements, all or none: reads as of one moment, or
// writes and checks. A request with the token of one that was carried out in the last ten
// minutes is not carried out again.
func (db *DB) ExecuteTransaction(ctx context.Context, in *dynamo.ExecuteTransactionInput) (*dynamo.ExecuteTransactionOutput, error) {
	if err := checkStatements(in.Statements, "transactStatements", dynamo.MaxTransactActions); err != nil {
		return nil, err
	}
	members := make([]batchMember, len(in.Statements))
	for i := range members {
		m := &members[i]
		m.statement = &in.Statements[i]
		var err error
		if m.bound, err = db.statement(m.statement); err == nil && m.bound.Returns() {
			err = invalid("RETURNING clause is not supported in ExecuteTransaction.")
		}
		if err != nil {
			return nil, memberFault(i, err)
		}
	}
	if mixed(members) {
		return nil, invalid("ExecuteTransaction API does not support both read and write operations in the same request.")
	}
	if members[0].bound.Verb() == partiql.Select {
		return db.transactReads(ctx, members, in)
	}
	return db.transactWrites(ctx, members, in)
}

// memberFault puts before a fault which statement it is in.
func memberFault(i int, err error) error {
	var e *dynamo.Error
	if errors.As(err, &e) && e.Code == dynamo.CodeValidation && e.Message != textTooDeep {
		return invalid("Validation failed in TransactStatements[%d]: %s", i, e.Message)
	}
	return err
}

// prepare makes the request of each member by lower, which gets the description of its
// table. Faults cancel the transaction, except those of the whole request.
func (db *DB) prepare(ctx context.Context, members []batchMember, lower func(i int, m *batchMember, t *dynamo.Table) error) error {
	if err := db.enter(ctx); err != nil {
		return err
	}
	defer db.leave()
	failed := make([]error, len(members))
	bad := false
	for i := range members {
		m := &members[i]
		t, err := db.table(m.bound.Table())
		if err != nil {
			return err
		}
		if err := lower(i, m, &t.stored.Definition); err != nil {
			var whole requestFault
			if errors.As(err, &whole) {
				return memberFault(i, whole.error)
			}
			failed[i], bad = err, true
		}
	}
	if bad {
		return cancelled(failed)
	}
	return nil
}

func (db *DB) transactReads(ctx context.Context, members []batchMember, in *dynamo.ExecuteTransactionInput) (*dynamo.ExecuteTransactionOutput, error) {
	gets := &dynamo.TransactGetItemsInput{Gets: make([]dynamo.GetItemInput, len(members)), ReturnConsumedCapacity: in.ReturnConsumedCapacity}
	err := db.prepare(ctx, members, func(i int, m *batchMember, t *dynamo.Table) (err error) {
		if m.bound.Index() != "" {
			return requestFault{invalid("Reads on indices are not supported within transactions.")}
		}
		ok := false
		gets.Gets[i], m.columns, ok, err = m.bound.Get(t)
		if err == nil && !ok {
			return requestFault{invalid("Select statements within ExecuteTransaction must specify the primary key in the where clause.")}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	gotten, err := db.TransactGetItems(ctx, gets)
	if err != nil {
		return nil, err
	}
	out := &dynamo.ExecuteTransactionOutput{Items: gotten.Items, ConsumedCapacity: gotten.ConsumedCapacity}
	for i, it := range out.Items {
		out.Items[i] = partiql.Apply(members[i].columns, it)
	}
	return out, nil
}

func (db *DB) transactWrites(ctx context.Context, members []batchMember, in *dynamo.ExecuteTransactionInput) (*dynamo.ExecuteTransactionOutput, error) {
	writes := &dynamo.TransactWriteItemsInput{Actions: make([]dynamo.TransactAction, len(members)),
		ClientRequestToken: in.ClientRequestToken, ReturnConsumedCapacity: in.ReturnConsumedCapacity}
	err := db.prepare(ctx, members, func(i int, m *batchMember, t *dynamo.Table) (err error) {
		ok := true
		switch {
		case m.bound.Verb() != partiql.Exists:
			writes.Actions[i], err = m.bound.Write(t)
		case m.bound.Index() != "":
			return requestFault{invalid("Operations on indices are not supported in transactions")}
		default:
			writes.Actions[i], ok, err = m.bound.Check(t)
		}
		if err == nil && !ok {
			return requestFault{invalid("EXISTS() must contain a single item read with additional condition")}
		}
		returnOnFailure(&writes.Actions[i], m.statement.ReturnValuesOnConditionCheckFailure)
		return err
	})
	if err != nil {
		return nil, err
	}
	written, err := db.TransactWriteItems(ctx, writes)
	if err != nil {
		return nil, partiql.Fault(nameDuplicates(err, writes.Actions))
	}
	return &dynamo.ExecuteTransactionOutput{ConsumedCapacity: written.ConsumedCapacity}, nil
}

// nameDuplicates gives the reason of an INSERT whose item is there already.
func nameDuplicates(err error, actions []dynamo.TransactAction) error {
	var e *dynamo.Error
	if !errors.As(err, &e) || e.Code != dynamo.CodeTransactionCanceled {
		return err
	}
	codes := make([]string, len(e.Reasons))
	for i := range e.Reasons {
		if r := &e.Reasons[i]; actions[i].Put != nil && r.Code == "ConditionalCheckFailed" {
			*r = dynamo.CancellationReason{Code: "DuplicateItem", Message: textDuplicateItem}
		}
		codes[i] = e.Reasons[i].Code
	}
	e.Message = textCancelled + " [" + strings.Join(codes, ", ") + "]"
	return e
}

const textCancelled = "Transaction cancelled, please refer cancellation reasons for specific reasons"
