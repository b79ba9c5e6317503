//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nullCommand is the responder as a process of its own.
func nullCommand(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "NULL_AS_COMMAND=1")
	log := &bytes.Buffer{}
	cmd.Stderr = log
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd, log
}

// launch starts the responder and waits for its ready file.
func launch(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer, addresses) {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready.json")
	if err := os.WriteFile(ready, []byte("stale"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, log := nullCommand(t, append(args, "--ready-file", ready)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		var addrs addresses
		if text, err := os.ReadFile(ready); err == nil && json.Unmarshal(text, &addrs) == nil {
			return cmd, log, addrs
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("not ready in 10 s: %s", log)
	return nil, nil, addresses{}
}

func TestSignalsStopCleanly(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd, log, addrs := launch(t, "--resp", "127.0.0.1:0", "--ws", "127.0.0.1:0")
		if addrs.RESP == "" || addrs.WS == "" || addrs.HTTP != "" {
			t.Errorf("ready file: %+v", addrs)
		}
		c := dial(t, addrs.RESP)
		c.send("PING\r\n")
		c.want("+PONG\r\n")
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", sig, err)
		}
		if text := log.String(); !strings.Contains(text, "null: ready {") || !strings.Contains(text, "stopped by") {
			t.Errorf("log: %q", text)
		}
	}
}

func TestTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd, log := nullCommand(t, "--http", "127.0.0.1:0", "--resp", l.Addr().String())
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "is taken") || !strings.Contains(text, l.Addr().String()) {
		t.Errorf("log: %q", text)
	}
}

func TestDieAfter(t *testing.T) {
	cmd, log, addrs := launch(t, "--resp", "127.0.0.1:0", "--die-after", "3")
	c := dial(t, addrs.RESP)
	for range 2 {
		c.send("PING\r\n")
		c.want("+PONG\r\n")
	}
	c.send("PING\r\n")
	if _, err := readByte(c); err == nil {
		t.Error("the last request was answered")
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitDied {
		t.Errorf("exit code %d, want %d", code, exitDied)
	}
	if text := log.String(); !strings.Contains(text, "died on purpose at request 3") {
		t.Errorf("log: %q", text)
	}
}

func TestVersion(t *testing.T) {
	cmd, _ := nullCommand(t, "--version")
	if out, err := cmd.Output(); err != nil || string(out) != "null "+version+"\n" {
		t.Errorf("%q, %v", out, err)
	}
}
