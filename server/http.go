package server

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/keyfold-dev/keyfold/dynamo"
)

const (
	maxBody     = 16 << 20 // of a request, before and after decompression
	maxDrained  = 64 << 20 // read of a body that is too long, so that its sender reads the answer
	gzipAbove   = 4 << 10  // length from which answers are compressed if the client takes it
	keptBuffers = 1 << 20  // buffers that have grown longer than this are not used again
)

// A body is a request's body in memory that is used again.
type body struct {
	buf  bytes.Buffer
	data []byte
}

var bodies = sync.Pool{New: func() any { return new(body) }}

func newBody() *body { return bodies.Get().(*body) }

func (b *body) release() {
	if b.data = nil; b.buf.Cap() <= keptBuffers {
		b.buf.Reset()
		bodies.Put(b)
	}
}

// read reads the body of req, decompressed.
func (b *body) read(req *http.Request) error {
	var src io.Reader = req.Body
	if req.ContentLength > maxBody {
		return tooLarge(req)
	}
	if strings.EqualFold(req.Header.Get("Content-Encoding"), "gzip") {
		zr, err := gzip.NewReader(req.Body)
		if err != nil {
			return errMalformed
		}
		src = zr
	} else if req.ContentLength > 0 {
		// One byte more than the body, for ReadFrom grows a buffer that is full.
		b.buf.Grow(int(req.ContentLength) + bytes.MinRead)
	}
	n, err := b.buf.ReadFrom(io.LimitReader(src, maxBody+1))
	switch {
	case n > maxBody:
		return tooLarge(req)
	case err != nil:
		return errMalformed
	}
	b.data = b.buf.Bytes()
	return nil
}

func tooLarge(req *http.Request) error {
	io.Copy(io.Discard, io.LimitReader(req.Body, maxDrained))
	return errTooLarge
}

// An answer is the response under construction.
type answer struct {
	status int
	mime   []string
	data   []byte
}

var answers = sync.Pool{New: func() any { return &answer{data: make([]byte, 0, 4<<10)} }}

func newAnswer() *answer {
	a := answers.Get().(*answer)
	*a = answer{status: http.StatusOK, data: a.data[:0]}
	return a
}

func (a *answer) release() {
	if cap(a.data) <= keptBuffers {
		answers.Put(a)
	}
}

var (
	mimeText  = []string{"text/plain; charset=utf-8"}
	mimeXML   = []string{"application/xml"}
	mimeJSON  = []string{"application/json"}
	mimeTypes = map[string][]string{
		"application/json":           mimeJSON,
		"application/x-amz-json-1.0": {"application/x-amz-json-1.0"},
		"application/x-amz-json-1.1": {"application/x-amz-json-1.1"},
	}
)

// acceptType takes over the request's content type for the answer. A request without a
// body needs none.
func (a *answer) acceptType(contentType string, empty bool) bool {
	name, _, _ := strings.Cut(contentType, ";")
	mime, ok := mimeTypes[strings.ToLower(strings.TrimSpace(name))]
	if !ok && empty {
		mime = mimeJSON
	}
	a.mime = mime
	return mime != nil
}

func (a *answer) text(s string) {
	a.mime = mimeText
	a.data = append(a.data[:0], s...)
}

// notFound is the service's answer to what is not a request of its protocol.
func (a *answer) notFound() {
	a.status, a.mime = http.StatusNotFound, mimeXML
	a.data = append(a.data[:0], "<UnknownOperationException/>\n"...)
}

func (a *answer) fail(err error) {
	if a.mime == nil {
		a.mime = mimeJSON
	}
	a.status, a.data = appendError(a.data[:0], err)
}

// send writes the answer. The checksum is that of the bytes sent, compressed or not: SDKs
// check it before they decompress.
func (a *answer) send(w http.ResponseWriter, req *http.Request, id string) {
	data := a.data
	header := w.Header()
	if len(data) > gzipAbove && strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") {
		z := compressors.Get().(*compressor)
		defer compressors.Put(z)
		data = z.compress(data)
		header["Content-Encoding"] = []string{"gzip"}
	}
	if a.mime != nil {
		header["Content-Type"] = a.mime
	}
	values := []string{id, strconv.Itoa(len(data)), strconv.FormatUint(uint64(crc32.ChecksumIEEE(data)), 10)}
	header["X-Amzn-Requestid"] = values[0:1:1]
	header["Content-Length"] = values[1:2:2]
	header["X-Amz-Crc32"] = values[2:3:3]
	w.WriteHeader(a.status)
	w.Write(data)
}

type compressor struct {
	buf bytes.Buffer
	zw  *gzip.Writer
}

var compressors = sync.Pool{New: func() any {
	z := new(compressor)
	z.zw, _ = gzip.NewWriterLevel(&z.buf, gzip.BestSpeed)
	return z
}}

// compress returns data compressed, in memory that the next call uses again.
func (z *compressor) compress(data []byte) []byte {
	z.buf.Reset()
	z.zw.Reset(&z.buf)
	z.zw.Write(data)
	z.zw.Close()
	return z.buf.Bytes()
}

// allowOrigin lets pages of any origin use the server from a browser.
func allowOrigin(header http.Header, req *http.Request) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "x-amzn-RequestId, x-amz-crc32")
	if req.Method != http.MethodOptions {
		return
	}
	if names := req.Header.Get("Access-Control-Request-Headers"); names != "" {
		header.Set("Access-Control-Allow-Headers", names)
	}
	if methods := req.Header.Get("Access-Control-Request-Method"); methods != "" {
		header.Set("Access-Control-Allow-Methods", methods)
	}
	header.Set("Access-Control-Max-Age", "172800")
}

// checkCredentials refuses a request that is not signed at all.
func checkCredentials(req *http.Request) error {
	if strings.HasPrefix(req.Header.Get("Authorization"), "AWS4-") || req.URL.Query().Has("X-Amz-Algorithm") {
		return nil
	}
	return errNoCredentials
}

var requestIDs = base32.StdEncoding.WithPadding(base32.NoPadding)

// requestID makes the id of the n-th request: 52 characters, as the service's are.
func requestID(seed, n uint64) string {
	var raw [32]byte
	x := seed ^ n*0x9e3779b97f4a7c15
	for i := 0; i < len(raw); i += 8 {
		// One step of splitmix64, which maps distinct states to distinct numbers.
		x += 0x9e3779b97f4a7c15
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.BigEndian.PutUint64(raw[i:], z^z>>31)
	}
	var text [52]byte
	requestIDs.Encode(text[:], raw[:])
	return string(text[:])
}

func stack() string { return string(debug.Stack()) }

func isServiceError(err error) bool {
	var e *dynamo.Error
	return errors.As(err, &e)
}
