package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// The benchmarks are those of a product catalogue: one table, two INCLUDE indexes, items
// of about 400 bytes. Their floors, Pebble's own Get and Set of the same bytes, are in
// internal/store.

const benchItems = 20_000

func benchTable(name string, indexes bool) *dynamo.Table {
	t := &dynamo.Table{Name: name, BillingMode: "PAY_PER_REQUEST",
		Attributes: []dynamo.AttributeDefinition{{Name: "PK", Type: "S"}, {Name: "SK", Type: "S"}},
		Keys:       []dynamo.KeyElement{{Name: "PK"}, {Name: "SK", Sort: true}}}
	if !indexes {
		return t
	}
	for i := 1; i <= 2; i++ {
		pk, sk := fmt.Sprintf("GSI%dPK", i), fmt.Sprintf("GSI%dSK", i)
		t.Attributes = append(t.Attributes, dynamo.AttributeDefinition{Name: pk, Type: "S"}, dynamo.AttributeDefinition{Name: sk, Type: "S"})
		t.GlobalIndexes = append(t.GlobalIndexes, dynamo.Index{Name: fmt.Sprintf("GSI%d", i), Keys: []dynamo.KeyElement{{Name: pk}, {Name: sk, Sort: true}},
			Projection: dynamo.Projection{Type: dynamo.ProjectInclude, Attributes: []string{"name", "price"}}})
	}
	return t
}

func benchKey(i int) dynamo.Item {
	return dynamo.Item{{Name: "PK", Value: dynamo.String(fmt.Sprint("SHOP#", i/100))}, {Name: "SK", Value: dynamo.String(fmt.Sprintf("PRODUCT#%06d", i))}}
}

func benchItem(i, version int) dynamo.Item {
	s := dynamo.String
	return append(dynamo.Item{
		{Name: "GSI1PK", Value: s(fmt.Sprint("BRAND#", i%200))}, {Name: "GSI1SK", Value: s(fmt.Sprintf("CATEGORY#%d#%06d", i%7, i))},
		{Name: "GSI2PK", Value: s(fmt.Sprint("CATEGORY#", i%400))}, {Name: "GSI2SK", Value: s(fmt.Sprintf("BRAND#%d#%06d", i%200, i))},
	}, append(benchKey(i),
		dynamo.Attr{Name: "description", Value: s(strings.Repeat("lorem ipsum ", 15))},
		dynamo.Attr{Name: "name", Value: s(fmt.Sprint("Product number ", i))},
		dynamo.Attr{Name: "price", Value: dynamo.Int(int64(version))},
		dynamo.Attr{Name: "stock", Value: dynamo.Int(int64(i))})...)
}

func benchDB(b *testing.B, dir string, indexes bool) *DB {
	b.Helper()
	db, err := Open(Options{Dir: dir, ExpiryInterval: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	ctx := context.Background()
	if _, err := db.CreateTable(ctx, benchTable("bench", indexes)); err != nil {
		b.Fatal(err)
	}
	for at := 0; at < benchItems; at += dynamo.MaxBatchWrites {
		t := dynamo.BatchWriteTable{TableName: "bench"}
		for i := range dynamo.MaxBatchWrites {
			t.Requests = append(t.Requests, dynamo.WriteRequest{Put: benchItem(at+i, 0)})
		}
		if _, err := db.BatchWriteItem(ctx, &dynamo.BatchWriteItemInput{Tables: []dynamo.BatchWriteTable{t}}); err != nil {
			b.Fatal(err)
		}
	}
	return db
}

// requests are made before the clock starts, so that their making is not measured.
func requests[T any](n int, make func(i int) T) []T {
	rng := rand.New(rand.NewPCG(1, 2))
	out := []T{}
	for range n {
		out = append(out, make(rng.IntN(benchItems)))
	}
	return out
}

func BenchmarkGet(b *testing.B) {
	db, ctx := benchDB(b, "", true), context.Background()
	ins := requests(4096, func(i int) *dynamo.GetItemInput { return &dynamo.GetItemInput{TableName: "bench", Key: benchKey(i)} })
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		out, err := db.GetItem(ctx, ins[n&4095])
		if err != nil || out.Item == nil {
			b.Fatal(err)
		}
		n++
	}
}

func putRequests() []*dynamo.PutItemInput {
	return requests(4096, func(i int) *dynamo.PutItemInput {
		return &dynamo.PutItemInput{TableName: "bench", Item: benchItem(i, i%90)}
	})
}

func BenchmarkPut(b *testing.B) {
	for _, indexes := range []bool{false, true} {
		b.Run(fmt.Sprintf("indexes=%v", indexes), func(b *testing.B) {
			db, ctx := benchDB(b, "", indexes), context.Background()
			ins := putRequests()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if _, err := db.PutItem(ctx, ins[n&4095]); err != nil {
					b.Fatal(err)
				}
				n++
			}
		})
	}
}

func BenchmarkConditionalPut(b *testing.B) {
	db, ctx := benchDB(b, "", false), context.Background()
	ins := putRequests()
	for _, in := range ins {
		in.ConditionExpression = "attribute_exists(PK)"
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := db.PutItem(ctx, ins[n&4095]); err != nil {
			b.Fatal(err)
		}
		n++
	}
}

// BenchmarkPutSynced puts on disk; with many writers, one sync serves them all.
func BenchmarkPutSynced(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			db, ctx := benchDB(b, b.TempDir(), false), context.Background()
			ins := putRequests()
			if writers > 1 {
				b.SetParallelism(writers / 2)
			}
			b.ReportAllocs()
			b.ResetTimer()
			if writers == 1 {
				for n := range b.N {
					if _, err := db.PutItem(ctx, ins[n&4095]); err != nil {
						b.Fatal(err)
					}
				}
				return
			}
			b.RunParallel(func(p *testing.PB) {
				for n := rand.IntN(4096); p.Next(); n++ {
					if _, err := db.PutItem(ctx, ins[n&4095]); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, indexes := range []bool{false, true} {
		b.Run(fmt.Sprintf("indexes=%v", indexes), func(b *testing.B) {
			db, ctx := benchDB(b, "", indexes), context.Background()
			ins := requests(4096, func(i int) *dynamo.UpdateItemInput {
				return &dynamo.UpdateItemInput{TableName: "bench", Key: benchKey(i), UpdateExpression: "SET stock = stock - :n",
					Expressions: dynamo.Expressions{Values: dynamo.Item{{Name: ":n", Value: dynamo.Int(1)}}}}
			})
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if _, err := db.UpdateItem(ctx, ins[n&4095]); err != nil {
					b.Fatal(err)
				}
				n++
			}
		})
	}
}

func benchmarkQuery(b *testing.B, input func(i int) *dynamo.QueryInput) {
	db, ctx := benchDB(b, "", true), context.Background()
	ins := requests(4096, input)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		out, err := db.Query(ctx, ins[n&4095])
		if err != nil || len(out.Items) != 25 {
			b.Fatal(err, len(out.Items))
		}
		n++
	}
}

var twentyFive = int64(25)

func BenchmarkQuery25(b *testing.B) {
	benchmarkQuery(b, func(i int) *dynamo.QueryInput {
		return &dynamo.QueryInput{TableName: "bench", KeyConditionExpression: "PK = :p", Limit: &twentyFive,
			Expressions: dynamo.Expressions{Values: dynamo.Item{{Name: ":p", Value: benchKey(i)[0].Value}}}}
	})
}

func BenchmarkIndexQuery25(b *testing.B) {
	benchmarkQuery(b, func(i int) *dynamo.QueryInput {
		return &dynamo.QueryInput{TableName: "bench", IndexName: "GSI1", KeyConditionExpression: "GSI1PK = :p AND begins_with(GSI1SK, :s)", Limit: &twentyFive,
			Expressions: dynamo.Expressions{Values: dynamo.Item{{Name: ":p", Value: benchItem(i, 0)[0].Value}, {Name: ":s", Value: dynamo.String("CATEGORY#")}}}}
	})
}

func BenchmarkTransact4(b *testing.B) {
	db, ctx := benchDB(b, "", false), context.Background()
	ins := requests(1024, func(i int) *dynamo.TransactWriteItemsInput {
		in := &dynamo.TransactWriteItemsInput{}
		for k := range 4 {
			in.Actions = append(in.Actions, dynamo.TransactAction{Put: &dynamo.PutItemInput{TableName: "bench", Item: benchItem((i+k*5000)%benchItems, k)}})
		}
		return in
	})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := db.TransactWriteItems(ctx, ins[n&1023]); err != nil {
			b.Fatal(err)
		}
		n++
	}
}

// BenchmarkScan reads pages of 1 MB.
func BenchmarkScan(b *testing.B) {
	db, ctx := benchDB(b, "", false), context.Background()
	b.ReportAllocs()
	in := &dynamo.ScanInput{TableName: "bench"}
	for b.Loop() {
		out, err := db.Scan(ctx, in)
		if err != nil {
			b.Fatal(err)
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
