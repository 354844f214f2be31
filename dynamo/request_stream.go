package dynamo

import "time"

// A ListStreamsInput pages through streams; TableName is "" for those of all tables.
type ListStreamsInput struct {
	TableName               string
	ExclusiveStartStreamARN string
	Limit                   *int64
}

// A Stream is an entry of ListStreams.
type Stream struct {
	ARN, Label, TableName string
}

// A ListStreamsOutput holds streams; LastEvaluated is an ARN, "" on the last page.
type ListStreamsOutput struct {
	Streams       []Stream
	LastEvaluated string
}

// A DescribeStreamInput pages through the shards of a stream.
type DescribeStreamInput struct {
	StreamARN             string
	ExclusiveStartShardID string
	Limit                 *int64
	ChildrenOf            string // only shards with this parent, if not ""
}

// A StreamDescription describes a stream. LastEvaluatedShardID is "" on the last page.
type StreamDescription struct {
	Stream
	Enabled              bool
	View                 StreamView
	Created              time.Time
	Keys                 []KeyElement
	Shards               []Shard
	LastEvaluatedShardID string
}

// A Shard is a part of a stream. Ending is "" as long as records are added.
type Shard struct {
	ID, Starting, Ending string
}

// A GetShardIteratorInput asks for a place in a shard.
type GetShardIteratorInput struct {
	StreamARN, ShardID, Type, SequenceNumber string
}

// A GetRecordsInput reads records from a place on; Limit is 1000 unless given.
type GetRecordsInput struct {
	Iterator string
	Limit    *int64
}

// A GetRecordsOutput holds records and the place behind them, "" at the end of a shard that
// is closed.
type GetRecordsOutput struct {
	Records []StreamRecord
	Next    string
}

// A StreamRecord tells of one change of one item. Images are nil where the stream's view
// leaves them out or there was no item.
type StreamRecord struct {
	EventID, EventName, Region string
	Time                       time.Time
	Keys, NewImage, OldImage   Item
	SequenceNumber             string
	SizeBytes                  int
	View                       StreamView
	Expired                    bool // removed by the database, because its time to live was over
}
