package main

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/keyfold-dev/keyfold/internal/project"
)

//go:embed starter
var starter embed.FS

func newInit(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a starter project: SQL, configuration, sample rows",
		Long: `Write a small project into DIR (the current folder when left out): schema.sql,
queries.sql, keyfold.yaml and sample rows. Files that exist are kept as they are.`,
		Example: "  keyfold init shop",
		Args:    arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return c.runInit(dir)
		},
	}
}

func (c *console) runInit(dir string) error {
	files, err := fs.Sub(starter, "starter")
	if err != nil {
		return err
	}
	own, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil {
		return err
	}
	if len(own) > 0 {
		c.printf("%s has SQL already; the starter's own SQL and rows are left out\n", dir)
	}
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || len(own) > 0 && name != project.ConfigFile {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return c.writeNew(filepath.Join(dir, filepath.FromSlash(name)), text)
	})
	if err != nil {
		return err
	}
	c.printf("\nNext: keyfold dev %s\n", dir)
	return nil
}

// writeNew writes a file unless it is there, and says which.
func (c *console) writeNew(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		c.printf("  kept   %s\n", name)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		c.printf("  wrote  %s\n", name)
	}
	return err
}
