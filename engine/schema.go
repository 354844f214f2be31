package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// checkTable checks the request of CreateTable; it reports the first fault, in the
// service's order: names and ranges of single members, then billing, then the key schema,
// then the indexes one by one, then what concerns all of them.
func checkTable(t *dynamo.Table) error {
	checks := []func(*dynamo.Table) error{checkNewTableName, checkMembers, checkBilling, checkKeyDefinitions,
		func(t *dynamo.Table) error { return checkKeySchema(t.Keys, false) },
		checkLocalIndexes, checkGlobalIndexes, checkIndexNames, checkDefinitionCount,
		func(t *dynamo.Table) error { return checkTags(t.Tags) }}
	for _, check := range checks {
		if err := check(t); err != nil {
			return err
		}
	}
	return nil
}

func checkNewTableName(t *dynamo.Table) error {
	if t.Name == "" {
		return invalid("The parameter 'TableName' is required but was not present in the request")
	}
	return checkLongName(t.Name, "tableName")
}

// checkLongName checks the name of a new table or index.
func checkLongName(name, field string) error {
	switch {
	case !validName(name):
		return unlike(name, field, textPattern)
	case len(name) < dynamo.MinTableNameLength:
		return unlike(name, field, textLengthAtLeast, dynamo.MinTableNameLength)
	case len(name) > dynamo.MaxTableNameLength:
		return unlike(name, field, textLengthAtMost, dynamo.MaxTableNameLength)
	}
	return nil
}

// checkTableName checks the name in a request to an existing table.
func checkTableName(name string) error {
	switch {
	case name == "":
		return invalid(oneError + "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1")
	case !validName(name):
		return unlike(name, "tableName", textPattern)
	case len(name) > dynamo.MaxTableNameLength:
		return unlike(name, "tableName", textLengthAtMost, dynamo.MaxTableNameLength)
	}
	return nil
}

func validName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.') {
			return false
		}
	}
	return true
}

func checkMembers(t *dynamo.Table) error {
	switch {
	case t.BillingMode != "" && t.BillingMode != "PROVISIONED" && t.BillingMode != "PAY_PER_REQUEST":
		return unlike(t.BillingMode, "billingMode", textEnum, "[PROVISIONED, PAY_PER_REQUEST]")
	case checkTableClass(t.TableClass) != nil:
		return checkTableClass(t.TableClass)
	case len(t.Keys) == 0:
		return invalid(oneError + "Value null at 'keySchema' failed to satisfy constraint: Member must not be null")
	case len(t.Keys) > 2:
		return unlike(schemaText(t.Keys), "keySchema", textLengthAtMost, 2)
	}
	if err := checkAttributeTypes(t.Attributes); err != nil {
		return err
	}
	if err := checkStreamView(t.Stream); err != nil {
		return err
	}
	for i := range t.LocalIndexes {
		if err := checkIndexMembers(&t.LocalIndexes[i], "localSecondaryIndexes."+strconv.Itoa(i+1)+".member"); err != nil {
			return err
		}
	}
	for i := range t.GlobalIndexes {
		if err := checkIndexMembers(&t.GlobalIndexes[i], "globalSecondaryIndexes."+strconv.Itoa(i+1)+".member"); err != nil {
			return err
		}
	}
	return checkThroughput(t.Throughput, "provisionedThroughput")
}

func checkAttributeTypes(list []dynamo.AttributeDefinition) error {
	for i, d := range list {
		if d.Type != dynamo.TypeString && d.Type != dynamo.TypeNumber && d.Type != dynamo.TypeBinary {
			return unlike(string(d.Type), "attributeDefinitions."+strconv.Itoa(i+1)+".member.attributeType", textEnum, "[B, N, S]")
		}
	}
	return nil
}

// schemaText prints a key schema as the service's messages do.
func schemaText(keys []dynamo.KeyElement) string {
	var parts []string
	for _, k := range keys {
		role := "HASH"
		if k.Sort {
			role = "RANGE"
		}
		parts = append(parts, "KeySchemaElement(attributeName="+k.Name+", keyType="+role+")")
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func checkIndexMembers(ix *dynamo.Index, path string) error {
	switch p := ix.Projection.Type; {
	case ix.Name == "":
		return invalid(oneError+"Value null at '%s.indexName' failed to satisfy constraint: Member must not be null", path)
	case len(ix.Keys) == 0:
		return invalid(oneError+"Value null at '%s.keySchema' failed to satisfy constraint: Member must not be null", path)
	case p != "" && p != dynamo.ProjectAll && p != dynamo.ProjectInclude && p != dynamo.ProjectKeysOnly:
		return unlike(string(p), path+".projection.projectionType", textEnum, "[ALL, INCLUDE, KEYS_ONLY]")
	}
	if err := checkLongName(ix.Name, path+".indexName"); err != nil {
		return err
	}
	return checkThroughput(ix.Throughput, path+".provisionedThroughput")
}

func checkThroughput(p *dynamo.Throughput, path string) error {
	switch {
	case p == nil:
		return nil
	case p.Write < 1:
		return unlike(p.Write, path+".writeCapacityUnits", textValueAtLeast, 1)
	case p.Read < 1:
		return unlike(p.Read, path+".readCapacityUnits", textValueAtLeast, 1)
	}
	return nil
}

// maxThroughput is the largest capacity that may be provisioned, in units per second.
const maxThroughput = 1_000_000_000_000

func checkBilling(t *dynamo.Table) error {
	switch onDemand := t.BillingMode == billingOnDemand; {
	case onDemand && t.Throughput != nil:
		return invalid(parametersInvalid + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case !onDemand && t.Throughput == nil:
		return invalid(parametersInvalid + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	case onDemand:
		return checkLimits(t.OnDemand, billingOnDemand, "table", "")
	case checkLimits(t.OnDemand, billingProvisioned, "table", "") != nil:
		return checkLimits(t.OnDemand, billingProvisioned, "table", "")
	case t.Throughput.Read > maxThroughput:
		return invalid("Given value %d for ReadCapacityUnits is out of bounds", t.Throughput.Read)
	case t.Throughput.Write > maxThroughput:
		return invalid("Given value %d for WriteCapacityUnits is out of bounds", t.Throughput.Write)
	}
	return nil
}

func checkKeyDefinitions(t *dynamo.Table) error {
	missing := slices.IndexFunc(t.Keys, func(k dynamo.KeyElement) bool { return t.AttributeType(k.Name) == dynamo.Absent })
	switch {
	case len(t.Keys) == 2 && t.Keys[0].Name == t.Keys[1].Name,
		missing >= 0 && (len(t.Keys) > 1 || len(t.Attributes) == 0):
		return invalid("Invalid KeySchema: Some index key attribute have no definition")
	case missing >= 0:
		return undefinedKeys([]string{t.Keys[missing].Name}, t)
	}
	return nil
}

func undefinedKeys(keys []string, t *dynamo.Table) error {
	var defined []string
	for _, d := range t.Attributes {
		defined = append(defined, d.Name)
	}
	return invalid(parametersInvalid+"Some index key attributes are not defined in AttributeDefinitions. Keys: [%s], AttributeDefinitions: [%s]",
		strings.Join(keys, ", "), strings.Join(defined, ", "))
}

// checkKeySchema checks the roles of key attributes: a partition attribute and perhaps a
// sort attribute, or with several up to four of each, partition attributes first.
func checkKeySchema(keys []dynamo.KeyElement, several bool) error {
	if keys[0].Sort {
		return invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
	}
	sorts := 0
	for i, k := range keys {
		if slices.ContainsFunc(keys[:i], func(o dynamo.KeyElement) bool { return o.Name == k.Name }) {
			return invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
		}
		if k.Sort {
			sorts++
		} else if sorts > 0 {
			return invalid("Invalid KeySchema: All HASH KeySchemaElements must come before RANGE KeySchemaElements")
		}
	}
	most := 1
	if several {
		most = dynamo.MaxIndexKeyAttributes
	}
	switch hashes := len(keys) - sorts; {
	case !several && hashes > most:
		return invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
	case hashes > most:
		return invalid(parametersInvalid+"KeySchema has %d HASH attributes, and at most %d are allowed", hashes, most)
	case sorts > most:
		return invalid(parametersInvalid+"KeySchema has %d RANGE attributes, and at most %d are allowed", sorts, most)
	}
	return nil
}

// checkIndexDefinitions checks that all key attributes of the indexes are defined.
func checkIndexDefinitions(indexes []dynamo.Index, t *dynamo.Table) error {
	var keys []string
	missing := false
	for i := range indexes {
		for _, k := range indexes[i].Keys {
			missing = missing || t.AttributeType(k.Name) == dynamo.Absent
			if !slices.Contains(keys, k.Name) {
				keys = append(keys, k.Name)
			}
		}
	}
	if missing {
		return undefinedKeys(keys, t)
	}
	return nil
}

func checkLocalIndexes(t *dynamo.Table) error {
	if len(t.LocalIndexes) == 0 {
		return nil
	}
	if len(t.Keys) < 2 {
		return invalid(parametersInvalid + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex")
	}
	if err := checkIndexDefinitions(t.LocalIndexes, t); err != nil {
		return err
	}
	for i := range t.LocalIndexes {
		ix := &t.LocalIndexes[i]
		if err := checkKeySchema(ix.Keys, false); err != nil {
			return err
		}
		switch {
		case len(ix.Keys) < 2:
			return invalid(parametersInvalid+"Index KeySchema does not have a range key for index: %s", ix.Name)
		case ix.Keys[0].Name != t.Keys[0].Name:
			return invalid(parametersInvalid+"Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, table hash key: %s",
				ix.Name, ix.Keys[0].Name, t.Keys[0].Name)
		}
		if err := checkProjection(&ix.Projection); err != nil {
			return err
		}
	}
	if len(t.LocalIndexes) > dynamo.MaxLocalIndexes {
		return invalid(parametersInvalid+"Number of LocalSecondaryIndexes exceeds per-table limit of %d", dynamo.MaxLocalIndexes)
	}
	return nil
}

func checkGlobalIndexes(t *dynamo.Table) error {
	if err := checkIndexDefinitions(t.GlobalIndexes, t); err != nil {
		return err
	}
	for i := range t.GlobalIndexes {
		ix := &t.GlobalIndexes[i]
		if err := checkKeySchema(ix.Keys, true); err != nil {
			return err
		}
		if err := checkProjection(&ix.Projection); err != nil {
			return err
		}
		if t.BillingMode == "PAY_PER_REQUEST" && ix.Throughput != nil {
			return invalid(parametersInvalid+"ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST", ix.Name)
		}
		if t.BillingMode != "PAY_PER_REQUEST" && ix.Throughput == nil {
			return invalid(parametersInvalid+"ProvisionedThroughput is not specified for index: %s", ix.Name)
		}
		if err := checkLimits(ix.OnDemand, t.BillingMode, "index : "+ix.Name, " for index : "+ix.Name); err != nil {
			return err
		}
	}
	if len(t.GlobalIndexes) > dynamo.MaxGlobalIndexes {
		return invalid(parametersInvalid+"GlobalSecondaryIndex count exceeds the per-table limit of %d", dynamo.MaxGlobalIndexes)
	}
	return nil
}

func checkProjection(p *dynamo.Projection) error {
	switch {
	case p.Type == "":
		return invalid(parametersInvalid + "Unknown ProjectionType: null")
	case p.Type != dynamo.ProjectInclude && len(p.Attributes) > 0:
		return invalid(parametersInvalid+"ProjectionType is %s, but NonKeyAttributes is specified", p.Type)
	case p.Type == dynamo.ProjectInclude && len(p.Attributes) == 0:
		return invalid(parametersInvalid + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	}
	return nil
}

func checkIndexNames(t *dynamo.Table) error {
	var names []string
	projected := 0
	for _, list := range [][]dynamo.Index{t.LocalIndexes, t.GlobalIndexes} {
		for i := range list {
			if slices.Contains(names, list[i].Name) {
				return invalid(parametersInvalid+"Duplicate index name: %s", list[i].Name)
			}
			names = append(names, list[i].Name)
			projected += len(list[i].Projection.Attributes)
		}
	}
	if projected > dynamo.MaxProjectedAttributes {
		return invalid(parametersInvalid+"Number of attributes projected into all of the table's indexes exceeds the limit of %d", dynamo.MaxProjectedAttributes)
	}
	return nil
}

// checkDefinitionCount checks that exactly the key attributes are defined.
func checkDefinitionCount(t *dynamo.Table) error {
	if len(usedAttributes(t)) != len(t.Attributes) {
		return invalid(parametersInvalid + "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions")
	}
	return nil
}

// usedAttributes are the attributes that are part of a key.
func usedAttributes(t *dynamo.Table) map[string]bool {
	used := map[string]bool{}
	for _, k := range t.Keys {
		used[k.Name] = true
	}
	for _, list := range [][]dynamo.Index{t.LocalIndexes, t.GlobalIndexes} {
		for i := range list {
			for _, k := range list[i].Keys {
				used[k.Name] = true
			}
		}
	}
	return used
}
