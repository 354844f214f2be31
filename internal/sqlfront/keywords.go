package sqlfront

import "strings"

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// reserved are the words that PostgreSQL does not accept as the name of a table or a
// column ("SQL Key Words": reserved, and reserved but for functions and types).
var reserved = wordSet(`all analyse analyze and any array as asc asymmetric both case cast check
	collate column constraint create current_catalog current_date current_role current_time
	current_timestamp current_user default deferrable desc distinct do else end except false
	fetch for foreign from grant group having in initially intersect into lateral leading limit
	localtime localtimestamp not null offset on only or order placing primary references
	returning select session_user some symmetric system_user table then to trailing true union
	unique user using variadic when where window with
	authorization binary collation concurrently cross current_schema freeze full ilike inner is
	isnull join left like natural notnull outer overlaps right similar tablesample verbose`)

// labelNeedsAs are further words that cannot name a result column without AS.
var labelNeedsAs = wordSet(`char character day filter hour minute month over precision second
	varying within without year`)

// sqliteReserved are the words that PostgreSQL accepts as names and SQLite does not.
var sqliteReserved = wordSet(`add alter autoincrement begin between commit delete drop escape exists
	index insert nothing reindex rollback set transaction update values`)

// statementWords begin a statement that could follow one without a semicolon.
var statementWords = strings.Fields(`create alter comment select insert update delete with drop
	grant set begin commit`)

// clauseWords are the keywords that a slip is compared with.
var clauseWords = strings.Fields(`select from where order by group having limit offset join left
	inner cross using returning values insert into update delete create table alter primary key
	foreign references unique default check constraint distinct between conflict nothing union
	cascade index column type enum comment`)

// misreadable is the least length at which a word of two edits is still taken for a slip.
const misreadable = 5

// nearest returns the candidate closest to word by edit distance, when it is close enough
// to be what was meant: one edit, or two in a word of five letters, or a third of a long
// one. Of equals the first wins. It returns "" when there is none.
func nearest(word string, candidates []string) string {
	most := 1
	if n := len(word); n >= misreadable {
		most = max(2, n/3)
	}
	if len(word) < 2 || len(word) > 64 {
		return ""
	}
	best := ""
	for _, c := range candidates {
		if len(c) > len(word)+most || len(c)+most < len(word) || c == word {
			continue
		}
		if d := editDistance(word, c); d <= most && d < len(c) {
			best, most = c, d-1
		}
	}
	return best
}

// editDistance counts insertions, deletions, changes and swaps of neighbours.
func editDistance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
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

// didYouMean makes a hint of the nearest candidate, or "".
func didYouMean(word string, candidates []string) string {
	if c := nearest(word, candidates); c != "" {
		return `did you mean "` + c + `"?`
	}
	return ""
}
