package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/keyfold-dev/keyfold/server"
)

// A blackhole is a ResponseWriter that keeps nothing.
type blackhole struct{ header http.Header }

func (w blackhole) Header() http.Header         { return w.header }
func (w blackhole) Write(p []byte) (int, error) { return len(p), nil }
func (w blackhole) WriteHeader(int)             {}

// An exchange is a request for the benchmarks; fill has put what it needs.
type exchange struct{ op, body string }

const thingItem = `{"PK":{"S":"P#4711"},"SK":{"S":"METADATA"},"name":{"S":"Espresso machine Aida, 15 bar"},` +
	`"price":{"N":"249.99"},"stock":{"N":"12"},"tags":{"SS":["coffee","kitchen","steel"]},` +
	`"available":{"BOOL":true},"description":{"S":"Two boilers, a rotary pump and a steam wand of stainless steel."}}`

var exchanges = []exchange{
	{"GetItem", `{"TableName":"thing","Key":{"PK":{"S":"P#4711"},"SK":{"S":"METADATA"}}}`},
	{"PutItem", `{"TableName":"thing","Item":` + thingItem + `}`},
	{"Query", `{"TableName":"thing","KeyConditionExpression":"PK = :pk","ExpressionAttributeValues":{":pk":{"S":"Q"}}}`},
}

func fill(b *testing.B, h http.Handler) {
	call(b, h, "CreateTable", createThing)
	call(b, h, "PutItem", exchanges[1].body)
	for i := range 25 {
		call(b, h, "PutItem", `{"TableName":"thing","Item":`+
			fmt.Sprintf(`{"PK":{"S":"Q"},"SK":{"S":"%02d"},"text":{"S":"what a page of a query holds"}}}`, i))
	}
}

// BenchmarkHandler is the cost of a request without the network.
func BenchmarkHandler(b *testing.B) {
	h := server.New(open(b), server.Options{})
	fill(b, h)
	for _, x := range exchanges {
		b.Run(x.op, func(b *testing.B) {
			body := bytes.NewReader([]byte(x.body))
			req := post(x.op, x.body)
			w := blackhole{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				body.Seek(0, io.SeekStart)
				req.Body = io.NopCloser(body)
				clear(w.header)
				h.ServeHTTP(w, req)
			}
		})
	}
}

// BenchmarkHTTP is the cost over a socket, with 8 connections, beside that of a bare
// handler whose answer has the same length.
func BenchmarkHTTP(b *testing.B) {
	h := server.New(open(b), server.Options{})
	fill(b, h)
	for _, x := range exchanges {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, post(x.op, x.body))
		answer := w.Body.Bytes()
		bare := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			io.Copy(io.Discard, req.Body)
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.Write(answer)
		})
		b.Run(x.op+"/keyfold", func(b *testing.B) { benchmarkHTTP(b, h, x) })
		b.Run(x.op+"/bare", func(b *testing.B) { benchmarkHTTP(b, bare, x) })
	}
}

func benchmarkHTTP(b *testing.B, h http.Handler, x exchange) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true}}
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req, err := http.NewRequest(http.MethodPost, srv.URL, bytes.NewReader([]byte(x.body)))
			if err != nil {
				b.Fatal(err)
			}
			req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+x.op)
			req.Header.Set("Content-Type", "application/x-amz-json-1.0")
			res, err := client.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
				b.Fatal(res.StatusCode, err)
			}
			res.Body.Close()
		}
	})
}
