package dynamo

import (
	"encoding/binary"
	"errors"
)

// The binary form of items and values, in which the engine stores them:
//
//	item    version (01), fields
//	fields  count, then for each attribute, sorted by name: length, name, value
//	value   tag, payload:
//	        NULL 01           BOOL 02, 00 or 01
//	        N 03, S 04, B 05  length, text of the number or the bytes
//	        L 06              size, count, values
//	        M 07              size, fields
//	        SS 08, NS 09, BS 0A  size, count, then length and bytes of each element, sorted
//
// Counts and lengths are unsigned varints. Size is the number of bytes that follow it, in
// four bytes, little-endian: it lets a reader step over a value, and a writer fill it in
// afterwards. The form is stored: tags are never given a new meaning, and a new layout
// takes a new version.
const itemVersion = 1

var valueTags = [...]byte{kindNull: 1, kindBool: 2, kindNumber: 3, kindString: 4, kindBinary: 5,
	kindList: 6, kindMap: 7, kindStringSet: 8, kindNumberSet: 9, kindBinarySet: 10}

var tagKinds = [...]kind{1: kindNull, 2: kindBool, 3: kindNumber, 4: kindString, 5: kindBinary,
	6: kindList, 7: kindMap, 8: kindStringSet, 9: kindNumberSet, 10: kindBinarySet}

var errBadItem = errors.New("dynamo: malformed item encoding")

// AppendItem appends the binary form of it.
func AppendItem(dst []byte, it Item) []byte {
	return appendFields(append(dst, itemVersion), it)
}

// AppendValue appends the binary form of a value, which must not be absent.
func AppendValue(dst []byte, v Value) []byte {
	if v.kind == kindAbsent {
		panic("keyfold: internal error: absent value in an item")
	}
	dst = append(dst, valueTags[v.kind])
	switch v.kind {
	case kindNull:
		return dst
	case kindBool:
		if v.flag {
			return append(dst, 1)
		}
		return append(dst, 0)
	case kindNumber, kindString, kindBinary:
		return appendText(dst, v.text)
	}
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	switch v.kind {
	case kindMap:
		dst = appendFields(dst, v.Fields())
	case kindList:
		dst = binary.AppendUvarint(dst, uint64(len(v.Elements())))
		for _, e := range v.Elements() {
			dst = AppendValue(dst, e)
		}
	default:
		dst = binary.AppendUvarint(dst, uint64(len(v.Elements())))
		for _, e := range v.Elements() {
			dst = appendText(dst, e.text)
		}
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

func appendFields(dst []byte, it Item) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(it)))
	for _, a := range it {
		dst = AppendValue(appendText(dst, a.Name), a.Value)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// DecodeItem reads what AppendItem wrote; src must hold one item and nothing else. The
// item does not alias src: all its names and texts share one copy.
func DecodeItem(src []byte) (Item, error) {
	if len(src) == 0 || src[0] != itemVersion {
		return nil, errBadItem
	}
	r := reader[string]{src: string(src[1:])}
	it, err := decodeFields(&r, 0)
	if err == nil && len(r.src) > 0 {
		err = errBadItem
	}
	if err != nil {
		return nil, err
	}
	return it, nil
}

// DecodeValue reads what AppendValue wrote; src must hold one value and nothing else. The
// value does not alias src.
func DecodeValue(src []byte) (Value, error) {
	r := reader[string]{src: string(src)}
	v, err := decodeValue(&r, 0)
	if err == nil && len(r.src) > 0 {
		err = errBadItem
	}
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// Lookup reads one attribute of an encoded item without decoding the others; the value is
// absent when the item has no such attribute. It does not alias encoded.
func Lookup(encoded []byte, name string) (Value, error) {
	raw, err := lookupRaw(encoded, name)
	if err != nil || raw == nil {
		return Value{}, err
	}
	return DecodeValue(raw)
}

// lookupRaw returns the encoding of one attribute's value, nil when there is none.
func lookupRaw(encoded []byte, name string) ([]byte, error) {
	if len(encoded) == 0 || encoded[0] != itemVersion {
		return nil, errBadItem
	}
	r := reader[[]byte]{src: encoded[1:]}
	n, ok := r.count()
	if !ok {
		return nil, errBadItem
	}
	for ; n > 0; n-- {
		field, ok := r.text()
		if !ok {
			return nil, errBadItem
		}
		value := r.src
		if !r.skip() {
			return nil, errBadItem
		}
		switch {
		case string(field) == name:
			return value[:len(value)-len(r.src)], nil
		case string(field) > name:
			return nil, nil
		}
	}
	return nil, nil
}

// EncodedItemSize returns ItemSize of an encoded item without decoding it.
func EncodedItemSize(encoded []byte) (int, error) {
	if len(encoded) == 0 || encoded[0] != itemVersion {
		return 0, errBadItem
	}
	r := reader[[]byte]{src: encoded[1:]}
	size, _, ok := r.fieldsSize(0)
	if !ok || len(r.src) > 0 {
		return 0, errBadItem
	}
	return size, nil
}
