package main

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/server"
)

// TestVerifyEndpoint verifies on a DynamoDB over HTTP and leaves no table there.
func TestVerifyEndpoint(t *testing.T) {
	db := openEngine(t)
	far := httptest.NewServer(server.New(db, server.Options{}))
	defer far.Close()
	var out, errOut bytes.Buffer
	status := run(t.Context(), []string{"verify", "../../examples/catalog", "--endpoint", far.URL, "--rows", "20", "--runs", "5"}, nil, &out, &errOut)
	if status != exitOK || !strings.Contains(out.String(), "The answers are SQL's.") {
		t.Errorf("exit status %d\n%s%s", status, &out, &errOut)
	}
	left, err := db.ListTables(t.Context(), &dynamo.ListTablesInput{})
	if err != nil || len(left.TableNames) > 0 {
		t.Errorf("tables left behind: %v %v", left, err)
	}
}
