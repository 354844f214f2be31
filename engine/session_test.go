package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

var update = flag.Bool("update", false, "rewrite the expected output of sessions")

func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		flag.Set("rewrite", "true")
	}
	os.Exit(m.Run())
}

// A session is a database that a file of requests is sent to. Its clock stands still
// unless the file moves it.
type session struct {
	t        *testing.T
	options  Options
	db       *DB
	now      time.Time
	ids      int
	iterator string // that the last reading of records left
}

func newSession(t *testing.T, onDisk bool) *session {
	s := &session{t: t, now: time.Unix(1_800_000_000, 0)}
	s.options = Options{ExpiryInterval: -1, Clock: func() time.Time { return s.now },
		NewID: func() string { s.ids++; return fmt.Sprint("id-", s.ids) }}
	if onDisk {
		s.options.disk = store.NewDisk()
	}
	s.open()
	t.Cleanup(func() { s.close() })
	return s
}

func (s *session) open() {
	db, err := Open(s.options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.db = db
}

func (s *session) close() {
	if err := s.db.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// TestSessions runs every file twice: in memory, and with the database closed and opened
// again after each request. Both have to give what the file says.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name+"/memory", func(t *testing.T) {
			s := newSession(t, false)
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string { return s.run(d) })
		})
		if *update {
			continue
		}
		t.Run(name+"/reopened", func(t *testing.T) {
			s := newSession(t, true)
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				out := s.run(d)
				checkIndexes(t, s.db)
				s.close()
				s.open()
				return out
			})
		})
	}
}

// run carries out one step: a command, the table's name, and one parameter per line.
func (s *session) run(d *datadriven.TestData) string {
	var name string
	if len(d.CmdArgs) > 0 {
		name = d.CmdArgs[0].Key
	}
	out, err := s.dispatch(d.Cmd, name, strings.Split(strings.TrimSpace(d.Input), "\n"))
	if err != nil {
		return out + printError(err)
	}
	if out == "" {
		return "ok\n"
	}
	return out
}

func (s *session) dispatch(command, name string, lines []string) (string, error) {
	ctx := context.Background()
	switch command {
	case "create":
		return s.create(ctx, name, lines)
	case "describe":
		t, err := s.db.DescribeTable(ctx, name)
		return printTable(t), err
	case "drop":
		t, err := s.db.DeleteTable(ctx, name)
		return printTable(t), err
	case "alter":
		return s.alter(ctx, name, lines)
	case "streams":
		return s.streams(ctx, name, lines)
	case "stream":
		return s.stream(ctx, name)
	case "records":
		return s.records(ctx, name, lines)
	case "built":
		return "", s.db.WaitForIndexes(ctx)
	case "tables":
		return s.tables(ctx, lines)
	case "ttl":
		return s.ttl(ctx, name, lines)
	case "expire":
		n, err := s.db.ExpireItems(ctx)
		return fmt.Sprintln("removed", n), err
	case "clock":
		d, err := time.ParseDuration(name)
		s.now = s.now.Add(d)
		return "", err
	case "batch-write", "batch-get", "transact", "transact-get":
		return s.several(ctx, command, lines)
	}
	return s.one(ctx, command, parameters(s.t, name, lines))
}

// params are the parameters of a request, whatever its kind.
type params struct {
	table, index, condition, update, where, filter, projection, choice, token string
	item, start                                                               dynamo.Item
	x                                                                         dynamo.Expressions
	returns, failure                                                          dynamo.ReturnValues
	capacity                                                                  dynamo.CapacityDetail
	limit, segment, segments                                                  *int64
	backward, consistent                                                      bool
}

func parameters(t *testing.T, table string, lines []string) *params {
	p := &params{table: table}
	for _, line := range lines {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := p.set(key, value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return p
}

func (p *params) set(key, value string) (err error) {
	texts := map[string]*string{"index": &p.index, "condition": &p.condition, "update": &p.update, "where": &p.where,
		"filter": &p.filter, "projection": &p.projection, "select": &p.choice, "token": &p.token}
	switch {
	case key == "":
	case texts[key] != nil:
		*texts[key] = value
	case key == "item" || key == "key":
		p.item, err = dynamo.ParseItemJSON([]byte(value))
	case key == "start":
		p.start, err = dynamo.ParseItemJSON([]byte(value))
	case key == "return":
		p.returns = dynamo.ReturnValues(value)
	case key == "failure":
		p.failure = dynamo.ReturnValues(value)
	case key == "capacity":
		p.capacity = dynamo.CapacityDetail(value)
	case key == "limit":
		p.limit, err = number(value)
	case key == "segment":
		p.segment, err = number(value)
	case key == "segments":
		p.segments, err = number(value)
	case key == "backward":
		p.backward = true
	case key == "consistent":
		p.consistent = true
	case key[0] == ':':
		var v dynamo.Value
		v, err = dynamo.ParseJSON([]byte(value))
		p.x.Values = p.x.Values.Set(key, v)
	case key[0] == '#':
		p.x.Names = append(p.x.Names, dynamo.NameBinding{Placeholder: key, Name: value})
	default:
		err = errors.New("unknown parameter")
	}
	return err
}

func number(s string) (*int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	return &n, err
}

func (p *params) put() *dynamo.PutItemInput {
	return &dynamo.PutItemInput{TableName: p.table, Item: p.item, ConditionExpression: p.condition, Expressions: p.x,
		ReturnValues: p.returns, ReturnValuesOnConditionCheckFailure: p.failure, ReturnConsumedCapacity: p.capacity}
}

func (p *params) updateItem() *dynamo.UpdateItemInput {
	return &dynamo.UpdateItemInput{TableName: p.table, Key: p.item, UpdateExpression: p.update, ConditionExpression: p.condition,
		Expressions: p.x, ReturnValues: p.returns, ReturnValuesOnConditionCheckFailure: p.failure, ReturnConsumedCapacity: p.capacity}
}

func (p *params) delete() *dynamo.DeleteItemInput {
	return &dynamo.DeleteItemInput{TableName: p.table, Key: p.item, ConditionExpression: p.condition, Expressions: p.x,
		ReturnValues: p.returns, ReturnValuesOnConditionCheckFailure: p.failure, ReturnConsumedCapacity: p.capacity}
}

func (p *params) get() *dynamo.GetItemInput {
	return &dynamo.GetItemInput{TableName: p.table, Key: p.item, ConsistentRead: p.consistent,
		ProjectionExpression: p.projection, Expressions: p.x, ReturnConsumedCapacity: p.capacity}
}

func (s *session) one(ctx context.Context, command string, p *params) (string, error) {
	switch command {
	case "put":
		return printWrite(s.db.PutItem(ctx, p.put()))
	case "update":
		return printWrite(s.db.UpdateItem(ctx, p.updateItem()))
	case "delete":
		return printWrite(s.db.DeleteItem(ctx, p.delete()))
	case "get":
		out, err := s.db.GetItem(ctx, p.get())
		if err != nil {
			return "", err
		}
		return printItem("", out.Item) + printCapacity(out.ConsumedCapacity), nil
	case "query":
		return printPage(s.db.Query(ctx, &dynamo.QueryInput{TableName: p.table, IndexName: p.index, KeyConditionExpression: p.where,
			FilterExpression: p.filter, ProjectionExpression: p.projection, Expressions: p.x, Select: p.choice, Backward: p.backward,
			Limit: p.limit, ConsistentRead: p.consistent, ExclusiveStartKey: p.start, ReturnConsumedCapacity: p.capacity}))
	case "scan":
		return printPage(s.db.Scan(ctx, &dynamo.ScanInput{TableName: p.table, IndexName: p.index, FilterExpression: p.filter,
			ProjectionExpression: p.projection, Expressions: p.x, Select: p.choice, Limit: p.limit, Segment: p.segment,
			TotalSegments: p.segments, ConsistentRead: p.consistent, ExclusiveStartKey: p.start, ReturnConsumedCapacity: p.capacity}))
	}
	s.t.Fatalf("unknown command %s", command)
	return "", nil
}

// several carries out a request of many parts: each starts with a line "- verb table",
// and what comes before the first is for the whole.
func (s *session) several(ctx context.Context, command string, lines []string) (string, error) {
	var whole []string
	var verbs []string
	var parts []*params
	for i := 0; i < len(lines); i++ {
		words := strings.Fields(lines[i])
		if len(words) == 0 || words[0] != "-" {
			whole = append(whole, lines[i])
			continue
		}
		end := i + 1
		for end < len(lines) && !strings.HasPrefix(lines[end], "- ") {
			end++
		}
		verbs = append(verbs, words[1])
		parts = append(parts, parameters(s.t, words[2], lines[i+1:end]))
		i = end - 1
	}
	p := parameters(s.t, "", whole)
	switch command {
	case "transact":
		return s.transact(ctx, p, verbs, parts)
	case "transact-get":
		return s.transactGet(ctx, p, parts)
	case "batch-write":
		return s.batchWrite(ctx, p, verbs, parts)
	}
	return s.batchGet(ctx, p, parts)
}

func (s *session) transact(ctx context.Context, p *params, verbs []string, parts []*params) (string, error) {
	in := &dynamo.TransactWriteItemsInput{ClientRequestToken: p.token, ReturnConsumedCapacity: p.capacity}
	for i, part := range parts {
		var a dynamo.TransactAction
		switch verbs[i] {
		case "put":
			a.Put = part.put()
		case "update":
			a.Update = part.updateItem()
		case "delete":
			a.Delete = part.delete()
		case "check":
			a.Check = part.delete()
		}
		in.Actions = append(in.Actions, a)
	}
	out, err := s.db.TransactWriteItems(ctx, in)
	if err != nil {
		return "", err
	}
	return printCapacities(out.ConsumedCapacity), nil
}

func (s *session) transactGet(ctx context.Context, p *params, parts []*params) (string, error) {
	in := &dynamo.TransactGetItemsInput{ReturnConsumedCapacity: p.capacity}
	for _, part := range parts {
		in.Gets = append(in.Gets, *part.get())
	}
	out, err := s.db.TransactGetItems(ctx, in)
	if err != nil {
		return "", err
	}
	text := ""
	for _, it := range out.Items {
		text += printItem("", it)
	}
	return text + printCapacities(out.ConsumedCapacity), nil
}

func (s *session) batchWrite(ctx context.Context, p *params, verbs []string, parts []*params) (string, error) {
	in := &dynamo.BatchWriteItemInput{ReturnConsumedCapacity: p.capacity}
	for i, part := range parts {
		r := dynamo.WriteRequest{Put: part.item}
		if verbs[i] == "delete" {
			r = dynamo.WriteRequest{Delete: part.item}
		}
		if n := len(in.Tables); n > 0 && in.Tables[n-1].TableName == part.table {
			in.Tables[n-1].Requests = append(in.Tables[n-1].Requests, r)
			continue
		}
		in.Tables = append(in.Tables, dynamo.BatchWriteTable{TableName: part.table, Requests: []dynamo.WriteRequest{r}})
	}
	out, err := s.db.BatchWriteItem(ctx, in)
	if err != nil {
		return "", err
	}
	return printCapacities(out.ConsumedCapacity), nil
}

func (s *session) batchGet(ctx context.Context, p *params, parts []*params) (string, error) {
	in := &dynamo.BatchGetItemInput{ReturnConsumedCapacity: p.capacity}
	for _, part := range parts {
		if n := len(in.Tables); n > 0 && in.Tables[n-1].TableName == part.table {
			in.Tables[n-1].Keys = append(in.Tables[n-1].Keys, part.item)
			continue
		}
		in.Tables = append(in.Tables, dynamo.BatchGetTable{TableName: part.table, Keys: []dynamo.Item{part.item},
			ConsistentRead: part.consistent, ProjectionExpression: part.projection, Expressions: part.x})
	}
	out, err := s.db.BatchGetItem(ctx, in)
	if err != nil {
		return "", err
	}
	text := ""
	for _, t := range out.Tables {
		text += t.TableName + ":\n"
		for _, it := range t.Items {
			text += printItem("", it)
		}
	}
	for _, t := range out.Unprocessed {
		text += fmt.Sprintf("unprocessed %s: %d keys\n", t.TableName, len(t.Keys))
	}
	return text + printCapacities(out.ConsumedCapacity), nil
}
