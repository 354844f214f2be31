package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/internal/dev"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/project"
	"github.com/keyfold-dev/keyfold/internal/sample"
	"github.com/keyfold-dev/keyfold/server"
)

type devFlags struct {
	serveFlags
	rows int
	once bool
}

func newDev(c *console) *cobra.Command {
	var f devFlags
	cmd := &cobra.Command{
		Use:   "dev DIR",
		Short: "Design, database, sample data and endpoint in one command",
		Long: `Derive the design of the SQL in DIR, start the database with its DynamoDB endpoint,
create the table, load sample rows (DIR/sample/*.csv, made up where there are none) and
run every access pattern once. Then stay up, and derive again when a file changes.`,
		Example: "  keyfold dev examples/catalog\n  keyfold dev examples/catalog --memory --port 0",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runDev(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().IntVar(&f.port, "port", 8000, "port of the endpoint; the next free one when it is taken, any free one for 0")
	cmd.Flags().StringVar(&f.dataDir, "data-dir", "", "folder of the database (default DIR/.keyfold)")
	cmd.Flags().BoolVar(&f.memory, "memory", false, "keep everything in memory, nothing on disk")
	cmd.Flags().IntVar(&f.rows, "rows", 20, "rows to make up for a table without a sample file")
	cmd.Flags().BoolVar(&f.once, "once", false, "stop after the report")
	durabilityFlag(cmd, &f.durability)
	return cmd
}

func (c *console) runDev(ctx context.Context, dir string, f devFlags) error {
	if err := checkPort(f.port); err != nil {
		return err
	}
	p, err := c.design(dir, diag.Warning)
	if err != nil {
		return err
	}
	data, err := c.sample(p, f.rows)
	if err != nil {
		return err
	}
	s, err := c.openSession(p, f)
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := listen(f.port)
	if err != nil {
		return err
	}
	withdraw, err := s.Announce(endpoint(l))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer withdraw()

	d := &devRun{console: c, dir: dir, flags: f, session: s, project: p, data: data, url: endpoint(l)}
	failed := make(chan error, 1)
	serving, stop := context.WithCancel(ctx)
	go func() { failed <- serve(serving, l, server.New(s.DB, server.Options{Region: p.Config.Region.Text})) }()
	err = d.report(ctx)
	if err == nil && !f.once {
		err = d.watch(ctx, failed)
	}
	stop()
	return errors.Join(err, <-failed)
}

// sample makes the sample rows and shows what is wrong with them.
func (c *console) sample(p *compiled, rows int) (*sample.Data, error) {
	data, diags := sample.Rows(p.Model, p.Samples, rows)
	diags.Sort()
	diag.Render(c.err, diags, p.Texts, true)
	if diags.HasErrors() {
		return nil, errReported
	}
	return data, nil
}

// folder is where a project's session is kept.
func (f devFlags) folder(dir string) string {
	switch {
	case f.memory:
		return ""
	case f.dataDir != "":
		return f.dataDir
	}
	return filepath.Join(dir, ".keyfold")
}

func (c *console) openSession(p *compiled, f devFlags) (*dev.Session, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	loading := c.progress("loading rows")
	s, err := dev.Open(dev.Options{Folder: f.folder(p.Dir), Durability: o.Durability, Region: p.Config.Region.Text,
		Progress: func(done, total int) {
			loading.at(done, total)
			if done == total {
				loading.stop()
			}
		}})
	if errors.Is(err, engine.ErrInUse) {
		where := dev.Endpoint(f.folder(p.Dir))
		if where == "" {
			where = "another process"
		}
		return nil, fmt.Errorf("%s is in use by %s; stop that one, or take another folder with --data-dir, or --memory", f.folder(p.Dir), where)
	}
	return s, err
}

// listen takes the port, or the next free one of a few; the caller sees from the address
// which.
func listen(port int) (net.Listener, error) {
	const following = 20
	for p := port; ; p++ {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p)))
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) || p >= port+following {
			return l, err
		}
	}
}

// A devRun is a running `keyfold dev`.
type devRun struct {
	*console
	dir     string
	flags   devFlags
	session *dev.Session
	project *compiled
	data    *sample.Data
	url     string
	shown   bool // the endpoint has been printed
}

// report makes the tables ready, tries every access pattern, and prints it all.
func (d *devRun) report(ctx context.Context) error {
	outcome, err := d.session.Adopt(ctx, d.project.Design, d.data)
	if err != nil {
		return err
	}
	trials, err := d.session.Try(ctx, d.project.Design, d.data)
	if err != nil {
		return err
	}
	d.title("%s: %s", tableNames(d.project.Design), summary(d.project.Design))
	d.printf("\n")
	d.title("Keys")
	keyTable(d.project.Design).print(d.out, d.width)
	d.printf("\n")
	d.title("Rows")
	d.paragraph(d.rowsText(outcome))
	d.printf("\n")
	d.title("Access patterns, each run once")
	trialTable(trials).print(d.out, d.width)
	if slices.ContainsFunc(trials, func(t dev.Trial) bool { return t.Plan.Pattern.IsWrite() && !t.Plan.Refused }) {
		d.paragraph(styleFaint.Render("Writes ran on a copy of the sample rows."))
	}
	d.showRefused(d.project.Design)
	if !d.shown {
		d.printf("\n")
		d.showEndpoint(trials)
		d.shown = true
	}
	return firstFault(trials)
}

// firstFault makes a call that failed the failure of the command.
func firstFault(trials []dev.Trial) error {
	for _, t := range trials {
		if t.Err != nil {
			return fmt.Errorf("%s: %w", t.Plan.Pattern.Name, t.Err)
		}
	}
	return nil
}

func (d *devRun) rowsText(outcome dev.Outcome) string {
	var parts []string
	made := false
	for _, t := range d.data.Tables {
		s := fmt.Sprintf("%d %s", len(t.Rows), t.Entity.Name)
		if t.File == "" {
			s += "*"
			made = true
		}
		parts = append(parts, s)
	}
	s := strings.Join(parts, ", ")
	if made {
		s += " (* made up; write " + filepath.Join(d.dir, "sample", "NAME.csv") + " for your own)"
	}
	where := "in memory"
	if folder := d.flags.folder(d.dir); folder != "" {
		where = "in " + folder
	}
	switch outcome {
	case dev.Kept:
		return s + ". Kept from the last time " + where + ", with what has been written since."
	case dev.Recreated:
		return s + ". The design or the sample rows have changed: the table " + where + " was made anew."
	}
	return s + ", loaded " + where + "."
}

func trialTable(trials []dev.Trial) *table {
	t := &table{head: []string{"Access pattern", "Request", "Index", "Rows", "Units"}, right: map[int]bool{3: true, 4: true}}
	for _, x := range trials {
		if x.Plan.Refused {
			continue
		}
		rows, units := styleBad.Render("failed"), ""
		if r := x.Result; r != nil {
			rows, units = strconv.Itoa(len(r.Rows)), unitsText(r.ReadUnits, r.WriteUnits)
			if x.Plan.Pattern.IsWrite() {
				rows = fmt.Sprintf("%d changed", r.Affected)
			}
		}
		t.add(x.Plan.Pattern.Name, operations(x.Plan), indexes(x.Plan), rows, units)
	}
	return t
}

// unitsText spells consumed capacity: "0.5 read", "4 write".
func unitsText(read, write float64) string {
	var parts []string
	if read > 0 {
		parts = append(parts, number(read)+" read")
	}
	if write > 0 {
		parts = append(parts, number(write)+" write")
	}
	return strings.Join(parts, " + ")
}

func (d *devRun) showEndpoint(trials []dev.Trial) {
	d.title("DynamoDB endpoint %s", d.url)
	if d.flags.port != 0 && !strings.HasSuffix(d.url, ":"+strconv.Itoa(d.flags.port)) {
		d.printf("  (port %d is taken)\n", d.flags.port)
	}
	d.printf("%s\n", howToCall(d.url, d.project.Config.Region.Text))
	if line := awsLine(d.project.Design, trials); line != "" {
		d.printf("  %s\n", line)
	}
	for _, t := range trials {
		if !t.Plan.Pattern.IsWrite() && len(t.Args) > 0 {
			d.printf("  keyfold run %s %s%s\n", d.dir, t.Plan.Pattern.Name, argsText(t.Plan, t.Args))
			break
		}
	}
}

// interval is the time between two looks at the project's files.
const interval = 300 * time.Millisecond

// watch derives again whenever a file of the project changes, until ctx ends.
func (d *devRun) watch(ctx context.Context, failed chan error) error {
	d.printf("\nWatching %s; Ctrl-C stops.\n", d.dir)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	last := d.project.Stamp()
	for {
		select {
		case <-ctx.Done():
			d.printf("\nStopped.\n")
			return nil
		case err := <-failed:
			failed <- nil
			if ctx.Err() == nil {
				return err
			}
			continue
		case <-tick.C:
		}
		now := d.currentStamp()
		if now == last {
			continue
		}
		last = now
		if err := d.again(ctx); err != nil && ctx.Err() == nil {
			d.note("keyfold: %v", err)
		}
	}
}

// currentStamp opens the project anew, for keyfold.yaml may name other files by now.
func (d *devRun) currentStamp() string {
	p, _, err := project.Open(d.dir)
	if err != nil {
		return err.Error()
	}
	return p.Stamp()
}

// again derives and reports once more. Faults are shown, and the last good design stays.
func (d *devRun) again(ctx context.Context) error {
	d.printf("\n%s\n", styleFaint.Render(time.Now().Format("15:04:05")+" files changed"))
	p, err := d.design(d.dir, diag.Warning)
	if errors.Is(err, errReported) {
		d.note("The table is as it was.")
		return nil
	}
	if err != nil {
		return err
	}
	data, err := d.sample(p, d.flags.rows)
	if errors.Is(err, errReported) {
		d.note("The table is as it was.")
		return nil
	}
	if err != nil {
		return err
	}
	before := d.project.Design.String()
	d.project, d.data = p, data
	if changes := lineChanges(before, p.Design.String()); len(changes) > 0 {
		d.title("What changed")
		for _, line := range changes {
			style := styleGood
			if strings.HasPrefix(line, "-") {
				style = styleBad
			}
			d.printf("  %s\n", style.Render(line))
		}
		d.printf("\n")
	} else {
		d.printf("The design is the same.\n\n")
	}
	return d.report(ctx)
}
