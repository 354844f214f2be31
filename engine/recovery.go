package engine

import (
	"context"
	"errors"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// ContinuousBackups is a table's setting of point-in-time recovery. The rest is zero when
// it is not enabled.
type ContinuousBackups struct {
	Enabled          bool
	Days             int64 // that a table can be brought back from
	Earliest, Latest time.Time
}

// A ContinuousBackupsUpdate is a request to change the setting.
type ContinuousBackupsUpdate struct {
	TableName string
	Enabled   bool
	Days      *int64 // nil for the default, 35
}

const (
	defaultRecoveryDays = 35
	// recoveryLag is how far behind the present the latest moment of recovery is.
	recoveryLag = 5 * time.Minute
)

// UpdateContinuousBackups changes a table's setting of point-in-time recovery, which is
// kept and described; a table cannot be restored yet.
func (db *DB) UpdateContinuousBackups(ctx context.Context, in *ContinuousBackupsUpdate) (*ContinuousBackups, error) {
	if err := checkTableName(nameOf(in.TableName)); err != nil {
		return nil, err
	}
	const field = "pointInTimeRecoverySpecification.recoveryPeriodInDays"
	switch {
	case in.Days == nil:
	case *in.Days < 1:
		return nil, unlike(*in.Days, field, textValueAtLeast, 1)
	case *in.Days > defaultRecoveryDays:
		return nil, unlike(*in.Days, field, textValueAtMost, defaultRecoveryDays)
	case !in.Enabled:
		return nil, invalid("Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.")
	}
	_, t, err := db.alter(ctx, in.TableName, func(t *table, s *store.Table, b *store.Batch) error {
		switch {
		case !in.Enabled:
			s.RecoverySince, s.RecoveryDays = time.Time{}, 0
			return nil
		case s.RecoverySince.IsZero():
			s.RecoverySince, s.RecoveryDays = db.clock(), defaultRecoveryDays
		}
		if in.Days != nil {
			s.RecoveryDays = *in.Days
		}
		return nil
	})
	if err != nil {
		return nil, noTable(err, in.TableName)
	}
	return t.continuousBackups(db.clock()), nil
}

// DescribeContinuousBackups tells a table's setting.
func (db *DB) DescribeContinuousBackups(ctx context.Context, name string) (*ContinuousBackups, error) {
	if err := checkTableName(nameOf(name)); err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	t, err := db.table(name)
	if err != nil {
		return nil, noTable(err, name)
	}
	return t.continuousBackups(db.clock()), nil
}

func (t *table) continuousBackups(now time.Time) *ContinuousBackups {
	since := t.stored.RecoverySince
	if since.IsZero() {
		return &ContinuousBackups{}
	}
	c := &ContinuousBackups{Enabled: true, Days: t.stored.RecoveryDays, Earliest: since, Latest: now.Add(-recoveryLag)}
	if kept := now.AddDate(0, 0, -int(c.Days)); kept.After(c.Earliest) {
		c.Earliest = kept
	}
	if c.Latest.Before(since) {
		c.Latest = since
	}
	return c
}

// noTable puts a missing table in the words of requests about backups.
func noTable(err error, name string) error {
	var e *dynamo.Error
	if errors.As(err, &e) && e.Code == dynamo.CodeResourceNotFound {
		return &dynamo.Error{Code: "TableNotFoundException", Message: "Table not found: " + nameOf(name)}
	}
	return err
}
