package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// create makes a table of lines: "hash pk S", "range sk N", "gsi NAME PROJECTION ATTRIBUTES"
// with keys such as "g:S" for HASH and "<h:N" for RANGE before a "+" and the included
// attributes after it; "lsi" the same; "billing", "protected".
func (s *session) create(ctx context.Context, name string, lines []string) (string, error) {
	t := &dynamo.Table{Name: name, BillingMode: "PAY_PER_REQUEST"}
	for _, line := range lines {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "hash", "range":
			t.Keys = append(t.Keys, dynamo.KeyElement{Name: words[1], Sort: words[0] == "range"})
			if len(words) > 2 {
				t.Attributes = append(t.Attributes, dynamo.AttributeDefinition{Name: words[1], Type: dynamo.Type(words[2])})
			}
		case "attribute":
			t.Attributes = append(t.Attributes, dynamo.AttributeDefinition{Name: words[1], Type: dynamo.Type(words[2])})
		case "gsi":
			t.GlobalIndexes = append(t.GlobalIndexes, indexOf(t, words[1:]))
		case "lsi":
			t.LocalIndexes = append(t.LocalIndexes, indexOf(t, words[1:]))
		case "billing":
			t.BillingMode = strings.Join(words[1:], " ")
		case "throughput":
			t.Throughput = &dynamo.Throughput{}
			fmt.Sscan(strings.Join(words[1:], " "), &t.Throughput.Read, &t.Throughput.Write)
		case "protected":
			t.Protected = true
		case "stream":
			t.Stream = dynamo.StreamView(words[1])
		default:
			s.t.Fatalf("unknown line %s", line)
		}
	}
	out, err := s.db.CreateTable(ctx, t)
	return printTable(out), err
}

func indexOf(t *dynamo.Table, words []string) dynamo.Index {
	ix := dynamo.Index{Name: words[0], Projection: dynamo.Projection{Type: dynamo.ProjectionType(words[1])}}
	included := false
	for _, w := range words[2:] {
		if w == "+" {
			included = true
			continue
		}
		if included {
			ix.Projection.Attributes = append(ix.Projection.Attributes, w)
			continue
		}
		name, kind, typed := strings.Cut(strings.TrimPrefix(w, "<"), ":")
		ix.Keys = append(ix.Keys, dynamo.KeyElement{Name: name, Sort: w[0] == '<'})
		if typed && t.AttributeType(name) == dynamo.Absent {
			t.Attributes = append(t.Attributes, dynamo.AttributeDefinition{Name: name, Type: dynamo.Type(kind)})
		}
	}
	return ix
}

func (s *session) tables(ctx context.Context, lines []string) (string, error) {
	in := &dynamo.ListTablesInput{}
	for _, line := range lines {
		switch key, value, _ := strings.Cut(line, " "); key {
		case "after":
			in.ExclusiveStartTableName = value
		case "limit":
			in.Limit, _ = number(value)
		}
	}
	out, err := s.db.ListTables(ctx, in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintln(out.TableNames, out.LastEvaluated), nil
}

func (s *session) ttl(ctx context.Context, name string, lines []string) (string, error) {
	in := &TimeToLive{TableName: name}
	switch key, value, _ := strings.Cut(lines[0], " "); key {
	case "":
		out, err := s.db.DescribeTimeToLive(ctx, name)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %q %v\n", out.TableName, out.Attribute, out.Enabled), nil
	case "on":
		in.Attribute, in.Enabled = value, true
	case "off":
		in.Attribute = value
	}
	out, err := s.db.UpdateTimeToLive(ctx, in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %q %v\n", out.TableName, out.Attribute, out.Enabled), nil
}

func printError(err error) string {
	var e *dynamo.Error
	if !errors.As(err, &e) {
		return "INTERNAL: " + err.Error() + "\n"
	}
	text := e.Error() + "\n" + printItem("item ", e.Item)
	if e.Item == nil {
		text = e.Error() + "\n"
	}
	for _, r := range e.Reasons {
		text += "  " + r.Code
		if r.Message != "" {
			text += ": " + r.Message
		}
		text += "\n"
		if r.Item != nil {
			text += printItem("  item ", r.Item)
		}
	}
	return text
}

func printItem(label string, it dynamo.Item) string {
	if it == nil {
		return label + "none\n"
	}
	return label + string(dynamo.AppendItemJSON(nil, it)) + "\n"
}

func printWrite(out *dynamo.WriteOutput, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text := ""
	if out.Attributes != nil {
		text = printItem("", out.Attributes)
	}
	return text + printCapacity(out.ConsumedCapacity), nil
}

func printPage(out *dynamo.PageOutput, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text := ""
	for _, it := range out.Items {
		text += printItem("", it)
	}
	text += fmt.Sprintf("count %d of %d\n", out.Count, out.ScannedCount)
	if out.LastEvaluatedKey != nil {
		text += printItem("last ", out.LastEvaluatedKey)
	}
	return text + printCapacity(out.ConsumedCapacity), nil
}

func printCapacities(list []dynamo.ConsumedCapacity) string {
	text := ""
	for i := range list {
		text += printCapacity(&list[i])
	}
	return text
}

func printCapacity(c *dynamo.ConsumedCapacity) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("units %s %v", c.TableName, c.Units)
	if c.ReadUnits+c.WriteUnits > 0 {
		text += fmt.Sprintf(" (read %v, write %v)", c.ReadUnits, c.WriteUnits)
	}
	if c.Table > 0 {
		text += fmt.Sprintf(" table %v", c.Table)
	}
	for _, ix := range c.GSIs {
		text += fmt.Sprintf(" gsi %s %v", ix.Name, ix.Units)
	}
	for _, ix := range c.LSIs {
		text += fmt.Sprintf(" lsi %s %v", ix.Name, ix.Units)
	}
	return text + "\n"
}

func printTable(t *dynamo.Table) string {
	if t == nil {
		return ""
	}
	text := fmt.Sprintf("%s %s %s %s %s created %d items %d bytes %d%s", t.Name, t.ID, t.ARN, t.Status, t.BillingMode, t.Created.Unix(),
		t.ItemCount, t.SizeBytes, printRates(t.Throughput, t.OnDemand, t.Warm))
	if t.TableClass != "" {
		text += " " + t.TableClass
	}
	if t.Protected {
		text += " protected"
	}
	if t.StreamARN != "" {
		text += fmt.Sprintf("\n  stream %s %s", t.StreamLabel, t.Stream)
	}
	text += "\n"
	for _, k := range t.Keys {
		text += fmt.Sprintf("  %s %s\n", printKey(k), t.AttributeType(k.Name))
	}
	for _, ix := range t.GlobalIndexes {
		text += "  gsi " + printIndex(&ix)
	}
	for _, ix := range t.LocalIndexes {
		text += "  lsi " + printIndex(&ix)
	}
	return text
}

func printIndex(ix *dynamo.Index) string {
	var keys []string
	for _, k := range ix.Keys {
		keys = append(keys, printKey(k))
	}
	status := string(ix.Status)
	if ix.Backfilling {
		status += " backfilling"
	}
	return fmt.Sprintf("%s (%s) %s %v %s items %d bytes %d%s\n", ix.Name, strings.Join(keys, ", "), ix.Projection.Type,
		ix.Projection.Attributes, status, ix.ItemCount, ix.SizeBytes, printRates(ix.Throughput, ix.OnDemand, ix.Warm))
}

func printKey(k dynamo.KeyElement) string {
	if k.Sort {
		return k.Name + " RANGE"
	}
	return k.Name + " HASH"
}
