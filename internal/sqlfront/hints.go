package sqlfront

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A hint is one key of a `-- keyfold:` line. Anchor is the token it stands by: the one
// before it on its line, or else the one after it.
type hint struct {
	key, value string
	hasValue   bool
	start, end int // of the whole; the value begins at valueAt
	valueAt    int
	anchor     int
	trailing   bool
}

// hints returns the hints among the statement's comments.
func (st *statement) hints() []hint {
	var out []hint
	for _, c := range st.comments {
		text := st.text[c.start:c.end]
		body := strings.TrimLeft(strings.TrimPrefix(text, "--"), " \t")
		rest, ok := strings.CutPrefix(body, "keyfold:")
		if !ok || !strings.HasPrefix(text, "--") {
			continue
		}
		h := hint{anchor: c.next}
		if st.trailing(c) {
			h.anchor, h.trailing = c.next-1, true
		}
		at := c.end - len(rest)
		for _, word := range strings.Fields(rest) {
			h.start = at + strings.Index(st.text[at:c.end], word)
			h.end = h.start + len(word)
			at = h.end
			h.key, h.value, h.hasValue = strings.Cut(word, "=")
			h.valueAt = h.end - len(h.value)
			out = append(out, h)
		}
	}
	return out
}

// A hintForm is how a hint's value is written.
type hintForm uint8

const (
	formFlag   hintForm = iota // no value
	formNumber                 // a number above zero: 1000, 1e6, 20k, 1.5M
	formCount                  // a whole number above zero
	formRate                   // a number per second, or per unit: 500/s, 10/min
	formWord                   // letters, digits, "_" and "-"
	formChoice                 // one of some words
)

// A hintRule says how a key is written and what it sets. Number is given for numeric
// forms, text for the others.
type hintRule struct {
	key     string
	form    hintForm
	choices []string
	set     func(number float64, text string)
}

func setStat(s *model.Stat) func(float64, string) {
	return func(n float64, _ string) { *s = model.Stat{Value: n} }
}

func setInt(i *int) func(float64, string) {
	return func(n float64, _ string) { *i = int(n) }
}

func setFlag(b *bool) func(float64, string) {
	return func(float64, string) { *b = true }
}

func tableRules(e *model.Entity) []hintRule {
	return []hintRule{
		{key: "rows", form: formNumber, set: setStat(&e.Rows)},
		{key: "prefix", form: formWord, set: func(_ float64, s string) { e.Prefix = s }},
		{key: "embed", form: formFlag, set: setFlag(&e.Embed)},
		{key: "immutable", form: formFlag, set: setFlag(&e.Immutable)},
	}
}

func columnRules(a *model.Attribute) []hintRule {
	return []hintRule{
		{key: "ttl", form: formFlag, set: setFlag(&a.TTL)},
		{key: "immutable", form: formFlag, set: setFlag(&a.Immutable)},
		{key: "size", form: formNumber, set: setStat(&a.Size)},
		{key: "distinct", form: formNumber, set: setStat(&a.Distinct)},
	}
}

func keyRules(k *pendingKey) []hintRule {
	return []hintRule{
		{key: "per_parent", form: formNumber, set: setStat(&k.perParent)},
		{key: "max", form: formNumber, set: setStat(&k.most)},
	}
}

func queryRules(h *model.Hints) []hintRule {
	return []hintRule{
		{key: "rate", form: formRate, set: setStat(&h.Rate)},
		{key: "peak", form: formRate, set: setStat(&h.Peak)},
		{key: "consistency", form: formChoice, choices: []string{"strong", "eventual"},
			set: func(_ float64, s string) { h.Strong = s == "strong" }},
		{key: "page", form: formCount, set: setStat(&h.Page)},
		{key: "shards", form: formCount, set: setInt(&h.Shards)},
		{key: "filter", form: formChoice, choices: []string{"allow"}, set: setFlag(&h.AllowFilter)},
		{key: "requests", form: formCount, set: setInt(&h.Requests)},
		{key: "copy", form: formChoice, choices: []string{"snapshot", "in-step"},
			set: func(_ float64, s string) { h.Copy = s }},
	}
}

// apply lets one hint take effect. On says what the hint stands by, for messages.
func (h hint) apply(st *statement, diags *diag.List, on string, rules []hintRule) {
	i := slices.IndexFunc(rules, func(r hintRule) bool { return r.key == h.key })
	if i < 0 {
		var keys []string
		for _, r := range rules {
			keys = append(keys, r.key)
		}
		help := didYouMean(h.key, keys)
		if help == "" {
			help = on + " takes " + strings.Join(keys, ", ")
		}
		diags.Errorf(codeHintKey, st.place(h.start, h.start+max(len(h.key), 1)), help, "unknown key %q for %s", h.key, on)
		return
	}
	r := rules[i]
	number, fault, help := r.read(h)
	if fault != "" {
		at := st.place(h.valueAt, h.end)
		if h.value == "" {
			at = st.place(h.start, h.end)
		}
		diags.Errorf(codeHintValue, at, help, "%s", fault)
		return
	}
	r.set(number, h.value)
}

// read checks a hint's value against its form.
func (r hintRule) read(h hint) (number float64, fault, help string) {
	switch {
	case r.form == formFlag && h.hasValue:
		return 0, r.key + " takes no value", "write " + r.key + " alone"
	case r.form == formFlag:
		return 0, "", ""
	case h.value == "":
		return 0, r.key + " needs a value", "write " + r.key + "=..."
	case r.form == formChoice:
		if slices.Contains(r.choices, h.value) {
			return 0, "", ""
		}
		help = didYouMean(h.value, r.choices)
		if help == "" {
			help = "write " + r.key + "=" + strings.Join(r.choices, " or "+r.key+"=")
		}
		return 0, strconv.Quote(h.value) + " is no value of " + r.key, help
	case r.form == formWord:
		if isPrefixWord(h.value) {
			return 0, "", ""
		}
		return 0, strconv.Quote(h.value) + " is no value of " + r.key, `use at most 20 letters, digits, "_" and "-"`
	}
	amount, seconds := h.value, 1.0
	help = "write a number above zero, such as 25, 1e6, 20k or 1.5M"
	if r.form == formRate {
		help = "write a rate, such as 500/s, 10/min, 200/h or 50/day"
		if before, unit, ok := strings.Cut(amount, "/"); ok {
			amount, seconds = before, rateUnits[unit]
		}
	}
	number, ok := parseQuantity(amount)
	if !ok || seconds == 0 || r.form == formCount && (number != math.Trunc(number) || number > 1e6) {
		return 0, strconv.Quote(h.value) + " is no value of " + r.key, help
	}
	return number / seconds, "", ""
}

// rateUnits are the units of time of a rate, in seconds.
var rateUnits = map[string]float64{"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60,
	"h": 3600, "hour": 3600, "d": 86400, "day": 86400}

// parseQuantity reads a number above zero with an optional multiplier.
func parseQuantity(s string) (float64, bool) {
	scale := 1.0
	for suffix, n := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, scale = rest, n
			break
		}
	}
	if s == "" || !isDigit(s[0]) && s[0] != '.' || strings.ContainsAny(s, "xXpP") {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	n *= scale
	return n, err == nil && n > 0 && n <= 1e15
}

func isPrefixWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isNameByte(s[i]) && s[i] != '-' || s[i] == '$' || s[i] >= 0x80 {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 20
}

// misplaced reports hints that stand by nothing they could speak of.
func misplaced(st *statement, diags *diag.List, hs []hint) {
	for _, h := range hs {
		diags.Errorf(codeHintPlace, st.place(h.start, h.end), "put it above a table, a column or a query", "this hint belongs to nothing")
	}
}
