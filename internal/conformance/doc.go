// Package conformance holds the protocol cases: sessions of requests as text, with the
// answers they must get, and random requests. It hides how answers are made comparable.
//
// The tests play the recorded cases in process, and again over HTTP with the database
// closed and opened in the middle. With -endpoint URL they also send everything, and
// random requests besides, to another implementation of DynamoDB and fail on any
// difference that is not in the list of known ones. The run writes docs/compatibility.md.
package conformance
