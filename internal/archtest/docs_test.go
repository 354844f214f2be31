package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var linkForm = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// TestLinks holds links between the documents to leading somewhere.
func TestLinks(t *testing.T) {
	count := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range linkForm.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			count++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 10 {
		t.Errorf("only %d links found", count)
	}
}
