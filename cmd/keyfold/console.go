package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/project"
)

// A console is where a command reads and writes. Text is styled throughout; the writers
// take the styles out again when they do not write to a terminal, or NO_COLOR is set.
type console struct {
	in       io.Reader
	out, err io.Writer
	width    int  // of the terminal behind out; 0 when there is none
	live     bool // err is a terminal, on which a line can be rewritten
}

func newConsole(in io.Reader, out, errOut io.Writer) *console {
	return &console{in: in,
		out:   colorprofile.NewWriter(out, os.Environ()),
		err:   colorprofile.NewWriter(errOut, os.Environ()),
		width: terminalWidth(out), live: terminalWidth(errOut) > 0}
}

func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

var (
	styleTitle = lipgloss.NewStyle().Bold(true)
	styleName  = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
	styleFaint = lipgloss.NewStyle().Faint(true)
	styleGood  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	styleBad   = lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)
)

func (c *console) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// note tells what is going on, beside the output.
func (c *console) note(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }

func (c *console) title(format string, args ...any) {
	c.printf("%s\n", styleTitle.Render(fmt.Sprintf(format, args...)))
}

// json writes the one document of a --json command.
func (c *console) json(v any) error {
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// A compiled project.
type compiled struct {
	*project.Project
	*keyfold.Result
}

// compile opens and compiles the project in dir and shows its diagnostics from a severity
// on. The error is for a folder that is not there; errors in the input are in the
// diagnostics.
func (c *console) compile(dir string, from diag.Severity) (*compiled, error) {
	p, diags, err := project.Open(dir)
	if err != nil {
		return nil, usageError{err}
	}
	r := &keyfold.Result{Diagnostics: diags}
	if !diags.HasErrors() {
		r = keyfold.Compile(p.Input)
		r.Diagnostics = append(diags, r.Diagnostics...)
	}
	r.Diagnostics.Sort()
	shown := slices.DeleteFunc(slices.Clone(r.Diagnostics), func(d diag.Diagnostic) bool { return d.Severity < from })
	diag.Render(c.err, shown, p.Texts, true)
	return &compiled{p, r}, nil
}

// design compiles like compile. Input without a design is an error, already shown.
func (c *console) design(dir string, from diag.Severity) (*compiled, error) {
	p, err := c.compile(dir, from)
	if err == nil && p.Design == nil {
		err = errReported
	}
	return p, err
}

func didYouMean(name string, candidates []string) string {
	if near := diag.Nearest(name, candidates); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

// quiet is a console that nobody reads.
func quiet() *console { return newConsole(nil, io.Discard, io.Discard) }
