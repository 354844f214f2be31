package dynamo

import (
	"iter"
	"slices"
	"sync"
	"unicode/utf8"
)

// A JSONReader reads DynamoDB JSON in one pass, without building a tree: each method
// reads the value that comes next. It is as strict as the service. The first fault is
// kept and ends the reading: from then on all methods return nothing at once, so that
// callers need not look at errors until the end.
//
// There are three sorts of faults, here with the gravest first: text that is not JSON or
// has a value of the wrong type, a SerializationException; a required member that is not
// there (see Missing) and a value that is well formed and yet not allowed (see Invalid),
// both a ValidationException, after which reading goes on. Strings that it returns share
// the memory of the text.
//
// A null reads as nothing: "", false, 0, nil, and an object or list without members.
type JSONReader struct {
	// Older asks for the texts of the layer of the service that some operations still have:
	// it speaks differently of numbers and of elements that are in a set twice.
	Older bool

	text    string
	pos     int
	depth   int
	first   bool // nothing of the innermost object or list has been read
	element bool // the next value is an element of a list or map, not a member of a structure
	fault   *Error
	missing *Error
	invalid *Error

	// Lists and items under construction, one behind the other, so that each is
	// allocated once, at its size.
	attrs  []Attr
	values []Value
}

// maxJSONDepth bounds recursion; values may nest less deeply (MaxDepth).
const maxJSONDepth = 4000

// maxScratch is the number of attributes and values beyond which a reader's memory is
// not kept for the next request.
const maxScratch = 1 << 12

var jsonReaders = sync.Pool{New: func() any { return new(JSONReader) }}

// DecodeJSON has read read one JSON value that is the whole of text, and reports the
// gravest fault as an *Error, SerializationException or ValidationException. The reader
// is not to be used after read returns. Text is not kept, but copied once.
func DecodeJSON(text []byte, read func(*JSONReader)) error {
	r := jsonReaders.Get().(*JSONReader)
	*r = JSONReader{text: string(text), attrs: r.attrs, values: r.values}
	if !utf8.Valid(text) {
		r.syntaxError()
	} else {
		read(r)
		if r.next(); r.pos < len(r.text) {
			r.syntaxError()
		}
	}
	fault, missing, invalid := r.fault, r.missing, r.invalid
	if r.text = ""; cap(r.attrs)+cap(r.values) < maxScratch {
		jsonReaders.Put(r)
	}
	switch {
	case fault != nil:
		return fault
	case missing != nil:
		return missing
	case invalid != nil:
		return invalid
	}
	return nil
}

// ParseItemJSON parses an item in DynamoDB JSON: {"name":{"S":"Anna"}}. Errors are those
// of DecodeJSON.
func ParseItemJSON(text []byte) (Item, error) {
	var it Item
	err := DecodeJSON(text, func(r *JSONReader) { it = r.Item() })
	if err != nil {
		return nil, err
	}
	return it, nil
}

// ParseJSON parses one value in DynamoDB JSON: {"S":"Anna"}. Errors are those of
// DecodeJSON.
func ParseJSON(text []byte) (Value, error) {
	var v Value
	err := DecodeJSON(text, func(r *JSONReader) { v = r.Value() })
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// Invalid reports a value that is not allowed; only the first report counts.
func (r *JSONReader) Invalid(message string) {
	if r.invalid == nil {
		r.invalid = Invalid(message)
	}
}

// Missing reports a required member that is not there; only the first report counts.
func (r *JSONReader) Missing(message string) {
	if r.missing == nil {
		r.missing = Invalid(message)
	}
}

// Within calls read, and has wrap rewrite the text of a ValidationException that it
// reports.
func (r *JSONReader) Within(wrap func(message string) string, read func()) {
	known := r.invalid != nil
	read()
	if !known && r.invalid != nil {
		r.invalid.Message = wrap(r.invalid.Message)
	}
}

// Struct reads an object with known members and yields their names one by one; the loop
// reads the member's value or leaves it to be passed over. Members that are null are not
// yielded. Class is the service's name for the structure, which some faults mention.
func (r *JSONReader) Struct(class string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !r.open('{', jsonShape{structure: true, class: class}) {
			return
		}
		for name, ok := r.nextKey(); ok; name, ok = r.nextKey() {
			if r.null() {
				continue
			}
			r.element = false
			r.yieldOne(yield, name)
		}
	}
}

// Map reads an object whose member names are data and yields them one by one, as Struct
// does, nulls included. Class is the service's name of the values, with its package.
func (r *JSONReader) Map(class string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !r.open('{', jsonShape{class: class}) {
			return
		}
		for name, ok := r.nextKey(); ok; name, ok = r.nextKey() {
			r.element = true
			r.yieldOne(yield, name)
		}
	}
}

// List reads a list and yields the positions of its elements, which the loop reads.
func (r *JSONReader) List() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !r.open('[', jsonShape{}) {
			return
		}
		for i := 0; r.nextElement(); i++ {
			r.element = true
			before := r.pos
			yield(i)
			if r.pos == before {
				r.Skip()
			}
		}
	}
}

// yieldOne leaves it to the loop to read the value, and passes over one that it left.
func (r *JSONReader) yieldOne(yield func(string) bool, name string) {
	before := r.pos
	yield(name)
	if r.pos == before {
		r.Skip()
	}
}

// Strings reads a list of strings, not nil unless it is null.
func (r *JSONReader) Strings() []string {
	if r.null() {
		return nil
	}
	list := []string{}
	for range r.List() {
		list = append(list, r.Text())
	}
	return list
}

// Item reads a map of attribute values, not nil unless it is null. Of two attributes
// with one name the later wins.
func (r *JSONReader) Item() Item {
	if r.null() {
		return nil
	}
	return r.item(1)
}

// item reads the attributes of an item (level 1) or a map within it.
func (r *JSONReader) item(level int) Item {
	if !r.open('{', jsonShape{class: classAttributeValue}) {
		return nil
	}
	start, sorted := len(r.attrs), true
	for name, ok := r.nextKey(); ok; name, ok = r.nextKey() {
		r.element = true
		v := r.value(level)
		if name == "" {
			r.Invalid(textEmptyName)
		}
		if n := len(r.attrs); n > start && r.attrs[n-1].Name >= name {
			sorted = false
		}
		r.attrs = append(r.attrs, Attr{name, v})
	}
	it := make(Item, len(r.attrs)-start)
	copy(it, r.attrs[start:])
	clear(r.attrs[start:])
	r.attrs = r.attrs[:start]
	if !sorted {
		it = NewItem(it...)
	}
	return it
}

// list reads the elements of an L value on the given level.
func (r *JSONReader) list(level int) []Value {
	if !r.open('[', jsonShape{}) {
		return nil
	}
	start := len(r.values)
	for r.nextElement() {
		r.element = true
		v := r.value(level)
		r.values = append(r.values, v)
	}
	list := slices.Clone(r.values[start:])
	clear(r.values[start:])
	r.values = r.values[:start]
	return list
}
