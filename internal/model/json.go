package model

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// PlainJSON prints a value as the JSON document it stands for, as an SQL array or json
// column shows it: lists as arrays, maps as objects with their names in order, without
// DynamoDB's type names. Binary values print as text.
func PlainJSON(v dynamo.Value) string {
	var b strings.Builder
	writeJSON(&b, v)
	return b.String()
}

func writeJSON(b *strings.Builder, v dynamo.Value) {
	switch v.Type() {
	case dynamo.TypeBool:
		if v.IsTrue() {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	case dynamo.TypeNumber:
		b.WriteString(v.Str())
	case dynamo.TypeList:
		b.WriteByte('[')
		for i, x := range v.Elements() {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, x)
		}
		b.WriteByte(']')
	case dynamo.TypeMap:
		b.WriteByte('{')
		for i, a := range v.Fields() {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(jsonString(a.Name) + ":")
			writeJSON(b, a.Value)
		}
		b.WriteByte('}')
	case dynamo.TypeString, dynamo.TypeBinary:
		b.WriteString(jsonString(v.Str()))
	default:
		b.WriteString("null")
	}
}

func jsonString(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("keyfold: internal error: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
