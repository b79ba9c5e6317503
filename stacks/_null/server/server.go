package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
)

// server is the listeners and the I/O engine behind them.
type server struct {
	env    *env
	addrs  addresses
	engine engine
	once   sync.Once
}

// addresses is where each protocol is served, as written to the ready file.
type addresses struct {
	RESP string `json:"resp,omitempty"`
	HTTP string `json:"http,omitempty"`
	WS   string `json:"ws,omitempty"`
	SSDB string `json:"ssdb,omitempty"`
}

// engine moves bytes between sockets and peers.
type engine interface {
	// stop ends all connections and waits for the engine's goroutines; env.stopped is already closed.
	stop()
}

// endpoint is one open port and what it speaks.
type endpoint struct {
	proto protocol
	l     *net.TCPListener
}

// startServer opens the ports of opts and serves them until stop.
func startServer(opts *options, log io.Writer) (*server, error) {
	if opts.readyFile != "" {
		// One left by an earlier process would name ports that are not ours.
		if err := os.Remove(opts.readyFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("--ready-file: %w", err)
		}
	}
	s := &server{env: newEnv(opts, log)}
	if opts.leak > 0 {
		go s.env.leak()
	}
	if opts.leakFiles > 0 {
		go s.env.leakFiles()
	}
	var ends []endpoint
	fail := func(err error) (*server, error) {
		for _, e := range ends {
			e.l.Close()
		}
		return nil, err
	}
	for _, want := range []struct {
		proto protocol
		addr  string
		got   *string
	}{{protoRESP, opts.resp, &s.addrs.RESP}, {protoHTTP, opts.http, &s.addrs.HTTP}, {protoWS, opts.ws, &s.addrs.WS}, {protoSSDB, opts.ssdb, &s.addrs.SSDB}} {
		if want.addr == "" {
			continue
		}
		l, err := net.Listen("tcp", want.addr)
		if err != nil {
			return fail(listenError(want.proto, want.addr, err))
		}
		*want.got = l.Addr().String()
		ends = append(ends, endpoint{want.proto, l.(*net.TCPListener)})
	}
	var err error
	if opts.io == "epoll" {
		s.engine, err = startEpoll(s.env, ends)
	} else {
		s.engine = startGoroutines(s.env, ends)
	}
	if err != nil {
		return fail(err)
	}
	return s, nil
}

func listenError(p protocol, addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("--%s: %s is taken: another process listens there", p, addr)
	}
	return fmt.Errorf("--%s: cannot listen on %s: %w", p, addr, err)
}

// announce says on the log, and in the ready file, that all ports are open.
func (s *server) announce(readyFile string, log io.Writer) error {
	text, err := json.Marshal(s.addrs)
	if err != nil {
		return err
	}
	if readyFile != "" {
		// Renamed into place: a reader sees all of it or nothing.
		tmp := readyFile + ".tmp"
		if err := os.WriteFile(tmp, append(text, '\n'), 0o644); err != nil {
			return fmt.Errorf("--ready-file: %w", err)
		}
		if err := os.Rename(tmp, readyFile); err != nil {
			return fmt.Errorf("--ready-file: %w", err)
		}
	}
	fmt.Fprintf(log, "null: ready %s\n", text)
	return nil
}

// stop closes everything; replies not yet sent are lost, as with any server that is told to go.
func (s *server) stop() {
	s.once.Do(func() {
		close(s.env.stopped)
		s.engine.stop()
	})
}
