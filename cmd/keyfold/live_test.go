package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// A live is a command that stays up, run in this process.
type live struct {
	t        *testing.T
	mu       sync.Mutex
	out, err bytes.Buffer
	stop     context.CancelFunc
	status   chan int
}

// A liveWriter collects what a live prints.
type liveWriter struct {
	l  *live
	to *bytes.Buffer
}

func (w liveWriter) Write(p []byte) (int, error) {
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	return w.to.Write(p)
}

func start(t *testing.T, args ...string) *live {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	l := &live{t: t, stop: stop, status: make(chan int, 1)}
	go func() {
		l.status <- run(ctx, args, strings.NewReader(""), liveWriter{l, &l.out}, liveWriter{l, &l.err})
	}()
	t.Cleanup(stop)
	return l
}

func (l *live) text() (out, err string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.String(), l.err.String()
}

// wait waits until the command has printed something and returns all its output.
func (l *live) wait(want string) string {
	l.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if out, errOut := l.text(); strings.Contains(out, want) || strings.Contains(errOut, want) {
			return out
		}
	}
	out, errOut := l.text()
	l.t.Fatalf("never printed %q:\n%s\n%s", want, out, errOut)
	return ""
}

// end stops the command as Ctrl-C does and expects a clean exit.
func (l *live) end() {
	l.t.Helper()
	l.stop()
	if status := <-l.status; status != exitOK {
		_, errOut := l.text()
		l.t.Errorf("exit status %d\n%s", status, errOut)
	}
}

// client is the SDK's, with the endpoint that the command printed.
func (l *live) client() *dynamodb.Client {
	l.t.Helper()
	out := l.wait("export AWS_REGION")
	url := regexp.MustCompile(`http://[0-9.:]+`).FindString(out)
	return dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: aws.String(url), Credentials: aws.AnonymousCredentials{}})
}

func TestServe(t *testing.T) {
	t.Chdir(t.TempDir())
	l := start(t, "serve", "--port", "0")
	if _, err := l.client().ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
		t.Error(err)
	}
	l.end()
	if _, err := os.Stat("keyfold-data"); err != nil {
		t.Error(err)
	}
}

// TestDevWatches follows a developer: a change that works, one that does not, and a call
// from another terminal while the first command runs.
func TestDevWatches(t *testing.T) {
	t.Chdir(workingCopy(t))
	l := start(t, "dev", "examples/stores", "--port", "0")
	tables, err := l.client().ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil || len(tables.TableNames) != 1 || tables.TableNames[0] != "stores" {
		t.Errorf("tables %v, %v", tables, err)
	}
	l.wait("Watching examples/stores")
	if got := execute(t, "run examples/stores GetStoresByCountry country=US"); !strings.Contains(got, "4 rows by Query") || !strings.Contains(got, "http://127.0.0.1") {
		t.Errorf("run beside dev printed\n%s", got)
	}

	queries := filepath.Join("examples", "stores", "queries.sql")
	text, err := os.ReadFile(queries)
	if err != nil {
		t.Fatal(err)
	}
	change := func(more string) {
		if err := os.WriteFile(queries, append(text, more...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	change("-- name: GetStoresByAddress :many\nSELECT * FROM stores WHERE adress = @address;\n")
	l.wait(`did you mean "address"?`)
	l.wait("The table is as it was.")
	change("-- name: GetStoresByAddress :many\nSELECT * FROM stores WHERE address = @address;\n")
	l.wait("+ GetStoresByAddress by secondary index + Query")
	l.wait("made anew")
	if got := execute(t, "run examples/stores GetStoresByAddress 'address=1 Pike Place'"); !strings.Contains(got, "1 row by Query on GSI1") {
		t.Errorf("run after the change printed\n%s", got)
	}
	l.end()
	l.wait("Stopped.")
	if got := execute(t, "run examples/stores GetStoresByCountry country=US"); !strings.Contains(got, filepath.Join("examples", "stores", ".keyfold")) {
		t.Errorf("run after dev printed\n%s", got)
	}
}

// TestPortTaken takes the next port, and says so.
func TestPortTaken(t *testing.T) {
	first, err := listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	port := strings.TrimPrefix(endpoint(first), "http://127.0.0.1:")
	t.Chdir(workingCopy(t))
	l := start(t, "dev", "examples/stores", "--memory", "--port", port)
	l.wait("(port " + port + " is taken)")
	l.wait("Watching")
	l.end()
}

// TestFolderInUse names the command that has the folder.
func TestFolderInUse(t *testing.T) {
	t.Chdir(workingCopy(t))
	l := start(t, "dev", "examples/stores", "--port", "0")
	l.wait("Watching")
	second := start(t, "dev", "examples/stores", "--port", "0")
	if status := <-second.status; status != exitFailed {
		t.Errorf("exit status %d", status)
	}
	second.wait("examples/stores/.keyfold is in use by http://127.0.0.1:")
	l.end()
}
