package sqlfront

import (
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A parameter is one argument of a statement: what the parser sees of it, and what the
// first lowering learns.
type parameter struct {
	key  string // the name, or $1
	name string // the name in the model
	uses []span
	narg bool // sqlc.narg
	list bool // a list of values

	typ       model.Type
	known     bool
	typedAt   diag.Pos // where the type comes from
	column    string   // the column that $1 may be named for
	condition bool     // used in a condition
	guarded   int      // uses inside `(... OR @x IS NULL)`
	nullable  bool     // assigned to a nullable column, or tested for NULL
	required  bool     // assigned to a column that is NOT NULL
	optional  bool
}

// paramRef notes one use of a parameter.
func (p *parser) paramRef(s span, key string) *paramRef {
	par := p.lookup(key)
	if par == nil {
		par = &parameter{key: key, name: key}
		p.params = append(p.params, par)
	}
	par.uses = append(par.uses, s)
	return &paramRef{s, key}
}

func (p *parser) lookup(key string) *parameter {
	for _, par := range p.params {
		if par.key == key {
			return par
		}
	}
	return nil
}

func (p *parser) param(r *paramRef) *parameter { return p.lookup(r.key) }

// nameParams names positional parameters for the column each is compared with or
// assigned to, when no other parameter has that name or wants it; otherwise p1, p2, ...
func nameParams(params []*parameter) {
	wanted := map[string]int{}
	for _, par := range params {
		if par.positional() {
			wanted[par.column]++
		} else {
			wanted[par.key]++
		}
	}
	for _, par := range params {
		switch {
		case !par.positional():
		case par.column != "" && wanted[par.column] == 1:
			par.name = par.column
		default:
			par.name = "p" + par.key[1:]
			for wanted[par.name] > 0 {
				par.name += "_"
			}
		}
	}
}

func (par *parameter) positional() bool { return strings.HasPrefix(par.key, "$") }

// spellParams writes the parameters' names into the reference statement.
func (p *parser) spellParams() {
	for _, par := range p.params {
		for _, use := range par.uses {
			p.remove(use)
			p.replace(p.refToken(use), "@"+par.name)
		}
	}
}

// refToken is the token of a parameter's use that carries its spelling.
func (p *parser) refToken(use span) int { return use.from }

// modelParams gives the parameters to the model.
func (p *parser) modelParams() []*model.Param {
	var out []*model.Param
	for _, par := range p.params {
		out = append(out, &model.Param{
			Name: par.name, Type: par.typ, List: par.list, Optional: par.optional,
			Nullable: !par.optional && !par.required && (par.nullable || par.narg),
			Pos:      p.pos(par.uses[0]),
		})
	}
	return out
}

// Positional returns sql with every @name and :name replaced by the positional parameter
// that PostgreSQL's own grammar reads: $1 for the first name, and so on behind the highest
// number already used. Text that cannot be cut into tokens is returned as it is.
func Positional(sql string) string {
	var diags diag.List
	f := scan(Source{Text: sql}, &diags)
	if diags.HasErrors() {
		return sql
	}
	highest := 0
	for _, t := range f.tokens {
		if n, err := strconv.Atoi(t.text); err == nil && t.kind == tokPositional {
			highest = max(highest, n)
		}
	}
	numbers := map[string]int{}
	var b strings.Builder
	at := 0
	for _, t := range f.tokens {
		if t.kind != tokParam {
			continue
		}
		if numbers[t.text] == 0 {
			numbers[t.text] = highest + len(numbers) + 1
		}
		b.WriteString(sql[at:t.start])
		if t.start > 0 && isNameByte(sql[t.start-1]) {
			b.WriteByte(' ') // in x IN@ids the words would run together
		}
		b.WriteString("$" + strconv.Itoa(numbers[t.text]))
		at = t.end
	}
	return b.String() + sql[at:]
}
