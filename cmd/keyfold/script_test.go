package main

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden files inside the scripts")

// TestMain lets the scripts run this test binary as the command keyfold.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"keyfold": main})
}

// TestScript runs testdata/script. $EXAMPLES is a copy of the examples, for each script
// its own.
func TestScript(t *testing.T) {
	examples := repository(t, "examples")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			return copyExamples(filepath.Join(env.WorkDir, "examples"), examples)
		},
	})
}

// copyExamples copies the examples without the databases that keyfold dev has left there.
func copyExamples(to, from string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		switch {
		case entry.Name() == ".keyfold":
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
}
