// Package oracle is a test: it holds the front end to two independent readers of SQL.
// Every statement that sqlfront accepts must be accepted by PostgreSQL's own grammar with
// the same tables, columns, constraints and clauses, and every reference statement must
// be accepted by SQLite on tables of the model. It is a module of its own so that the
// project does not depend on either.
package oracle
