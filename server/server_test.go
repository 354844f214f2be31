package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/server"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the answers of testdata anew")

// open opens a database in memory whose answers are the same every time.
func open(t testing.TB) *engine.DB {
	ids := 0
	db, err := engine.Open(engine.Options{
		Clock: func() time.Time { return time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC) },
		NewID: func() string { ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// TestExchanges plays the sessions in testdata: each file is one session with an empty
// database, its sections requests and, under the name "answer", what came back. A request
// is the name of an operation, or a method and a path; then header lines; then the body,
// from the first line that is blank or begins with a brace.
func TestExchanges(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			session, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			played := play(t, session)
			if *update {
				if err := os.WriteFile(file, txtar.Format(played), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(session)), string(txtar.Format(played))); diff != "" {
				t.Errorf("answers differ (-want +got; -update writes them anew):\n%s", diff)
			}
		})
	}
}

func play(t *testing.T, session *txtar.Archive) *txtar.Archive {
	var options server.Options
	options.RequireCredentials = bytes.Contains(session.Comment, []byte("credentials are required"))
	db := open(t)
	h := server.New(db, options)
	played := &txtar.Archive{Comment: session.Comment}
	for _, section := range session.Files {
		if section.Name == "answer" {
			continue
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, parseRequest(t, section.Data))
		if err := db.WaitForIndexes(t.Context()); err != nil {
			t.Fatal(err)
		}
		played.Files = append(played.Files, section, txtar.File{Name: "answer", Data: show(t, w)})
	}
	return played
}

var headerLine = regexp.MustCompile(`^[A-Za-z0-9-]+: `)

func parseRequest(t testing.TB, text []byte) *http.Request {
	first, rest, _ := strings.Cut(string(text), "\n")
	method, path, ok := strings.Cut(first, " ")
	header := http.Header{}
	if !ok {
		header.Set("X-Amz-Target", "DynamoDB_20120810."+method)
		header.Set("Content-Type", "application/x-amz-json-1.0")
		method, path = http.MethodPost, "/"
	}
	for headerLine.MatchString(rest) {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		name, value, _ := strings.Cut(line, ": ")
		header.Set(name, value)
	}
	req := httptest.NewRequest(method, path, strings.NewReader(strings.TrimSpace(rest)))
	req.Header = header
	return req
}

// show renders an answer: the status, the headers that depend on the request, the body.
// It checks the headers that every answer has.
func show(t testing.TB, w *httptest.ResponseRecorder) []byte {
	header := w.Header()
	if want := strconv.Itoa(w.Body.Len()); header.Get("Content-Length") != want {
		t.Errorf("content length %s, want %s", header.Get("Content-Length"), want)
	}
	if want := fmt.Sprint(crc32.ChecksumIEEE(w.Body.Bytes())); header.Get("x-amz-crc32") != want {
		t.Errorf("checksum %s, want %s", header.Get("x-amz-crc32"), want)
	}
	if id := header.Get("x-amzn-RequestId"); !regexp.MustCompile(`^[0-9A-Z]{52}$`).MatchString(id) {
		t.Errorf("request id %q", id)
	}
	for _, name := range []string{"Content-Length", "X-Amz-Crc32", "X-Amzn-Requestid"} {
		header.Del(name)
	}
	if header.Get("Content-Type") == "application/x-amz-json-1.0" {
		header.Del("Content-Type")
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, w.Code)
	header.Write(&out)
	text := bytes.ReplaceAll(out.Bytes(), []byte("\r"), nil)
	return append(append(text, bytes.TrimSuffix(w.Body.Bytes(), []byte("\n"))...), '\n')
}

func post(op, body string) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+op)
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	return req
}

const createThing = `{"TableName":"thing","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}`

// call makes a request that must be answered with status 200.
func call(t testing.TB, h http.Handler, op, body string) []byte {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, post(op, body))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", op, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

func TestCompression(t *testing.T) {
	h := server.New(open(t), server.Options{})
	call(t, h, "CreateTable", createThing)
	item := `{"PK":{"S":"a"},"SK":{"S":"b"},"text":{"S":"` + strings.Repeat("keyfold ", 2000) + `"}}`

	var sent bytes.Buffer
	zw := gzip.NewWriter(&sent)
	io.WriteString(zw, `{"TableName":"thing","Item":`+item+`}`)
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	req := post("PutItem", sent.String())
	req.Header.Set("Content-Encoding", "gzip")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, req); w.Code != http.StatusOK {
		t.Fatalf("PutItem: %d %s", w.Code, w.Body)
	}

	req = post("GetItem", `{"TableName":"thing","Key":{"PK":{"S":"a"},"SK":{"S":"b"}}}`)
	req.Header.Set("Accept-Encoding", "gzip, deflate")
	w = httptest.NewRecorder()
	h.ServeHTTP(w, req)
	if got := w.Header().Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("content encoding %q", got)
	}
	if want := fmt.Sprint(crc32.ChecksumIEEE(w.Body.Bytes())); w.Header().Get("x-amz-crc32") != want {
		t.Errorf("checksum is not that of the compressed answer")
	}
	zr, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(zr)
	if want := `{"Item":` + item + `}`; err != nil || string(got) != want {
		t.Errorf("got %.100s, %v", got, err)
	}
}

func TestBodiesThatAreTooLong(t *testing.T) {
	srv := httptest.NewServer(server.New(open(t), server.Options{}))
	defer srv.Close()
	const length = 17 << 20
	for name, contentLength := range map[string]int64{"announced": length, "not announced": -1} {
		req, err := http.NewRequest(http.MethodPost, srv.URL, io.LimitReader(endless('a'), length))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
		req.Header.Set("Content-Type", "application/x-amz-json-1.0")
		req.ContentLength = contentLength
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusRequestEntityTooLarge || !json.Valid(body) {
			t.Errorf("%s: %v %d %s", name, err, res.StatusCode, body)
		}
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestHalfABody(t *testing.T) {
	srv := httptest.NewServer(server.New(open(t), server.Options{}))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n"+
		"Content-Type: application/x-amz-json-1.0\r\n\r\n{\"Limit\":")
	conn.(*net.TCPConn).CloseWrite()
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
		t.Errorf("answer %s, %v", answer, err)
	}
}

func TestPanicsBecomeErrors(t *testing.T) {
	h := server.New(nil, server.Options{})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, post("ListTables", "{}"))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "#InternalServerError") {
		t.Errorf("answer %d %s", w.Code, w.Body)
	}
}

// Answers are written in memory that is used again; no client may see another's.
func TestConcurrentAnswersDoNotMix(t *testing.T) {
	h := server.New(open(t), server.Options{})
	call(t, h, "CreateTable", createThing)
	var wg sync.WaitGroup
	for client := range 8 {
		wg.Go(func() {
			for i := range 100 {
				key := fmt.Sprintf(`{"PK":{"S":"%d"},"SK":{"S":"%d"}`, client, i)
				item := key + `,"text":{"S":"` + strings.Repeat(fmt.Sprint(client), 10*i) + `"}}`
				for _, x := range []exchange{
					{"PutItem", `{"TableName":"thing","Item":` + item + `}`},
					{"GetItem", `{"TableName":"thing","Key":` + key + `}}`},
				} {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, post(x.op, x.body))
					if want := `{"Item":` + item + `}`; w.Code != http.StatusOK || x.op == "GetItem" && w.Body.String() != want {
						t.Errorf("%s: %d %.100s, want %.100s", x.op, w.Code, w.Body, want)
					}
				}
			}
		})
	}
	wg.Wait()
}

// FuzzRequests sends any body to any operation: the answer must be an SDK's to parse, and
// the fault never the server's.
func FuzzRequests(f *testing.F) {
	ops := []string{"PutItem", "GetItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem",
		"TransactWriteItems", "TransactGetItems", "CreateTable", "DescribeTable", "ListTables", "UpdateTimeToLive", "UpdateTable"}
	number := map[string]uint{}
	for i, op := range ops {
		number[op] = uint(i)
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		session, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, section := range session.Files {
			op, body, _ := strings.Cut(string(section.Data), "\n")
			if n, ok := number[op]; ok {
				f.Add(n, []byte(body))
			}
		}
	}
	f.Fuzz(func(t *testing.T, n uint, body []byte) {
		h := server.New(open(t), server.Options{})
		call(t, h, "CreateTable", createThing)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, post(ops[n%uint(len(ops))], string(body)))
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		answer := map[string]any{}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%v in %s", err, w.Body)
		}
		if kind, _ := answer["__type"].(string); w.Code != http.StatusOK && !strings.Contains(kind, "#") {
			t.Fatalf("error without a type: %s", w.Body)
		}
	})
}
