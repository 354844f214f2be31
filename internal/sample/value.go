package sample

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// dayZero is when made-up times begin, far is when rows with an expiry expire.
var (
	dayZero = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	far     = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// words are values for text columns by a word of the column's name; the first match
// wins. Values with %d are numbered, the others repeat.
var words = []struct {
	part   string
	values []string
}{
	{"email", []string{"ada%d@example.com", "bruno%d@example.com", "chiara%d@example.com", "dmitri%d@example.com", "elif%d@example.com"}},
	{"first_name", []string{"Ada", "Bruno", "Chiara", "Dmitri", "Elif", "Farid"}},
	{"last_name", []string{"Novak", "Keller", "Rossi", "Sokolov", "Demir", "Haddad"}},
	{"user", []string{"ada-%d", "bruno-%d", "chiara-%d", "dmitri-%d", "elif-%d"}},
	{"country", []string{"Austria", "Brazil", "Canada", "Denmark"}},
	{"state", []string{"active", "paused", "closed"}},
	{"status", []string{"open", "paid", "shipped", "closed"}},
	{"city", []string{"Vienna", "Cork", "Porto", "Turin", "Graz"}},
	{"street", []string{"%d Main Street", "%d Station Road", "%d Mill Lane"}},
	{"address", []string{"%d Main Street", "%d Station Road", "%d Mill Lane"}},
	{"zip", []string{"10%02d"}},
	{"postal", []string{"10%02d"}},
	{"phone", []string{"+1 555 01%02d"}},
	{"url", []string{"https://example.com/%d"}},
	{"currency", []string{"EUR", "USD", "GBP"}},
	{"type", []string{"standard", "special"}},
	{"kind", []string{"standard", "special"}},
	{"role", []string{"owner", "editor", "viewer"}},
	{"level", []string{"owner", "editor", "viewer"}},
	{"label", []string{"home", "office", "other"}},
	{"tag", []string{"red", "green", "blue"}},
	{"color", []string{"red", "green", "blue"}},
	{"result", []string{"ok", "ok", "failed"}},
}

// people are names for rows of entities that stand for persons.
var people = []string{"Ada Novak", "Bruno Keller", "Chiara Rossi", "Dmitri Sokolov", "Elif Demir", "Farid Haddad"}

// persons are words in the names of such entities.
var persons = []string{"customer", "user", "employee", "person", "people", "member", "author", "patient", "student", "contact", "player"}

// made makes up value number i of a column, from its name and type and the entity it is
// of; "" for a parameter that is no column.
func made(entity, column string, t model.Type, i int) dynamo.Value {
	if t.Array {
		element := t
		element.Array = false
		return dynamo.List(made(entity, column, element, i), made(entity, column, element, i+1))
	}
	if len(t.Labels) > 0 {
		return dynamo.String(t.Labels[i%len(t.Labels)])
	}
	v, err := exec.ParseValue(t, madeText(entity, column, t, i))
	if err != nil {
		panic(fmt.Sprintf("keyfold: internal error: made-up value of %s: %v", column, err))
	}
	return v
}

func madeText(entity, column string, t model.Type, i int) string {
	name := strings.ToLower(column)
	at := dayZero.Add(time.Duration(i) * 26 * time.Hour)
	if containsAny(name, []string{"expire", "ttl"}) {
		at = far.Add(time.Duration(i) * time.Hour)
	}
	switch t.Kind {
	case model.Text:
		return shorten(madeWord(strings.ToLower(entity), name, i), t.Length, i)
	case model.Integer:
		if isMoment(name) && t.Bits == 64 {
			return strconv.FormatInt(at.Unix(), 10)
		}
		return strconv.Itoa(1 + i%30000)
	case model.Decimal:
		return madeDecimal(t, i)
	case model.Float:
		return fmt.Sprintf("%d.5", i)
	case model.Boolean:
		return strconv.FormatBool(i%2 == 0)
	case model.Timestamp, model.TimestampTZ:
		return at.Format(time.RFC3339)
	case model.Date:
		return at.Format(time.DateOnly)
	case model.Time:
		return dayZero.Add(time.Duration(i) * 7 * time.Minute).Format(time.TimeOnly)
	case model.UUID:
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", i+1)
	case model.Bytes:
		return base64.StdEncoding.EncodeToString([]byte("sample " + strconv.Itoa(i+1)))
	case model.JSON:
		return fmt.Sprintf(`{"number": %d}`, i+1)
	}
	return ""
}

// isMoment reports whether a column is named like a point in time.
func isMoment(name string) bool {
	return containsAny(name, []string{"_at", "time", "expire", "ttl", "epoch"})
}

func madeDecimal(t model.Type, i int) string {
	whole := 1 + i
	if digits := t.Precision - t.Scale; t.Precision > 0 && digits < 4 {
		limit := 1
		for range digits {
			limit *= 10
		}
		whole %= limit
	}
	if t.Precision > 0 && t.Scale == 0 {
		return strconv.Itoa(whole)
	}
	return fmt.Sprintf("%d.5", whole)
}

// madeWord finds a list for the name; without one the values are the name, numbered.
func madeWord(entity, name string, i int) string {
	switch name {
	case "name", "full_name", "title", "display_name":
		if containsAny(entity, persons) {
			return numbered(people, i)
		}
		if entity != "" {
			one := strings.ReplaceAll(singular(entity), "_", " ")
			return strings.ToUpper(one[:1]) + one[1:] + " " + strconv.Itoa(i+1)
		}
	case "description", "body", "content", "text", "comment", "message", "note", "summary", "bio":
		return "Sample text " + strconv.Itoa(i+1)
	}
	for _, w := range words {
		if strings.Contains(name, w.part) && !strings.HasSuffix(name, "_id") {
			form := w.values[i%len(w.values)]
			if strings.Contains(form, "%") {
				return fmt.Sprintf(form, i+1)
			}
			return form
		}
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(name, "_id"), "_no")
	if name == "id" && entity != "" {
		stem = singular(entity)
	}
	return strings.ReplaceAll(stem, "_", "-") + "-" + strconv.Itoa(i+1)
}

func containsAny(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// numbered repeats a list with a number from the second time on, so that values differ.
func numbered(list []string, i int) string {
	if round := i / len(list); round > 0 {
		return list[i%len(list)] + " " + strconv.Itoa(round+1)
	}
	return list[i]
}

// singular undoes English plurals as far as table names need it.
func singular(s string) string {
	if stem, ok := strings.CutSuffix(s, "ies"); ok {
		return stem + "y"
	}
	if strings.HasSuffix(s, "ss") {
		return s
	}
	return strings.TrimSuffix(s, "s")
}

// shorten fits text into varchar(length); what does not fit becomes its number.
func shorten(s string, length, i int) string {
	if length == 0 || len([]rune(s)) <= length {
		return s
	}
	number := strconv.FormatInt(int64(i), 36)
	return number[max(0, len(number)-length):]
}

// Text spells a value for people: text as it is, without quotes; NULL for no value; lists
// as [a, b] and documents as {name: a}.
func Text(v dynamo.Value) string {
	switch v.Type() {
	case dynamo.Absent, dynamo.TypeNull:
		return "NULL"
	case dynamo.TypeString, dynamo.TypeNumber:
		return v.Str()
	case dynamo.TypeBool:
		return strconv.FormatBool(v.IsTrue())
	case dynamo.TypeBinary:
		return base64.StdEncoding.EncodeToString([]byte(v.Str()))
	}
	var parts []string
	for _, el := range v.Elements() {
		parts = append(parts, Text(el))
	}
	if v.Type() != dynamo.TypeMap {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, f := range v.Fields() {
		parts = append(parts, f.Name+": "+Text(f.Value))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
