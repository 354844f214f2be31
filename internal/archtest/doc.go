// Package archtest holds the house rules that a program can check: who may import whom
// (the table is in docs/architecture.md), what every package and exported name must say,
// and how long files and functions may be. It has tests only.
package archtest
