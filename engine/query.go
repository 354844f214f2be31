package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
	"github.com/keyfold-dev/keyfold/internal/expr"
)

// Query reads items of one partition of a table or an index, in the order of the sort key.
func (db *DB) Query(ctx context.Context, in *dynamo.QueryInput) (*dynamo.PageOutput, error) {
	s, terms, err := db.querySelection(in)
	if err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	if err := s.resolve(db); err != nil {
		return nil, err
	}
	if err := s.checkFilter(in); err != nil {
		return nil, err
	}
	r, err := s.queryRange(terms, in.Backward)
	if err != nil {
		return nil, err
	}
	if err := s.checkFilterProjected(); err != nil {
		return nil, err
	}
	return s.read(ctx, db, r, in.Backward)
}

// querySelection makes the selection and the key condition of a request.
func (db *DB) querySelection(in *dynamo.QueryInput) (s *selection, terms []expr.KeyTerm, err error) {
	s = &selection{tableName: in.TableName, indexName: in.IndexName, choice: in.Select, consistent: in.ConsistentRead,
		detail: in.ReturnConsumedCapacity, start: in.ExclusiveStartKey}
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	if s.limit, err = limit(in.Limit, "Value at 'Limit'"); err != nil {
		return nil, nil, err
	}
	if err := notMixed([]parameter{{"AttributesToGet", in.AttributesToGet != nil}, {"QueryFilter", in.QueryFilter != nil},
		{"ConditionalOperator", in.ConditionalOperator != ""}, {"KeyConditions", in.KeyConditions != nil}},
		[]parameter{{"ProjectionExpression", in.ProjectionExpression != ""}, {"FilterExpression", in.FilterExpression != ""},
			{"KeyConditionExpression", in.KeyConditionExpression != ""}}); err != nil {
		return nil, nil, err
	}
	terms, err = db.bindSelection(s, expressionTexts{filter: in.FilterExpression, key: in.KeyConditionExpression,
		projection: in.ProjectionExpression}, &in.Expressions, queryKinds)
	if err != nil {
		return nil, nil, withoutSize(err)
	}
	if err := s.addLegacy(in.QueryFilter, in.ConditionalOperator, in.AttributesToGet); err != nil {
		return nil, nil, err
	}
	if in.KeyConditions != nil {
		if terms, err = expr.LegacyKeyConditions(in.KeyConditions); err != nil {
			return nil, nil, err
		}
	}
	if err := s.checkChoice(projectionParameter(in.ProjectionExpression), "Querying"); err != nil {
		return nil, nil, err
	}
	if terms == nil {
		return nil, nil, invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	return s, terms, nil
}

func projectionParameter(src string) string {
	if src == "" {
		return "AttributesToGet"
	}
	return "ProjectionExpression"
}

func (db *DB) bindSelection(s *selection, texts expressionTexts, x *dynamo.Expressions, kinds []expr.Kind) ([]expr.KeyTerm, error) {
	set, err := db.parsed.bind(texts, x, kinds)
	if err != nil {
		return nil, err
	}
	s.filter, s.projection = set.filter, set.projection
	return set.key, nil
}

// addLegacy adds what the legacy parameters of a Query or a Scan say.
func (s *selection) addLegacy(filter []dynamo.LegacyCondition, operator string, names []string) (err error) {
	if len(filter) > 0 {
		if s.filter, err = expr.LegacyCondition(filter, operator); err != nil {
			return err
		}
	} else if operator != "" {
		return invalid("ConditionalOperator cannot be used without Filter or Expected")
	}
	if names != nil {
		s.projection, err = expr.LegacyProjection(names)
	}
	return err
}

// limit checks Limit and returns 0 if there is none. Query and Scan call it differently in
// their texts, and only Scan's shows the value.
func limit(n *int64, subject string) (int64, error) {
	if n == nil {
		return 0, nil
	}
	if *n < 1 {
		if strings.Contains(subject, "%d") {
			subject = fmt.Sprintf(subject, *n)
		}
		return 0, invalid(oneError+"%s failed to satisfy constraint: "+textValueAtLeast, subject, 1)
	}
	return min(*n, math.MaxInt32), nil
}

// checkFilter refuses filters on the key attributes that the Query is about.
func (s *selection) checkFilter(in *dynamo.QueryInput) error {
	if s.filter == nil {
		return nil
	}
	what := "Filter Expression"
	if in.QueryFilter != nil {
		what = "QueryFilter"
	}
	for _, name := range s.filter.Attributes() {
		if s.tree().Has(name) {
			return invalid("%s can only contain non-primary key attributes: Primary key attribute: %s", what, name)
		}
	}
	return nil
}

// checkFilterProjected refuses filters on attributes that the index does not have. A Scan
// may have such filters.
func (s *selection) checkFilterProjected() error {
	if s.index == nil || s.filter == nil {
		return nil
	}
	missing := slices.DeleteFunc(s.filter.Attributes(), s.index.holds)
	if len(missing) > 0 {
		return invalid(parametersInvalid+"Secondary index %s does not project one or more filter attributes: %s", s.indexName, list(missing))
	}
	return nil
}

// queryRange turns a key condition into a range of the tree: all partition attributes by
// equality, sort attributes from the left by equality, and one other condition at the end.
func (s *selection) queryRange(terms []expr.KeyTerm, backward bool) (store.Range, error) {
	tr := s.tree()
	q := keyQuery{tree: tr, terms: terms}
	if err := q.match(); err != nil {
		return store.Range{}, err
	}
	if err := s.checkQueryValues(&q); err != nil {
		return store.Range{}, err
	}
	partition, ok := tr.PartitionRange(q.values, 0)
	if !ok {
		panic("keyfold: internal error: no partition in a checked key condition")
	}
	r, _ := tr.PartitionRange(q.values, q.equal)
	if q.last != nil {
		r = narrow(r, q.last)
	}
	if s.start == nil {
		return r, nil
	}
	start, err := s.startKey(textStartKeyInvalid)
	if err != nil {
		return r, err
	}
	switch {
	case !partition.Contains(start):
		return r, invalid(textStartKeyOutside)
	case !r.Contains(start):
		return r, invalid("The provided starting key does not match the range key predicate")
	}
	return r.After(start, backward), nil
}

// A keyQuery matches the terms of a key condition with the key attributes of a tree.
type keyQuery struct {
	tree   *store.Tree
	terms  []expr.KeyTerm
	values dynamo.Item   // of the terms with =
	equal  int           // sort attributes with =
	last   *expr.KeyTerm // the condition on the sort attribute that follows
}

func (q *keyQuery) match() error {
	if attributes := len(q.tree.Partition) + len(q.tree.Sort); len(q.terms) > attributes {
		return invalid("The number of query conditions (%d) exceeds the number of key attributes defined in the schema (%d)", len(q.terms), attributes)
	}
	used := 0
	for _, k := range q.tree.Partition {
		t, err := q.term(k)
		switch {
		case err != nil:
			return err
		case t == nil:
			return missed(k.Name)
		case t.Op != "=":
			return invalid("Query key condition not supported")
		}
		used++
		q.values = q.values.Set(k.Name, t.Values[0])
	}
	for _, k := range q.tree.Sort {
		t, err := q.term(k)
		if err != nil {
			return err
		}
		if t == nil || q.last != nil {
			if used < len(q.terms) && t == nil {
				return missed(k.Name)
			}
			break
		}
		used++
		if t.Op != "=" {
			q.last = t
			continue
		}
		q.equal++
		q.values = q.values.Set(k.Name, t.Values[0])
	}
	if used < len(q.terms) {
		return invalid("Query key condition not supported")
	}
	return nil
}

func missed(name string) error {
	return invalid("Query condition missed key schema element: %s", name)
}

// term finds the condition on a key attribute, nil if there is none.
func (q *keyQuery) term(k store.KeyAttribute) (found *expr.KeyTerm, err error) {
	for i := range q.terms {
		t := &q.terms[i]
		if t.Attribute != k.Name {
			continue
		}
		if found != nil {
			return nil, invalid("KeyConditionExpressions must only contain one condition per key")
		}
		for _, v := range t.Values {
			if v.Type() != k.Type {
				return nil, invalid(parametersInvalid + "Condition parameter type does not match schema type")
			}
		}
		found = t
	}
	return found, nil
}

// checkQueryValues refuses values that no key has. A multi-attribute sort key is limited as
// a whole, so a value that is not met by equality is put in its place among the others.
func (s *selection) checkQueryValues(q *keyQuery) error {
	for i := range q.terms {
		for _, v := range q.terms[i].Values {
			if isEmpty(v) {
				return s.emptyKey(v, q.terms[i].Attribute)
			}
		}
	}
	if q.last == nil {
		return checkKeySizes(q.tree, q.values)
	}
	for _, v := range q.last.Values {
		if err := checkKeySizes(q.tree, q.values.Clone().Set(q.last.Attribute, v)); err != nil {
			return err
		}
	}
	return nil
}

func (s *selection) emptyKey(v dynamo.Value, attribute string) error {
	if s.index == nil {
		return invalid(parametersNotValid+"The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", kindOf(v), attribute)
	}
	return invalid(parametersNotValid+textIndexKeyEmpty, kindOf(v), s.indexName, attribute)
}

func narrow(r store.Range, t *expr.KeyTerm) store.Range {
	prefix := r.Start
	switch t.Op {
	case "<":
		return r.Narrow(prefix, store.Below, t.Values[0])
	case "<=":
		return r.Narrow(prefix, store.AtMost, t.Values[0])
	case ">":
		return r.Narrow(prefix, store.Above, t.Values[0])
	case ">=":
		return r.Narrow(prefix, store.AtLeast, t.Values[0])
	case "begins_with":
		return r.Narrow(prefix, store.StartsWith, t.Values[0])
	case "BETWEEN":
		return r.Narrow(prefix, store.AtLeast, t.Values[0]).Narrow(prefix, store.AtMost, t.Values[1])
	}
	panic("keyfold: internal error: key condition with " + t.Op)
}
