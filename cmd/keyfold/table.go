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
	// details is how many of the last columns hold text of any length: where the grid is
	// too wide they move to lines of their own below their row, the last first.
	details int
}

const (
	indent = "  "
	gap    = "  "
)

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes the table in the first form that fits the width: a grid, a grid with
// details below each row, or a list of the cells of each row. Width 0 fits everything.
func (t *table) print(w io.Writer, width int) {
	for n := len(t.head); n >= len(t.head)-t.details; n-- {
		if width == 0 || t.width(n) <= width {
			t.grid(w, n, width)
			return
		}
	}
	t.list(w, width)
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
	if n > 1 {
		t.row(w, t.head[:n], styleFaint, styleFaint)
	}
	for _, r := range t.rows {
		t.row(w, r[:n], styleName, lipgloss.NewStyle())
		t.below(w, r, n, width)
	}
}

func (t *table) row(w io.Writer, cells []string, first, rest lipgloss.Style) {
	var b strings.Builder
	for i := range cells {
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

// list writes each row as its name with all further cells below it.
func (t *table) list(w io.Writer, width int) {
	for _, r := range t.rows {
		io.WriteString(w, indent+styleName.Render(r[0])+"\n")
		t.below(w, r, 1, width)
	}
}

// below writes the cells of a row from the n-th on, a line each with its head; empty ones
// are left out.
func (t *table) below(w io.Writer, r []string, n, width int) {
	label := 0
	for _, h := range t.head[n:] {
		label = max(label, lipgloss.Width(h))
	}
	for i, cell := range r[n:] {
		head := t.head[n+i]
		for _, line := range wrap(cell, width-2*len(indent)-label-len(gap)) {
			pad := strings.Repeat(" ", label-lipgloss.Width(head))
			io.WriteString(w, indent+indent+styleFaint.Render(head)+pad+gap+line+"\n")
			head = ""
		}
	}
}

// wrap breaks text at spaces into lines of at most width; a longer word stands alone.
// Empty text has no lines; width 0 or less is no limit.
func wrap(text string, width int) []string {
	var lines []string
	if text == "" {
		return nil
	}
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
