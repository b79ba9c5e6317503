package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for the command: process_test.go runs it with this variable set.
func TestMain(m *testing.M) {
	if os.Getenv("NULL_AS_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// forEachIO runs a test on every I/O engine of this platform.
func forEachIO(t *testing.T, test func(t *testing.T, ioFlags ...string)) {
	t.Run("goroutine", func(t *testing.T) { test(t, "--io", "goroutine") })
	if runtime.GOOS == "linux" {
		t.Run("epoll", func(t *testing.T) { test(t, "--io", "epoll") })
		t.Run("three loops", func(t *testing.T) { test(t, "--io", "epoll", "--loops", "3") })
	}
}

// start runs a server with all three protocols until the test ends.
func start(t *testing.T, flags ...string) *server {
	t.Helper()
	all := append([]string{"--resp", "127.0.0.1:0", "--http", "127.0.0.1:0", "--ws", "127.0.0.1:0"}, flags...)
	opts, err := parseOptions(all, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := startServer(opts, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.stop)
	return srv
}

// client is a TCP connection whose steps fail the test.
type client struct {
	t *testing.T
	net.Conn
}

func dial(t *testing.T, addr string) client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return client{t, conn}
}

func (c client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// want reads as many bytes as text has, and compares.
func (c client) want(text string) {
	c.t.Helper()
	got := make([]byte, len(text))
	n, err := io.ReadFull(c, got)
	if string(got[:n]) != text {
		c.t.Fatalf("got %.300q (%v), want %.300q", got[:n], err, text)
	}
}

// wantEnd expects the server to have closed, with nothing more to read.
func (c client) wantEnd() {
	c.t.Helper()
	if rest, err := io.ReadAll(c); err != nil || len(rest) > 0 {
		c.t.Fatalf("got %q, %v, want the end", rest, err)
	}
}

// respCommand writes a command as an array of bulk strings.
func respCommand(words ...string) string {
	b := appendArray(nil, len(words))
	for _, w := range words {
		b = appendBulk(b, []byte(w))
	}
	return string(b)
}

// talk feeds a session in chunks of the given size and returns all it says.
func talk(sess session, in []byte, chunk int) (out []byte, st status) {
	p := &peer{sess: sess}
	for len(in) > 0 {
		n := min(chunk, len(in))
		st = p.feed(in[:n])
		in = in[n:]
		for {
			out = append(out, p.out.buf...)
			p.out.advance(len(p.out.buf))
			if st != statusFull {
				break
			}
			st = p.feed(nil)
		}
		if st == statusClose {
			return out, st
		}
	}
	return out, st
}

// testEnv is an env without a server.
func testEnv(t testing.TB, flags ...string) *env {
	t.Helper()
	opts, err := parseOptions(append([]string{"--resp", "127.0.0.1:0"}, flags...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return newEnv(opts, io.Discard)
}

// inOneAndInBytes checks that a conversation reads the same whole and byte by byte.
func inOneAndInBytes(t *testing.T, make func() session, in, want string) {
	t.Helper()
	for _, chunk := range []int{max(len(in), 1), 7, 1} {
		got, _ := talk(make(), bytes.Clone([]byte(in)), chunk)
		if string(got) != want {
			t.Errorf("%.80q in chunks of %d: got %.300q, want %.300q", in, chunk, got, want)
		}
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }
