package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
	"github.com/keyfold-dev/keyfold/internal/expr"
)

// TransactWriteItems does up to 100 actions on different items, all or none. A request
// with the token of one that was carried out in the last ten minutes is not carried out
// again.
func (db *DB) TransactWriteItems(ctx context.Context, in *dynamo.TransactWriteItemsInput) (*dynamo.TransactWriteItemsOutput, error) {
	actions, err := db.transaction(in)
	if err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	if err := db.locateTransaction(actions); err != nil {
		return nil, err
	}
	var use *tokenUse
	if in.ClientRequestToken != "" {
		use = &tokenUse{token: in.ClientRequestToken, digest: digest(in)}
	}
	failed, err := db.commit(ctx, actions, use)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, cancelled(failed)
	}
	out := &dynamo.TransactWriteItemsOutput{Collections: collections(actions, in.ReturnItemCollectionMetrics)}
	if in.ReturnConsumedCapacity != "" {
		out.ConsumedCapacity, err = db.transactionCost(actions, in.ReturnConsumedCapacity, use != nil && use.repeated)
	}
	return out, err
}

// transaction makes the actions of a request; faults are those of the request alone.
func (db *DB) transaction(in *dynamo.TransactWriteItemsInput) ([]*action, error) {
	if err := checkActionCount(len(in.Actions), "TransactWriteItem"); err != nil {
		return nil, err
	}
	if err := several(detailFault(in.ReturnConsumedCapacity), metricsFault(in.ReturnItemCollectionMetrics)); err != nil {
		return nil, err
	}
	if len(in.ClientRequestToken) > maxTokenLength {
		return nil, unlike(in.ClientRequestToken, "clientRequestToken", textLengthAtMost, maxTokenLength)
	}
	actions := make([]*action, len(in.Actions))
	made := make([]action, len(in.Actions))
	size := 0
	for i := range in.Actions {
		var err error
		if made[i], err = db.transactAction(&in.Actions[i], i); err != nil {
			return nil, err
		}
		if made[i].newSize > dynamo.MaxItemSize {
			return nil, invalid(textItemTooLarge)
		}
		size += max(made[i].newSize, dynamo.ItemSize(made[i].item))
		actions[i] = &made[i]
	}
	if size > dynamo.MaxTransactSize {
		return nil, invalid("Collection size of items exceeded, which can also be caused by the aggregate size of the items in the transaction exceeding the 4MB limit")
	}
	return actions, nil
}

// checkActionCount checks the number of a transaction's members; the service shows the
// members themselves.
func checkActionCount(n int, member string) error {
	switch {
	case n == 0:
		return unlike("[]", "transactItems", textLengthAtLeast, 1)
	case n > dynamo.MaxTransactActions:
		dump := "[" + strings.TrimSuffix(strings.Repeat(member+", ", n), ", ") + "]"
		return unlike(dump, "transactItems", textLengthAtMost, dynamo.MaxTransactActions)
	}
	return nil
}

func (db *DB) transactAction(in *dynamo.TransactAction, i int) (a action, err error) {
	set := 0
	for _, given := range []bool{in.Put != nil, in.Update != nil, in.Delete != nil, in.Check != nil} {
		if given {
			set++
		}
	}
	if set != 1 {
		return a, invalid("TransactItems can only contain one of Check, Put, Update or Delete")
	}
	null := oneError + "Value null at 'transactItems." + strconv.Itoa(i+1) + ".member.%s' failed to satisfy constraint: Member must not be null"
	switch {
	case in.Put != nil:
		if err := checkWrite(in.Put.TableName, in.Put.ReturnValuesOnConditionCheckFailure); err != nil {
			return a, err
		}
		return db.put(in.Put)
	case in.Update != nil:
		if err := checkWrite(in.Update.TableName, in.Update.ReturnValuesOnConditionCheckFailure); err != nil {
			return a, err
		}
		if in.Update.UpdateExpression == "" {
			return a, invalid(null, "update.updateExpression")
		}
		return db.updateAction(in.Update)
	case in.Delete != nil:
		if err := checkWrite(in.Delete.TableName, in.Delete.ReturnValuesOnConditionCheckFailure); err != nil {
			return a, err
		}
		return db.delete(in.Delete, opDelete)
	}
	if err := checkWrite(in.Check.TableName, in.Check.ReturnValuesOnConditionCheckFailure); err != nil {
		return a, err
	}
	if in.Check.ConditionExpression == "" {
		return a, invalid(null, "conditionCheck.conditionExpression")
	}
	return db.delete(in.Check, opCheck)
}

// locateTransaction ties the actions to their tables and finds their places.
func (db *DB) locateTransaction(actions []*action) error {
	for _, a := range actions {
		if err := a.resolve(db); err != nil {
			return err
		}
	}
	for _, a := range actions {
		if err := a.checkValues(); err != nil {
			return err
		}
	}
	failed := make([]error, len(actions))
	bad := false
	seen := make(map[string]bool, len(actions))
	for i, a := range actions {
		if failed[i] = a.checkTypes(); failed[i] != nil {
			bad = true
			continue
		}
		a.locate()
		if seen[string(a.key)] {
			return invalid(textNotOneTransation)
		}
		seen[string(a.key)] = true
	}
	if bad {
		return cancelled(failed)
	}
	return nil
}

// cancelled makes the exception of a transaction whose actions failed as told; nil in
// failed is for an action that could have been carried out.
func cancelled(failed []error) error {
	e := &dynamo.Error{Code: dynamo.CodeTransactionCanceled}
	var codes []string
	for _, err := range failed {
		r := reason(err)
		e.Reasons = append(e.Reasons, r)
		codes = append(codes, r.Code)
	}
	e.Message = "Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]"
	return e
}

func reason(err error) dynamo.CancellationReason {
	var fault *dynamo.Error
	if !errors.As(err, &fault) {
		return dynamo.CancellationReason{Code: "None"}
	}
	code := "ValidationError"
	if fault.Code == dynamo.CodeConditionalCheckFailed {
		code = "ConditionalCheckFailed"
	}
	return dynamo.CancellationReason{Code: code, Message: fault.Message, Item: fault.Item}
}

// transactionCost makes ConsumedCapacity: twice that of the same writes outside a
// transaction. A repeated request only costs the reads that find out about it.
func (db *DB) transactionCost(actions []*action, detail dynamo.CapacityDetail, repeated bool) ([]dynamo.ConsumedCapacity, error) {
	var costs tallies
	for _, a := range actions {
		c := costs.of(a.table)
		if !repeated {
			c.write(&a.cost)
			continue
		}
		err := db.store.Now().Get(a.key, func(r store.Row) error {
			c.units += dynamo.ReadUnits(r.Size, true)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if repeated {
		return costs.consumed(detail, readTransaction), nil
	}
	return costs.consumed(detail, writeTransaction), nil
}

const (
	maxTokenLength = 36
	tokenLifetime  = 10 * time.Minute
	// tokensDropped is how many expired tokens a transaction clears away: more than the one
	// it adds.
	tokensDropped = 4
)

// A tokenUse is the use of a client token by a request.
type tokenUse struct {
	token    string
	digest   store.Digest
	repeated bool // the request was carried out before
}

// seen reports whether the request was carried out before. The token is locked.
func (u *tokenUse) seen(db *DB) (bool, error) {
	d, found, err := db.store.Token(u.token, db.clock())
	if err != nil || !found {
		return false, err
	}
	if d != u.digest {
		return false, &dynamo.Error{Code: dynamo.CodeIdempotentMismatch,
			Message: "Given request parameters do not match those of the previous request with the same ClientRequestToken"}
	}
	u.repeated = true
	return true, nil
}

// keep stores the token with the transaction itself.
func (u *tokenUse) keep(db *DB, b *store.Batch) error {
	now := db.clock()
	b.PutToken(u.token, u.digest, now.Add(tokenLifetime))
	return b.DropTokens(now, tokensDropped)
}

// digest stands for what a request asks for.
func digest(in *dynamo.TransactWriteItemsInput) store.Digest {
	var d []byte
	for i := range in.Actions {
		switch a := &in.Actions[i]; {
		case a.Put != nil:
			d = appendRequest(d, "Put", a.Put.TableName, a.Put.Item, "", a.Put.ConditionExpression, &a.Put.Expressions)
		case a.Update != nil:
			d = appendRequest(d, "Update", a.Update.TableName, a.Update.Key, a.Update.UpdateExpression, a.Update.ConditionExpression, &a.Update.Expressions)
		case a.Delete != nil:
			d = appendRequest(d, "Delete", a.Delete.TableName, a.Delete.Key, "", a.Delete.ConditionExpression, &a.Delete.Expressions)
		case a.Check != nil:
			d = appendRequest(d, "Check", a.Check.TableName, a.Check.Key, "", a.Check.ConditionExpression, &a.Check.Expressions)
		}
	}
	return sha256.Sum256(d)
}

func appendRequest(d []byte, verb, table string, it dynamo.Item, update, condition string, x *dynamo.Expressions) []byte {
	for _, s := range []string{verb, table, update, condition} {
		d = dynamo.AppendKey(d, dynamo.String(s))
	}
	for _, n := range x.Names {
		d = dynamo.AppendKey(dynamo.AppendKey(d, dynamo.String(n.Placeholder)), dynamo.String(n.Name))
	}
	d = append(d, 0, 0)
	return dynamo.AppendItem(dynamo.AppendItem(d, it), x.Values)
}

// TransactGetItems reads up to 100 items as of one moment.
func (db *DB) TransactGetItems(ctx context.Context, in *dynamo.TransactGetItemsInput) (*dynamo.TransactGetItemsOutput, error) {
	projections, err := db.transactProjections(in)
	if err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	tables, err := db.transactTables(in)
	if err != nil {
		return nil, err
	}
	snapshot := db.store.Snapshot()
	defer snapshot.Close()
	out := &dynamo.TransactGetItemsOutput{Items: make([]dynamo.Item, len(in.Gets))}
	var costs tallies
	total := 0
	for i := range in.Gets {
		it, size, err := tables[i].get(snapshot.View, in.Gets[i].Key)
		if err != nil {
			return nil, err
		}
		if total += size; total > dynamo.MaxTransactSize {
			return nil, invalid("Collection size of items exceeded, which can also be caused by the aggregate size of the items in the transaction exceeding the 4MB limit")
		}
		out.Items[i] = project(projections[i], it)
		costs.of(tables[i]).units += dynamo.ReadUnits(size, true)
	}
	out.ConsumedCapacity = costs.consumed(in.ReturnConsumedCapacity, readTransaction)
	return out, nil
}

// transactProjections checks the request; faults are those of the request alone.
func (db *DB) transactProjections(in *dynamo.TransactGetItemsInput) ([]*expr.Projection, error) {
	if err := checkActionCount(len(in.Gets), "TransactGetItem"); err != nil {
		return nil, err
	}
	if err := checkDetail(in.ReturnConsumedCapacity); err != nil {
		return nil, err
	}
	projections := make([]*expr.Projection, len(in.Gets))
	for i := range in.Gets {
		g := &in.Gets[i]
		if err := checkTableName(nameOf(g.TableName)); err != nil {
			return nil, err
		}
		var err error
		if projections[i], err = db.projection(g.ProjectionExpression, &g.Expressions, nil); err != nil {
			return nil, err
		}
	}
	return projections, nil
}

// transactTables finds the tables of the gets and checks their keys.
func (db *DB) transactTables(in *dynamo.TransactGetItemsInput) ([]*table, error) {
	tables := make([]*table, len(in.Gets))
	for i := range in.Gets {
		var err error
		if tables[i], err = db.table(in.Gets[i].TableName); err != nil {
			return nil, err
		}
	}
	failed := make([]error, len(in.Gets))
	bad := false
	seen := make(map[string]bool, len(in.Gets))
	for i, t := range tables {
		key := in.Gets[i].Key
		if err := t.checkKeyValues(key); err != nil {
			return nil, err
		}
		if failed[i] = t.checkKeyTypes(key); failed[i] != nil {
			bad = true
			continue
		}
		k, _ := t.base.AppendKey(nil, key)
		if seen[string(k)] {
			return nil, invalid(textNotOneTransation)
		}
		seen[string(k)] = true
	}
	if bad {
		return nil, cancelled(failed)
	}
	return tables, nil
}
