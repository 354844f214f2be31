package server

import (
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func readUpdateTable(r *dynamo.JSONReader) *dynamo.UpdateTableInput {
	in := &dynamo.UpdateTableInput{}
	named := false
	for field := range r.Struct("UpdateTableInput") {
		switch field {
		case "TableName":
			in.TableName, named = r.Text(), true
		case "AttributeDefinitions":
			in.Attributes = readDefinitions(r)
		case "BillingMode":
			in.BillingMode = r.Text()
		case "ProvisionedThroughput":
			in.Throughput = readThroughput(r)
		case "OnDemandThroughput":
			in.OnDemand = readLimits(r)
		case "WarmThroughput":
			in.Warm = readWarm(r)
		case "GlobalSecondaryIndexUpdates":
			in.Indexes = readIndexUpdates(r)
		case "StreamSpecification":
			s := readStreamSpecification(r)
			in.Stream = &s
		case "TableClass":
			in.TableClass = r.Text()
		case "DeletionProtectionEnabled":
			protected := r.Bool()
			in.Protected = &protected
		}
	}
	requireTableName(r, named)
	return in
}

func readIndexUpdates(r *dynamo.JSONReader) []dynamo.IndexUpdate {
	list := []dynamo.IndexUpdate{}
	for i := range r.List() {
		var u dynamo.IndexUpdate
		path := "globalSecondaryIndexUpdates." + strconv.Itoa(i+1) + ".member."
		for field := range r.Struct("GlobalSecondaryIndexUpdate") {
			switch field {
			case "Create":
				ix := readIndex(r, "CreateGlobalSecondaryIndexAction", path+"create")
				u.Create = &ix
			case "Update":
				ix := readIndex(r, "UpdateGlobalSecondaryIndexAction", path+"update")
				u.Update = &ix
			case "Delete":
				ix := readIndex(r, "DeleteGlobalSecondaryIndexAction", path+"delete")
				u.Delete = &ix.Name
			}
		}
		list = append(list, u)
	}
	return list
}

// readLimits reads limits of on-demand throughput; one that is not given is none.
func readLimits(r *dynamo.JSONReader) *dynamo.Throughput {
	t := &dynamo.Throughput{Read: -1, Write: -1}
	for field := range r.Struct("OnDemandThroughput") {
		switch field {
		case "MaxReadRequestUnits":
			t.Read = r.Integer(64)
		case "MaxWriteRequestUnits":
			t.Write = r.Integer(64)
		}
	}
	return t
}

func readWarm(r *dynamo.JSONReader) *dynamo.Throughput {
	t := &dynamo.Throughput{}
	for field := range r.Struct("WarmThroughput") {
		switch field {
		case "ReadUnitsPerSecond":
			t.Read = r.Integer(64)
		case "WriteUnitsPerSecond":
			t.Write = r.Integer(64)
		}
	}
	return t
}
