package sqlfront

import (
	"strconv"
	"strings"
)

// tableConstraint reads [CONSTRAINT name] PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK.
func (p *parser) tableConstraint() constraintDef {
	k := constraintDef{span: p.here()}
	if p.accept("constraint") {
		k.name = p.name("a constraint").name
	}
	switch {
	case p.accept("primary"):
		p.expect("key")
		k.kind = primaryKey
		k.columns = p.names("a column")
		p.indexParameters()
	case p.accept("unique"):
		k.kind = uniqueKey
		p.nullsDistinct()
		k.columns = p.names("a column")
		p.indexParameters()
	case p.accept("foreign"):
		p.expect("key")
		k.kind = foreignKey
		k.columns = p.names("a column")
		p.references(&k)
	case p.accept("check"):
		p.check(&k)
	case p.isWord("exclude"):
		p.fail(codeOption, p.here(), "", "EXCLUDE constraints are not supported")
	default:
		p.unexpected("a constraint", "primary", "unique", "foreign", "check")
	}
	p.deferrable()
	k.to = max(p.at, k.from+1)
	return k
}

// columnConstraint reads one constraint of a column; ok is false when there is none.
func (p *parser) columnConstraint() (k constraintDef, ok bool) {
	k.span = p.here()
	if p.accept("constraint") {
		k.name = p.name("a constraint").name
	}
	switch {
	case p.accept("primary"):
		p.expect("key")
		k.kind = primaryKey
		p.indexParameters()
	case p.accept("unique"):
		k.kind = uniqueKey
		p.nullsDistinct()
		p.indexParameters()
	case p.accept("not"):
		p.expect("null")
		k.kind = notNull
	case p.accept("null"):
		k.kind = nullable
	case p.accept("default"):
		k.kind = defaultValue
		k.x = p.binding(bindBetween)
	case p.accept("check"):
		p.check(&k)
	case p.isWord("references"):
		k.kind = foreignKey
		p.references(&k)
	case p.isWord("generated"):
		p.generated(&k)
	case p.isWord("collate"):
		p.collation()
		k.kind = noConstraint
	case p.anyWord("storage", "compression"):
		p.at++
		p.advance()
		k.kind = noConstraint
	case k.name != "":
		p.unexpected("a constraint", "primary", "unique", "references", "check", "not", "default")
	default:
		return k, false
	}
	p.deferrable()
	k.to = max(p.at, k.from+1)
	return k, true
}

func (p *parser) nullsDistinct() {
	if !p.accept("nulls") {
		return
	}
	if p.isWord("not") {
		p.fail(codeOption, p.here(), "", "NULLS NOT DISTINCT is not supported")
	}
	p.expect("distinct")
}

func (p *parser) check(k *constraintDef) {
	k.kind = checkRows
	p.expectOp("(")
	k.x = p.expression()
	p.expectOp(")")
	p.accept("no", "inherit")
	p.accept("not", "valid")
}

// indexParameters passes over storage options of a key.
func (p *parser) indexParameters() {
	for !p.failed {
		switch {
		case p.accept("include"), p.accept("with"):
			p.skipParens()
		case p.accept("using", "index", "tablespace"):
			p.name("a tablespace")
		default:
			return
		}
	}
}

func (p *parser) deferrable() {
	for !p.failed {
		switch {
		case p.accept("deferrable"), p.accept("not", "deferrable"), p.accept("not", "valid"),
			p.accept("initially", "deferred"), p.accept("initially", "immediate"):
		default:
			return
		}
	}
}

// references reads REFERENCES table [(columns)] with its actions.
func (p *parser) references(k *constraintDef) {
	p.expect("references")
	k.refTable = p.tableName()
	if p.isOp("(") {
		k.refColumns = p.names("a column")
	}
	for !p.failed {
		switch {
		case p.accept("match"):
			if !p.accept("simple") && !p.accept("full") {
				p.unexpected("SIMPLE", "simple", "full")
			}
		case p.isWord("on"):
			p.referentialAction(k)
		default:
			return
		}
	}
}

func (p *parser) referentialAction(k *constraintDef) {
	from := p.at
	p.at++
	if !p.accept("delete") && !p.accept("update") {
		p.unexpected("DELETE or UPDATE", "delete", "update")
	}
	switch {
	case p.accept("no", "action"), p.accept("restrict"):
		return
	case p.accept("cascade"), p.accept("set", "null"), p.accept("set", "default"):
		if p.isOp("(") {
			p.skipParens()
		}
	default:
		p.unexpected("CASCADE, RESTRICT, SET NULL or NO ACTION", "cascade", "restrict", "set", "no")
	}
	var words []string
	for _, t := range p.tokens[from:p.at] {
		words = append(words, strings.ToUpper(t.text))
	}
	k.actions = append(k.actions, strings.Join(words, " "))
}

// generated reads GENERATED {ALWAYS | BY DEFAULT} AS IDENTITY.
func (p *parser) generated(k *constraintDef) {
	at := p.here()
	p.at++
	if !p.accept("always") {
		p.expect("by", "default")
	}
	p.expect("as")
	if p.isOp("(") {
		p.fail(codeOption, at, "compute the value in the application and store it", "generated columns are not supported")
	}
	p.expect("identity")
	if p.isOp("(") {
		p.skipParens()
	}
	k.kind = identity
}

// typeName reads a type: its words, its arguments, [] or ARRAY.
func (p *parser) typeName() typeName {
	t := typeName{span: p.here()}
	id := p.typeWord()
	t.name = id.name
	switch t.name {
	case "double":
		if p.accept("precision") {
			t.name = "double precision"
		}
	case "character", "char", "nchar", "bit", "national":
		if t.name == "national" && (p.accept("character") || p.accept("char")) {
			t.name = "character"
		}
		if p.accept("varying") {
			t.name += " varying"
		}
	}
	if p.isOp("(") {
		t.args = p.typeArguments()
	}
	if t.name == "timestamp" || t.name == "time" {
		switch {
		case p.accept("with", "time", "zone"):
			t.name += " with time zone"
		case p.accept("without", "time", "zone"):
		}
	}
	for !p.failed && p.acceptOp("[") {
		if p.peek().kind == tokNumber {
			p.advance()
		}
		p.expectOp("]")
		if t.array {
			p.fail(codeOption, p.since(t.from), "", "arrays have one dimension")
		}
		t.array = true
	}
	if p.accept("array") {
		t.array = true
	}
	t.to = max(p.at, t.from+1)
	return t
}

// typeWord reads the first word of a type, without its schema.
func (p *parser) typeWord() ident {
	id := p.name("a type")
	for !p.failed && p.acceptOp(".") {
		id = p.name("a type")
	}
	return id
}

func (p *parser) typeArguments() []int {
	var out []int
	p.expectOp("(")
	for !p.failed {
		negative := p.acceptOp("-")
		n, err := strconv.Atoi(p.peek().text)
		if p.peek().kind != tokNumber || err != nil {
			p.unexpected("a number")
			break
		}
		p.advance()
		if negative {
			n = -n
		}
		out = append(out, n)
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	return out
}
