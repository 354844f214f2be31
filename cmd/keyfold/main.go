// Command keyfold compiles SQL to a DynamoDB single-table design and runs it on one
// machine. This package holds flags, presentation and exit codes; the work is done by the
// packages it calls.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // the input or the design has errors, or the work failed
	exitUsage  = 2 // the command line is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks; a second one ends the process, whatever it is doing.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	c := newConsole(in, out, errOut)
	root := newRoot(c)
	root.SetArgs(args)
	return c.guard(func() int { return c.finish(root.ExecuteContext(ctx)) })
}

// guard makes a panic in f a message that says what to do, and a failure.
func (c *console) guard(f func() int) (status int) {
	defer func() {
		if fault := recover(); fault != nil {
			c.internalError(fault)
			status = exitFailed
		}
	}()
	return f()
}

// errReported ends a command whose failure has been shown already.
var errReported = errors.New("reported")

// A usageError is a wrong command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func (c *console) finish(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(c.err, "keyfold: interrupted")
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(c.err, "keyfold: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(c.err, "keyfold: %v\n", err)
	return exitFailed
}

func (c *console) internalError(fault any) {
	fmt.Fprintf(c.err, "keyfold: internal error: %v\n\n%s\n"+
		"This is a fault of keyfold, not of your input. Please report it with the text above,\n"+
		"the output of `keyfold version` and, if you can share them, schema.sql and queries.sql:\n"+
		"https://github.com/keyfold-dev/keyfold/issues\n", fault, debug.Stack())
}

func newRoot(c *console) *cobra.Command {
	root := &cobra.Command{
		Use:   "keyfold",
		Short: "From SQL to a DynamoDB table that is proved to answer it",
		Long: `keyfold compiles SQL to DynamoDB. It reads schema.sql and queries.sql, derives a
single-table design, explains and verifies it, and runs it on its own
DynamoDB-compatible engine.`,
		Example:           "  keyfold init shop\n  keyfold dev shop",
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		// A word that is no command arrives here as an argument.
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.Version = version()
	root.SetVersionTemplate(versionLine() + "\n")
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		text, _, isNumber := strings.Cut(err.Error(), ": strconv.")
		if isNumber {
			text += ": want a whole number"
		}
		return usagef("%s\nusage: %s", text, cmd.UseLine())
	})
	root.AddGroup(&cobra.Group{ID: "compile", Title: "From SQL to a design:"},
		&cobra.Group{ID: "run", Title: "With data:"})
	add := func(group string, cmds ...*cobra.Command) {
		for _, cmd := range cmds {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	add("compile", newInit(c), newDesign(c), newExplain(c), newVerify(c))
	add("run", newDev(c), newServe(c), newRun(c))
	root.AddCommand(newVersion(c))
	return root
}

func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
	}
	return usagef("there is no command %q%s\n`keyfold help` lists the commands", name, didYouMean(name, names))
}
