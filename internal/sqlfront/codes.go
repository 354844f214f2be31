package sqlfront

import "github.com/keyfold-dev/keyfold/internal/diag"

// The codes of lexical and syntax errors, of refused statements and clauses, and of
// annotations and hints. In an example, what stands before the first `-- name:` is the
// schema, the rest the queries.
const (
	// A string, comment, quoted name or dollar quote is not closed.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, note text DEFAULT 'none);
	codeUnterminated diag.Code = "KF001"

	// A character that has no meaning in SQL.
	//
	// Example:
	//
	//	CREATE TABLE `t` (id text PRIMARY KEY);
	codeCharacter diag.Code = "KF002"

	// A number is malformed.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer DEFAULT 12ab);
	codeNumber diag.Code = "KF003"

	// An escape in an E'' string, or the encoding of the file, is malformed.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, note text DEFAULT E'\u12');
	codeEscape diag.Code = "KF004"

	// Something stands where the grammar has no place for it.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY,);
	codeSyntax diag.Code = "KF010"

	// A keyword is misspelled.
	//
	// Example:
	//
	//	CREATE TABEL t (id text PRIMARY KEY);
	codeMisspelled diag.Code = "KF011"

	// A semicolon is missing between two statements.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY)
	//	CREATE TABLE u (id text PRIMARY KEY);
	codeSemicolon diag.Code = "KF012"

	// A reserved word stands where a name should.
	//
	// Example:
	//
	//	CREATE TABLE user (id text PRIMARY KEY);
	codeReserved diag.Code = "KF013"

	// An expression is nested too deeply or a statement is too long.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: Deep :many
	//	SELECT - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
	//	       - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
	//	       - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - 1
	//	FROM t;
	codeTooDeep diag.Code = "KF014"

	// A statement that keyfold does not read.
	//
	// Example:
	//
	//	CREATE VIEW v AS SELECT 1;
	codeStatement diag.Code = "KF020"

	// A subquery.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: Latest :many
	//	SELECT id FROM t WHERE id = (SELECT max(id) FROM t);
	codeSubquery diag.Code = "KF021"

	// A common table expression.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: Tree :many
	//	WITH RECURSIVE r AS (SELECT id FROM t) SELECT id FROM r;
	codeWith diag.Code = "KF022"

	// A kind of join other than inner, cross and left.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	CREATE TABLE u (id text PRIMARY KEY);
	//	-- name: Both :many
	//	SELECT t.id FROM t FULL JOIN u ON u.id = t.id;
	codeJoin diag.Code = "KF023"

	// A row lock.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: Lock :one
	//	SELECT id FROM t WHERE id = @id FOR UPDATE;
	codeLock diag.Code = "KF024"

	// A set operation other than UNION ALL.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: All :many
	//	SELECT id FROM t UNION SELECT id FROM t;
	codeSetOperation diag.Code = "KF025"

	// An INSERT that is not the VALUES of one row.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: Add :exec
	//	INSERT INTO t (id) VALUES (@a), (@b);
	codeInsertRows diag.Code = "KF026"

	// An UPDATE with FROM or a DELETE with USING.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	CREATE TABLE u (id text PRIMARY KEY);
	//	-- name: Drop :exec
	//	DELETE FROM t USING u WHERE u.id = t.id;
	codeWriteJoin diag.Code = "KF027"

	// An operator that the model has no meaning for.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: Matching :many
	//	SELECT id FROM t WHERE id ~ @pattern;
	codeOperator diag.Code = "KF028"

	// A form of expression that the model has no meaning for: CASE, window functions,
	// subscripts and the like.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: Label :many
	//	SELECT CASE WHEN id = 'a' THEN 1 ELSE 2 END FROM t;
	codeExpression diag.Code = "KF029"

	// A comparison of rows.
	//
	// Example:
	//
	//	CREATE TABLE t (a text, b text, PRIMARY KEY (a, b));
	//	-- name: After :many
	//	SELECT a FROM t WHERE (a, b) > (@a, @b);
	codeRow diag.Code = "KF030"

	// An option of a table, column or constraint that keyfold does not read.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer GENERATED ALWAYS AS (1) STORED);
	codeOption diag.Code = "KF031"

	// A clause that the model has no meaning for.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: First :many
	//	SELECT DISTINCT ON (id) id FROM t;
	codeClause diag.Code = "KF032"

	// A query has no name.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :many
	//	SELECT id FROM t;
	//	SELECT id FROM t;
	codeUnnamed diag.Code = "KF040"

	// An annotation is malformed.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :several
	//	SELECT id FROM t;
	codeAnnotation diag.Code = "KF041"

	// An annotation has no statement.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :many
	//	-- name: B :many
	//	SELECT id FROM t;
	codeNoStatement diag.Code = "KF042"

	// The annotation does not fit the statement.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :exec
	//	SELECT id FROM t;
	codeCardinality diag.Code = "KF043"

	// A statement stands in the wrong file. In the schema that is a note: it is skipped.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :exec
	//	CREATE TABLE u (id text PRIMARY KEY);
	codeWrongFile diag.Code = "KF044"

	// A `-- keyfold:` line has a key that is not known here.
	//
	// Example:
	//
	//	-- keyfold: rws=10
	//	CREATE TABLE t (id text PRIMARY KEY);
	codeHintKey diag.Code = "KF050"

	// A `-- keyfold:` line has a value that cannot be understood.
	//
	// Example:
	//
	//	-- keyfold: rows=many
	//	CREATE TABLE t (id text PRIMARY KEY);
	codeHintValue diag.Code = "KF051"

	// A `-- keyfold:` line belongs to nothing.
	//
	// Example:
	//
	//	-- keyfold: rows=10
	//	SET search_path = public;
	codeHintPlace diag.Code = "KF052"
)

// The codes of mistakes in names, types and meaning. In an example, what stands before
// the first `-- name:` is the schema, the rest the queries.
const (
	// A table that does not exist.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :many
	//	SELECT id FROM tt;
	codeTable diag.Code = "KF100"

	// A column that does not exist.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, brand_id text);
	//	-- name: A :many
	//	SELECT id FROM t WHERE brand_idd = @brand_id;
	codeColumn diag.Code = "KF101"

	// A column name that several tables have.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	CREATE TABLE u (id text PRIMARY KEY);
	//	-- name: A :many
	//	SELECT id FROM t JOIN u ON u.id = t.id;
	codeAmbiguous diag.Code = "KF102"

	// A name is given twice.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, id text);
	codeDuplicate diag.Code = "KF103"

	// A table has no primary key.
	//
	// Example:
	//
	//	CREATE TABLE t (id text);
	codeNoKey diag.Code = "KF104"

	// A type that does not exist, or with wrong arguments.
	//
	// Example:
	//
	//	CREATE TABLE t (id txet PRIMARY KEY);
	codeType diag.Code = "KF105"

	// A type of PostgreSQL that is not supported.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, price money);
	codeRefusedType diag.Code = "KF106"

	// A foreign key whose columns do not match those it refers to in number.
	//
	// Example:
	//
	//	CREATE TABLE t (a text, b text, PRIMARY KEY (a, b));
	//	CREATE TABLE u (id text PRIMARY KEY, a text REFERENCES t);
	codeKeyColumns diag.Code = "KF107"

	// A foreign key to columns that are not unique.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, name text);
	//	CREATE TABLE u (id text PRIMARY KEY, name text REFERENCES t (name));
	codeKeyNotUnique diag.Code = "KF108"

	// A foreign key whose columns have other types than those it refers to.
	//
	// Example:
	//
	//	CREATE TABLE t (id integer PRIMARY KEY);
	//	CREATE TABLE u (id text PRIMARY KEY, t_id text REFERENCES t (id));
	codeKeyType diag.Code = "KF109"

	// Two types do not go together.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :many
	//	SELECT id FROM t WHERE id = 5;
	codeMismatch diag.Code = "KF110"

	// A parameter is used with two types.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :many
	//	SELECT id FROM t WHERE id = @x AND n = @x;
	codeParamConflict diag.Code = "KF111"

	// The type of a parameter cannot be told.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :many
	//	SELECT id, @x AS mark FROM t;
	codeParamType diag.Code = "KF112"

	// A constant is not a value of the type it stands for.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, day date NOT NULL DEFAULT '2026-02-30');
	codeLiteral diag.Code = "KF113"

	// A constant is too large, too long or too precise for its column.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n smallint NOT NULL DEFAULT 70000);
	codeRange diag.Code = "KF114"

	// A function that is not supported.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :many
	//	SELECT md5(id) FROM t;
	codeFunction diag.Code = "KF115"

	// A function has the wrong number of arguments.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :many
	//	SELECT lower(id, id) FROM t;
	codeArguments diag.Code = "KF116"

	// A column that is NOT NULL is given NULL, or no value.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, name text NOT NULL);
	//	-- name: A :exec
	//	INSERT INTO t (id) VALUES (@id);
	codeNotNull diag.Code = "KF117"

	// A cast that would change a stored value.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :many
	//	SELECT n::text FROM t;
	codeCast diag.Code = "KF118"

	// An aggregate stands where none can.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :many
	//	SELECT id FROM t WHERE max(n) > 5;
	codeAggregate diag.Code = "KF119"

	// A column is neither grouped nor inside an aggregate.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :many
	//	SELECT id, count(*) FROM t GROUP BY n;
	codeGroup diag.Code = "KF120"

	// The number of values differs from the number of columns.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :exec
	//	INSERT INTO t (id, n) VALUES (@id);
	codeCount diag.Code = "KF121"

	// A column is given twice in one list.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :exec
	//	INSERT INTO t (id, n, n) VALUES (@id, 1, 2);
	codeTwice diag.Code = "KF122"

	// The target of ON CONFLICT is no unique key.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :exec
	//	INSERT INTO t (id, n) VALUES (@id, 1) ON CONFLICT (n) DO NOTHING;
	codeConflict diag.Code = "KF123"

	// A term of ORDER BY or GROUP BY that cannot be used.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :many
	//	SELECT id FROM t ORDER BY 2;
	codeOrder diag.Code = "KF124"

	// A DEFAULT that is neither a constant nor now() nor gen_random_uuid().
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n text DEFAULT lower('A'));
	codeDefault diag.Code = "KF125"

	// A note: an action of a foreign key is not carried out.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	CREATE TABLE u (id text PRIMARY KEY, t_id text REFERENCES t ON DELETE CASCADE);
	codeAction diag.Code = "KF126"

	// A note: DynamoDB has no sequences.
	//
	// Example:
	//
	//	CREATE TABLE t (id serial PRIMARY KEY);
	codeSequence diag.Code = "KF127"

	// The branches of a UNION ALL do not match.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :many
	//	SELECT id FROM t UNION ALL SELECT n FROM t;
	codeBranches diag.Code = "KF128"

	// LIMIT or OFFSET is neither a number nor a parameter.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY, n integer);
	//	-- name: A :many
	//	SELECT id FROM t LIMIT n;
	codeLimit diag.Code = "KF129"

	// A ttl hint on a column that cannot say when a row expires.
	//
	// Example:
	//
	//	CREATE TABLE t (
	//	  id text PRIMARY KEY,
	//	  -- keyfold: ttl
	//	  name text
	//	);
	codeTTL diag.Code = "KF130"

	// A list parameter, or a parameter that is a clock value, is misused.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :many
	//	SELECT id FROM t WHERE id = ANY(@ids) AND id = @ids;
	codeParamUse diag.Code = "KF131"

	// Something stands where a condition is needed, and is none.
	//
	// Example:
	//
	//	CREATE TABLE t (id text PRIMARY KEY);
	//	-- name: A :many
	//	SELECT id FROM t WHERE id;
	codeCondition diag.Code = "KF132"
)
