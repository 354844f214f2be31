package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/server"
)

type serveFlags struct {
	port       int
	host       string
	dataDir    string
	memory     bool
	durability string
}

func newServe(c *console) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the DynamoDB-compatible server alone",
		Long: `Run the database with its DynamoDB endpoint, without a project. Any AWS SDK and
the aws command line can use it. Requests are not authenticated: bind it to an
address that only you can reach.`,
		Example: "  keyfold serve\n  keyfold serve --memory --port 8001",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runServe(cmd.Context(), f)
		},
	}
	cmd.Flags().IntVar(&f.port, "port", 8000, "port to listen on; 0 takes a free one")
	cmd.Flags().StringVar(&f.host, "host", "127.0.0.1", "address to listen on")
	cmd.Flags().StringVar(&f.dataDir, "data-dir", "keyfold-data", "folder of the database")
	cmd.Flags().BoolVar(&f.memory, "memory", false, "keep everything in memory, nothing on disk")
	durabilityFlag(cmd, &f.durability)
	return cmd
}

func durabilityFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "durability", "sync",
		"sync: an acknowledged write is on stable storage; nosync: a crash may lose the last writes")
}

// options are the engine's for the flags.
func (f serveFlags) options() (engine.Options, error) {
	var o engine.Options
	if !f.memory {
		o.Dir = f.dataDir
	}
	switch f.durability {
	case "sync":
		o.Durability = engine.Sync
	case "nosync":
		o.Durability = engine.NoSync
	default:
		return o, usagef("--durability is sync or nosync, not %q", f.durability)
	}
	return o, nil
}

func (c *console) runServe(ctx context.Context, f serveFlags) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if err := checkPort(f.port); err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is taken; choose another one with --port, or a free one with --port 0", f.port)
	}
	if err != nil {
		return err
	}
	db, err := engine.Open(o)
	if err != nil {
		l.Close()
		return err
	}
	c.title("DynamoDB endpoint %s", endpoint(l))
	if f.memory {
		c.printf("in memory: the data is gone when the server stops\n")
	} else {
		c.printf("data in %s\n", f.dataDir)
	}
	c.printf("\n%s\n", howToCall(endpoint(l), "us-east-1"))
	c.printf("  aws dynamodb list-tables\n\nCtrl-C stops it.\n")
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		c.note("note: %s can be reached from other machines, and requests are not authenticated", l.Addr())
	}
	err = serve(ctx, l, server.New(db, server.Options{}))
	return errors.Join(err, db.Close())
}

func checkPort(port int) error {
	if port < 0 || port > 65535 {
		return usagef("--port is 0 to 65535, not %d", port)
	}
	return nil
}

// endpoint is the URL of a listener; one on all addresses is named by the local one.
func endpoint(l net.Listener) string {
	addr := l.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", addr.Port)
	}
	return "http://" + addr.String()
}

func howToCall(endpoint, region string) string {
	return "  export AWS_ENDPOINT_URL_DYNAMODB=" + endpoint + "\n" +
		"  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local\n" +
		"  export AWS_REGION=" + region + " AWS_DEFAULT_REGION=" + region // boto3 reads the second
}

// serve answers on l until ctx ends, then lets running requests finish.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := s.Shutdown(last); err != nil {
		return s.Close()
	}
	return nil
}
