package server

import (
	"context"
	"math"
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
)

// A request is what an operation works on.
type request struct {
	ctx  context.Context
	db   *engine.DB
	host string // that the client has called
	body []byte
}

// An operation carries out a request and appends the body of its answer to dst.
type operation func(r *request, dst []byte) ([]byte, error)

// op makes an operation of how its request is read, what carries it out, and how its
// answer is written.
func op[In, Out any](
	read func(*dynamo.JSONReader) In,
	call func(*engine.DB, context.Context, In) (Out, error),
	write func([]byte, Out) []byte,
) operation {
	return func(r *request, dst []byte) ([]byte, error) {
		var in In
		if err := dynamo.DecodeJSON(r.body, func(j *dynamo.JSONReader) { in = read(j) }); err != nil {
			return nil, err
		}
		out, err := call(r.db, r.ctx, in)
		if err != nil {
			return nil, err
		}
		return write(dst, out), nil
	}
}

// operations are the operations of DynamoDB_20120810 that are served.
var operations = map[string]operation{
	"PutItem":    op(readPutItem, (*engine.DB).PutItem, appendWritten),
	"GetItem":    op(readGetItem, (*engine.DB).GetItem, appendGotten),
	"UpdateItem": op(readUpdateItem, (*engine.DB).UpdateItem, appendWritten),
	"DeleteItem": op(readDeleteItem, (*engine.DB).DeleteItem, appendWritten),

	"Query": op(readQuery, (*engine.DB).Query, appendPage),
	"Scan":  op(readScan, (*engine.DB).Scan, appendPage),

	"BatchGetItem":       op(readBatchGet, (*engine.DB).BatchGetItem, appendBatchGotten),
	"BatchWriteItem":     op(readBatchWrite, (*engine.DB).BatchWriteItem, appendBatchWritten),
	"TransactGetItems":   op(readTransactGet, (*engine.DB).TransactGetItems, appendTransactGotten),
	"TransactWriteItems": op(readTransactWrite, (*engine.DB).TransactWriteItems, appendTransactWritten),

	"ExecuteStatement":      op(readExecuteStatement, (*engine.DB).ExecuteStatement, appendExecuted),
	"BatchExecuteStatement": op(readBatchExecute, (*engine.DB).BatchExecuteStatement, appendBatchExecuted),
	"ExecuteTransaction":    op(readExecuteTransaction, (*engine.DB).ExecuteTransaction, appendTransactionExecuted),

	"CreateTable":   op(readTable, (*engine.DB).CreateTable, appendTableDescription),
	"DeleteTable":   op(readTableOnly, (*engine.DB).DeleteTable, appendTableDescription),
	"DescribeTable": op(readTableOnly, (*engine.DB).DescribeTable, appendTable),
	"UpdateTable":   op(readUpdateTable, (*engine.DB).UpdateTable, appendTableDescription),
	"ListTables":    op(readListTables, (*engine.DB).ListTables, appendTableNames),

	"UpdateTimeToLive":   op(readTimeToLive, (*engine.DB).UpdateTimeToLive, appendTimeToLive),
	"DescribeTimeToLive": op(readTableOnly, (*engine.DB).DescribeTimeToLive, appendTimeToLiveStatus),

	"TagResource":        op(readTagChange, only((*engine.DB).TagResource), appendNothing),
	"UntagResource":      op(readUntag, only((*engine.DB).UntagResource), appendNothing),
	"ListTagsOfResource": op(readResource, (*engine.DB).ListTagsOfResource, appendTags),

	"DescribeContinuousBackups": op(readTableOnly, (*engine.DB).DescribeContinuousBackups, appendContinuousBackups),
	"UpdateContinuousBackups":   op(readContinuousBackups, (*engine.DB).UpdateContinuousBackups, appendContinuousBackups),

	"DescribeLimits":    describeLimits,
	"DescribeEndpoints": describeEndpoints,
}

// notServed are the operations of the API that are not served; they are told apart from
// names that are no operations at all.
var notServed = names(
	"BatchExecuteStatement", "ExecuteStatement", "ExecuteTransaction",
	"CreateBackup", "DeleteBackup", "DescribeBackup", "RestoreTableFromBackup", "RestoreTableToPointInTime",
	"ExportTableToPointInTime", "DescribeExport", "ImportTable", "DescribeImport",
	"PutResourcePolicy", "GetResourcePolicy", "DeleteResourcePolicy",
	"CreateGlobalTable", "EnableKinesisStreamingDestination",
	"StartBulkPutItems", "DescribeBulkOperation", "CancelBulkOperation", "ListBulkOperations", "SearchVectors",
)

func names(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}

// field appends the name of a member to an object that has been opened.
func field(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func appendStringField(dst []byte, name, s string) []byte {
	return dynamo.AppendJSONString(field(dst, name), s)
}

func appendIntField(dst []byte, name string, n int64) []byte {
	return strconv.AppendInt(field(dst, name), n, 10)
}

func appendBoolField(dst []byte, name string, b bool) []byte {
	return strconv.AppendBool(field(dst, name), b)
}

func appendUnitsField(dst []byte, name string, x float64) []byte {
	return appendUnits(field(dst, name), x)
}

// appendUnits writes a fraction always, as the service does: 1.0.
func appendUnits(dst []byte, x float64) []byte {
	dst = strconv.AppendFloat(dst, x, 'f', -1, 64)
	if x == math.Trunc(x) {
		dst = append(dst, ".0"...)
	}
	return dst
}

func appendList[T any](dst []byte, list []T, write func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(dst, list[i])
	}
	return append(dst, ']')
}
