package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// alter changes a table: "attribute NAME TYPE", "gsi" as in create, with "throughput R W"
// after it for that index; "drop NAME"; "index NAME throughput|on-demand|warm R W";
// "billing", "throughput", "on-demand", "warm", "class", "protected yes|no", "stream on VIEW|off".
func (s *session) alter(ctx context.Context, name string, lines []string) (string, error) {
	in := &dynamo.UpdateTableInput{TableName: name}
	defined := &dynamo.Table{}
	for _, line := range lines {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "attribute":
			defined.Attributes = append(defined.Attributes, dynamo.AttributeDefinition{Name: words[1], Type: dynamo.Type(words[2])})
		case "gsi":
			ix := indexOf(defined, words[1:])
			in.Indexes = append(in.Indexes, dynamo.IndexUpdate{Create: &ix})
		case "drop":
			in.Indexes = append(in.Indexes, dynamo.IndexUpdate{Delete: &words[1]})
		case "index":
			ix := &dynamo.Index{Name: words[1]}
			*map[string]**dynamo.Throughput{"throughput": &ix.Throughput, "on-demand": &ix.OnDemand, "warm": &ix.Warm}[words[2]] = rate(words[3:])
			in.Indexes = append(in.Indexes, dynamo.IndexUpdate{Update: ix})
		case "nothing":
			in.Indexes = append(in.Indexes, dynamo.IndexUpdate{})
		case "billing":
			in.BillingMode = words[1]
		case "throughput", "on-demand", "warm":
			*map[string]**dynamo.Throughput{"throughput": &in.Throughput, "on-demand": &in.OnDemand, "warm": &in.Warm}[words[0]] = rate(words[1:])
		case "stream":
			in.Stream = &dynamo.StreamSpecification{Enabled: words[1] == "on"}
			if len(words) > 2 {
				in.Stream.View = dynamo.StreamView(words[2])
			}
		case "class":
			in.TableClass = words[1]
		case "protected":
			protected := words[1] == "yes"
			in.Protected = &protected
		default:
			s.t.Fatalf("unknown line %s", line)
		}
	}
	in.Attributes = defined.Attributes
	out, err := s.db.UpdateTable(ctx, in)
	return printTable(out), err
}

func rate(words []string) *dynamo.Throughput {
	t := &dynamo.Throughput{}
	fmt.Sscan(strings.Join(words, " "), &t.Read, &t.Write)
	return t
}

// printRates prints what a table or an index has of capacity beyond its billing mode.
func printRates(throughput, onDemand, warm *dynamo.Throughput) string {
	text := ""
	for _, r := range []struct {
		name string
		rate *dynamo.Throughput
	}{{"throughput", throughput}, {"on-demand", onDemand}, {"warm", warm}} {
		if r.rate == nil {
			continue
		}
		text += fmt.Sprintf(" %s %d %d", r.name, r.rate.Read, r.rate.Write)
		if !r.rate.LastIncrease.IsZero() {
			text += fmt.Sprintf(" increased %d", r.rate.LastIncrease.Unix())
		}
		if !r.rate.LastDecrease.IsZero() {
			text += fmt.Sprintf(" decreased %d", r.rate.LastDecrease.Unix())
		}
	}
	return text
}
