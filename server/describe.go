package server

import "github.com/keyfold-dev/keyfold/dynamo"

func appendTable(dst []byte, t *dynamo.Table) []byte {
	return append(appendDescription(field(append(dst, '{'), "Table"), t), '}')
}

func appendTableDescription(dst []byte, t *dynamo.Table) []byte {
	return append(appendDescription(field(append(dst, '{'), "TableDescription"), t), '}')
}

const onDemand = "PAY_PER_REQUEST"

// What a new on-demand table and its indexes can take (Developer Guide, "On-demand
// capacity mode").
const warmReads, warmWrites = 12_000, 4_000

func appendDescription(dst []byte, t *dynamo.Table) []byte {
	dst = append(dst, '{')
	dst = appendList(field(dst, "AttributeDefinitions"), t.Attributes, func(dst []byte, d dynamo.AttributeDefinition) []byte {
		dst = appendStringField(append(dst, '{'), "AttributeName", d.Name)
		return append(appendStringField(dst, "AttributeType", string(d.Type)), '}')
	})
	dst = appendStringField(dst, "TableName", t.Name)
	dst = appendKeySchema(dst, t.Keys)
	dst = appendStringField(dst, "TableStatus", string(t.Status))
	dst = appendTime(field(dst, "CreationDateTime"), t.Created)
	dst = appendThroughput(dst, t.Throughput)
	dst = appendIntField(dst, "TableSizeBytes", t.SizeBytes)
	dst = appendIntField(dst, "ItemCount", t.ItemCount)
	dst = appendStringField(dst, "TableArn", t.ARN)
	dst = appendStringField(dst, "TableId", t.ID)
	if t.BillingMode == onDemand {
		dst = append(field(dst, "BillingModeSummary"), '{')
		dst = appendStringField(dst, "BillingMode", onDemand)
		dst = appendTime(field(dst, "LastUpdateToPayPerRequestDateTime"), t.Created)
		dst = append(dst, '}')
	}
	if len(t.LocalIndexes) > 0 {
		dst = appendList(field(dst, "LocalSecondaryIndexes"), t.LocalIndexes, func(dst []byte, ix dynamo.Index) []byte {
			return append(appendIndex(append(dst, '{'), ix), '}')
		})
	}
	if len(t.GlobalIndexes) > 0 {
		dst = appendList(field(dst, "GlobalSecondaryIndexes"), t.GlobalIndexes, func(dst []byte, ix dynamo.Index) []byte {
			dst = appendIndex(append(dst, '{'), ix)
			dst = appendStringField(dst, "IndexStatus", string(ix.Status))
			dst = appendThroughput(dst, ix.Throughput)
			return append(appendWarmThroughput(dst, t.BillingMode, ix.Throughput, ix.Status), '}')
		})
	}
	if t.TableClass != "" {
		dst = append(field(dst, "TableClassSummary"), '{')
		dst = append(appendStringField(dst, "TableClass", t.TableClass), '}')
	}
	dst = appendBoolField(dst, "DeletionProtectionEnabled", t.Protected)
	return append(appendWarmThroughput(dst, t.BillingMode, t.Throughput, t.Status), '}')
}

func appendKeySchema(dst []byte, keys []dynamo.KeyElement) []byte {
	return appendList(field(dst, "KeySchema"), keys, func(dst []byte, e dynamo.KeyElement) []byte {
		kind := "HASH"
		if e.Sort {
			kind = "RANGE"
		}
		dst = appendStringField(append(dst, '{'), "AttributeName", e.Name)
		return append(appendStringField(dst, "KeyType", kind), '}')
	})
}

// appendIndex appends what local and global indexes have in common.
func appendIndex(dst []byte, ix dynamo.Index) []byte {
	dst = appendStringField(dst, "IndexName", ix.Name)
	dst = appendKeySchema(dst, ix.Keys)
	dst = append(field(dst, "Projection"), '{')
	dst = appendStringField(dst, "ProjectionType", string(ix.Projection.Type))
	if len(ix.Projection.Attributes) > 0 {
		dst = appendList(field(dst, "NonKeyAttributes"), ix.Projection.Attributes, dynamo.AppendJSONString)
	}
	dst = append(dst, '}')
	dst = appendIntField(dst, "IndexSizeBytes", ix.SizeBytes)
	dst = appendIntField(dst, "ItemCount", ix.ItemCount)
	return appendStringField(dst, "IndexArn", ix.ARN)
}

// appendThroughput appends zeros for on-demand tables and their indexes, as the service
// does.
func appendThroughput(dst []byte, t *dynamo.Throughput) []byte {
	if t == nil {
		t = &dynamo.Throughput{}
	}
	dst = append(field(dst, "ProvisionedThroughput"), '{')
	dst = appendIntField(dst, "NumberOfDecreasesToday", 0)
	dst = appendIntField(dst, "ReadCapacityUnits", t.Read)
	return append(appendIntField(dst, "WriteCapacityUnits", t.Write), '}')
}

func appendWarmThroughput(dst []byte, billing string, t *dynamo.Throughput, status dynamo.Status) []byte {
	warm := dynamo.Throughput{Read: warmReads, Write: warmWrites}
	if billing != onDemand && t != nil {
		warm = *t
	}
	dst = append(field(dst, "WarmThroughput"), '{')
	dst = appendIntField(dst, "ReadUnitsPerSecond", warm.Read)
	dst = appendIntField(dst, "WriteUnitsPerSecond", warm.Write)
	return append(appendStringField(dst, "Status", string(status)), '}')
}
