package sqlfront

import (
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

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

// didYouMean makes a hint of the nearest candidate, or "".
func didYouMean(word string, candidates []string) string {
	if c := diag.Nearest(word, candidates); c != "" {
		return `did you mean "` + c + `"?`
	}
	return ""
}
