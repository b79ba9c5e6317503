package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"time"
)

// options is the command line, checked.
type options struct {
	resp, http, ws, ssdb string // listen addresses; empty means the protocol is off
	readyFile            string
	loops                int    // event loops, epoll only
	io                   string // "epoll" or "goroutine"
	wsReply              string // fixed answer to a WebSocket message; empty means echo
	fanOut               string // a WebSocket message that contains it is told to everybody; empty means none

	counting   bool
	dropEvery  uint64 // 0 means never
	wrongEvery uint64 // 0 means never
	delay      *delayDist
	pause      *pauseSchedule
	seed       uint64
	dieAfter   uint64        // requests; 0 means never
	spin       time.Duration // of CPU for each request; 0 means none
	cost       time.Duration // of CPU that a request takes in all; 0 means what it takes
	notReady   time.Duration // from the start
	leak       uint64        // bytes of memory a second; 0 means none
	leakFiles  uint64        // files a second; 0 means none
	version    bool
}

// parseOptions reads the flags. Usage goes to w; the caller prints the error.
func parseOptions(args []string, w io.Writer) (*options, error) {
	o := &options{}
	var delay, pause string
	fs := flag.NewFlagSet("null", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.resp, "resp", "", "serve RESP (Redis protocol) on `ADDR`; host:0 picks a free port")
	fs.StringVar(&o.http, "http", "", "serve HTTP/1.1, and WebSocket by Upgrade, on `ADDR`")
	fs.StringVar(&o.ws, "ws", "", "serve WebSocket on `ADDR`")
	fs.StringVar(&o.ssdb, "ssdb", "", "serve SSDB's native protocol on `ADDR`")
	fs.StringVar(&o.readyFile, "ready-file", "", "write the addresses as JSON to `PATH` when listening")
	fs.IntVar(&o.loops, "loops", 1, "event loops (epoll only)")
	fs.StringVar(&o.io, "io", defaultIO(), "`ENGINE`: epoll (Linux) or goroutine")
	fs.StringVar(&o.wsReply, "ws-reply", "", "answer each WebSocket message with `TEXT` instead of an echo")
	fs.StringVar(&o.fanOut, "fan-out", "", "tell all WebSocket connections with the path /follow of each of their messages that contains `TEXT` (one epoll loop)")
	fs.BoolVar(&o.counting, "counting", false, "RESP and SSDB keep true counters and values")
	fs.Uint64Var(&o.dropEvery, "drop-every", 0, "acknowledge but do not store every `N`th counter change, and every Nth SET (needs --counting)")
	fs.Uint64Var(&o.wrongEvery, "wrong-every", 0, "answer every `N`th GET of a text with one that has another first byte (needs --counting)")
	fs.StringVar(&delay, "delay", "", "delay replies by `DIST`, e.g. 1ms:0.5,5ms:0.49,200ms:0.01")
	fs.StringVar(&pause, "pause", "", "stop all replies, `EVERY/FOR`, e.g. 10s/1s")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of --delay")
	fs.Uint64Var(&o.dieAfter, "die-after", 0, "exit with code 7 at the `N`th request, its reply unsent")
	fs.DurationVar(&o.spin, "spin", 0, "burn this much CPU time for each request: a server that is slower by a known amount")
	fs.DurationVar(&o.cost, "cost", 0, "burn what is missing for each request to take this much CPU time in all, network included: a server of known cost (one epoll loop)")
	fs.DurationVar(&o.notReady, "not-ready", 0, "answer PING with -LOADING and /healthz with 503 for this long")
	fs.Uint64Var(&o.leak, "leak-bytes-per-sec", 0, "take `N` bytes of memory each second and never give them back")
	fs.Uint64Var(&o.leakFiles, "leak-files-per-sec", 0, "open `N` files each second and close none of them")
	fs.BoolVar(&o.version, "version", false, "print the version and exit")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(w)
			fs.Usage()
		}
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	var err error
	if o.delay, err = parseDelay(delay, o.seed); err != nil {
		return nil, fmt.Errorf("--delay: %w", err)
	}
	if o.pause, err = parsePause(pause); err != nil {
		return nil, fmt.Errorf("--pause: %w", err)
	}
	return o, o.check()
}

func (o *options) check() error {
	switch {
	case o.version:
		return nil
	case o.resp == "" && o.http == "" && o.ws == "" && o.ssdb == "":
		return errors.New("nothing to serve: give --resp, --http, --ws or --ssdb")
	case o.loops < 1 || o.loops > 256:
		return fmt.Errorf("--loops: %d is not within 1…256", o.loops)
	case o.io != "epoll" && o.io != "goroutine":
		return fmt.Errorf("--io: %q is neither epoll nor goroutine", o.io)
	case o.io == "epoll" && runtime.GOOS != "linux":
		return errors.New("--io: epoll needs Linux")
	case o.fanOut != "" && (o.io != "epoll" || o.loops != 1):
		return errors.New("--fan-out needs --io epoll and --loops 1")
	case o.cost > 0 && (o.io != "epoll" || o.loops != 1):
		return errors.New("--cost needs --io epoll and --loops 1")
	case o.dropEvery > 0 && !o.counting:
		return errors.New("--drop-every needs --counting")
	case o.leak > 1<<30:
		return errors.New("--leak-bytes-per-sec: more than 1 GiB a second is refused")
	case o.leakFiles > 1000:
		return errors.New("--leak-files-per-sec: more than 1000 a second are refused")
	case o.wrongEvery > 0 && !o.counting:
		return errors.New("--wrong-every needs --counting")
	case o.notReady < 0:
		return errors.New("--not-ready: must not be negative")
	}
	return nil
}

func defaultIO() string {
	if runtime.GOOS == "linux" {
		return "epoll"
	}
	return "goroutine"
}
