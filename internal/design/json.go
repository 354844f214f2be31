package design

import (
	"strconv"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

// A Document is the design as `keyfold design --json` prints it. Its field names are a
// contract: tools read them.
type Document struct {
	Tables      []TableDocument      `json:"tables"`
	Entities    []EntityDocument     `json:"entities"`
	Patterns    []PatternDocument    `json:"patterns"`
	Diagnostics []DiagnosticDocument `json:"diagnostics"`
}

// A TableDocument is one table.
type TableDocument struct {
	Name         string          `json:"name"`
	PartitionKey KeyDocument     `json:"partition_key"`
	SortKey      *KeyDocument    `json:"sort_key"`
	GSIs         []IndexDocument `json:"gsis"`
	LSIs         []IndexDocument `json:"lsis"`
	TTLAttribute *string         `json:"ttl_attribute"`
}

// A KeyDocument is one key attribute.
type KeyDocument struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// An IndexDocument is one secondary index.
type IndexDocument struct {
	Name         string             `json:"name"`
	PartitionKey []KeyDocument      `json:"partition_key"`
	SortKey      []KeyDocument      `json:"sort_key"`
	Projection   ProjectionDocument `json:"projection"`
}

// A ProjectionDocument is what an index holds.
type ProjectionDocument struct {
	Type       string   `json:"type"`
	Attributes []string `json:"attributes,omitempty"`
}

// An EntityDocument is one kind of item. Of is set for items that are kept beside the
// rows of another entity.
type EntityDocument struct {
	Name       string            `json:"name"`
	Table      string            `json:"table"`
	Of         string            `json:"of,omitempty"`
	Keys       map[string]string `json:"keys"`
	Attributes map[string]string `json:"attributes"`
	EmbeddedIn *string           `json:"embedded_in"`
	Reason     string            `json:"reason,omitempty"`
}

// A PatternDocument is one access pattern's plan.
type PatternDocument struct {
	Name         string            `json:"name"`
	Kind         string            `json:"kind"`
	Status       string            `json:"status"`
	Strategy     string            `json:"strategy"`
	Requests     []RequestDocument `json:"requests"`
	Client       string            `json:"client,omitempty"`
	PartiQL      string            `json:"partiql"`
	Cost         CostDocument      `json:"cost"`
	Codes        []string          `json:"codes"`
	Reason       string            `json:"reason,omitempty"`
	Alternatives []Alternative     `json:"alternatives,omitempty"`
	SQL          string            `json:"sql"`
}

// A RequestDocument is one request of a plan.
type RequestDocument struct {
	Op           string            `json:"op"`
	Table        string            `json:"table"`
	Index        *string           `json:"index"`
	KeyCondition string            `json:"key_condition"`
	Filter       *string           `json:"filter"`
	Consistent   bool              `json:"consistent"`
	Descending   bool              `json:"descending"`
	Limit        any               `json:"limit"`
	Each         string            `json:"each,omitempty"`
	Writes       []WriteDocument   `json:"writes,omitempty"`
	Expression   string            `json:"expression,omitempty"`
	Values       map[string]string `json:"values,omitempty"`
}

// A WriteDocument is one action of a write.
type WriteDocument struct {
	Op        string            `json:"op"`
	Entity    string            `json:"entity"`
	Key       string            `json:"key"`
	Update    string            `json:"update,omitempty"`
	Condition string            `json:"condition,omitempty"`
	Keys      map[string]string `json:"keys,omitempty"`
}

// A CostDocument is the estimate for one call.
type CostDocument struct {
	ReadUnits  float64 `json:"read_units"`
	WriteUnits float64 `json:"write_units"`
	Items      float64 `json:"items"`
	Assumed    bool    `json:"assumed"`
}

// A DiagnosticDocument is one diagnostic.
type DiagnosticDocument struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

// Document returns the design and what there is to say about it as a JSON document. A nil
// design gives one with diagnostics alone.
func (d *Design) Document(diags diag.List) *Document {
	doc := &Document{Tables: []TableDocument{}, Entities: []EntityDocument{}, Patterns: []PatternDocument{}, Diagnostics: []DiagnosticDocument{}}
	for _, x := range diags {
		doc.Diagnostics = append(doc.Diagnostics, DiagnosticDocument{x.Severity.String(), string(x.Code),
			x.Pos.File, x.Pos.Line, x.Pos.Column, x.Message, x.Hint})
	}
	if d == nil {
		return doc
	}
	for _, t := range d.Tables {
		doc.Tables = append(doc.Tables, t.document())
	}
	for _, e := range d.Entities {
		doc.Entities = append(doc.Entities, e.document())
	}
	for _, p := range d.Plans {
		doc.Patterns = append(doc.Patterns, d.patternDocument(p))
	}
	return doc
}

func (t *Table) document() TableDocument {
	doc := TableDocument{Name: t.Name, PartitionKey: keyDocuments(t.PartitionKey)[0],
		GSIs: indexDocuments(t.GSIs), LSIs: indexDocuments(t.LSIs)}
	if t.SortKey.Name != "" {
		doc.SortKey = &keyDocuments(t.SortKey)[0]
	}
	if t.TTLAttribute != "" {
		doc.TTLAttribute = &t.TTLAttribute
	}
	return doc
}

func keyDocuments(keys ...KeyAttribute) []KeyDocument {
	out := make([]KeyDocument, len(keys))
	for i, k := range keys {
		out[i] = KeyDocument{k.Name, string(k.Type)}
	}
	return out
}

func indexDocuments(list []*Index) []IndexDocument {
	out := []IndexDocument{}
	for _, ix := range list {
		out = append(out, IndexDocument{ix.Name, keyDocuments(ix.PartitionKey...), keyDocuments(ix.SortKey...),
			ProjectionDocument{string(ix.Projection.Type), ix.Projection.Attributes}})
	}
	return out
}

func (e *Entity) document() EntityDocument {
	doc := EntityDocument{Name: e.Name, Table: e.Table, Of: e.Of, Keys: map[string]string{}, Attributes: map[string]string{}, Reason: e.Reason}
	for _, k := range e.Keys {
		doc.Keys[k.Attribute] = k.Template.String()
	}
	for _, a := range e.Attributes {
		doc.Attributes[a.Name] = a.Type.String()
	}
	if e.EmbeddedIn != "" {
		doc.EmbeddedIn = &e.EmbeddedIn
	}
	return doc
}

func (d *Design) patternDocument(p *Plan) PatternDocument {
	doc := PatternDocument{Name: p.Pattern.Name, Kind: "read", Status: "served", Strategy: p.Strategy,
		Requests: []RequestDocument{}, Client: p.Client.String(), Codes: []string{}, Reason: p.Reason,
		Alternatives: p.Alternatives, SQL: p.Pattern.SQL,
		Cost: CostDocument{p.Cost.ReadUnits, p.Cost.WriteUnits, p.Cost.Items, p.Cost.Assumed}}
	if p.Pattern.IsWrite() {
		doc.Kind = "write"
	}
	if p.Refused {
		doc.Status = "refused"
	}
	for _, c := range p.Codes {
		doc.Codes = append(doc.Codes, string(c))
	}
	for _, r := range p.Requests {
		doc.Requests = append(doc.Requests, d.requestDocument(p, r))
		for _, s := range d.PartiQL(p, r) {
			if doc.PartiQL != "" {
				doc.PartiQL += ";\n"
			}
			doc.PartiQL += s.String()
		}
	}
	return doc
}

func (d *Design) requestDocument(p *Plan, r *Request) RequestDocument {
	doc := RequestDocument{Op: string(r.Op), Table: r.Table, KeyCondition: d.KeyConditionText(r),
		Consistent: r.Consistent, Descending: r.Descending}
	if r.Index != "" {
		doc.Index = &r.Index
	}
	if f := d.FilterText(p, r); f != "" {
		doc.Filter = &f
	}
	if text := r.LimitText(); text != "" {
		doc.Limit = text
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			doc.Limit = n
		}
	}
	if r.Each >= 0 {
		doc.Each = p.Query.Sources[r.Each].Alias
	}
	if r.Op == Query {
		if x, err := d.Express(p, r, nil); err == nil {
			doc.Expression = x.KeyCondition
			doc.Values = map[string]string{}
			for _, v := range x.Values {
				doc.Values[v.Placeholder] = v.String()
			}
		}
	}
	for i, w := range r.Writes {
		doc.Writes = append(doc.Writes, d.writeDocument(p, w))
		if i == 0 {
			doc.KeyCondition = doc.Writes[0].Key
		}
	}
	return doc
}

func (d *Design) writeDocument(p *Plan, w *Write) WriteDocument {
	doc := WriteDocument{Op: string(w.Op), Entity: w.Kind.Entity, Key: d.keyText(d.Table(d.Entity(w.Kind.Entity).Table), w.PK, w.SK)}
	if x, err := d.ExpressWrite(p, w, nil); err == nil {
		doc.Update, doc.Condition = x.plain(x.Update), x.plain(x.Condition)
	}
	for _, k := range w.Keys {
		if doc.Keys == nil {
			doc.Keys = map[string]string{}
		}
		doc.Keys[k.Attribute] = k.Template.String()
	}
	return doc
}
