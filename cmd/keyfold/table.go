package main

import (
	"io"
	"strings"

	"charm.land/lipgloss/v2"
)

// A table is rows of cells under a head. The first cell of a row names it.
type table struct {
	head  []string
	rows  [][]string
	right map[int]bool // columns of numbers
	// detail marks the last column as text of any length, which may move to a line of its
	// own below its row.
	detail bool
}

const (
	indent = "  "
	gap    = "  "
)

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes the table in the first form that fits the width: a grid, a grid with the
// detail below each row, or a list of the cells of each row. Width 0 fits everything.
func (t *table) print(w io.Writer, width int) {
	n := len(t.head)
	switch {
	case width == 0 || t.width(n) <= width:
		t.grid(w, n, width)
	case t.detail && t.width(n-1) <= width:
		t.grid(w, n-1, width)
	default:
		t.list(w, width)
	}
}

// width is that of a grid of the first n columns.
func (t *table) width(n int) int {
	sum := len(indent)
	for i := range n {
		sum += t.columnWidth(i)
	}
	return sum + len(gap)*(n-1)
}

func (t *table) columnWidth(i int) int {
	width := lipgloss.Width(t.head[i])
	for _, r := range t.rows {
		width = max(width, lipgloss.Width(r[i]))
	}
	return width
}

func (t *table) grid(w io.Writer, n, width int) {
	t.row(w, t.head, n, styleFaint, styleFaint)
	for _, r := range t.rows {
		t.row(w, r, n, styleName, lipgloss.NewStyle())
		if n < len(t.head) && r[n] != "" {
			for _, line := range wrap(r[n], width-2*len(indent)-len(gap)) {
				io.WriteString(w, indent+indent+gap+styleFaint.Render(line)+"\n")
			}
		}
	}
}

func (t *table) row(w io.Writer, cells []string, n int, first, rest lipgloss.Style) {
	var b strings.Builder
	for i := range n {
		style := rest
		if i == 0 {
			style = first
			b.WriteString(indent)
		} else {
			b.WriteString(gap)
		}
		pad := strings.Repeat(" ", t.columnWidth(i)-lipgloss.Width(cells[i]))
		if t.right[i] {
			b.WriteString(pad)
		}
		if cells[i] != "" {
			b.WriteString(style.Render(cells[i]))
		}
		if !t.right[i] {
			b.WriteString(pad)
		}
	}
	io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n")
}

// list writes each row as its name and, below it, one line for every further cell that is
// not empty.
func (t *table) list(w io.Writer, width int) {
	label := 0
	for _, h := range t.head[1:] {
		label = max(label, lipgloss.Width(h))
	}
	for _, r := range t.rows {
		io.WriteString(w, indent+styleName.Render(r[0])+"\n")
		for i, cell := range r[1:] {
			if cell == "" {
				continue
			}
			head := t.head[i+1] + strings.Repeat(" ", label-lipgloss.Width(t.head[i+1]))
			for j, line := range wrap(cell, width-2*len(indent)-label-len(gap)) {
				if j > 0 {
					head = strings.Repeat(" ", label)
				}
				io.WriteString(w, indent+indent+styleFaint.Render(head)+gap+line+"\n")
			}
		}
	}
}

// wrap breaks text at spaces into lines of at most width; a longer word stands alone.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case width > 0 && lipgloss.Width(line)+1+lipgloss.Width(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
