package main

import (
	"fmt"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/dev"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// awsLine makes a read that found something with the aws command line: the first that
// takes arguments, or the first of all; "" when none can be said in one line.
func awsLine(d *design.Design, trials []dev.Trial) string {
	first := ""
	for _, t := range trials {
		if t.Result == nil || len(t.Result.Rows) == 0 || t.Plan.Pattern.IsWrite() {
			continue
		}
		line, err := awsRequest(d, t)
		switch {
		case err != nil || line == "":
		case len(t.Args) > 0:
			return line
		case first == "":
			first = line
		}
	}
	return first
}

func awsRequest(d *design.Design, t dev.Trial) (string, error) {
	r := t.Plan.Requests[0]
	table := d.Table(r.Table)
	switch {
	case len(r.Gets) == 1:
		key := [][2]string{}
		for _, part := range []struct {
			attribute design.KeyAttribute
			template  design.Template
		}{{table.PartitionKey, r.Gets[0].PK}, {table.SortKey, r.Gets[0].SK}} {
			if part.template == nil {
				continue
			}
			text, err := spell(t, part.template)
			if err != nil || part.attribute.Type != dynamo.TypeString {
				return "", err
			}
			key = append(key, [2]string{part.attribute.Name, text})
		}
		return fmt.Sprintf("aws dynamodb get-item --table-name %s --key %s", r.Table, shellQuote(attributeJSON(key))), nil
	case r.Op == design.Query && len(r.Partition) == 1:
		text, err := spell(t, r.Partition[0].Value)
		if err != nil {
			return "", err
		}
		index := ""
		if r.Index != "" {
			index = " --index-name " + r.Index
		}
		return fmt.Sprintf("aws dynamodb query --table-name %s%s --key-condition-expression %s --expression-attribute-values %s", r.Table, index,
			shellQuote(r.Partition[0].Attribute+" = :k"), shellQuote(attributeJSON([][2]string{{":k", text}}))), nil
	}
	return "", nil
}

// spell is the key that the arguments of a trial make.
func spell(t dev.Trial, key design.Template) (string, error) {
	return key.Encode(func(e model.Expr) (dynamo.Value, error) {
		switch e := e.(type) {
		case *model.ParamRef:
			return t.Args[e.Name], nil
		case *model.Literal:
			return e.Value, nil
		}
		return dynamo.Value{}, fmt.Errorf("%s is neither an argument nor a constant", e)
	})
}

// attributeJSON spells strings as DynamoDB JSON.
func attributeJSON(attributes [][2]string) string {
	var parts []string
	for _, a := range attributes {
		parts = append(parts, fmt.Sprintf("%s:%s", dynamo.AppendJSONString(nil, a[0]), dynamo.AppendJSON(nil, dynamo.String(a[1]))))
	}
	return "{" + strings.Join(parts, ",") + "}"
}
