package project

// Nearest returns the candidate that name is most likely a misspelling of, or "" when
// none is near: the one with the fewest changed, missing, added or swapped letters, at
// most a third of its length. Of equals the first wins.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", 0
	for _, c := range candidates {
		d := distance(fold(name), fold(c))
		if d <= max(1, len(c)/3) && (best == "" || d < bestDistance) {
			best, bestDistance = c, d
		}
	}
	return best
}

// fold drops case and separators, which people confuse freely.
func fold(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		case c != '_' && c != '-':
			b = append(b, c)
		}
	}
	return string(b)
}

// distance is the optimal string alignment distance of a and b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// didYouMean is a hint that names the nearest candidate, or "".
func didYouMean(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}
