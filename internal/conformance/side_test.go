package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/server"
)

// A side is one implementation of DynamoDB that answers requests.
type side interface {
	send(t testing.TB, op string, body []byte) answer
}

// An inProcess is a new database without a socket.
type inProcess struct{ handler http.Handler }

func openInProcess(t testing.TB) side {
	db, err := engine.Open(testOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &inProcess{server.New(db, server.Options{})}
}

func testOptions(dir string) engine.Options {
	return engine.Options{Dir: dir, Durability: engine.NoSync, ExpiryInterval: -1}
}

func (s *inProcess) send(t testing.TB, op string, body []byte) answer {
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, newRequest(t, "/", op, body))
	return readAnswer(t, w.Result())
}

// A reopened is a database on disk behind a socket; reopen closes and opens it.
type reopened struct {
	dir    string
	db     *engine.DB
	server *httptest.Server
}

func openReopened(t testing.TB) *reopened {
	s := &reopened{dir: t.TempDir()}
	s.open(t)
	t.Cleanup(func() { s.close(t) })
	return s
}

func (s *reopened) open(t testing.TB) {
	var err error
	if s.db, err = engine.Open(testOptions(s.dir)); err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(server.New(s.db, server.Options{}))
}

func (s *reopened) close(t testing.TB) {
	s.server.Close()
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
}

func (s *reopened) reopen(t testing.TB) {
	s.close(t)
	s.open(t)
}

func (s *reopened) send(t testing.TB, op string, body []byte) answer {
	return (&endpoint{url: s.server.URL}).send(t, op, body)
}

// An endpoint is whatever answers at a URL.
type endpoint struct{ url string }

func (s *endpoint) send(t testing.TB, op string, body []byte) answer {
	resp, err := http.DefaultClient.Do(newRequest(t, s.url, op, body))
	if err != nil {
		t.Fatal(err)
	}
	return readAnswer(t, resp)
}

func newRequest(t testing.TB, url, op string, body []byte) *http.Request {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+op)
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	// Enough for an implementation that wants to know who calls, and does not check.
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=conformance/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	return req
}

func readAnswer(t testing.TB, resp *http.Response) answer {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return parseAnswer(t, resp.StatusCode, body)
}

// makeTables makes the named tables, in place of what is left of an earlier run.
func makeTables(t testing.TB, s side, names []string) {
	for _, name := range names {
		request, err := os.ReadFile("testdata/tables/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		dropTable(t, s, name)
		if a := s.send(t, "CreateTable", request); a.status != http.StatusOK {
			t.Fatalf("create table %s: %s", name, a.text())
		}
		waitFor(t, s, name, func(a answer) bool { return strings.Contains(a.text(), `"TableStatus": "ACTIVE"`) })
	}
}

func dropTable(t testing.TB, s side, name string) {
	if a := s.send(t, "DeleteTable", fmt.Appendf(nil, `{"TableName":%q}`, name)); a.status == http.StatusOK {
		waitFor(t, s, name, func(a answer) bool { return a.status != http.StatusOK })
	}
}

// waitFor asks for the table's description until it is as wanted. Only an implementation
// with tables that take time to make lets it wait.
func waitFor(t testing.TB, s side, name string, wanted func(answer) bool) {
	const most = 5 * time.Minute
	for waited := time.Duration(0); ; waited += 100 * time.Millisecond {
		a := s.send(t, "DescribeTable", fmt.Appendf(nil, `{"TableName":%q}`, name))
		if wanted(a) {
			return
		}
		if waited > most {
			t.Fatalf("table %s stays as it is: %s", name, a.text())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func encode(t testing.TB, request any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(request); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(out.Bytes())
}
