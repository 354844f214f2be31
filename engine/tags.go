package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// A TagChange adds, replaces or removes tags of the table with that ARN.
type TagChange struct {
	ARN    string
	Set    map[string]string // of TagResource
	Remove []string          // of UntagResource
}

// Limits of tags (Developer Guide, "Tagging restrictions in DynamoDB").
const (
	maxTags     = 50
	maxTagKey   = 128 // characters
	maxTagValue = 256 // characters
)

// TagResource sets tags of a table.
func (db *DB) TagResource(ctx context.Context, in *TagChange) error {
	if len(in.Set) == 0 {
		return invalid("Atleast one Tag needs to be provided as Input.")
	}
	if err := checkTags(in.Set); err != nil {
		return err
	}
	return db.changeTags(ctx, in)
}

// UntagResource removes tags of a table; those that it does not have are no fault.
func (db *DB) UntagResource(ctx context.Context, in *TagChange) error {
	if len(in.Remove) == 0 {
		return invalid("Atleast one Tag Key needs to be provided as Input.")
	}
	for _, key := range in.Remove {
		if err := checkTagKey(key); err != nil {
			return err
		}
	}
	return db.changeTags(ctx, in)
}

func (db *DB) changeTags(ctx context.Context, in *TagChange) error {
	name, err := db.tableOfARN(in.ARN)
	if err != nil {
		return err
	}
	_, _, err = db.alter(ctx, name, func(t *table, s *store.Table, b *store.Batch) error {
		tags := maps.Clone(s.Definition.Tags)
		if tags == nil {
			tags = map[string]string{}
		}
		maps.Copy(tags, in.Set)
		for _, key := range in.Remove {
			delete(tags, key)
		}
		if len(tags) > maxTags {
			return invalid(textTooManyTags)
		}
		s.Definition.Tags = tags
		return nil
	})
	return resourceFault(err, in.ARN)
}

// ListTagsOfResource returns the tags of the table with that ARN.
func (db *DB) ListTagsOfResource(ctx context.Context, arn string) (map[string]string, error) {
	name, err := db.tableOfARN(arn)
	if err != nil {
		return nil, err
	}
	t, err := db.DescribeTable(ctx, name)
	if err != nil {
		return nil, resourceFault(err, arn)
	}
	return t.Tags, nil
}

const textTooManyTags = "Number of Tags exceed the current limit for the provided ResourceArn"

// resourceFault puts a missing table in the words of requests that name it by its ARN.
func resourceFault(err error, arn string) error {
	if e, ok := err.(*dynamo.Error); ok && e.Code == dynamo.CodeResourceNotFound {
		return &dynamo.Error{Code: e.Code, Message: textNotFound + ": ResourceArn: " + arn + " not found"}
	}
	return err
}

// tableOfARN returns the name of the table whose ARN is given; it need not be there.
func (db *DB) tableOfARN(arn string) (string, error) {
	if !strings.HasPrefix(arn, "arn:") {
		return "", invalid(parametersInvalid+"ARNs must start with 'arn:': %s", arn)
	}
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 || parts[2] != "dynamodb" {
		return "", invalid(parametersInvalid+"Provided Arn is not a DynamoDB resource arn: %s", arn)
	}
	name, ok := strings.CutPrefix(parts[5], "table/")
	if !ok || strings.Contains(name, "/") {
		return "", invalid(parametersInvalid+"Invalid resource arn provided, only table or stream is accepted. Provided resource arn: %s", arn)
	}
	if !strings.HasPrefix(arn, db.arn) {
		return "", invalid("Invalid TableArn: Invalid ResourceArn provided as input %s", arn)
	}
	return name, checkTableName(name)
}

// checkTags checks tags to be set.
func checkTags(tags map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if err := checkTagKey(key); err != nil {
			return err
		}
		if value := tags[key]; !validTag(value, maxTagValue) {
			return invalid("The Tag Value provided is invalid, Value: %s", value)
		}
	}
	if len(tags) > maxTags {
		return invalid(textTooManyTags)
	}
	return nil
}

func checkTagKey(key string) error {
	switch {
	case key == "" || !validTag(key, maxTagKey):
		return invalid("The Tag Key provided is invalid, Key: %s", key)
	case strings.HasPrefix(key, "aws:"):
		return invalid("Tag Key cannot be prefixed with aws:, Key: %s", key)
	}
	return nil
}

func validTag(s string, most int) bool {
	for _, r := range s {
		if !unicode.In(r, unicode.L, unicode.Z, unicode.N) && !strings.ContainsRune("_.:/=+-@", r) {
			return false
		}
	}
	return utf8.RuneCountInString(s) <= most
}
