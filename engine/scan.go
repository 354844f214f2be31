package engine

import (
	"context"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// Scan reads all items of a table or an index, or of one of several segments that divide
// it, in the order of the hash of their partition keys.
func (db *DB) Scan(ctx context.Context, in *dynamo.ScanInput) (*dynamo.PageOutput, error) {
	s, err := db.scanSelection(in)
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
	r, err := s.scanRange(in)
	if err != nil {
		return nil, err
	}
	return s.read(ctx, db, r, false)
}

func (db *DB) scanSelection(in *dynamo.ScanInput) (s *selection, err error) {
	s = &selection{tableName: in.TableName, indexName: in.IndexName, choice: in.Select, consistent: in.ConsistentRead,
		detail: in.ReturnConsumedCapacity, start: in.ExclusiveStartKey}
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.limit, err = limit(in.Limit, "Value '%d' at 'limit'"); err != nil {
		return nil, err
	}
	if err := checkSegments(in.Segment, in.TotalSegments); err != nil {
		return nil, err
	}
	if err := notMixed([]parameter{{"AttributesToGet", in.AttributesToGet != nil}, {"ScanFilter", in.ScanFilter != nil},
		{"ConditionalOperator", in.ConditionalOperator != ""}},
		[]parameter{{"ProjectionExpression", in.ProjectionExpression != ""}, {"FilterExpression", in.FilterExpression != ""}}); err != nil {
		return nil, err
	}
	texts := expressionTexts{filter: in.FilterExpression, projection: in.ProjectionExpression}
	if _, err := db.bindSelection(s, texts, &in.Expressions, scanKinds); err != nil {
		return nil, err
	}
	if err := s.addLegacy(in.ScanFilter, in.ConditionalOperator, in.AttributesToGet); err != nil {
		return nil, err
	}
	return s, s.checkChoice(projectionParameter(in.ProjectionExpression), "Scanning")
}

func checkSegments(segment, total *int64) error {
	switch {
	case total != nil && *total < 1:
		return unlike(*total, "totalSegments", textValueAtLeast, 1)
	case total != nil && *total > dynamo.MaxScanSegments:
		return unlike(*total, "totalSegments", textValueAtMost, dynamo.MaxScanSegments)
	case segment != nil && *segment < 0:
		return unlike(*segment, "segment", textValueAtLeast, 0)
	case segment != nil && *segment >= dynamo.MaxScanSegments:
		return unlike(*segment, "segment", textValueAtMost, dynamo.MaxScanSegments-1)
	case segment != nil && total == nil:
		return invalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case segment == nil && total != nil:
		return invalid("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	case segment != nil && *segment >= *total:
		return invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d", *segment, *total)
	}
	return nil
}

func (s *selection) scanRange(in *dynamo.ScanInput) (store.Range, error) {
	segment, total := int64(0), int64(1)
	if in.Segment != nil {
		segment, total = *in.Segment, *in.TotalSegments
	}
	r := s.tree().Segment(segment, total)
	if s.start == nil {
		return r, nil
	}
	start, err := s.startKey(textStartKeyInvalid + ": " + textSchemaMismatch)
	if err != nil {
		return r, err
	}
	if !r.Contains(start) {
		return r, invalid(textStartKeyInvalid+": Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d", total, segment)
	}
	return r.After(start, false), nil
}
