package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Digest stands for the contents of a request.
type Digest [32]byte

// A client token has one record under the token and the time it expires, and one under
// the time and the token, by which the expired ones are found. No two uses of a token
// share a record, so removing an old use never touches a new one.
func tokenPrefix(token string) []byte {
	return dynamo.AppendKey([]byte{kindToken}, dynamo.String(token))
}

func appendTime(key []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(t.UnixMilli()))
}

func expiryKey(expires time.Time, token string) []byte {
	return append(appendTime([]byte{kindExpiry}, expires), token...)
}

// Token returns the digest of the request that used a client token last, unless that has
// expired.
func (s *Store) Token(token string, now time.Time) (d Digest, found bool, err error) {
	prefix := tokenPrefix(token)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: appendTime(prefix, now.Add(time.Millisecond)), UpperBound: successor(prefix)})
	if err != nil {
		return d, false, fmt.Errorf("read client token: %w", err)
	}
	if found = it.Last(); found {
		copy(d[:], it.Value())
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return d, false, fmt.Errorf("read client token: %w", err)
	}
	return d, found, nil
}

// PutToken stores the digest of the request that used a client token.
func (b *Batch) PutToken(token string, d Digest, expires time.Time) {
	must(b.b.Set(appendTime(tokenPrefix(token), expires), d[:], nil))
	must(b.b.Set(expiryKey(expires, token), nil, nil))
}

// DropTokens removes tokens that have expired, at most so many.
func (b *Batch) DropTokens(now time.Time, most int) error {
	it, err := b.s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindExpiry}, UpperBound: expiryKey(now, "")})
	if err != nil {
		return fmt.Errorf("read client tokens: %w", err)
	}
	for ok := it.First(); ok && most > 0; ok = it.Next() {
		most--
		expires := time.UnixMilli(int64(binary.BigEndian.Uint64(it.Key()[1:])))
		must(b.b.Delete(it.Key(), nil))
		must(b.b.Delete(appendTime(tokenPrefix(string(it.Key()[1+8:])), expires), nil))
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return fmt.Errorf("read client tokens: %w", err)
	}
	return nil
}
