package project

import "github.com/keyfold-dev/keyfold/internal/diag"

// The diagnostics about a project's files.
const (
	// CodeYAML: keyfold.yaml is not YAML, or not a list of settings.
	//
	// Example:
	//  -- keyfold.yaml --
	//  table: [catalog
	CodeYAML diag.Code = "KF801"

	// CodeUnknownKey: keyfold.yaml has a setting that does not exist.
	//
	// Example:
	//  -- keyfold.yaml --
	//  tabel: catalog
	CodeUnknownKey diag.Code = "KF802"

	// CodeBadValue: a setting has a value that it cannot have.
	//
	// Example:
	//  -- keyfold.yaml --
	//  table: my catalogue
	CodeBadValue diag.Code = "KF803"

	// CodeNotYet: a setting has a value that is part of the language but that this version
	// does not implement.
	//
	// Example:
	//  -- keyfold.yaml --
	//  layout: per-aggregate
	CodeNotYet diag.Code = "KF804"

	// CodeNoFile: a file that the project needs is not there.
	//
	// Example:
	//  -- keyfold.yaml --
	//  queries: reads.sql
	CodeNoFile diag.Code = "KF805"

	// CodeUnreadable: a file is there but cannot be read: it is a folder, or its
	// permissions forbid it.
	//
	// Example:
	//  -- queries.sql/a --
	//  the name is taken by a folder
	CodeUnreadable diag.Code = "KF806"
)
