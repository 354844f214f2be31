package sqlfront

import (
	"maps"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// scalarNames are the type names that are read, PostgreSQL's aliases included.
var scalarNames = map[string]model.Type{
	"text": {Kind: model.Text}, "varchar": {Kind: model.Text}, "character varying": {Kind: model.Text},
	"char": {Kind: model.Text}, "character": {Kind: model.Text}, "bpchar": {Kind: model.Text}, "char varying": {Kind: model.Text},
	"smallint": {Kind: model.Integer, Bits: 16}, "int2": {Kind: model.Integer, Bits: 16},
	"integer": {Kind: model.Integer, Bits: 32}, "int": {Kind: model.Integer, Bits: 32}, "int4": {Kind: model.Integer, Bits: 32},
	"bigint": {Kind: model.Integer, Bits: 64}, "int8": {Kind: model.Integer, Bits: 64},
	"smallserial": {Kind: model.Integer, Bits: 16}, "serial2": {Kind: model.Integer, Bits: 16},
	"serial": {Kind: model.Integer, Bits: 32}, "serial4": {Kind: model.Integer, Bits: 32},
	"bigserial": {Kind: model.Integer, Bits: 64}, "serial8": {Kind: model.Integer, Bits: 64},
	"numeric": {Kind: model.Decimal}, "decimal": {Kind: model.Decimal}, "dec": {Kind: model.Decimal},
	"real": {Kind: model.Float}, "float4": {Kind: model.Float}, "float8": {Kind: model.Float},
	"double precision": {Kind: model.Float}, "float": {Kind: model.Float},
	"boolean": {Kind: model.Boolean}, "bool": {Kind: model.Boolean},
	"timestamp": {Kind: model.Timestamp}, "timestamptz": {Kind: model.TimestampTZ}, "timestamp with time zone": {Kind: model.TimestampTZ},
	"date": {Kind: model.Date}, "time": {Kind: model.Time}, "uuid": {Kind: model.UUID}, "bytea": {Kind: model.Bytes},
	"json": {Kind: model.JSON}, "jsonb": {Kind: model.JSON},
}

// refusedTypes are types of PostgreSQL that are not read, with what to use instead.
var refusedTypes = map[string]string{
	"citext": "use text and store it in lower case", "money": "use numeric(12,2)", "interval": "use an integer number of seconds",
	"time with time zone": "use time", "timetz": "use time", "inet": "use text", "cidr": "use text", "macaddr": "use text", "macaddr8": "use text",
	"bit": "use text", "bit varying": "use text", "varbit": "use text", "xml": "use text", "tsvector": "", "tsquery": "",
	"point": "use two columns", "line": "", "lseg": "", "box": "", "path": "", "polygon": "", "circle": "",
	"hstore": "use jsonb", "oid": "use bigint", "name": "use text", "int4range": "use two columns", "int8range": "use two columns", "numrange": "use two columns",
	"tsrange": "use two columns", "tstzrange": "use two columns", "daterange": "use two columns", "geometry": "", "geography": "", "vector": "", "ltree": "use text",
}

// isSerial reports whether a type name stands for an integer with a sequence.
func isSerial(name string) bool { return strings.Contains(name, "serial") }

// resolve turns a type as written into a type of the model; it reports what is wrong.
func (c *catalog) resolve(t typeName, st *statement, diags *diag.List) (model.Type, bool) {
	typ, ok := scalarNames[t.name]
	if !ok {
		typ, ok = c.enums[t.name]
	}
	if !ok {
		c.unknownType(t, st, diags)
		return typ, false
	}
	typ.Array = t.array
	fault := ""
	switch {
	case len(t.args) == 0:
		if t.name == "char" || t.name == "character" {
			typ.Length = 1
		}
	case typ.Kind == model.Text && t.name != "text" && len(t.args) == 1 && t.args[0] > 0:
		typ.Length = t.args[0]
	case typ.Kind == model.Decimal && len(t.args) <= 2:
		typ.Precision = t.args[0]
		if len(t.args) == 2 {
			typ.Scale = t.args[1]
		}
		if typ.Precision < 1 || typ.Scale < 0 || typ.Scale > typ.Precision {
			fault = "the precision of numeric must be at least 1 and its scale between 0 and the precision"
		} else if typ.Precision > 38 {
			fault = "DynamoDB keeps numbers of at most 38 digits"
		}
	case typ.Kind == model.Float && t.name == "float", typ.Kind == model.Timestamp, typ.Kind == model.TimestampTZ, typ.Kind == model.Time:
		if len(t.args) != 1 || t.args[0] < 0 {
			fault = "the precision must be one number"
		}
	default:
		fault = t.name + " does not take these arguments"
	}
	if fault != "" {
		diags.Errorf(codeType, st.pos(t.span), "", "%s", fault)
		return typ, false
	}
	return typ, true
}

func (c *catalog) unknownType(t typeName, st *statement, diags *diag.List) {
	if hint, ok := refusedTypes[t.name]; ok {
		diags.Errorf(codeRefusedType, st.pos(t.span), hint, "type %s is not supported", t.name)
		return
	}
	if c.broken[t.name] {
		return
	}
	names := slices.Sorted(maps.Keys(scalarNames))
	names = append(names, slices.Sorted(maps.Keys(c.enums))...)
	diags.Errorf(codeType, st.pos(t.span), didYouMean(t.name, names), "no type %q", t.name)
}
