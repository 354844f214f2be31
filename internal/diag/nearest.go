package diag

// misreadable is the least length at which a word of two slips is still taken for another.
const misreadable = 5

// Nearest returns the candidate that word is most likely a misspelling of, or "" when none
// is near enough: one letter changed, missing, added or swapped, two in a word of five
// letters, a third of a long one. Case and separators do not count. Of equals the first
// wins.
func Nearest(word string, candidates []string) string {
	if len(word) < 2 || len(word) > 64 {
		return ""
	}
	most := 1
	if n := len(word); n >= misreadable {
		most = max(2, n/3)
	}
	folded, best := fold(word), ""
	for _, c := range candidates {
		if len(c) > len(word)+most+2 || len(c)+most+2 < len(word) || c == word {
			continue
		}
		if d := distance(folded, fold(c)); d <= most && d < len(c) {
			best, most = c, d-1
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

// distance is the optimal string alignment distance of a and b: insertions, deletions,
// changes, and swaps of neighbours.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
