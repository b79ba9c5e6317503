// Command null answers RESP, HTTP/1.1 and WebSocket requests without doing any
// work: the reference beside figures, and the system of the end-to-end tests.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is the responder's own version; a release build overrides it with -ldflags "-X main.version=…".
var version = "0.1.0"

// Exit codes: 0 stopped by a signal, 2 bad flags or a port that cannot be had, 7 died on purpose (--die-after).
const (
	exitOK    = 0
	exitUsage = 2
	exitDied  = 7
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings passed in; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	opts, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "null:", err)
		return exitUsage
	case opts.version:
		fmt.Fprintln(stdout, "null", version)
		return exitOK
	}

	// Caught before the ports open, so that no caller can signal a process that is not yet listening for it.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)

	srv, err := startServer(opts, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "null:", err)
		return exitUsage
	}
	if err := srv.announce(opts.readyFile, stderr); err != nil {
		srv.stop()
		fmt.Fprintln(stderr, "null:", err)
		return exitUsage
	}
	sig := <-signals
	srv.stop()
	fmt.Fprintf(stderr, "null: stopped by %v after %s\n", sig, srv.env.uptime())
	return exitOK
}
