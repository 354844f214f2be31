package sqlfront

// The syntax tree. Every node knows its tokens; meaning is given to it by the lowering.

// An ident is a name and the token it stands in.
type ident struct {
	name string
	at   int
}

func (i ident) span() span { return span{i.at, i.at + 1} }

// A typeName is a type as written: its words, its arguments, whether it is an array.
type typeName struct {
	span
	name  string // lower case, words separated by one space
	args  []int
	array bool
}

// An expr is an expression. Its kinds are the types below.
type expr interface{ tokens() span }

type (
	// A columnRef is column or table.column.
	columnRef struct {
		span
		table, column string
	}
	// A starRef is * or table.*.
	starRef struct {
		span
		table string
	}
	// A paramRef is a parameter in any spelling; key tells it from others.
	paramRef struct {
		span
		key string
	}
	// A constant is a string, number, true, false or NULL.
	constant struct {
		span
		kind constantKind
		text string
	}
	// A defaultRef is the keyword DEFAULT.
	defaultRef struct{ span }
	// A prefixExpr is NOT x, -x or +x.
	prefixExpr struct {
		span
		op string
		x  expr
	}
	// An infixExpr is x op y, AND and OR included.
	infixExpr struct {
		span
		op          string
		left, right expr
	}
	// An isExpr is x IS [NOT] NULL, TRUE, FALSE or UNKNOWN.
	isExpr struct {
		span
		x    expr
		test string
		not  bool
	}
	// A betweenExpr is x [NOT] BETWEEN low AND high.
	betweenExpr struct {
		span
		x, low, high expr
		not          bool
	}
	// An inExpr is x [NOT] IN (list), x = ANY(array) or x <> ALL(array). With array, the
	// list is one parameter.
	inExpr struct {
		span
		x     expr
		list  []expr
		not   bool
		array bool
	}
	// A likeExpr is x [NOT] LIKE pattern.
	likeExpr struct {
		span
		x, pattern expr
		not        bool
	}
	// A castExpr is x::type, CAST(x AS type) or type 'constant'.
	castExpr struct {
		span
		x  expr
		to typeName
	}
	// A callExpr is a function call. Keyword functions such as CURRENT_DATE have no
	// parentheses.
	callExpr struct {
		span
		name     string
		args     []expr
		star     bool
		distinct bool
	}
	// An arrayExpr is ARRAY[a, b].
	arrayExpr struct {
		span
		list []expr
	}
)

// A constantKind says how a constant was written.
type constantKind uint8

const (
	stringConstant constantKind = iota
	numberConstant
	trueConstant
	falseConstant
	nullConstant
)

// A selectStmt is one SELECT and the branches that UNION ALL adds to it.
type selectStmt struct {
	span
	distinct      bool
	items         []selectItem
	tables        []fromItem
	where, having expr
	groupBy       []expr
	orderBy       []orderTerm
	limit, offset expr
	union         []*selectStmt
}

// A selectItem is one entry of a select list or of RETURNING.
type selectItem struct {
	span
	x     expr
	alias *ident // nil when there is none
}

// A fromItem is one table in FROM and how it is joined to those before it.
type fromItem struct {
	table ident
	alias string
	left  bool
	on    expr
	using []ident
}

// An orderTerm is one term of ORDER BY.
type orderTerm struct {
	span
	x          expr
	desc       bool
	nullsFirst bool
}

// An assignment is column = value.
type assignment struct {
	column ident
	value  expr
}

// A conflictClause is ON CONFLICT. Without target and constraint any unique key counts.
type conflictClause struct {
	span
	target     []ident
	constraint *ident
	update     bool
	set        []assignment
	where      expr
}

type insertStmt struct {
	span
	table     ident
	alias     string
	columns   []ident
	values    []expr
	afterCols int // token behind which further columns may be written, -1 without a list
	valuesAt  span
	conflict  *conflictClause
	returning []selectItem
}

type updateStmt struct {
	span
	table     ident
	alias     string
	set       []assignment
	where     expr
	returning []selectItem
}

type deleteStmt struct {
	span
	table     ident
	alias     string
	where     expr
	returning []selectItem
}

// A createTable is CREATE TABLE.
type createTable struct {
	span
	name        ident
	ifNotExists bool
	body        span // from behind the opening parenthesis to the closing one
	columns     []columnDef
	constraints []constraintDef
}

// A columnDef is one column with its own constraints.
type columnDef struct {
	span
	name        ident
	typ         typeName
	constraints []constraintDef
}

// A constraintDef is a constraint of a table or of a column.
type constraintDef struct {
	span
	kind       constraintKind
	name       string
	columns    []ident // of a table constraint
	x          expr    // CHECK, DEFAULT
	refTable   ident
	refColumns []ident
	actions    []string // ON DELETE and ON UPDATE actions that change rows
}

type constraintKind uint8

const (
	primaryKey constraintKind = iota
	uniqueKey
	notNull
	nullable
	defaultValue
	checkRows
	foreignKey
	identity
	noConstraint // COLLATE, STORAGE and the like
)

// An alterTable is ALTER TABLE with the actions that matter.
type alterTable struct {
	span
	table       ident
	columns     []columnDef // ADD COLUMN
	constraints []constraintDef
	changes     []columnChange
}

// A columnChange is ALTER COLUMN.
type columnChange struct {
	span
	column     ident
	constraint constraintDef // NOT NULL, NULL (DROP NOT NULL), DEFAULT, identity
	drop       bool          // DROP DEFAULT
}

type createEnum struct {
	span
	name   ident
	labels []string
}

type createIndex struct {
	span
	unique  bool
	table   ident
	columns []ident // nil when the index is partial or over an expression
}

// A dropTable is DROP TABLE.
type dropTable struct {
	span
	tables []ident
}

// A commentOn is COMMENT ON TABLE.
type commentOn struct {
	span
	table ident
	text  string
}
