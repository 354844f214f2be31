package server

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
)

// only makes what op wants of a call without a result, whose answer has no body.
func only[In any](call func(*engine.DB, context.Context, In) error) func(*engine.DB, context.Context, In) (struct{}, error) {
	return func(db *engine.DB, ctx context.Context, in In) (struct{}, error) {
		return struct{}{}, call(db, ctx, in)
	}
}

func appendNothing(dst []byte, _ struct{}) []byte { return dst }

func readTags(r *dynamo.JSONReader) map[string]string {
	tags := map[string]string{}
	for i := range r.List() {
		var key, value string
		keyed, valued := false, false
		for field := range r.Struct("Tag") {
			switch field {
			case "Key":
				key, keyed = r.Text(), true
			case "Value":
				value, valued = r.Text(), true
			}
		}
		path := "tags." + strconv.Itoa(i+1) + ".member."
		require(r, member{path + "key", keyed}, member{path + "value", valued})
		if _, twice := tags[key]; twice {
			r.Invalid("Duplicate Tag Keys provided as input: Duplicate Tag Key found " + key)
		}
		tags[key] = value
	}
	return tags
}

func readTagChange(r *dynamo.JSONReader) *engine.TagChange {
	in := &engine.TagChange{}
	named, listed := false, false
	for field := range r.Struct("TagResourceInput") {
		switch field {
		case "ResourceArn":
			in.ARN, named = r.Text(), true
		case "Tags":
			in.Set, listed = readTags(r), true
		}
	}
	require(r, member{"resourceArn", named}, member{"tags", listed})
	return in
}

func readUntag(r *dynamo.JSONReader) *engine.TagChange {
	in := &engine.TagChange{}
	named, listed := false, false
	for field := range r.Struct("UntagResourceInput") {
		switch field {
		case "ResourceArn":
			in.ARN, named = r.Text(), true
		case "TagKeys":
			in.Remove, listed = r.Strings(), true
		}
	}
	require(r, member{"resourceArn", named}, member{"tagKeys", listed})
	return in
}

func readResource(r *dynamo.JSONReader) string {
	var arn string
	named := false
	for field := range r.Struct("ListTagsOfResourceInput") {
		if field == "ResourceArn" {
			arn, named = r.Text(), true
		}
	}
	require(r, member{"resourceArn", named})
	return arn
}

func appendTags(dst []byte, tags map[string]string) []byte {
	dst = appendList(field(append(dst, '{'), "Tags"), slices.Sorted(maps.Keys(tags)), func(dst []byte, key string) []byte {
		dst = appendStringField(append(dst, '{'), "Key", key)
		return append(appendStringField(dst, "Value", tags[key]), '}')
	})
	return append(dst, '}')
}

func readContinuousBackups(r *dynamo.JSONReader) *engine.ContinuousBackupsUpdate {
	in := &engine.ContinuousBackupsUpdate{}
	named, specified, enabled := false, false, false
	for field := range r.Struct("UpdateContinuousBackupsInput") {
		switch field {
		case "TableName":
			in.TableName, named = r.Text(), true
		case "PointInTimeRecoverySpecification":
			specified = true
			for field := range r.Struct("PointInTimeRecoverySpecification") {
				switch field {
				case "PointInTimeRecoveryEnabled":
					in.Enabled, enabled = r.Bool(), true
				case "RecoveryPeriodInDays":
					in.Days = readInt(r)
				}
			}
		}
	}
	requireTableName(r, named)
	require(r, member{"pointInTimeRecoverySpecification", specified},
		member{"pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled", enabled})
	return in
}

func appendContinuousBackups(dst []byte, c *engine.ContinuousBackups) []byte {
	dst = append(field(append(dst, '{'), "ContinuousBackupsDescription"), '{')
	dst = appendStringField(dst, "ContinuousBackupsStatus", "ENABLED")
	dst = append(field(dst, "PointInTimeRecoveryDescription"), '{')
	if !c.Enabled {
		return append(appendStringField(dst, "PointInTimeRecoveryStatus", "DISABLED"), "}}}"...)
	}
	dst = appendTime(field(dst, "EarliestRestorableDateTime"), c.Earliest)
	dst = appendTime(field(dst, "LatestRestorableDateTime"), c.Latest)
	dst = appendStringField(dst, "PointInTimeRecoveryStatus", "ENABLED")
	return append(appendIntField(dst, "RecoveryPeriodInDays", c.Days), "}}}"...)
}
