package server

import (
	"github.com/keyfold-dev/keyfold/dynamo"
)

// What has no meaning on one machine is answered as the service answers an account that
// has none of it.

// A subject is what a request about something absent names.
type subject struct {
	table, global, index, stream, action string
}

func readSubject(r *dynamo.JSONReader) subject {
	var s subject
	for field := range r.Struct("DescribeTableInput") {
		switch field {
		case "TableName":
			s.table = r.Text()
		case "GlobalTableName":
			s.global = r.Text()
		case "IndexName":
			s.index = r.Text()
		case "StreamArn":
			s.stream = r.Text()
		case "ContributorInsightsAction":
			s.action = r.Text()
		}
	}
	return s
}

// noneOf answers with an empty list.
func noneOf(list string) operation {
	return func(r *request, dst []byte) ([]byte, error) {
		if err := dynamo.DecodeJSON(r.body, (*dynamo.JSONReader).Skip); err != nil {
			return nil, err
		}
		return append(field(append(dst, '{'), list), "[]}"...), nil
	}
}

// noGlobalTable answers that there is no global table; the exception depends on whether
// the request is about a global table or about a table's replicas.
func noGlobalTable(code string) operation {
	return func(r *request, dst []byte) ([]byte, error) {
		var s subject
		if err := dynamo.DecodeJSON(r.body, func(j *dynamo.JSONReader) {
			s = readSubject(j)
			require(j, member{"tableName", s.global+s.table != ""})
		}); err != nil {
			return nil, err
		}
		return nil, &dynamo.Error{Code: code, Message: "Global table with name: '" + s.global + s.table + "' does not exist."}
	}
}

// aboutTable answers a request about something that a table has not. The table has to be
// there, and so has its index if one is named.
func aboutTable(write func(dst []byte, s subject) ([]byte, error)) operation {
	return func(r *request, dst []byte) ([]byte, error) {
		var s subject
		if err := dynamo.DecodeJSON(r.body, func(j *dynamo.JSONReader) {
			s = readSubject(j)
			requireTableName(j, s.table != "")
		}); err != nil {
			return nil, err
		}
		t, err := r.db.DescribeTable(r.ctx, s.table)
		if err != nil {
			return nil, err
		}
		if ix, local := t.Index(s.index); s.index != "" && (ix == nil || local) {
			return nil, &dynamo.Error{Code: dynamo.CodeResourceNotFound,
				Message: "Requested resource not found: Index: " + s.index + " not found for table: " + t.Name}
		}
		s.table = t.Name
		return write(dst, s)
	}
}

func noDestinations(dst []byte, s subject) ([]byte, error) {
	dst = appendStringField(append(dst, '{'), "TableName", s.table)
	return append(field(dst, "KinesisDataStreamDestinations"), "[]}"...), nil
}

const textDestination = "Table is not in a valid state to enable Kinesis Streaming Destination: "

func notDisabled([]byte, subject) ([]byte, error) {
	return nil, dynamo.Invalid(textDestination + "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.")
}

func notUpdated(_ []byte, s subject) ([]byte, error) {
	return nil, dynamo.Invalid(textDestination + "Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: " +
		s.table + ", kdsArn: " + s.stream)
}

func noInsights(dst []byte, s subject) ([]byte, error) {
	if s.action == "ENABLE" {
		return nil, notServedError("UpdateContributorInsights with the action ENABLE")
	}
	dst = appendStringField(append(dst, '{'), "TableName", s.table)
	if s.index != "" {
		dst = appendStringField(dst, "IndexName", s.index)
	}
	return append(appendStringField(dst, "ContributorInsightsStatus", "DISABLED"), '}'), nil
}

// absent are the operations on what no account of this server has.
var absent = map[string]operation{
	"ListGlobalTables":                noneOf("GlobalTables"),
	"ListContributorInsights":         noneOf("ContributorInsightsSummaries"),
	"ListBackups":                     noneOf("BackupSummaries"),
	"ListExports":                     noneOf("ExportSummaries"),
	"ListImports":                     noneOf("ImportSummaryList"),
	"DescribeGlobalTable":             noGlobalTable("GlobalTableNotFoundException"),
	"DescribeGlobalTableSettings":     noGlobalTable("GlobalTableNotFoundException"),
	"UpdateGlobalTable":               noGlobalTable("GlobalTableNotFoundException"),
	"UpdateGlobalTableSettings":       noGlobalTable("GlobalTableNotFoundException"),
	"DescribeTableReplicaAutoScaling": noGlobalTable(dynamo.CodeResourceNotFound),
	"UpdateTableReplicaAutoScaling":   noGlobalTable(dynamo.CodeResourceNotFound),

	"DescribeKinesisStreamingDestination": aboutTable(noDestinations),
	"DisableKinesisStreamingDestination":  aboutTable(notDisabled),
	"UpdateKinesisStreamingDestination":   aboutTable(notUpdated),
	"DescribeContributorInsights":         aboutTable(noInsights),
	"UpdateContributorInsights":           aboutTable(noInsights),
}
