package planner

import "github.com/keyfold-dev/keyfold/internal/diag"

// The planner's codes. Errors refuse one access pattern; warnings and notes tell what a
// served pattern costs. Each Example is a pair of schema and queries that gives the code.
const (
	// CodeOr: an OR over different columns selects no single range of keys.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, a text NOT NULL, b text NOT NULL);
	//	-- name: Q :many
	//	SELECT * FROM t WHERE a = @a OR b = @b;
	CodeOr diag.Code = "KF201"
	// CodeLike: LIKE finds a key range only when its pattern is a fixed prefix.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, k text NOT NULL, a text NOT NULL);
	//	-- name: Q :many
	//	SELECT * FROM t WHERE k = @k AND a LIKE '%x%';
	CodeLike diag.Code = "KF202"
	// CodeRanges: a key condition has room for one range only.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, k text NOT NULL, a integer NOT NULL, b integer NOT NULL);
	//	-- name: Q :many
	//	SELECT * FROM t WHERE k = @k AND a > @a AND b > @b;
	CodeRanges diag.Code = "KF203"
	// CodeFilter: a condition that no key can express would need a filter, which reads
	// and bills rows that it then drops.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, k text NOT NULL, a integer NOT NULL);
	//	-- name: Q :many
	//	SELECT * FROM t WHERE k = @k AND a <> @a;
	CodeFilter diag.Code = "KF204"
	// CodeOrder: the ORDER BY cannot be the order of a key.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, k text NOT NULL, a text NOT NULL);
	//	-- name: Q :many
	//	SELECT * FROM t WHERE k = @k ORDER BY lower(a) LIMIT 5;
	CodeOrder diag.Code = "KF205"
	// CodeJoin: the joined rows have neither a partition nor keys in common.
	//
	// Example:
	//	CREATE TABLE a (id text PRIMARY KEY, x text NOT NULL);
	//	CREATE TABLE b (id text PRIMARY KEY, x text NOT NULL);
	//	-- name: Q :many
	//	SELECT a.id, b.id AS b_id FROM a JOIN b ON b.x = a.x;
	CodeJoin diag.Code = "KF206"
	// CodeWriteKey: an UPDATE or DELETE must name the row by its whole primary key.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, a text NOT NULL);
	//	-- name: W :exec
	//	UPDATE t SET a = 'x' WHERE a = @a;
	CodeWriteKey diag.Code = "KF207"
	// CodeWriteShape: an assignment or condition of a write that one request cannot make.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, a text NOT NULL);
	//	-- name: W :exec
	//	UPDATE t SET id = @new WHERE id = @id;
	CodeWriteShape diag.Code = "KF208"
	// CodeIn: an IN list of single parameters, two of which may be equal; constants, and one
	// list parameter, = ANY(@list), are planned as a request for each element.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, a text NOT NULL);
	//	-- name: Q :many
	//	SELECT * FROM t WHERE id IN (@a, @b);
	CodeIn diag.Code = "KF210"
	// CodeRequests: the pattern is served, by more than one request.
	//
	// Example:
	//	CREATE TABLE u (id text PRIMARY KEY, n text NOT NULL);
	//	CREATE TABLE f (a text NOT NULL REFERENCES u, b text NOT NULL REFERENCES u, PRIMARY KEY (a, b));
	//	-- name: Q :many
	//	SELECT u.* FROM f JOIN u ON u.id = f.b WHERE f.a = @a;
	CodeRequests diag.Code = "KF211"
	// CodeSingleton: all rows of a kind share one partition, which takes at most 3,000
	// read and 1,000 write units a second.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, a text NOT NULL);
	//	-- name: Q :many
	//	SELECT * FROM t;
	CodeSingleton diag.Code = "KF212"
	// CodeStrong: consistency=strong asks for a read that only the table itself or a
	// local index can give.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, a text NOT NULL);
	//	-- name: W :exec
	//	UPDATE t SET a = @a WHERE id = @id;
	//	-- name: Q :many
	//	-- keyfold: consistency=strong
	//	SELECT * FROM t WHERE a = @a;
	CodeStrong diag.Code = "KF213"
	// CodeAggregate: the aggregate is computed from all rows it covers, read each time.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, a text NOT NULL, n integer NOT NULL);
	//	-- name: Q :one
	//	SELECT sum(n) AS total FROM t WHERE a = @a;
	CodeAggregate diag.Code = "KF214"
	// CodeEmbed: embed is read but not planned yet; the rows make an item collection with
	// their parent instead.
	//
	// Example:
	//	CREATE TABLE p (id text PRIMARY KEY);
	//	-- keyfold: embed
	//	CREATE TABLE c (id text NOT NULL REFERENCES p, n text NOT NULL, PRIMARY KEY (id, n));
	//	-- name: Q :many
	//	SELECT * FROM c WHERE id = @id;
	CodeEmbed diag.Code = "KF215"
	// CodeKeyType: a column that would have to be part of a key has a type without order.
	//
	// Example:
	//	CREATE TABLE t (id text PRIMARY KEY, a jsonb NOT NULL);
	//	-- name: Q :many
	//	SELECT * FROM t WHERE a = @a;
	CodeKeyType diag.Code = "KF216"
	// CodeTTL: DynamoDB expires items by a Number of seconds since 1970 and by nothing else.
	//
	// Example:
	//	CREATE TABLE t (
	//	    id text PRIMARY KEY,
	//	    -- keyfold: ttl
	//	    until timestamptz
	//	);
	//	-- name: Q :one
	//	SELECT * FROM t WHERE id = @id;
	CodeTTL diag.Code = "KF217"
)
