package server

import (
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
)

// streamOperations are the operations of DynamoDBStreams_20120810.
var streamOperations = map[string]operation{
	"ListStreams":      op(readListStreams, (*engine.DB).ListStreams, appendStreams),
	"DescribeStream":   op(readDescribeStream, (*engine.DB).DescribeStream, appendStreamDescription),
	"GetShardIterator": op(readGetShardIterator, (*engine.DB).GetShardIterator, appendShardIterator),
	"GetRecords":       op(readGetRecords, (*engine.DB).GetRecords, appendRecords),
}

func readStreamSpecification(r *dynamo.JSONReader) (s dynamo.StreamSpecification) {
	enabled := false
	for field := range r.Struct("StreamSpecification") {
		switch field {
		case "StreamEnabled":
			s.Enabled, enabled = r.Bool(), true
		case "StreamViewType":
			s.View = dynamo.StreamView(r.Text())
		}
	}
	require(r, member{"streamSpecification.streamEnabled", enabled})
	return s
}

// readNewStream reads the specification of a new table's stream, which is its view.
func readNewStream(r *dynamo.JSONReader) dynamo.StreamView {
	const prefix = "One or more parameter values were invalid: Table is being created with a stream "
	switch s := readStreamSpecification(r); {
	case s.Enabled && s.View == "":
		r.Invalid(prefix + "enabled, UpdateViewType is required")
	case !s.Enabled && s.View != "":
		r.Invalid(prefix + "disabled, UpdateViewType should not be specified")
	default:
		return s.View
	}
	return ""
}

func readListStreams(r *dynamo.JSONReader) *dynamo.ListStreamsInput {
	in := &dynamo.ListStreamsInput{}
	for field := range r.Struct("ListStreamsInput") {
		switch field {
		case "TableName":
			in.TableName = r.Text()
		case "ExclusiveStartStreamArn":
			in.ExclusiveStartStreamARN = r.Text()
		case "Limit":
			in.Limit = readInt(r)
		}
	}
	return in
}

func readDescribeStream(r *dynamo.JSONReader) *dynamo.DescribeStreamInput {
	in := &dynamo.DescribeStreamInput{}
	named := false
	for field := range r.Struct("DescribeStreamInput") {
		switch field {
		case "StreamArn":
			in.StreamARN, named = r.Text(), true
		case "ExclusiveStartShardId":
			in.ExclusiveStartShardID = r.Text()
		case "Limit":
			in.Limit = readInt(r)
		case "ShardFilter":
			for field := range r.Struct("ShardFilter") {
				if field == "ShardId" {
					in.ChildrenOf = r.Text()
				}
			}
		}
	}
	require(r, member{"streamArn", named})
	return in
}

func readGetShardIterator(r *dynamo.JSONReader) *dynamo.GetShardIteratorInput {
	in := &dynamo.GetShardIteratorInput{}
	named, sharded, typed := false, false, false
	for field := range r.Struct("GetShardIteratorInput") {
		switch field {
		case "StreamArn":
			in.StreamARN, named = r.Text(), true
		case "ShardId":
			in.ShardID, sharded = r.Text(), true
		case "ShardIteratorType":
			in.Type, typed = r.Text(), true
		case "SequenceNumber":
			in.SequenceNumber = r.Text()
		}
	}
	require(r, member{"streamArn", named}, member{"shardId", sharded}, member{"shardIteratorType", typed})
	return in
}

func readGetRecords(r *dynamo.JSONReader) *dynamo.GetRecordsInput {
	in := &dynamo.GetRecordsInput{}
	given := false
	for field := range r.Struct("GetRecordsInput") {
		switch field {
		case "ShardIterator":
			in.Iterator, given = r.Text(), true
		case "Limit":
			in.Limit = readInt(r)
		}
	}
	require(r, member{"shardIterator", given})
	return in
}

func appendStreams(dst []byte, out *dynamo.ListStreamsOutput) []byte {
	dst = appendList(field(append(dst, '{'), "Streams"), out.Streams, func(dst []byte, s dynamo.Stream) []byte {
		return append(appendStream(append(dst, '{'), s), '}')
	})
	if out.LastEvaluated != "" {
		dst = appendStringField(dst, "LastEvaluatedStreamArn", out.LastEvaluated)
	}
	return append(dst, '}')
}

func appendStream(dst []byte, s dynamo.Stream) []byte {
	dst = appendStringField(dst, "StreamArn", s.ARN)
	dst = appendStringField(dst, "StreamLabel", s.Label)
	return appendStringField(dst, "TableName", s.TableName)
}

func appendStreamDescription(dst []byte, s *dynamo.StreamDescription) []byte {
	dst = append(field(append(dst, '{'), "StreamDescription"), '{')
	dst = appendStream(dst, s.Stream)
	status := "DISABLED"
	if s.Enabled {
		status = "ENABLED"
	}
	dst = appendStringField(dst, "StreamStatus", status)
	dst = appendStringField(dst, "StreamViewType", string(s.View))
	dst = appendTime(field(dst, "CreationRequestDateTime"), s.Created)
	dst = appendKeySchema(dst, s.Keys)
	dst = appendList(field(dst, "Shards"), s.Shards, func(dst []byte, shard dynamo.Shard) []byte {
		dst = appendStringField(append(dst, '{'), "ShardId", shard.ID)
		dst = append(field(dst, "SequenceNumberRange"), '{')
		dst = appendStringField(dst, "StartingSequenceNumber", shard.Starting)
		if shard.Ending != "" {
			dst = appendStringField(dst, "EndingSequenceNumber", shard.Ending)
		}
		return append(dst, '}', '}')
	})
	if s.LastEvaluatedShardID != "" {
		dst = appendStringField(dst, "LastEvaluatedShardId", s.LastEvaluatedShardID)
	}
	return append(dst, '}', '}')
}

func appendShardIterator(dst []byte, iterator string) []byte {
	return append(appendStringField(append(dst, '{'), "ShardIterator", iterator), '}')
}

func appendRecords(dst []byte, out *dynamo.GetRecordsOutput) []byte {
	dst = appendList(field(append(dst, '{'), "Records"), out.Records, appendRecord)
	if out.Next != "" {
		dst = appendStringField(dst, "NextShardIterator", out.Next)
	}
	return append(dst, '}')
}

func appendRecord(dst []byte, r dynamo.StreamRecord) []byte {
	dst = appendStringField(append(dst, '{'), "eventID", r.EventID)
	dst = appendStringField(dst, "eventName", r.EventName)
	dst = appendStringField(dst, "eventVersion", "1.1")
	dst = appendStringField(dst, "eventSource", "aws:dynamodb")
	dst = appendStringField(dst, "awsRegion", r.Region)
	dst = append(field(dst, "dynamodb"), '{')
	dst = appendTime(field(dst, "ApproximateCreationDateTime"), r.Time)
	for _, part := range []struct {
		name string
		item dynamo.Item
	}{{"Keys", r.Keys}, {"NewImage", r.NewImage}, {"OldImage", r.OldImage}} {
		if part.item != nil {
			dst = dynamo.AppendItemJSON(field(dst, part.name), part.item)
		}
	}
	dst = appendStringField(dst, "SequenceNumber", r.SequenceNumber)
	dst = appendIntField(dst, "SizeBytes", int64(r.SizeBytes))
	dst = append(appendStringField(dst, "StreamViewType", string(r.View)), '}')
	if r.Expired {
		dst = append(field(dst, "userIdentity"), '{')
		dst = appendStringField(dst, "PrincipalId", "dynamodb.amazonaws.com")
		dst = append(appendStringField(dst, "Type", "Service"), '}')
	}
	return append(dst, '}')
}
