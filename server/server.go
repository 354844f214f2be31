// Package server answers DynamoDB's protocol, JSON 1.0 over HTTP, from an engine. It hides
// the wire: how requests are read and answers written, which operations there are, how
// errors are spelled, compression, checksums and the headers that SDKs look at.
package server

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/keyfold-dev/keyfold/engine"
)

// Options configure a handler. The zero value is what a developer's machine wants.
type Options struct {
	// RequireCredentials refuses requests without an Authorization header or a signed
	// query, as the service does. Signatures are not verified.
	RequireCredentials bool
	// Region is named in the health text; the default is us-east-1.
	Region string
	// Seed makes the request ids of two servers differ.
	Seed uint64
	// Logger receives what an operator should know: failures that are not the client's.
	// Nil discards it.
	Logger *slog.Logger
}

// New makes a handler that answers POST requests at any path from db, which it does not
// close, and GET requests with a line of text that says it is there. It is safe for
// concurrent use and answers every request, whatever it holds, with something an SDK can
// parse.
//
// An http.Server for it wants a ReadHeaderTimeout of some seconds, an IdleTimeout above the
// minute for which SDKs keep connections, and neither ReadTimeout nor WriteTimeout below
// what the slowest client needs for 16 MB.
func New(db *engine.DB, o Options) http.Handler {
	if o.Region == "" {
		o.Region = "us-east-1"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &handler{db: db, options: o}
}

type handler struct {
	db       *engine.DB
	options  Options
	requests atomic.Uint64
}

// ServeHTTP answers one request. Nothing is written before the answer is whole, so a
// failure anywhere still makes a proper answer.
func (h *handler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	a := newAnswer()
	defer a.release()
	h.answer(a, req)
	if req.Header.Get("Origin") != "" {
		allowOrigin(w.Header(), req)
	}
	a.send(w, req, requestID(h.options.Seed, h.requests.Add(1)))
}

// answer fills a. A panic in the engine becomes an InternalServerError.
func (h *handler) answer(a *answer, req *http.Request) {
	defer func() {
		if cause := recover(); cause != nil {
			h.options.Logger.Error("request failed", "target", req.Header.Get("X-Amz-Target"), "panic", cause, "stack", stack())
			a.fail(errInternal)
		}
	}()
	switch req.Method {
	case http.MethodGet, http.MethodHead:
		a.text("healthy: dynamodb." + h.options.Region + ".amazonaws.com ")
	case http.MethodOptions:
		if req.Header.Get("Origin") == "" {
			a.notFound()
		}
	case http.MethodPost:
		h.post(a, req)
	default:
		a.notFound()
	}
}

// post runs an operation. The order of its checks is the service's.
func (h *handler) post(a *answer, req *http.Request) {
	body := newBody()
	defer body.release()
	if err := body.read(req); err != nil {
		a.fail(err)
		return
	}
	if !a.acceptType(req.Header.Get("Content-Type"), len(body.data) == 0) {
		a.notFound()
		return
	}
	run, err := findOperation(req.Header.Get("X-Amz-Target"), body.data)
	if err == nil && h.options.RequireCredentials {
		err = checkCredentials(req)
	}
	if err != nil {
		a.fail(err)
		return
	}
	out, err := run(&request{ctx: req.Context(), db: h.db, host: req.Host, body: body.data}, a.data)
	if err != nil {
		if !isServiceError(err) && req.Context().Err() == nil {
			h.options.Logger.Error("request failed", "target", req.Header.Get("X-Amz-Target"), "error", err)
		}
		a.fail(err)
		return
	}
	a.data = out
}
