package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
)

func newDesign(c *console) *cobra.Command {
	var asJSON, asText bool
	cmd := &cobra.Command{
		Use:   "design DIR",
		Short: "Derive the table, its indexes and a plan for every access pattern",
		Long: `Derive the DynamoDB design of the SQL in DIR and print its keys, its indexes and
how each access pattern is served. Patterns that cannot be served are listed with
the reason, and make the exit status 1.`,
		Example: "  keyfold design examples/catalog\n  keyfold design examples/catalog --json | jq .tables",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runDesign(args[0], asJSON, asText)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&asText, "text", false, "print the canonical text of the design")
	return cmd
}

func (c *console) runDesign(dir string, asJSON, asText bool) error {
	p, err := c.compile(dir, diag.Note)
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		if err := c.json(p.Document()); err != nil {
			return err
		}
	case p.Design == nil:
	case asText:
		c.printf("%s", p.Design)
	default:
		c.showDesign(p.Design)
	}
	if p.Diagnostics.HasErrors() {
		return errReported
	}
	return nil
}

func (c *console) showDesign(d *design.Design) {
	c.title("%s: %s", tableNames(d), summary(d))
	c.printf("\n")
	c.title("Keys")
	keyTable(d).print(c.out, c.width)
	if t := indexTable(d); len(t.rows) > 0 {
		c.printf("\n")
		c.title("Indexes")
		t.print(c.out, c.width)
	}
	c.printf("\n")
	c.title("Access patterns")
	planTable(d).print(c.out, c.width)
	c.showRefused(d)
}

func (c *console) showRefused(d *design.Design) {
	t := &table{head: []string{"Access pattern", "Codes", "Reason"}, details: 1}
	for _, p := range d.Plans {
		if p.Refused {
			var codes []string
			for _, code := range p.Codes {
				codes = append(codes, string(code))
			}
			t.add(p.Pattern.Name, strings.Join(codes, " "), p.Reason)
		}
	}
	if len(t.rows) > 0 {
		c.printf("\n")
		c.title("Refused")
		t.print(c.out, c.width)
	}
}

func tableNames(d *design.Design) string {
	var out []string
	for _, t := range d.Tables {
		out = append(out, t.Name)
	}
	return strings.Join(out, ", ")
}
