package exec

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// nowValue is now(): the same moment through one call, as through one transaction of
// PostgreSQL.
func (c *call) nowValue() dynamo.Value {
	if c.now.IsZero() {
		clock := c.Clock
		if clock == nil {
			clock = time.Now
		}
		c.now = clock().UTC().Truncate(time.Microsecond)
	}
	return dynamo.String(c.now.Format(design.TimestampTZForm))
}

// uuid is gen_random_uuid(): version 4 of RFC 9562. One call in the statement gives one
// value, however many items and keys it goes into.
func (c *call) uuid(e *model.Call) (dynamo.Value, error) {
	if v, ok := c.uuids[e]; ok {
		return v, nil
	}
	source := c.Random
	if source == nil {
		source = rand.Reader
	}
	var b [16]byte
	if _, err := io.ReadFull(source, b[:]); err != nil {
		return dynamo.Value{}, fmt.Errorf("gen_random_uuid: %w", err)
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	v := dynamo.String(canonicalUUID(hex.EncodeToString(b[:])))
	c.uuids[e] = v
	return v, nil
}

// fingerprint spells a value so that equal values, and only they, give equal text.
func fingerprint(v dynamo.Value) string {
	var b strings.Builder
	writeFingerprint(&b, v)
	return b.String()
}

func writeFingerprint(b *strings.Builder, v dynamo.Value) {
	b.WriteString(string(v.Type()))
	switch v.Type() {
	case dynamo.TypeBool:
		b.WriteString(strconv.FormatBool(v.IsTrue()))
	case dynamo.TypeMap:
		b.WriteByte('{')
		for _, a := range v.Fields() {
			fmt.Fprintf(b, "%q", a.Name)
			writeFingerprint(b, a.Value)
		}
		b.WriteByte('}')
	default:
		if els := v.Elements(); els != nil {
			b.WriteByte('[')
			for _, el := range els {
				writeFingerprint(b, el)
			}
			b.WriteByte(']')
			return
		}
		b.WriteString(strconv.Quote(v.Str()))
	}
}
