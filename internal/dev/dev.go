// Package dev is a project's database on the developer's machine: the engine with the
// tables of a design and sample rows in them. It hides when what is stored can be kept and
// when it must be made anew, and how access patterns are tried without harm to the rows.
package dev

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/sample"
)

// Options configure a session.
type Options struct {
	// Folder holds the database and what we remember about it; it is made if missing. ""
	// keeps everything in memory.
	Folder     string
	Durability engine.Durability
	Region     string
	// Progress, when set, is told how many rows are loaded of how many.
	Progress func(done, total int)
}

// A Session is an open development database. It is not safe for concurrent use, but its
// DB is.
type Session struct {
	// DB is the engine; Close closes it.
	DB      *engine.DB
	options Options
	known   record
}

// Open opens the database. engine.ErrInUse is in the chain of the error when another
// process has it open.
func Open(o Options) (*Session, error) {
	s := &Session{options: o}
	opened := engine.Options{Durability: o.Durability, Region: o.Region}
	if o.Folder != "" {
		if err := makeFolder(o.Folder); err != nil {
			return nil, err
		}
		if err := s.known.read(o.Folder); err != nil {
			return nil, err
		}
		opened.Dir = filepath.Join(o.Folder, "data")
	}
	db, err := engine.Open(opened)
	if err != nil {
		return nil, err
	}
	s.DB = db
	return s, nil
}

// A Holding says what a folder holds.
type Holding uint8

// The holdings: no database, one for another design or other sample rows, or one that
// Adopt would keep.
const (
	Nothing Holding = iota
	Other
	Same
)

// Holds looks into a folder without opening the database.
func Holds(folder string, d *design.Design, data *sample.Data) (Holding, error) {
	var r record
	if err := r.read(folder); err != nil {
		return Nothing, err
	}
	switch {
	case len(r.Tables) == 0:
		return Nothing, nil
	case !r.same(newRecord(d, data)):
		return Other, nil
	}
	return Same, nil
}

// Close closes the database; everything acknowledged stays.
func (s *Session) Close() error { return s.DB.Close() }

// makeFolder makes the folder, hidden from Git: it can always be made again.
func makeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	name := filepath.Join(folder, ".gitignore")
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, []byte("*\n"), 0o644)
}

const recordFile = "loaded.json"

// A record is what the database was made for: the tables, how items are spelled, and the
// rows. Plans are no part of it: another query over the same keys needs no other table.
type record struct {
	Tables   []design.TableDocument  `json:"tables"`
	Entities []design.EntityDocument `json:"entities"`
	Rows     string                  `json:"rows"` // a digest
}

func (r *record) read(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("%s is damaged: %w; remove the folder to begin anew", filepath.Join(folder, recordFile), err)
	}
	return nil
}

func (r *record) write(folder string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, recordFile), text, 0o644)
}

func newRecord(d *design.Design, data *sample.Data) record {
	doc := d.Document(nil)
	for i := range doc.Entities {
		doc.Entities[i].Reason = ""
	}
	h := sha256.New()
	for _, t := range data.Tables {
		fmt.Fprintf(h, "%s\n", t.Entity.Name)
		for _, row := range t.Rows {
			h.Write(dynamo.AppendItem(nil, row))
		}
	}
	return record{doc.Tables, doc.Entities, hex.EncodeToString(h.Sum(nil))}
}

func (r record) same(other record) bool {
	a, err1 := json.Marshal(r)
	b, err2 := json.Marshal(other)
	return err1 == nil && err2 == nil && string(a) == string(b)
}

// An Outcome says what Adopt did.
type Outcome uint8

// The outcomes: the tables were there already and kept with all that is in them, they were
// made, or those of an earlier design or of other sample rows were dropped and made anew.
const (
	Kept Outcome = iota
	Created
	Recreated
)

// fits reports whether the database holds what Adopt would make.
func (s *Session) fits(ctx context.Context, d *design.Design, data *sample.Data) bool {
	if !s.known.same(newRecord(d, data)) {
		return false
	}
	for _, t := range d.Tables {
		if _, err := s.DB.DescribeTable(ctx, t.Name); err != nil {
			return false
		}
	}
	return true
}

// Adopt makes the tables of a design with the rows of data, unless they are there. When
// it is interrupted, the next Adopt begins anew.
func (s *Session) Adopt(ctx context.Context, d *design.Design, data *sample.Data) (Outcome, error) {
	if s.fits(ctx, d, data) {
		return Kept, nil
	}
	outcome := Created
	if len(s.known.Tables) > 0 {
		outcome = Recreated
	}
	if err := s.forget(ctx, d); err != nil {
		return outcome, err
	}
	if err := load(ctx, s.DB, d, data, s.options.Progress); err != nil {
		return outcome, err
	}
	for _, t := range d.Tables {
		if t.TTLAttribute == "" {
			continue
		}
		in := &engine.TimeToLive{TableName: t.Name, Attribute: t.TTLAttribute, Enabled: true}
		if _, err := s.DB.UpdateTimeToLive(ctx, in); err != nil {
			return outcome, err
		}
	}
	s.known = newRecord(d, data)
	if s.options.Folder == "" {
		return outcome, nil
	}
	return outcome, s.known.write(s.options.Folder)
}

// forget drops the tables of the last design and those in the way of the next one. What
// else was made through the endpoint stays.
func (s *Session) forget(ctx context.Context, next *design.Design) error {
	if s.options.Folder != "" {
		err := os.Remove(filepath.Join(s.options.Folder, recordFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var names []string
	for _, t := range s.known.Tables {
		names = append(names, t.Name)
	}
	for _, t := range next.Tables {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		_, err := s.DB.DeleteTable(ctx, name)
		var fault *dynamo.Error
		if err != nil && !(errors.As(err, &fault) && fault.Code == dynamo.CodeResourceNotFound) {
			return err
		}
	}
	s.known = record{}
	return nil
}

// loadError says which of the rows cannot be stored.
func loadError(ctx context.Context, c exec.Client, d *design.Design, t *sample.Table, rows []exec.Row, err error) error {
	for _, row := range rows {
		if alone := exec.Load(ctx, c, d, t.Entity.Name, []exec.Row{row}); alone != nil {
			var key []string
			for _, column := range t.Entity.PrimaryKey {
				key = append(key, column+" = "+shortened(sample.Text(row.Get(column))))
			}
			return fmt.Errorf("load %s: the row with %s: %w", t.Entity.Name, strings.Join(key, ", "), alone)
		}
	}
	return fmt.Errorf("load %s: %w", t.Entity.Name, err)
}

// shortened cuts a value that is too long for a message.
func shortened(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return s
}

// batch is how many rows are loaded between two reports of progress.
const batch = 500

func load(ctx context.Context, c exec.Client, d *design.Design, data *sample.Data, progress func(done, total int)) error {
	if err := exec.CreateTables(ctx, c, d); err != nil {
		return err
	}
	done, total := 0, data.Len()
	for _, t := range data.Tables {
		for rows := range slices.Chunk(t.Rows, batch) {
			if err := exec.Load(ctx, c, d, t.Entity.Name, rows); err != nil {
				return loadError(ctx, c, d, t, rows, err)
			}
			if done += len(rows); progress != nil {
				progress(done, total)
			}
		}
	}
	return nil
}
