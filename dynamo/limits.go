package dynamo

// Limits of the service (Developer Guide, "Quotas in Amazon DynamoDB" and "Constraints in
// Amazon DynamoDB"). Sizes are in bytes.
const (
	MaxItemSize            = 400 << 10 // of an item, names included
	MaxPartitionKeySize    = 2048      // of a partition key value
	MaxSortKeySize         = 1024      // of a sort key value
	MaxPageSize            = 1 << 20   // read by one Query or Scan
	MaxDepth               = 32        // levels of lists and maps
	MaxAttributeNameSize   = 64 << 10  // of an attribute name
	MaxKeyAttributeName    = 255       // characters of a key attribute's name
	MaxTableNameLength     = 255       // characters of a table's or an index's name
	MinTableNameLength     = 3
	MaxGlobalIndexes       = 20 // of a table, by default
	MaxLocalIndexes        = 5  // of a table
	MaxIndexKeyAttributes  = 4  // of each kind, in a global index
	MaxProjectedAttributes = 100
	MaxItemCollectionSize  = 10 << 30 // of a table with local indexes

	MaxBatchGetKeys       = 100      // keys of BatchGetItem
	MaxBatchGetSize       = 16 << 20 // returned by BatchGetItem
	MaxBatchWrites        = 25       // requests of BatchWriteItem
	MaxBatchWriteSize     = 16 << 20 // sent to BatchWriteItem
	MaxTransactActions    = 100      // actions of TransactWriteItems, gets of TransactGetItems
	MaxTransactSize       = 4 << 20  // of all items of a transaction
	MaxStatements         = 25       // statements of BatchExecuteStatement
	MaxScanSegments       = 1_000_000
	MaxListTables         = 100
	MaxExpressionSize     = 4 << 10 // of one expression
	MaxExpressionBindings = 2 << 20 // of all names and values bound to placeholders
	MaxPlaceholderSize    = 255     // of a #name or :value
	MaxOperators          = 300     // operators and functions of one expression
	MaxInOperands         = 100     // operands of IN
	IndexEntryOverhead    = 100     // added to each index entry for storage
)
