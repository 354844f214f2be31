package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(c *console) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  keyfold version",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.printf("%s\n", versionLine())
			return nil
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("keyfold %s, %s, %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is the module's version, with the commit when it was built from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}

// arguments checks the number of arguments; most < 0 is no limit.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef("%s needs more arguments\nusage: %s\nfor example:\n%s", cmd.Name(), cmd.UseLine(), cmd.Example)
		case most >= 0 && len(args) > most:
			return usagef("%s does not take %q\nusage: %s", cmd.Name(), args[most], cmd.UseLine())
		}
		return nil
	}
}
