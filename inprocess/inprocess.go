// Package inprocess makes a client of the AWS SDK whose requests are answered by an
// engine in the same process. It hides the way around the network: what the client sends
// and receives is what it would send and receive over a socket, to the byte.
package inprocess

import (
	"bytes"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/server"
)

// New makes a client of db, which stays the caller's to close. The client needs no
// credentials and no configuration of the environment, and does not retry: what the
// engine refuses once it would refuse again. Functions in change alter its options; use
// them, for one, to set a Retryer where transactions conflict.
func New(db *engine.DB, change ...func(*dynamodb.Options)) *dynamodb.Client {
	o := dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String("http://keyfold.invalid"),
		Credentials:  aws.AnonymousCredentials{},
		Retryer:      aws.NopRetryer{},
		HTTPClient:   transport{server.New(db, server.Options{})},
	}
	return dynamodb.New(o, change...)
}

// A transport answers requests by calling a handler.
type transport struct {
	handler http.Handler
}

// Do answers one request, before it returns. The request is not changed.
func (t transport) Do(sent *http.Request) (*http.Response, error) {
	if err := sent.Context().Err(); err != nil {
		return nil, err
	}
	req := *sent
	if req.Body == nil {
		req.Body = http.NoBody
	}
	defer req.Body.Close()
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(w, &req)
	return &http.Response{
		Status:     http.StatusText(w.status),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        w.header,
		Body:          io.NopCloser(bytes.NewReader(w.body)),
		ContentLength: int64(len(w.body)),
		Request:       sent,
	}, nil
}

// A recorder keeps the answer.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) { w.status = status }

func (w *recorder) Write(p []byte) (int, error) {
	w.body = append(w.body, p...)
	return len(p), nil
}
