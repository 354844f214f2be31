package dynamo

// An UpdateTableInput changes a table; what is nil or "" stays as it is. The service takes
// one kind of change in a request.
type UpdateTableInput struct {
	TableName   string
	Attributes  []AttributeDefinition // of the keys of an index to create
	BillingMode string
	Throughput  *Throughput
	OnDemand    *Throughput // -1 removes a limit
	Warm        *Throughput
	Indexes     []IndexUpdate
	Stream      *StreamSpecification
	TableClass  string
	Protected   *bool
}

// An IndexUpdate is one change of a global index: exactly one field is set.
type IndexUpdate struct {
	Create *Index
	Update *Index // its Throughput, OnDemand and Warm
	Delete *string
}

// Name returns the name of the index that the update is about.
func (u *IndexUpdate) Name() string {
	switch {
	case u.Create != nil:
		return u.Create.Name
	case u.Update != nil:
		return u.Update.Name
	case u.Delete != nil:
		return *u.Delete
	}
	return ""
}

// A StreamSpecification turns a table's stream on or off; View is "" in the latter case.
type StreamSpecification struct {
	Enabled bool
	View    StreamView
}
