package server

import "github.com/keyfold-dev/keyfold/dynamo"

// A search is a Query or a Scan: the members of both.
type search struct {
	dynamo.QueryInput
	scanFilter             []dynamo.LegacyCondition
	segment, totalSegments *int64
	named                  bool // the request has a table name
}

func readSearch(r *dynamo.JSONReader, class string) *search {
	s := &search{}
	for field := range r.Struct(class) {
		switch field {
		case "TableName":
			s.TableName, s.named = r.Text(), true
		case "IndexName":
			s.IndexName = r.Text()
		case "KeyConditionExpression":
			s.KeyConditionExpression = readExpression(r, field)
		case "FilterExpression":
			s.FilterExpression = readExpression(r, field)
		case "ProjectionExpression":
			s.ProjectionExpression = readExpression(r, field)
		case "KeyConditions":
			s.KeyConditions = readConditions(r)
		case "QueryFilter":
			s.QueryFilter = readConditions(r)
		case "ScanFilter":
			s.scanFilter = readConditions(r)
		case "ConditionalOperator":
			s.ConditionalOperator = r.Text()
		case "AttributesToGet":
			s.AttributesToGet = r.Strings()
		case "Select":
			s.Select = r.Text()
		case "ScanIndexForward":
			s.Backward = !r.Bool()
		case "Limit":
			s.Limit = readInt(r)
		case "Segment":
			s.segment = readInt(r)
		case "TotalSegments":
			s.totalSegments = readInt(r)
		case "ConsistentRead":
			s.ConsistentRead = r.Bool()
		case "ExclusiveStartKey":
			s.ExclusiveStartKey = readStartKey(r)
		case "ReturnConsumedCapacity":
			s.ReturnConsumedCapacity = readCapacity(r)
		default:
			readExpressions(r, field, &s.Expressions)
		}
	}
	require(r, member{"tableName", s.named})
	return s
}

func readQuery(r *dynamo.JSONReader) *dynamo.QueryInput {
	return &readSearch(r, "QueryInput").QueryInput
}

func readScan(r *dynamo.JSONReader) *dynamo.ScanInput {
	r.Older = true
	s := readSearch(r, "ScanInput")
	return &dynamo.ScanInput{
		TableName:              s.TableName,
		IndexName:              s.IndexName,
		FilterExpression:       s.FilterExpression,
		ProjectionExpression:   s.ProjectionExpression,
		Expressions:            s.Expressions,
		ScanFilter:             s.scanFilter,
		ConditionalOperator:    s.ConditionalOperator,
		AttributesToGet:        s.AttributesToGet,
		Select:                 s.Select,
		Limit:                  s.Limit,
		Segment:                s.segment,
		TotalSegments:          s.totalSegments,
		ConsistentRead:         s.ConsistentRead,
		ExclusiveStartKey:      s.ExclusiveStartKey,
		ReturnConsumedCapacity: s.ReturnConsumedCapacity,
	}
}

func appendPage(dst []byte, out *dynamo.PageOutput) []byte {
	dst = append(dst, '{')
	if out.Items != nil {
		dst = appendList(field(dst, "Items"), out.Items, dynamo.AppendItemJSON)
	}
	dst = appendIntField(dst, "Count", out.Count)
	dst = appendIntField(dst, "ScannedCount", out.ScannedCount)
	if out.LastEvaluatedKey != nil {
		dst = dynamo.AppendItemJSON(field(dst, "LastEvaluatedKey"), out.LastEvaluatedKey)
	}
	if out.ConsumedCapacity != nil {
		dst = appendCapacity(field(dst, "ConsumedCapacity"), *out.ConsumedCapacity)
	}
	return append(dst, '}')
}
