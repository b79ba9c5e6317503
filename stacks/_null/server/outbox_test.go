package main

import (
	"bytes"
	"io"
	"testing"
	"time"
)

// A box that never runs empty drops what it has sent, and its marks keep their replies.
func TestOutboxCompacts(t *testing.T) {
	var o outbox
	past, future := time.Now().Add(-time.Second), time.Now().Add(time.Hour)
	o.buf = append(o.buf, repeat("a", 3*maxKept)...)
	o.mark(past)
	o.buf = append(o.buf, "later"...)
	o.mark(future)
	o.buf = append(o.buf, "last"...)
	o.mark(past) // out of order: must wait for the one before
	o.advance(len(o.sendable()))
	if o.sent != 0 || string(o.buf) != "laterlast" || len(o.sendable()) != 0 || !o.nextDue().Equal(future) {
		t.Fatalf("sent %d, %d bytes kept, %d sendable", o.sent, len(o.buf), len(o.sendable()))
	}
	o.marks[0].due, o.marks[1].due = past, future
	if got := string(o.sendable()); got != "later" {
		t.Errorf("sendable %q", got)
	}
}

// A client that asks for far more than it reads is held back, and gets all of it in the end.
func TestFullOutbox(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, append(ioFlags, "--counting")...)
		const size, n = 1 << 20, 2 * maxPending >> 20
		c := dial(t, srv.addrs.RESP)
		c.send(respCommand("SET", "d", repeat("v", size)))
		c.want("+OK\r\n")
		c.send(repeat(respCommand("GET", "d"), n) + "QUIT\r\n")
		time.Sleep(50 * time.Millisecond)
		reply := "$1048576\r\n" + repeat("v", size) + "\r\n"
		buf := make([]byte, len(reply))
		for i := range n {
			if _, err := io.ReadFull(c, buf); err != nil || !bytes.Equal(buf, []byte(reply)) {
				t.Fatalf("reply %d: %v", i, err)
			}
		}
		c.want("+OK\r\n")
		c.wantEnd()
	})
}
