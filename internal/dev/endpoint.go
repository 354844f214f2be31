package dev

import (
	"os"
	"path/filepath"
	"strings"
)

const endpointFile = "endpoint"

// Announce writes down where the database can be reached, for other processes; the
// returned function takes it back.
func (s *Session) Announce(url string) (withdraw func(), err error) {
	if s.options.Folder == "" {
		return func() {}, nil
	}
	name := filepath.Join(s.options.Folder, endpointFile)
	if err := os.WriteFile(name, []byte(url+"\n"), 0o644); err != nil {
		return nil, err
	}
	return func() { os.Remove(name) }, nil
}

// Endpoint is the URL that a running session has announced, "" when there is none.
func Endpoint(folder string) string {
	text, err := os.ReadFile(filepath.Join(folder, endpointFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
