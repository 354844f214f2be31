package server

import (
	"strconv"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
)

// readTable reads CreateTable's request.
func readTable(r *dynamo.JSONReader) *dynamo.Table {
	t := &dynamo.Table{}
	named := false
	for field := range r.Struct("CreateTableInput") {
		switch field {
		case "TableName":
			t.Name, named = r.Text(), true
		case "AttributeDefinitions":
			t.Attributes = readDefinitions(r)
		case "KeySchema":
			t.Keys = readKeySchema(r, "keySchema")
		case "GlobalSecondaryIndexes":
			t.GlobalIndexes = readIndexes(r, "GlobalSecondaryIndex", "globalSecondaryIndexes")
		case "LocalSecondaryIndexes":
			t.LocalIndexes = readIndexes(r, "LocalSecondaryIndex", "localSecondaryIndexes")
		case "BillingMode":
			t.BillingMode = r.Text()
		case "ProvisionedThroughput":
			t.Throughput = readThroughput(r)
		case "OnDemandThroughput":
			t.OnDemand = readLimits(r)
		case "WarmThroughput":
			t.Warm = readWarm(r)
		case "StreamSpecification":
			t.Stream = readNewStream(r)
		case "TableClass":
			t.TableClass = r.Text()
		case "DeletionProtectionEnabled":
			t.Protected = r.Bool()
		case "Tags":
			t.Tags = readTags(r)
		}
	}
	requireTableName(r, named)
	return t
}

func readDefinitions(r *dynamo.JSONReader) []dynamo.AttributeDefinition {
	list := []dynamo.AttributeDefinition{}
	for range r.List() {
		var d dynamo.AttributeDefinition
		for field := range r.Struct("AttributeDefinition") {
			switch field {
			case "AttributeName":
				d.Name = r.Text()
			case "AttributeType":
				d.Type = dynamo.Type(r.Text())
			}
		}
		list = append(list, d)
	}
	return list
}

// readKeySchema reads the key schema at path, as the service's texts name it.
func readKeySchema(r *dynamo.JSONReader, path string) []dynamo.KeyElement {
	list := []dynamo.KeyElement{}
	for i := range r.List() {
		var e dynamo.KeyElement
		kind := "null"
		for field := range r.Struct("KeySchemaElement") {
			switch field {
			case "AttributeName":
				e.Name = r.Text()
			case "KeyType":
				kind = r.Text()
			}
		}
		at := " at '" + path + "." + strconv.Itoa(i+1) + ".member.keyType' failed to satisfy constraint: Member must "
		switch kind {
		case "HASH":
		case "RANGE":
			e.Sort = true
		case "null":
			r.Invalid(oneError + "Value null" + at + "not be null")
		default:
			r.Invalid(oneError + "Value '" + kind + "'" + at + "satisfy enum value set: [HASH, RANGE]")
		}
		list = append(list, e)
	}
	return list
}

func readIndexes(r *dynamo.JSONReader, class, path string) []dynamo.Index {
	list := []dynamo.Index{}
	for i := range r.List() {
		list = append(list, readIndex(r, class, path+"."+strconv.Itoa(i+1)+".member"))
	}
	return list
}

func readIndex(r *dynamo.JSONReader, class, path string) (ix dynamo.Index) {
	for field := range r.Struct(class) {
		switch field {
		case "IndexName":
			ix.Name = r.Text()
		case "KeySchema":
			ix.Keys = readKeySchema(r, path+".keySchema")
		case "Projection":
			ix.Projection = readProjection(r)
		case "ProvisionedThroughput":
			ix.Throughput = readThroughput(r)
		case "OnDemandThroughput":
			ix.OnDemand = readLimits(r)
		case "WarmThroughput":
			ix.Warm = readWarm(r)
		}
	}
	return ix
}

func readProjection(r *dynamo.JSONReader) (p dynamo.Projection) {
	for field := range r.Struct("Projection") {
		switch field {
		case "ProjectionType":
			p.Type = dynamo.ProjectionType(r.Text())
		case "NonKeyAttributes":
			p.Attributes = r.Strings()
		}
	}
	return p
}

func readThroughput(r *dynamo.JSONReader) *dynamo.Throughput {
	t := &dynamo.Throughput{}
	for field := range r.Struct("ProvisionedThroughput") {
		switch field {
		case "ReadCapacityUnits":
			t.Read = r.Integer(64)
		case "WriteCapacityUnits":
			t.Write = r.Integer(64)
		}
	}
	return t
}

// readTableOnly reads a request that names a table and says no more.
func readTableOnly(r *dynamo.JSONReader) string {
	var name string
	named := false
	for field := range r.Struct("DescribeTableInput") {
		if field == "TableName" {
			name, named = r.Text(), true
		}
	}
	requireTableName(r, named)
	return name
}

// requireTableName reports a missing table name in the words that the operations on
// tables have for it.
func requireTableName(r *dynamo.JSONReader, given bool) {
	if !given {
		r.Missing("The parameter 'TableName' is required but was not present in the request")
	}
}

func readListTables(r *dynamo.JSONReader) *dynamo.ListTablesInput {
	in := &dynamo.ListTablesInput{}
	for field := range r.Struct("ListTablesInput") {
		switch field {
		case "ExclusiveStartTableName":
			in.ExclusiveStartTableName = r.Text()
		case "Limit":
			in.Limit = readInt(r)
		}
	}
	return in
}

func appendTableNames(dst []byte, out *dynamo.ListTablesOutput) []byte {
	dst = appendList(field(append(dst, '{'), "TableNames"), out.TableNames, dynamo.AppendJSONString)
	if out.LastEvaluated != "" {
		dst = appendStringField(dst, "LastEvaluatedTableName", out.LastEvaluated)
	}
	return append(dst, '}')
}

func readTimeToLive(r *dynamo.JSONReader) *engine.TimeToLive {
	in := &engine.TimeToLive{}
	named, specified := false, false
	for field := range r.Struct("UpdateTimeToLiveInput") {
		switch field {
		case "TableName":
			in.TableName, named = r.Text(), true
		case "TimeToLiveSpecification":
			specified = true
			for field := range r.Struct("TimeToLiveSpecification") {
				switch field {
				case "AttributeName":
					in.Attribute = r.Text()
				case "Enabled":
					in.Enabled = r.Bool()
				}
			}
		}
	}
	require(r, member{"tableName", named}, member{"timeToLiveSpecification", specified})
	return in
}

func appendTimeToLive(dst []byte, t *engine.TimeToLive) []byte {
	dst = append(field(append(dst, '{'), "TimeToLiveSpecification"), '{')
	dst = appendBoolField(dst, "Enabled", t.Enabled)
	dst = appendStringField(dst, "AttributeName", t.Attribute)
	return append(dst, '}', '}')
}

func appendTimeToLiveStatus(dst []byte, t *engine.TimeToLive) []byte {
	dst = append(field(append(dst, '{'), "TimeToLiveDescription"), '{')
	if t.Enabled {
		dst = appendStringField(dst, "TimeToLiveStatus", "ENABLED")
		dst = appendStringField(dst, "AttributeName", t.Attribute)
	} else {
		dst = appendStringField(dst, "TimeToLiveStatus", "DISABLED")
	}
	return append(dst, '}', '}')
}

// describeLimits answers with the quotas of a new account (Developer Guide, "Quotas in
// Amazon DynamoDB"), for the engine sets none.
func describeLimits(r *request, dst []byte) ([]byte, error) {
	if err := dynamo.DecodeJSON(r.body, (*dynamo.JSONReader).Skip); err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	for _, name := range []string{"AccountMaxReadCapacityUnits", "AccountMaxWriteCapacityUnits"} {
		dst = appendIntField(dst, name, 80_000)
	}
	for _, name := range []string{"TableMaxReadCapacityUnits", "TableMaxWriteCapacityUnits"} {
		dst = appendIntField(dst, name, 40_000)
	}
	return append(dst, '}'), nil
}

// describeEndpoints names the host that the client has called: there is no other.
func describeEndpoints(r *request, dst []byte) ([]byte, error) {
	if err := dynamo.DecodeJSON(r.body, (*dynamo.JSONReader).Skip); err != nil {
		return nil, err
	}
	dst = append(field(append(dst, '{'), "Endpoints"), '[', '{')
	dst = appendStringField(dst, "Address", r.host)
	dst = appendIntField(dst, "CachePeriodInMinutes", 1440)
	return append(dst, '}', ']', '}'), nil
}

func appendTime(dst []byte, t time.Time) []byte {
	return strconv.AppendFloat(dst, float64(t.UnixMilli())/1000, 'f', -1, 64)
}
