package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// streams lists a table's streams, or all: "limit N", "after ARN".
func (s *session) streams(ctx context.Context, name string, lines []string) (string, error) {
	in := &dynamo.ListStreamsInput{TableName: name}
	for _, line := range lines {
		switch key, value, _ := strings.Cut(line, " "); key {
		case "after":
			in.ExclusiveStartStreamARN = value
		case "limit":
			in.Limit, _ = number(value)
		}
	}
	out, err := s.db.ListStreams(ctx, in)
	if err != nil {
		return "", err
	}
	text := ""
	for _, st := range out.Streams {
		text += fmt.Sprintln(st.TableName, st.Label, st.ARN)
	}
	if out.LastEvaluated != "" {
		text += fmt.Sprintln("last", out.LastEvaluated)
	}
	return text, nil
}

// arnOf is the ARN of what is named: "TABLE" with its latest stream, or "TABLE/LABEL".
func (s *session) arnOf(ctx context.Context, name string) string {
	if table, label, ok := strings.Cut(name, "/"); ok {
		return "arn:aws:dynamodb:us-east-1:000000000000:table/" + table + "/stream/" + label
	}
	t, err := s.db.DescribeTable(ctx, name)
	if err != nil {
		s.t.Fatal(err)
	}
	return t.StreamARN
}

func (s *session) stream(ctx context.Context, name string) (string, error) {
	d, err := s.db.DescribeStream(ctx, &dynamo.DescribeStreamInput{StreamARN: s.arnOf(ctx, name)})
	if err != nil {
		return "", err
	}
	text := fmt.Sprintln(d.TableName, d.Label, d.View, d.Enabled, d.Created.Unix())
	for _, k := range d.Keys {
		text += fmt.Sprintf("  %s\n", printKey(k))
	}
	for _, shard := range d.Shards {
		text += fmt.Sprintln("  shard", shard.ID, shard.Starting, shard.Ending)
	}
	return text, nil
}

// records reads a stream: "from TYPE [SEQUENCE]" or from where the last reading ended, and
// "limit N".
func (s *session) records(ctx context.Context, name string, lines []string) (string, error) {
	in := &dynamo.GetRecordsInput{Iterator: s.iterator}
	for _, line := range lines {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "from":
			d, err := s.db.DescribeStream(ctx, &dynamo.DescribeStreamInput{StreamARN: s.arnOf(ctx, name)})
			if err != nil {
				return "", err
			}
			ask := &dynamo.GetShardIteratorInput{StreamARN: d.ARN, ShardID: d.Shards[0].ID, Type: words[1]}
			if len(words) > 2 {
				ask.SequenceNumber = words[2]
			}
			if in.Iterator, err = s.db.GetShardIterator(ctx, ask); err != nil {
				return "", err
			}
		case "limit":
			in.Limit, _ = number(words[1])
		}
	}
	out, err := s.db.GetRecords(ctx, in)
	if err != nil {
		return "", err
	}
	text := ""
	for _, r := range out.Records {
		text += fmt.Sprintf("%s %s at %d size %d", r.SequenceNumber, r.EventName, r.Time.Unix(), r.SizeBytes)
		if r.Expired {
			text += " expired"
		}
		text += "\n" + printItem("  keys ", r.Keys)
		if r.OldImage != nil {
			text += printItem("  old ", r.OldImage)
		}
		if r.NewImage != nil {
			text += printItem("  new ", r.NewImage)
		}
	}
	if s.iterator = out.Next; s.iterator == "" {
		text += "end\n"
	}
	return text, nil
}
