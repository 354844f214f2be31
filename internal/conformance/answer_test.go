package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An answer is an answer made comparable: what differs between two runs that are both
// right is taken out of it, and what has no order is sorted.
type answer struct {
	status int
	body   any // as encoding/json decodes it, numbers as json.Number
}

func parseAnswer(t testing.TB, status int, text []byte) answer {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var body any
	if err := d.Decode(&body); err != nil {
		t.Fatalf("answer %d is not JSON: %v\n%.1000s", status, err, text)
	}
	a := answer{status: status, body: normal("", body)}
	if fields, ok := a.body.(map[string]any); ok && status != http.StatusOK {
		normalError(fields)
	}
	return a
}

// normalError leaves the name of the exception without its namespace, and its text.
func normalError(fields map[string]any) {
	if name, ok := fields["__type"].(string); ok {
		fields["__type"] = name[strings.LastIndexByte(name, '#')+1:]
	}
	if text, ok := fields["Message"]; ok {
		fields["message"] = text
		delete(fields, "Message")
	}
}

var (
	arn    = regexp.MustCompile(`^arn:aws:dynamodb:[^:]*:[^:]*:`)
	sets   = []string{"SS", "NS", "BS"}
	moving = []string{"TableId", "CreationDateTime", "LastUpdateToPayPerRequestDateTime", "LastIncreaseDateTime", "LastDecreaseDateTime"}
)

// normal makes a part of an answer comparable; key is the name it stands under.
func normal(key string, v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil && key != "N" {
			return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
		}
	case string:
		return shorten(arn.ReplaceAllString(v, "arn:"))
	case []any:
		for i := range v {
			v[i] = normal("", v[i])
		}
		if slices.Contains(sets, key) || unordered[key] {
			sortByText(v)
		}
	case map[string]any:
		for _, name := range moving {
			delete(v, name)
		}
		for name := range v {
			v[name] = normal(name, v[name])
		}
	}
	return v
}

// unordered are the lists of descriptions and costs whose order says nothing.
var unordered = map[string]bool{"GlobalSecondaryIndexes": true, "LocalSecondaryIndexes": true,
	"ConsumedCapacity": true, "AttributeDefinitions": true, "NonKeyAttributes": true}

func sortByText(list []any) {
	slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(compact(a), compact(b)) })
}

const longText = 300

// shorten cuts long strings, so that cases with large items stay readable.
func shorten(s string) string {
	if len(s) <= longText || strings.Contains(s, " ") {
		return s
	}
	return fmt.Sprintf("%s... %d bytes", s[:10], len(s))
}

// sorted returns the answer with the items of a Scan or a batch in the order of their text.
func (a answer) sorted(op string) answer {
	fields, ok := a.body.(map[string]any)
	if !ok {
		return a
	}
	switch op {
	case "Scan":
		if items, ok := fields["Items"].([]any); ok {
			sortByText(items)
		}
	case "BatchGetItem":
		if tables, ok := fields["Responses"].(map[string]any); ok {
			for _, items := range tables {
				if items, ok := items.([]any); ok {
					sortByText(items)
				}
			}
		}
	}
	return a
}

// code returns the name of the exception, "" for success.
func (a answer) code() string { return a.field("__type") }

// message returns the text of the exception.
func (a answer) message() string { return a.field("message") }

func (a answer) field(name string) string {
	fields, _ := a.body.(map[string]any)
	s, _ := fields[name].(string)
	if a.status == http.StatusOK {
		return ""
	}
	return s
}

func (a answer) ok() bool { return a.status == http.StatusOK }

// text prints the answer: the status, and the body as JSON with members in order.
func (a answer) text() string {
	var out strings.Builder
	fmt.Fprintln(&out, a.status)
	appendPretty(&out, a.body, "")
	out.WriteByte('\n')
	return out.String()
}

const lineWidth = 120

// appendPretty prints v on one line if it fits, and its members on lines of their own if
// it does not.
func appendPretty(out *strings.Builder, v any, indent string) {
	flat := compact(v)
	if len(indent)+len(flat) <= lineWidth {
		out.WriteString(flat)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		out.WriteString("{\n")
		for i, name := range sortedKeys(v) {
			if i > 0 {
				out.WriteString(",\n")
			}
			fmt.Fprintf(out, "%s  %s: ", indent, compact(name))
			appendPretty(out, v[name], indent+"  ")
		}
		fmt.Fprintf(out, "\n%s}", indent)
	case []any:
		out.WriteString("[\n")
		for i, e := range v {
			if i > 0 {
				out.WriteString(",\n")
			}
			out.WriteString(indent + "  ")
			appendPretty(out, e, indent+"  ")
		}
		fmt.Fprintf(out, "\n%s]", indent)
	default:
		out.WriteString(flat)
	}
}

// compact prints v on one line.
func compact(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for _, name := range sortedKeys(v) {
			parts = append(parts, compact(name)+": "+compact(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, compact(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic(err)
		}
		return strings.TrimSpace(out.String())
	}
	return fmt.Sprint(v)
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
