package dynamo

import (
	"encoding/base64"
	"unicode/utf8"
)

// AppendJSON appends v in DynamoDB JSON: {"S":"Anna"}. An absent value is {}.
func AppendJSON(dst []byte, v Value) []byte {
	switch v.kind {
	case kindAbsent:
		return append(dst, "{}"...)
	case kindNull:
		return append(dst, `{"NULL":true}`...)
	case kindBool:
		if v.flag {
			return append(dst, `{"BOOL":true}`...)
		}
		return append(dst, `{"BOOL":false}`...)
	case kindNumber:
		dst = append(dst, `{"N":"`...)
		dst = append(dst, v.text...)
		return append(dst, `"}`...)
	case kindString:
		dst = append(dst, `{"S":`...)
		dst = AppendJSONString(dst, v.text)
	case kindBinary:
		dst = append(dst, `{"B":`...)
		dst = appendBase64(dst, v.text)
	case kindMap:
		dst = append(dst, `{"M":`...)
		dst = AppendItemJSON(dst, v.Fields())
	case kindList:
		dst = append(dst, `{"L":[`...)
		for i, e := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, e)
		}
		dst = append(dst, ']')
	default:
		dst = appendSet(dst, v)
	}
	return append(dst, '}')
}

func appendSet(dst []byte, v Value) []byte {
	dst = append(dst, '{', '"')
	dst = append(dst, kindTypes[v.kind]...)
	dst = append(dst, '"', ':', '[')
	for i, e := range v.Elements() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.kind == kindBinarySet {
			dst = appendBase64(dst, e.text)
		} else {
			dst = AppendJSONString(dst, e.text)
		}
	}
	return append(dst, ']')
}

// AppendItemJSON appends an item in DynamoDB JSON: {"name":{"S":"Anna"}}.
func AppendItemJSON(dst []byte, it Item) []byte {
	dst = append(dst, '{')
	for i := range it {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSONString(dst, it[i].Name)
		dst = append(dst, ':')
		dst = AppendJSON(dst, it[i].Value)
	}
	return append(dst, '}')
}

// appendBase64 encodes in pieces, for the encoder takes bytes and the value is a string.
func appendBase64(dst []byte, s string) []byte {
	var piece [48]byte
	dst = append(dst, '"')
	for len(s) > 0 {
		n := copy(piece[:], s)
		dst = base64.StdEncoding.AppendEncode(dst, piece[:n])
		s = s[n:]
	}
	return append(dst, '"')
}

// jsonPlain marks the bytes that stand for themselves in a JSON string.
var jsonPlain = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// AppendJSONString appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func AppendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start, i := 0, 0
	for i < len(s) {
		c := s[i]
		if jsonPlain[c] {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			char, n := utf8.DecodeRuneInString(s[i:])
			if char != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			size = n
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\r':
		return append(dst, '\\', 'r')
	case c == '\t':
		return append(dst, '\\', 't')
	case c < ' ':
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
	return append(dst, `\ufffd`...)
}
