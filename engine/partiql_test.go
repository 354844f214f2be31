package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyfold-dev/keyfold/dynamo"
	"pgregory.net/rapid"
)

// TestSelectReadsWhatItsConditionHolds compares a SELECT in its pages, as it is planned,
// with the same condition where nothing can be planned: an alternative that never holds
// makes a Scan of it.
func TestSelectReadsWhatItsConditionHolds(t *testing.T) {
	db := songs(t)
	rapid.Check(t, func(t *rapid.T) {
		where := drawCondition(t, 2)
		source := rapid.SampledFrom([]string{"songs", "songs.byGenre", "songs.byYear"}).Draw(t, "source")
		statement := "SELECT PK, SK FROM " + source + " WHERE "
		limit := rapid.Int64Range(1, 5).Draw(t, "limit")
		got, err := allKeys(db, statement+where, limit)
		if err != nil && strings.Contains(err.Error(), "Overlapping conditions") {
			return
		}
		if err != nil {
			t.Fatal(where, err)
		}
		want, err := allKeys(db, statement+"("+where+") OR never IS NOT MISSING", 1000)
		if err != nil {
			t.Fatal(where, err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s WHERE %s (-scanned +planned):\n%s", source, where, diff)
		}
	})
}

// songs is a table of items in four partitions, some of which are in its indexes.
func songs(t *testing.T) *DB {
	db, err := Open(Options{ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx := context.Background()
	_, err = db.CreateTable(ctx, &dynamo.Table{Name: "songs", BillingMode: "PAY_PER_REQUEST",
		Attributes: []dynamo.AttributeDefinition{{Name: "PK", Type: "S"}, {Name: "SK", Type: "S"}, {Name: "genre", Type: "S"}, {Name: "year", Type: "N"}},
		Keys:       []dynamo.KeyElement{{Name: "PK"}, {Name: "SK", Sort: true}},
		GlobalIndexes: []dynamo.Index{{Name: "byGenre", Keys: []dynamo.KeyElement{{Name: "genre"}, {Name: "year", Sort: true}},
			Projection: dynamo.Projection{Type: dynamo.ProjectAll}}},
		LocalIndexes: []dynamo.Index{{Name: "byYear", Keys: []dynamo.KeyElement{{Name: "PK"}, {Name: "year", Sort: true}},
			Projection: dynamo.Projection{Type: dynamo.ProjectAll}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 36 {
		year := fmt.Sprintf(", 'year': %d", i%7)
		if i%5 == 0 {
			year = ""
		}
		statement := fmt.Sprintf("INSERT INTO songs VALUE {'PK': '%c', 'SK': '%c%d', 'genre': '%c', 'n': %d%s}",
			'a'+i%4, 'a'+i/4%3, i/12*2+i%2, 'a'+i%2, i%3, year)
		if _, err := db.ExecuteStatement(ctx, &dynamo.ExecuteStatementInput{Statement: statement}); err != nil {
			t.Fatal(statement, err)
		}
	}
	return db
}

func allKeys(db *DB, statement string, limit int64) (keys []string, err error) {
	in := &dynamo.ExecuteStatementInput{Statement: statement, Limit: &limit}
	for {
		out, err := db.ExecuteStatement(context.Background(), in)
		if err != nil {
			return nil, err
		}
		for _, it := range out.Items {
			keys = append(keys, it.Get("PK").Str()+" "+it.Get("SK").Str())
		}
		if int64(len(out.Items)) > limit {
			return nil, fmt.Errorf("%d items for a limit of %d", len(out.Items), limit)
		}
		if out.NextToken == "" {
			return keys, nil
		}
		in.NextToken = out.NextToken
	}
}

// drawCondition draws a condition on the attributes of songs, mostly with a key in it.
func drawCondition(t *rapid.T, depth int) string {
	one := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "one") }
	letter := func() string { return one("'a'", "'b'", "'c'", "'d'") }
	place := func() string { return one("'a'", "'a1'", "'a3'", "'b'", "'b2'", "'c5'", "'d'") }
	number := func() string { return one("0", "1", "2", "3", "5", "6") }
	if depth > 0 {
		switch one("and", "and", "or", "not", "plain") {
		case "and":
			return "(" + drawCondition(t, depth-1) + " AND " + drawCondition(t, depth-1) + ")"
		case "or":
			return "(" + drawCondition(t, depth-1) + " OR " + drawCondition(t, depth-1) + ")"
		case "not":
			return "NOT " + drawCondition(t, depth-1)
		}
	}
	comparison := one("=", "=", "<>", "<", "<=", ">", ">=")
	switch one("PK", "PK in", "SK", "SK in", "SK between", "SK begins", "mirrored", "genre", "year", "year between", "n", "contains") {
	case "PK":
		return "PK = " + letter()
	case "PK in":
		return "PK IN [" + letter() + ", " + letter() + "]"
	case "SK":
		return "SK " + comparison + " " + place()
	case "SK in":
		return "SK IN (" + place() + ", " + place() + ")"
	case "SK between":
		low, high := place(), place()
		return "SK BETWEEN " + min(low, high) + " AND " + max(low, high)
	case "SK begins":
		return "begins_with(SK, " + one("'a'", "'b'", "'c5'") + ")"
	case "mirrored":
		return place() + " " + comparison + " SK"
	case "genre":
		return "genre = " + letter()
	case "year":
		return "year " + comparison + " " + number()
	case "year between":
		low, high := number(), number()
		return "year BETWEEN " + min(low, high) + " AND " + max(low, high)
	case "n":
		return "n " + comparison + " " + number()
	}
	return "contains(SK, '1')"
}
