package dynamo

// The requests and answers of the data plane. Names are those of the API reference; a
// field that the API makes optional is optional here, its zero value standing for "not
// given" unless it says otherwise. Requests are not changed by the database and may be
// used again; answers belong to the caller.

// A NameBinding is one entry of ExpressionAttributeNames, with the leading '#'.
type NameBinding struct {
	Placeholder string
	Name        string
}

// Expressions is what expressions in a request refer to. Values holds the entries of
// ExpressionAttributeValues under their placeholders, with the leading ':'.
type Expressions struct {
	Names  []NameBinding
	Values Item
}

// A CapacityDetail is what ReturnConsumedCapacity asks for: "" and NONE, TOTAL, INDEXES.
type CapacityDetail string

// The levels of detail.
const (
	CapacityNone    CapacityDetail = "NONE"
	CapacityTotal   CapacityDetail = "TOTAL"
	CapacityIndexes CapacityDetail = "INDEXES"
)

// A CollectionDetail is what ReturnItemCollectionMetrics asks for: "" and NONE, SIZE.
type CollectionDetail string

// The levels of detail of item collections.
const (
	CollectionNone CollectionDetail = "NONE"
	CollectionSize CollectionDetail = "SIZE"
)

// A ReturnValues names what a write gives back: "" and NONE, ALL_OLD, UPDATED_OLD,
// ALL_NEW, UPDATED_NEW.
type ReturnValues string

// The kinds of returned values.
const (
	ReturnNone       ReturnValues = "NONE"
	ReturnAllOld     ReturnValues = "ALL_OLD"
	ReturnUpdatedOld ReturnValues = "UPDATED_OLD"
	ReturnAllNew     ReturnValues = "ALL_NEW"
	ReturnUpdatedNew ReturnValues = "UPDATED_NEW"
)

// ConsumedCapacity is what one request cost one table. Units are DynamoDB's capacity
// units; a half unit is an eventually consistent read of up to 4 KB. Table, GSIs and LSIs
// are filled in for INDEXES only.
type ConsumedCapacity struct {
	TableName  string
	Units      float64
	ReadUnits  float64 // set by transactions and PartiQL
	WriteUnits float64
	Table      float64
	GSIs       []IndexCapacity
	LSIs       []IndexCapacity
}

// IndexCapacity is one index's part of ConsumedCapacity.
type IndexCapacity struct {
	Name  string
	Units float64
}

// A GetItemInput asks for one item by its whole key.
type GetItemInput struct {
	TableName              string
	Key                    Item
	ConsistentRead         bool
	ProjectionExpression   string
	Expressions            Expressions
	AttributesToGet        []string // legacy
	ReturnConsumedCapacity CapacityDetail
}

// A GetItemOutput holds the item, nil when there is none.
type GetItemOutput struct {
	Item             Item
	ConsumedCapacity *ConsumedCapacity
}

// A PutItemInput stores a whole item, in place of one with the same key.
type PutItemInput struct {
	TableName                           string
	Item                                Item
	ConditionExpression                 string
	Expressions                         Expressions
	Expected                            []ExpectedAttribute // legacy
	ConditionalOperator                 string              // legacy
	ReturnValues                        ReturnValues
	ReturnValuesOnConditionCheckFailure ReturnValues
	ReturnConsumedCapacity              CapacityDetail
	ReturnItemCollectionMetrics         CollectionDetail
}

// A WriteOutput answers PutItem, UpdateItem and DeleteItem.
type WriteOutput struct {
	Attributes       Item
	ConsumedCapacity *ConsumedCapacity
	// Collection is set when metrics were asked for and the table has a local index.
	Collection *ItemCollectionMetrics
}

// ItemCollectionMetrics estimates the size of one item collection.
type ItemCollectionMetrics struct {
	Key           Item // the partition key
	LowGB, HighGB float64
}

// An UpdateItemInput changes attributes of one item, or makes a new one.
type UpdateItemInput struct {
	TableName                           string
	Key                                 Item
	UpdateExpression                    string
	ConditionExpression                 string
	Expressions                         Expressions
	AttributeUpdates                    []AttributeUpdate   // legacy
	Expected                            []ExpectedAttribute // legacy
	ConditionalOperator                 string              // legacy
	ReturnValues                        ReturnValues
	ReturnValuesOnConditionCheckFailure ReturnValues
	ReturnConsumedCapacity              CapacityDetail
	ReturnItemCollectionMetrics         CollectionDetail
}

// A DeleteItemInput removes one item.
type DeleteItemInput struct {
	TableName                           string
	Key                                 Item
	ConditionExpression                 string
	Expressions                         Expressions
	Expected                            []ExpectedAttribute // legacy
	ConditionalOperator                 string              // legacy
	ReturnValues                        ReturnValues
	ReturnValuesOnConditionCheckFailure ReturnValues
	ReturnConsumedCapacity              CapacityDetail
	ReturnItemCollectionMetrics         CollectionDetail
}

// A LegacyCondition is one entry of KeyConditions, QueryFilter or ScanFilter.
type LegacyCondition struct {
	Attribute string
	Operator  string // EQ, NE, IN, LE, LT, GE, GT, BETWEEN, NOT_NULL, NULL, CONTAINS, NOT_CONTAINS, BEGINS_WITH
	Values    []Value
}

// An ExpectedAttribute is one entry of Expected: either Operator with Values, or Value
// with Exists.
type ExpectedAttribute struct {
	Attribute string
	Operator  string
	Values    []Value
	Value     Value
	Exists    *bool
}

// An AttributeUpdate is one entry of AttributeUpdates. Action is PUT, ADD or DELETE.
type AttributeUpdate struct {
	Attribute string
	Action    string
	Value     Value
}

// A QueryInput asks for items of one partition of a table or an index.
type QueryInput struct {
	TableName              string
	IndexName              string
	KeyConditionExpression string
	FilterExpression       string
	ProjectionExpression   string
	Expressions            Expressions
	KeyConditions          []LegacyCondition // legacy
	QueryFilter            []LegacyCondition // legacy
	ConditionalOperator    string            // legacy
	AttributesToGet        []string          // legacy
	Select                 string            // ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES, SPECIFIC_ATTRIBUTES, COUNT
	Backward               bool              // ScanIndexForward=false
	Limit                  *int64            // items evaluated, nil for none
	ConsistentRead         bool
	ExclusiveStartKey      Item
	ReturnConsumedCapacity CapacityDetail
}

// A ScanInput asks for all items of a table or an index, or of one segment of it.
type ScanInput struct {
	TableName              string
	IndexName              string
	FilterExpression       string
	ProjectionExpression   string
	Expressions            Expressions
	ScanFilter             []LegacyCondition // legacy
	ConditionalOperator    string            // legacy
	AttributesToGet        []string          // legacy
	Select                 string
	Limit                  *int64
	Segment                *int64
	TotalSegments          *int64
	ConsistentRead         bool
	ExclusiveStartKey      Item
	ReturnConsumedCapacity CapacityDetail
}

// A PageOutput answers Query and Scan. LastEvaluatedKey is nil on the last page.
type PageOutput struct {
	Items            []Item // nil when Select is COUNT
	Count            int64
	ScannedCount     int64
	LastEvaluatedKey Item
	ConsumedCapacity *ConsumedCapacity
}

// A BatchGetItemInput reads up to 100 items of several tables.
type BatchGetItemInput struct {
	Tables                 []BatchGetTable
	ReturnConsumedCapacity CapacityDetail
}

// A BatchGetTable is one table's part of a batch read, and of what was left unprocessed.
type BatchGetTable struct {
	TableName            string
	Keys                 []Item
	ConsistentRead       bool
	ProjectionExpression string
	Expressions          Expressions
	AttributesToGet      []string // legacy
}

// A BatchGetItemOutput holds the items found, by table in the order of the request.
// Unprocessed holds what did not fit in 16 MB.
type BatchGetItemOutput struct {
	Tables           []TableItems
	Unprocessed      []BatchGetTable
	ConsumedCapacity []ConsumedCapacity
}

// TableItems are items of one table.
type TableItems struct {
	TableName string
	Items     []Item
}

// A BatchWriteItemInput puts and deletes up to 25 items, each on its own.
type BatchWriteItemInput struct {
	Tables                      []BatchWriteTable
	ReturnConsumedCapacity      CapacityDetail
	ReturnItemCollectionMetrics CollectionDetail
}

// A BatchWriteTable is one table's part of a batch write.
type BatchWriteTable struct {
	TableName string
	Requests  []WriteRequest
}

// A WriteRequest puts Item, or deletes the item with Key when Key is not nil.
type WriteRequest struct {
	Put    Item
	Delete Item
}

// A BatchWriteItemOutput holds what could not be written.
type BatchWriteItemOutput struct {
	Unprocessed      []BatchWriteTable
	ConsumedCapacity []ConsumedCapacity
	Collections      map[string][]ItemCollectionMetrics
}

// A TransactAction is one action of TransactWriteItems: exactly one field is set. Check's
// key and condition are those of a DeleteItemInput that deletes nothing.
type TransactAction struct {
	Put    *PutItemInput
	Update *UpdateItemInput
	Delete *DeleteItemInput
	Check  *DeleteItemInput
}

// A TransactWriteItemsInput does up to 100 actions on different items, all or none.
type TransactWriteItemsInput struct {
	Actions                     []TransactAction
	ClientRequestToken          string
	ReturnConsumedCapacity      CapacityDetail
	ReturnItemCollectionMetrics CollectionDetail
}

// A TransactWriteItemsOutput has the cost per table.
type TransactWriteItemsOutput struct {
	ConsumedCapacity []ConsumedCapacity
	Collections      map[string][]ItemCollectionMetrics
}

// A TransactGetItemsInput reads up to 100 items as of one moment. Only the key, the
// projection and the names of each Get count.
type TransactGetItemsInput struct {
	Gets                   []GetItemInput
	ReturnConsumedCapacity CapacityDetail
}

// A TransactGetItemsOutput holds the items in the order asked for, nil where there is none.
type TransactGetItemsOutput struct {
	Items            []Item
	ConsumedCapacity []ConsumedCapacity
}

// A ListTablesInput pages through table names in order.
type ListTablesInput struct {
	ExclusiveStartTableName string
	Limit                   *int64
}

// A ListTablesOutput holds names; LastEvaluated is "" on the last page.
type ListTablesOutput struct {
	TableNames    []string
	LastEvaluated string
}
