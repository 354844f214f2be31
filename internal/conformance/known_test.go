package conformance

import "strings"

// Where the differences are known from.
const (
	guide    = "Developer Guide"
	suites   = "public suites run on the service, October 2026"
	inferred = "inferred, not verified on the service"
	emulate  = "Amazon's DynamoDB Local 1.25.1"
)

// differences are in the order in which they are looked for.
var differences = []difference{
	{
		name:   "texts of its own",
		theirs: "many faults are told in words that the service does not have",
		ours:   "the service's",
		source: suites,
		covers: func(e *exchange) bool {
			return e.ours.status == e.theirs.status && e.ours.code() == e.theirs.code() && isOwnText(unwrapped(e.theirs.message()))
		},
	},
	{
		name: "prefix",
		theirs: "faults found in a PutItem, UpdateItem or DeleteItem alone have no prefix, and bad values among " +
			"ExpressionAttributeValues are told with their placeholder",
		ours:   "`1 validation error detected: ` before them; no placeholder but in Scan, BatchWriteItem and transactions",
		source: suites,
		covers: func(e *exchange) bool {
			return e.bothRefuse() && unwrapped(e.ours.message()) == unwrapped(e.theirs.message())
		},
	},
	{
		name:   "key type text",
		theirs: "`Type mismatch for key` and `Type mismatch for Index Key` without more",
		ours:   "name, expected and actual type",
		source: suites,
		covers: func(e *exchange) bool {
			return e.bothRefuse() && strings.Contains(e.theirs.message(), "Type mismatch for ") && strings.Contains(e.ours.message(), e.theirs.message()+" ")
		},
	},
	{
		name:   "key schema text",
		theirs: "keys of a wrong type or number have several texts",
		ours:   "`The provided key element does not match the schema`",
		source: suites,
		covers: func(e *exchange) bool {
			return e.bothRefuse() && e.ours.message() == "The provided key element does not match the schema" &&
				(strings.Contains(e.theirs.message(), "Type mismatch for key") || strings.Contains(e.theirs.message(), "required keys was not given"))
		},
	},
	{
		name:   "keys before the rest",
		theirs: "values of keys are looked at before expressions, Select and projections",
		ours:   "what is wrong with the request alone comes first",
		source: suites,
		covers: func(e *exchange) bool {
			theirs, ours := e.theirs.message(), e.ours.message()
			keys := isKeyFault(theirs) || isKeyValueFault(theirs) || strings.Contains(theirs, "Size limit exceeded")
			return !e.ours.ok() && keys && !isKeyValueFault(ours)
		},
	},
	{
		name:   "missing key text",
		theirs: "`One of the required keys was not given a value`, `The number of conditions on the keys is invalid`",
		ours:   "`Missing the key SK in the item`; elsewhere `The provided key element does not match the schema`",
		source: suites,
		covers: func(e *exchange) bool {
			return isKeyFault(e.theirs.message()) && (strings.Contains(e.ours.text(), "Missing the key ") ||
				strings.Contains(e.ours.text(), "The provided key element does not match the schema"))
		},
	},
	{
		name:   "validation in a transaction",
		theirs: "an update that does not fit the item is a ValidationException",
		ours:   "TransactionCanceledException with a ValidationError among its reasons",
		source: "API Reference, TransactWriteItems, TransactionCanceledException; " + suites,
		covers: func(e *exchange) bool {
			return e.op == "TransactWriteItems" && e.theirs.code() == "ValidationException" && isUpdateFault(e.theirs.message()) && !e.ours.ok()
		},
	},
	{
		name:   spelledNumbers,
		theirs: "a number can come back as it was sent, `007` or `+5`",
		ours:   "one spelling for each number, without signs and zeros that say nothing",
		source: guide + ", Data types and naming rules",
	},
	{
		name:   "consistent read text",
		theirs: "`Consistent read cannot be true when querying a GSI`",
		ours:   "`Consistent reads are not supported on global secondary indexes`",
		source: suites,
		covers: func(e *exchange) bool {
			return e.bothRefuse() && strings.HasPrefix(e.theirs.message(), "Consistent read cannot be true when ") &&
				strings.HasPrefix(e.ours.message(), "Consistent reads are not supported")
		},
	},
	{
		name:   "text of failed conditions in transactions",
		theirs: "`The conditional request failed.`",
		ours:   "the same text without a full stop",
		source: suites,
		covers: func(e *exchange) bool {
			return strings.ReplaceAll(e.theirs.text(), "request failed.", "request failed") == e.ours.text()
		},
	},
	{
		name:   "reasons beside a wrong key",
		theirs: "reasons of all actions beside that of an item whose keys have wrong types",
		ours:   "only the reasons found before any item is read",
		source: inferred,
		covers: func(e *exchange) bool {
			return e.ours.code() == "TransactionCanceledException" && e.theirs.code() == e.ours.code() &&
				(strings.Contains(e.ours.text(), "Type mismatch for") || strings.Contains(e.ours.text(), "does not match the schema"))
		},
	},
	{
		name:   "precision of sums",
		theirs: "`DynamoDB only supports precision up to 38 digits`",
		ours:   "`Attempting to store more than 38 significant digits in a Number`",
		source: inferred,
		covers: func(e *exchange) bool {
			return strings.Contains(e.theirs.message(), "precision up to 38 digits") && strings.Contains(e.ours.text(), "more than 38 significant digits")
		},
	},
	{
		name:   "which of two faults of an update",
		theirs: "paths to change are looked at before operands",
		ours:   "operands first",
		source: inferred,
		covers: func(e *exchange) bool {
			return e.bothRefuse() && isUpdateFault(e.ours.message()) && isUpdateFault(e.theirs.message())
		},
	},
	{
		name:   "removing from inside nothing",
		theirs: "removing a part of an attribute of an item that does not exist is an error",
		ours:   "it is none",
		source: inferred,
		covers: func(e *exchange) bool {
			return e.ours.ok() && strings.Contains(e.theirs.message(), "document path provided in the update expression is invalid") &&
				strings.Contains(compact(e.request), "REMOVE ")
		},
	},
	{
		name:   "index key types in updates",
		theirs: "an update can give an index key a value of a wrong type or size",
		ours:   "it cannot",
		source: "API Reference, TransactWriteItems, TransactionCanceledException; " + suites,
		covers: func(e *exchange) bool {
			text := e.ours.text()
			return !e.ours.ok() && (strings.Contains(text, "Type mismatch for Index Key") || strings.Contains(text, "secondary index key") ||
				strings.Contains(text, "Aggregated size of all range keys"))
		},
	},
	{
		name:   "removing creates",
		theirs: "an update that only removes makes an item that is not there",
		ours:   "it makes none",
		source: suites,
		covers: func(e *exchange) bool {
			update, _ := e.request["UpdateExpression"].(string)
			return e.op == "UpdateItem" && e.ours.ok() && onlyRemoves(update) && e.theirs.ok() && e.request["ReturnValues"] == "ALL_NEW"
		},
	},
	{
		name:   "what a Scan sees",
		theirs: "filters see the whole item; with Limit, items can be left out",
		ours:   "filters see what the index has",
		source: inferred,
		covers: func(e *exchange) bool {
			_, filter := e.request["FilterExpression"]
			_, limit := e.request["Limit"]
			return e.op == "Scan" && (filter && e.request["IndexName"] != nil || limit)
		},
	},
	{
		name:   "last key of one item",
		theirs: "a Query of a table without sort key has no LastEvaluatedKey at its Limit",
		ours:   "it has one, like every other Query",
		source: inferred,
		covers: func(e *exchange) bool {
			return e.op == "Query" && e.sameWithout(func(name string, v any) bool { return name == "LastEvaluatedKey" || name == "Pages" })
		},
	},
	{
		name:   "parts that an update touched",
		theirs: "UPDATED_OLD and UPDATED_NEW give whole attributes",
		ours:   "the paths that the update names",
		source: suites,
		covers: func(e *exchange) bool {
			detail, _ := e.request["ReturnValues"].(string)
			return strings.HasPrefix(detail, "UPDATED_") && e.sameWithout(func(name string, _ any) bool { return name == "Attributes" || name == "ConsumedCapacity" })
		},
	},
	{
		name:   "paths that overlap",
		theirs: "the second of two paths that overlap can be any other",
		ours:   "it is the one that overlaps",
		source: inferred,
		covers: func(e *exchange) bool {
			ours, theirs := unwrapped(e.ours.message()), unwrapped(e.theirs.message())
			return e.bothRefuse() && strings.Contains(ours, "document paths overlap") && strings.Contains(theirs, "document paths overlap")
		},
	},
	{
		name:   "attributes that an index lacks",
		theirs: "they are listed in no order; a filter's come before those of the projection",
		ours:   "they are listed in order; the projection's come first",
		source: inferred,
		covers: func(e *exchange) bool {
			ours, theirs := e.ours.message(), e.theirs.message()
			lacks := strings.Contains(ours, "does not project") || strings.Contains(ours, "projection type is not ALL")
			return e.bothRefuse() && lacks && strings.Contains(theirs, "does not project")
		},
	},
	{
		name:   "which of two faults of keys",
		theirs: "empty and long values before types",
		ours:   "types first",
		source: inferred,
		covers: func(e *exchange) bool {
			return e.bothRefuse() && isKeyValueFault(e.ours.message()) && isKeyValueFault(e.theirs.message())
		},
	},
	{
		name:   "which of two expressions",
		theirs: "a fault of the projection comes before one of the key condition, types of operands before operands that are the same",
		ours:   "filter, key condition, projection, update, condition; operands that are the same first",
		source: inferred,
		covers: func(e *exchange) bool {
			ours, theirs := unwrapped(e.ours.message()), unwrapped(e.theirs.message())
			return e.bothRefuse() && strings.HasPrefix(ours, "Invalid ") && strings.HasPrefix(theirs, "Invalid ") &&
				(strings.Split(ours, ":")[0] != strings.Split(theirs, ":")[0] || isOperandFault(ours) && isOperandFault(theirs))
		},
	},
	{
		name:   "numbers in texts",
		theirs: "bounds of BETWEEN are shown as they were sent",
		ours:   "in the one spelling of the number",
		source: inferred,
		covers: func(e *exchange) bool {
			const between = "The BETWEEN operator requires"
			return e.bothRefuse() && strings.Contains(e.ours.message(), between) && strings.Contains(e.theirs.message(), between)
		},
	},
	{
		name:   "half an index key",
		theirs: "exchanging one half of an index key for the other costs a write of the index",
		ours:   "there was no entry and there is none, so it costs nothing",
		source: inferred,
		covers: func(e *exchange) bool {
			return (e.op == "PutItem" || e.op == "UpdateItem") && strings.Contains(compact(e.request), "GSI") && e.sameWithout(isCapacity)
		},
	},
	{
		name: "capacity",
		theirs: "reading nothing costs nothing; capacity can be reported for NONE; deleting nothing in a batch costs 2 units; " +
			"writes in transactions cost four times as much; a Scan of an index costs what the whole items do",
		ours: "the least read costs half a unit or one, the least write one; in transactions all cost twice as much; " +
			"a Scan of an index reads the index",
		source: guide + ", DynamoDB read and write operations",
		covers: func(e *exchange) bool {
			return e.sameWithout(isCapacity) && (e.costsNothing() || !e.wantsCapacity() ||
				e.op == "Scan" || strings.HasPrefix(e.op, "Batch") || strings.HasPrefix(e.op, "Transact"))
		},
	},
	{
		name:   "duplicates",
		theirs: "elements that are in a set twice are listed as sent, without quotes",
		ours:   "newer operations list and quote them in order",
		source: suites,
	},
	{
		name:   "wrong JSON types",
		theirs: "JSON of wrong types is an internal failure or taken",
		ours:   "SerializationException",
		source: suites,
	},
	{
		name:   "enum text",
		theirs: "values that are not in an enumeration are listed all, in the older words",
		ours:   "one or all, in the newer words",
		source: suites,
	},
	{
		name:   "expression size",
		theirs: "the size of an expression that is too long is always given",
		ours:   "only by Scan and transactions",
		source: suites,
	},
	{
		name:   "operator count",
		theirs: "operators are counted as they are met",
		ours:   "all operators of the expression",
		source: inferred,
	},
	{
		name:   "item collection metrics",
		theirs: "none",
		ours:   "estimates for tables with local indexes",
		source: inferred,
	},
	{
		name:   "start keys",
		theirs: "some start keys that do not fit are taken or told in other words",
		ours:   "refused",
		source: inferred,
	},
	{
		name:   "several faults",
		theirs: "one fault is told",
		ours:   "all enumerations that are wrong",
		source: suites,
	},
	{
		name:   "table faults",
		theirs: "other words and another order",
		ours:   "the service's",
		source: inferred,
	},
	{
		name:   "table descriptions",
		theirs: "tables are ACTIVE at once and have no id; deleted ones are ACTIVE",
		ours:   "CREATING, then ACTIVE; DELETING",
		source: suites,
	},
	{
		name:   "zero with an exponent",
		theirs: "zero can have any exponent",
		ours:   "its exponent must be in range",
		source: suites,
	},
	{
		name:   "segments",
		theirs: "other texts for segments that are out of range",
		ours:   "the service's",
		source: inferred,
	},
	{
		name:   "tokens of earlier runs",
		theirs: "tokens are known from earlier runs; their misuse has no text",
		ours:   "a new database knows none",
		source: inferred,
	},
	{
		name:   "list of types",
		theirs: "the types are listed in another order",
		ours:   "the service's order",
		source: inferred,
	},
	{
		name:   "requests too long to show",
		theirs: "the whole request is shown, as the service shows it",
		ours:   "only the names of its members",
		source: suites,
	},
	{
		name:   "member of an action",
		theirs: "an Update without an expression is carried out",
		ours:   "it is refused",
		source: "API Reference, Update",
	},
	{
		name:   "key update in a transaction",
		theirs: "changing a key attribute cancels the transaction",
		ours:   "it is a fault of the request",
		source: inferred,
	},
}

// ownTexts begin texts that only DynamoDB Local has.
var ownTexts = []string{
	"A value provided cannot be converted into a number", "BatchGetItem must have some requests set", "BatchWriteItem cannot have a null or no requests set",
	"Cannot do operations on a non-existent table", "Cannot have null key for", "Cannot have two attributes with the same name",
	"Conditions can be of length 1 or 2 only", "DynamoDB only supports precision up to 38 digits", "ExpressionAttributeValues can only be specified when using expressions: ",
	"Hash primary key values must be under", "If segment is specified", "If total segments is specified", "Invalid Request: TransactWriteRequest should contain",
	"Invalid attribute value type", "Invalid table/index name", "Item to put in PutItem cannot be null", "Key attributes must be scalars",
	"KeyConditionExpressions must only contain one condition per key", "Limit must be", "Nesting Levels have exceeded supported limits", "One or more parameter values were invalid: Size limit exceeded",
	"Get Condition for key not in key list", "Query condition missed key schema element", "Return values set to invalid value", "Select must be ", "The batch write request list for a table", "The list of keys in RequestItems", "Too many items requested", "Value [] at 'transactItems'", "Value null at 'transactItems'",
}

func isOwnText(text string) bool {
	for _, own := range ownTexts {
		if strings.HasPrefix(text, own) {
			return true
		}
	}
	return false
}
