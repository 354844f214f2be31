package engine

import (
	"slices"
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// The billing modes.
const (
	billingProvisioned = "PROVISIONED"
	billingOnDemand    = "PAY_PER_REQUEST"
)

const (
	textStillInUse  = "Attempt to change a resource which is still in use: "
	textNothingToDo = "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, " +
		"SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, " +
		"DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
)

// checkUpdate finds the faults of UpdateTable's request that do not depend on the table:
// of single members, then of members that do not go together, then of index updates.
func checkUpdate(in *dynamo.UpdateTableInput) error {
	if err := checkTableName(nameOf(in.TableName)); err != nil {
		return err
	}
	for _, check := range []func(*dynamo.UpdateTableInput) error{checkUpdateMembers, checkTogether, checkIndexUpdates} {
		if err := check(in); err != nil {
			return err
		}
	}
	return nil
}

func checkUpdateMembers(in *dynamo.UpdateTableInput) error {
	if in.BillingMode != "" && in.BillingMode != billingProvisioned && in.BillingMode != billingOnDemand {
		return unlike(in.BillingMode, "billingMode", textEnum, "[PROVISIONED, PAY_PER_REQUEST]")
	}
	if err := checkTableClass(in.TableClass); err != nil {
		return err
	}
	if err := checkThroughput(in.Throughput, "provisionedThroughput"); err != nil {
		return err
	}
	if err := checkAttributeTypes(in.Attributes); err != nil {
		return err
	}
	if err := checkStream(in.Stream); err != nil {
		return err
	}
	for i := range in.Indexes {
		if err := checkIndexUpdateMembers(&in.Indexes[i], "globalSecondaryIndexUpdates."+strconv.Itoa(i+1)+".member."); err != nil {
			return err
		}
	}
	return nil
}

func checkTableClass(class string) error {
	switch class {
	case "", "STANDARD", "STANDARD_INFREQUENT_ACCESS":
		return nil
	}
	return unlike(class, "tableClass", textEnum, "[STANDARD, STANDARD_INFREQUENT_ACCESS]")
}

func checkIndexUpdateMembers(x *dynamo.IndexUpdate, path string) error {
	switch {
	case x.Create != nil:
		return checkIndexMembers(x.Create, path+"create")
	case x.Update != nil && x.Update.Name == "":
		return invalid(oneError+"Value null at '%supdate.indexName' failed to satisfy constraint: Member must not be null", path)
	case x.Update != nil:
		if err := checkLongName(x.Update.Name, path+"update.indexName"); err != nil {
			return err
		}
		return checkThroughput(x.Update.Throughput, path+"update.provisionedThroughput")
	case x.Delete != nil && *x.Delete == "":
		return invalid(oneError+"Value null at '%sdelete.indexName' failed to satisfy constraint: Member must not be null", path)
	case x.Delete != nil:
		return checkLongName(*x.Delete, path+"delete.indexName")
	}
	return nil
}

// checkTogether checks that the members of the request go together: the service takes
// nearly each kind of change alone.
func checkTogether(in *dynamo.UpdateTableInput) error {
	parts := 0
	for _, given := range []bool{in.BillingMode != "" || in.Throughput != nil, in.OnDemand != nil, in.Warm != nil,
		len(in.Indexes) > 0, in.Stream != nil, in.TableClass != "", in.Protected != nil} {
		if given {
			parts++
		}
	}
	var structural, created bool
	for _, x := range in.Indexes {
		structural = structural || x.Update == nil
		created = created || x.Create != nil
	}
	rates := in.Throughput != nil || in.BillingMode == billingProvisioned
	switch {
	case parts == 0:
		return invalid(textNothingToDo)
	case in.BillingMode == billingProvisioned && in.Throughput == nil:
		return invalid(parametersInvalid + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
	case in.BillingMode == billingOnDemand && in.Throughput != nil:
		return invalid(parametersInvalid + "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST")
	case in.TableClass != "" && parts > 1:
		return invalid(parametersInvalid + "TableClass modification must be the only operation in the request")
	case in.Protected != nil && parts > 1:
		return invalid(parametersInvalid + "DeletionProtection modification must be the only operation in the request")
	case in.Warm != nil && created:
		return invalid(parametersInvalid + "Create global secondary index cannot be specified when updating WarmThroughput")
	case in.Warm != nil && parts > 1:
		return invalid(parametersInvalid + "WarmThroughput must be the only operation in the request")
	case in.OnDemand != nil && (in.Throughput != nil || in.Stream != nil || len(in.Indexes) > 0):
		return invalid(parametersInvalid + "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request")
	case in.Stream != nil && rates:
		return invalid(parametersInvalid + "You cannot modify stream status while updating table IOPS")
	case structural && in.Throughput != nil:
		return invalid(parametersInvalid + "You cannot create or delete index while updating table IOPS")
	case structural && in.Stream != nil:
		return invalid(parametersInvalid + "You cannot create or delete index while changing stream status")
	case in.Throughput != nil && in.Throughput.Read > maxThroughput:
		return invalid("Given value %d for ReadCapacityUnits is out of bounds", in.Throughput.Read)
	case in.Throughput != nil && in.Throughput.Write > maxThroughput:
		return invalid("Given value %d for WriteCapacityUnits is out of bounds", in.Throughput.Write)
	}
	return nil
}

func checkIndexUpdates(in *dynamo.UpdateTableInput) error {
	var names []string
	for i := range in.Indexes {
		x := &in.Indexes[i]
		actions := 0
		for _, given := range []bool{x.Create != nil, x.Update != nil, x.Delete != nil} {
			if given {
				actions++
			}
		}
		switch {
		case actions == 0:
			return invalid(parametersInvalid + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null")
		case actions > 1:
			return invalid(parametersInvalid + "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
		case slices.Contains(names, x.Name()):
			return invalid(parametersInvalid+"Only one global secondary index update per index is allowed simultaneously. Index: %s", x.Name())
		}
		names = append(names, x.Name())
	}
	return nil
}

// checkCapacityChange checks the capacity that is asked for against what the table has;
// mode is the billing mode that it is to have.
func checkCapacityChange(in *dynamo.UpdateTableInput, d *dynamo.Table, mode string) error {
	switch old, asked := d.Throughput, in.Throughput; {
	case asked != nil && mode == billingOnDemand:
		return invalid(parametersInvalid + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case asked != nil && old != nil && asked.Read == old.Read && asked.Write == old.Write:
		return unchanged("table", old)
	}
	return checkLimits(in.OnDemand, mode, "table", "")
}

// unchanged is the fault of asking for the throughput that there is.
func unchanged(what string, t *dynamo.Throughput) error {
	return invalid("The provisioned throughput for the %[1]s will not change. The requested value equals the current value. "+
		"Current ReadCapacityUnits provisioned for the %[1]s: %[2]d. Requested ReadCapacityUnits: %[2]d. "+
		"Current WriteCapacityUnits provisioned for the %[1]s: %[3]d. Requested WriteCapacityUnits: %[3]d. "+
		"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.", what, t.Read, t.Write)
}

// checkLimits checks limits of on-demand throughput; nil sets none. what they are for is in
// the text about values, and where in the text about the billing mode.
func checkLimits(l *dynamo.Throughput, mode, what, where string) error {
	if l == nil {
		return nil
	}
	for _, c := range []struct {
		name  string
		limit int64
	}{{"MaxReadRequestUnits", l.Read}, {"MaxWriteRequestUnits", l.Write}} {
		switch {
		case mode != billingOnDemand && c.limit != -1:
			return invalid(parametersInvalid+"%s for OnDemandThroughput%s cannot be specified when the table BillingMode is PROVISIONED", c.name, where)
		case c.limit < 1 && c.limit != -1:
			return invalid(parametersInvalid+"Requested %s for OnDemandThroughput for %s is outside of valid range", c.name, what)
		}
	}
	return nil
}

// checkIndexExists checks that the index to change or delete is there and global.
func checkIndexExists(d *dynamo.Table, x *dynamo.IndexUpdate) error {
	verb := "update"
	if x.Delete != nil {
		verb = "delete"
	}
	switch ix, local := d.Index(x.Name()); {
	case local:
		return invalid("Cannot %s an index that is not a GlobalSecondaryIndex: %s", verb, x.Name())
	case ix == nil:
		return &dynamo.Error{Code: dynamo.CodeResourceNotFound, Message: textNotFound + ": Index " + x.Name() + " for table " + d.Name}
	}
	return nil
}

// checkNewIndex checks an index to create.
func (u *tableUpdate) checkNewIndex(in *dynamo.Index, d *dynamo.Table) error {
	if ix, _ := d.Index(in.Name); ix != nil {
		return invalid("Attempting to create an index which already exists")
	}
	var keys []string
	defined := true
	for _, k := range in.Keys {
		keys = append(keys, k.Name)
		defined = defined && u.definedType(k.Name, d) != dynamo.Absent
	}
	if !defined {
		if len(u.in.Attributes) == 0 {
			return invalid(parametersInvalid+"AttributeDefinitions is not specified for index: %s", in.Name)
		}
		return undefinedKeys(keys, &dynamo.Table{Attributes: u.in.Attributes})
	}
	if err := checkKeySchema(in.Keys, true); err != nil {
		return err
	}
	if err := checkProjection(&in.Projection); err != nil {
		return err
	}
	if len(d.GlobalIndexes) >= dynamo.MaxGlobalIndexes {
		return &dynamo.Error{Code: dynamo.CodeLimitExceeded, Message: "Subscriber limit exceeded: GlobalSecondaryIndex count exceeds the per-table limit of " + strconv.Itoa(dynamo.MaxGlobalIndexes)}
	}
	return checkIndexNames(&dynamo.Table{LocalIndexes: d.LocalIndexes, GlobalIndexes: append(slices.Clone(d.GlobalIndexes), *in)})
}

// checkIndexCapacity checks that the capacity of all global indexes goes with the table's
// billing mode.
func checkIndexCapacity(d *dynamo.Table) error {
	for i := range d.GlobalIndexes {
		ix := &d.GlobalIndexes[i]
		switch onDemand := d.BillingMode == billingOnDemand; {
		case onDemand && ix.Throughput != nil:
			return invalid(parametersInvalid+"Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: %s when BillingMode is PAY_PER_REQUEST", ix.Name)
		case !onDemand && ix.Throughput == nil:
			return invalid(parametersInvalid+"ProvisionedThroughput must be specified for index: %s", ix.Name)
		}
		if err := checkLimits(ix.OnDemand, d.BillingMode, "index : "+ix.Name, " for index : "+ix.Name); err != nil {
			return err
		}
	}
	return nil
}
