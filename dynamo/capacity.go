package dynamo

// Sizes that one capacity unit covers, in bytes (Developer Guide, "DynamoDB read and
// write operations", "Capacity unit consumption").
const (
	ReadUnitSize  = 4 << 10
	WriteUnitSize = 1 << 10
)

// ReadUnits returns what reading that many bytes costs: a unit for every 4 KB begun,
// half of it when eventually consistent. Reading nothing costs as much as one byte. For a
// Query or Scan bytes is the sum over the items evaluated, for GetItem one item's size.
func ReadUnits(bytes int, consistent bool) float64 {
	units := float64(steps(bytes, ReadUnitSize))
	if !consistent {
		units /= 2
	}
	return units
}

// WriteUnits returns what writing an item costs: a unit for every 1 KB begun of the
// larger of its sizes before and after. Writing nothing costs as much as one byte.
func WriteUnits(bytes int) float64 { return float64(steps(bytes, WriteUnitSize)) }

// TransactReadUnits is the cost of one item in TransactGetItems: two consistent reads, one
// to prepare and one to commit (Developer Guide, "Amazon DynamoDB Transactions: How it works").
func TransactReadUnits(bytes int) float64 { return 2 * ReadUnits(bytes, true) }

// TransactWriteUnits is the cost of one item in TransactWriteItems: two writes.
func TransactWriteUnits(bytes int) float64 { return 2 * WriteUnits(bytes) }

func steps(bytes, size int) int { return max(1, (bytes+size-1)/size) }
