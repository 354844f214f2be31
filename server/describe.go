package server

import "github.com/keyfold-dev/keyfold/dynamo"

func appendTable(dst []byte, t *dynamo.Table) []byte {
	return append(appendDescription(field(append(dst, '{'), "Table"), t), '}')
}

func appendTableDescription(dst []byte, t *dynamo.Table) []byte {
	return append(appendDescription(field(append(dst, '{'), "TableDescription"), t), '}')
}

const onDemand = "PAY_PER_REQUEST"

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
	dst = appendBilling(dst, t)
	if len(t.LocalIndexes) > 0 {
		dst = appendList(field(dst, "LocalSecondaryIndexes"), t.LocalIndexes, func(dst []byte, ix dynamo.Index) []byte {
			return append(appendIndex(append(dst, '{'), ix), '}')
		})
	}
	if len(t.GlobalIndexes) > 0 {
		dst = appendList(field(dst, "GlobalSecondaryIndexes"), t.GlobalIndexes, func(dst []byte, ix dynamo.Index) []byte {
			dst = appendIndex(append(dst, '{'), ix)
			dst = appendStringField(dst, "IndexStatus", string(ix.Status))
			if t.Status != dynamo.StatusCreating && ix.Status == dynamo.StatusCreating {
				dst = appendBoolField(dst, "Backfilling", ix.Backfilling)
			}
			dst = appendThroughput(dst, ix.Throughput)
			dst = appendLimits(dst, ix.OnDemand)
			return append(appendWarmThroughput(dst, dynamo.WarmThroughput(t.BillingMode, ix.Throughput, ix.Warm), ix.Status), '}')
		})
	}
	if t.TableClass != "" {
		dst = append(field(dst, "TableClassSummary"), '{')
		dst = append(appendStringField(dst, "TableClass", t.TableClass), '}')
	}
	dst = appendBoolField(dst, "DeletionProtectionEnabled", t.Protected)
	dst = appendLimits(dst, t.OnDemand)
	if t.Stream != "" {
		dst = append(field(dst, "StreamSpecification"), '{')
		dst = appendBoolField(dst, "StreamEnabled", true)
		dst = append(appendStringField(dst, "StreamViewType", string(t.Stream)), '}')
	}
	if t.StreamARN != "" {
		dst = appendStringField(dst, "LatestStreamLabel", t.StreamLabel)
		dst = appendStringField(dst, "LatestStreamArn", t.StreamARN)
	}
	return append(appendWarmThroughput(dst, dynamo.WarmThroughput(t.BillingMode, t.Throughput, t.Warm), t.Status), '}')
}

// appendBilling appends the billing mode of a table that is, or once was, on demand.
func appendBilling(dst []byte, t *dynamo.Table) []byte {
	since := t.OnDemandSince
	switch {
	case t.BillingMode == onDemand && since.IsZero():
		since = t.Created
	case since.IsZero():
		return dst
	}
	dst = append(field(dst, "BillingModeSummary"), '{')
	dst = appendStringField(dst, "BillingMode", t.BillingMode)
	return append(appendTime(field(dst, "LastUpdateToPayPerRequestDateTime"), since), '}')
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
	if !t.LastIncrease.IsZero() {
		dst = appendTime(field(dst, "LastIncreaseDateTime"), t.LastIncrease)
	}
	if !t.LastDecrease.IsZero() {
		dst = appendTime(field(dst, "LastDecreaseDateTime"), t.LastDecrease)
	}
	dst = appendIntField(dst, "NumberOfDecreasesToday", 0)
	dst = appendIntField(dst, "ReadCapacityUnits", t.Read)
	return append(appendIntField(dst, "WriteCapacityUnits", t.Write), '}')
}

func appendWarmThroughput(dst []byte, warm dynamo.Throughput, status dynamo.Status) []byte {
	dst = append(field(dst, "WarmThroughput"), '{')
	dst = appendIntField(dst, "ReadUnitsPerSecond", warm.Read)
	dst = appendIntField(dst, "WriteUnitsPerSecond", warm.Write)
	return append(appendStringField(dst, "Status", string(status)), '}')
}

// appendLimits appends the limits of on-demand throughput, if there are any.
func appendLimits(dst []byte, t *dynamo.Throughput) []byte {
	if t == nil {
		return dst
	}
	dst = append(field(dst, "OnDemandThroughput"), '{')
	dst = appendIntField(dst, "MaxReadRequestUnits", t.Read)
	return append(appendIntField(dst, "MaxWriteRequestUnits", t.Write), '}')
}
