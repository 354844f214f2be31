package engine

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// A TimeToLive is a table's setting for the expiry of items.
type TimeToLive struct {
	TableName string
	Attribute string // a number of seconds since 1970 at which an item expires
	Enabled   bool
}

// UpdateTimeToLive changes a table's setting, and returns it.
func (db *DB) UpdateTimeToLive(ctx context.Context, in *TimeToLive) (*TimeToLive, error) {
	if err := checkTableName(nameOf(in.TableName)); err != nil {
		return nil, err
	}
	switch n := len(in.Attribute); {
	case n < 1:
		return nil, unlike(in.Attribute, "timeToLiveSpecification.attributeName", textLengthAtLeast, 1)
	case n > dynamo.MaxKeyAttributeName:
		return nil, unlike(in.Attribute, "timeToLiveSpecification.attributeName", textLengthAtMost, dynamo.MaxKeyAttributeName)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	t, err := db.table(in.TableName)
	if err != nil {
		return nil, tableNotFound(nameOf(in.TableName))
	}
	if err := checkExpiryChange(t.stored.TTL, in); err != nil {
		return nil, err
	}
	changed := *t.stored
	changed.TTL = ""
	if in.Enabled {
		changed.TTL = in.Attribute
	}
	b := db.store.Batch()
	defer b.Release()
	b.PutTable(&changed)
	if err := b.Commit(); err != nil {
		return nil, err
	}
	t.stored = &changed
	return &TimeToLive{t.name(), in.Attribute, in.Enabled}, nil
}

func checkExpiryChange(current string, in *TimeToLive) error {
	switch {
	case in.Enabled && current == in.Attribute:
		return invalid("TimeToLive is already enabled")
	case current != "" && current != in.Attribute:
		return invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", current)
	case !in.Enabled && current == "":
		return invalid("TimeToLive is already disabled")
	}
	return nil
}

// DescribeTimeToLive tells a table's setting; the attribute is "" when it is off.
func (db *DB) DescribeTimeToLive(ctx context.Context, name string) (*TimeToLive, error) {
	if err := checkTableName(nameOf(name)); err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	t, err := db.table(name)
	if err != nil {
		return nil, tableNotFound(nameOf(name))
	}
	return &TimeToLive{t.name(), t.stored.TTL, t.stored.TTL != ""}, nil
}

// sweepEvery removes expired items in the background until ctx is done.
func (db *DB) sweepEvery(ctx context.Context, interval time.Duration) {
	if interval < 0 {
		return
	}
	if interval == 0 {
		interval = time.Minute
	}
	db.working.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if _, err := db.ExpireItems(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
				db.log.Error("remove expired items", "error", err)
			}
		}
	})
}

// ExpireItems removes the items whose time to live is over by the database's clock, and
// returns how many. It also removes records of streams that are older than a day. The database does so itself now and then; a program with a clock of
// its own may ask for it.
func (db *DB) ExpireItems(ctx context.Context) (removed int, err error) {
	if err := db.enter(ctx); err != nil {
		return 0, err
	}
	var names []string
	for name, t := range db.tables {
		if t.stored.TTL != "" {
			names = append(names, name)
		}
	}
	db.leave()
	for _, name := range names {
		n, err := db.expireTable(ctx, name)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, db.trimStreams(ctx)
}

// expireStep is how many items are looked at before others get a chance to change the
// catalog.
const expireStep = 1000

func (db *DB) expireTable(ctx context.Context, name string) (removed int, err error) {
	var after store.Key
	for {
		n, last, err := db.expireSome(ctx, name, after)
		removed += n
		if err != nil || last == nil {
			return removed, err
		}
		after = last
	}
}

// expireSome looks at some items that follow a key and returns the last one's key, nil
// when there are no more.
func (db *DB) expireSome(ctx context.Context, name string, after store.Key) (removed int, last store.Key, err error) {
	if err := db.enter(ctx); err != nil {
		return 0, nil, err
	}
	defer db.leave()
	t, err := db.table(name)
	if err != nil || t.stored.TTL == "" {
		return 0, nil, nil
	}
	attribute, now := t.stored.TTL, db.clock()
	expired, last, err := t.findExpired(ctx, db.store.Now(), attribute, now, after)
	if err != nil {
		return 0, nil, err
	}
	for _, key := range expired {
		a := &action{op: opDelete, table: t, key: key, expired: true,
			still: func(it dynamo.Item) bool { return isExpired(it.Get(attribute), now) }}
		failed, err := db.commit(ctx, []*action{a}, nil)
		if err != nil {
			return removed, nil, err
		}
		if failed == nil {
			removed++
		}
	}
	return removed, last, nil
}

func (t *table) findExpired(ctx context.Context, v store.View, attribute string, now time.Time, after store.Key) (expired []store.Key, last store.Key, err error) {
	r := t.base.All()
	if after != nil {
		r = r.After(after, false)
	}
	c, err := v.Cursor(ctx, r, false)
	if err != nil {
		return nil, nil, err
	}
	for i := 0; c.Next(); i++ {
		if i == expireStep {
			last = append(last, c.Key()...)
		}
		value, err := c.Row().Lookup(attribute)
		if err != nil {
			return nil, nil, errors.Join(err, c.Close())
		}
		if isExpired(value, now) {
			expired = append(expired, append(store.Key(nil), c.Key()...))
		}
		if last != nil {
			break
		}
	}
	return expired, last, c.Close()
}

// longExpired is how far back an expiry time may lie; items with an older one stay
// (Developer Guide, "Using time to live (TTL) in DynamoDB").
const longExpired = 5 * 365 * 24 * time.Hour

func isExpired(v dynamo.Value, now time.Time) bool {
	if v.Type() != dynamo.TypeNumber {
		return false
	}
	whole, _, _ := strings.Cut(v.Str(), ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return false
	}
	return seconds <= now.Unix() && seconds > now.Add(-longExpired).Unix()
}
