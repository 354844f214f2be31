package project

import "github.com/keyfold-dev/keyfold/internal/diag"

// didYouMean is a hint that names the nearest candidate, or "".
func didYouMean(name string, candidates []string) string {
	if near := diag.Nearest(name, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}
