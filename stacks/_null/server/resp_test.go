package main

import (
	"strings"
	"sync"
	"testing"
)

func TestRESPNullReplies(t *testing.T) {
	cases := []struct{ in, want string }{
		{"PING\r\n", "+PONG\r\n"},
		{"ping\n", "+PONG\r\n"},
		{"\r\n  \r\nPING  hello \r\n", "$5\r\nhello\r\n"},
		{respCommand("PiNg"), "+PONG\r\n"},
		{respCommand("PING", "a\r\nb"), "$4\r\na\r\nb\r\n"},
		{respCommand("ECHO", ""), "$0\r\n\r\n"},
		{respCommand("INCR", "k"), ":1\r\n"},
		{respCommand("INCRBY", "k", "7"), ":1\r\n"},
		{respCommand("DECR", "k"), ":1\r\n"},
		{respCommand("GET", "k"), "$1\r\n1\r\n"},
		{respCommand("MGET", "a", "b", "c"), "*3\r\n" + repeat("$1\r\n1\r\n", 3)},
		{respCommand("SET", "k", repeat("v", 5000), "EX", "10"), "+OK\r\n"},
		{respCommand("DEL", "a", "b"), ":2\r\n"},
		{respCommand("FLUSHALL"), "+OK\r\n"},
		{respCommand("FLUSHDB", "ASYNC"), "+OK\r\n"},
		{respCommand("DBSIZE"), ":0\r\n"},
		{respCommand("SELECT", "0"), "+OK\r\n"},
		{respCommand("HELLO", "3"), "-ERR unknown command 'HELLO'\r\n"},
		{respCommand("CLIENT", "SETINFO", "LIB-NAME", "x"), "+OK\r\n"},
		{respCommand("CLIENT", "id"), ":1\r\n"},
		{respCommand("COMMAND", "DOCS"), "*0\r\n"},
		{respCommand("CONFIG", "GET", "save"), "*2\r\n$4\r\nsave\r\n$0\r\n\r\n"},
		{respCommand("NOSUCH\r\n", "x"), "-ERR unknown command 'NOSUCH??'\r\n"},
		{respCommand(repeat("x", 300)), "-ERR unknown command '" + repeat("x", maxEcho) + "'\r\n"},
		{respCommand(""), "-ERR unknown command ''\r\n"},
		{respCommand("GET"), "-ERR wrong number of arguments for 'GET' command\r\n"},
		{"*0\r\n*-1\r\nPING\r\n", "+PONG\r\n"},
		{respCommand("QUIT") + "PING\r\n", "+OK\r\n"},
		{repeat(respCommand("INCR", "k"), 100) + "PING\r\n", repeat(":1\r\n", 100) + "+PONG\r\n"},
		{"*1\r\n$4\r\nPI", ""},
	}
	e := testEnv(t)
	for _, c := range cases {
		inOneAndInBytes(t, func() session { return &respSession{env: e} }, c.in, c.want)
	}
}

func TestRESPProtocolErrors(t *testing.T) {
	cases := []struct{ in, why string }{
		{"*1048577\r\n", "invalid multibulk length"},
		{"*99999999999999999999", "invalid multibulk length"},
		{"*x\r\n", "invalid multibulk length"},
		{"*\r\n", "invalid multibulk length"},
		{"*1\rx", "invalid multibulk length"},
		{"*1\r\n:1\r\n", "expected '$', got ':'"},
		{"*1\r\n\x01", "expected '$', got '?'"},
		{"*1\r\n$536870913\r\n", "invalid bulk length"},
		{"*1\r\n$-1\r\n", "invalid bulk length"},
		{"*1\r\n$4\r\nPINGxx", "bulk string without CRLF"},
		{repeat("a", maxInline+1), "too big inline request"},
	}
	e := testEnv(t)
	for _, c := range cases {
		for _, chunk := range []int{len(c.in), 4096, 3} {
			got, st := talk(&respSession{env: e}, []byte(c.in), chunk)
			if want := "-ERR Protocol error: " + c.why + "\r\n"; string(got) != want || st != statusClose {
				t.Errorf("%.40q: got %q, status %v, want %q and close", c.in, got, st, want)
			}
		}
	}
}

func TestRESPTotalSizeLimit(t *testing.T) {
	p := respParser{left: 5, pos: maxRequest - 10}
	req := make([]byte, p.pos, p.pos+10)
	if _, st := p.next(append(req, "$100\r\n"...)); st != parseBad {
		t.Errorf("a command beyond %d bytes: state %v, want bad", maxRequest, st)
	}
}

func TestRESPOnSockets(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, ioFlags...)
		c := dial(t, srv.addrs.RESP)
		c.send("*1\r\n$4\r\nPI")
		c.send("NG\r\nPING\r\n")
		c.want("+PONG\r\n+PONG\r\n")

		// More than every buffer on the way, written before anything is read.
		const n = 200_000
		go c.Write([]byte(repeat(respCommand("INCR", "k"), n)))
		c.want(repeat(":1\r\n", n))

		c.send(respCommand("ECHO", repeat("z", 5<<20)))
		c.want("$5242880\r\n" + repeat("z", 5<<20) + "\r\n")

		c.send(respCommand("INFO"))
		info := make([]byte, 512)
		k, _ := c.Read(info)
		if text := string(info[:k]); !strings.Contains(text, "ladderbench_null:1\r\n") || strings.Contains(text, "redis_version") {
			t.Errorf("INFO: %q", text)
		}
	})
}

func TestRESPCloses(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, ioFlags...)
		c := dial(t, srv.addrs.RESP)
		c.send(respCommand("QUIT"))
		c.want("+OK\r\n")
		c.wantEnd()

		c = dial(t, srv.addrs.RESP)
		c.send("PING\r\n*1\r\n!\r\n")
		c.want("+PONG\r\n-ERR Protocol error: expected '$', got '!'\r\n")
		c.wantEnd()
	})
}

func TestRESPManyConnections(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, append(ioFlags, "--counting")...)
		const conns, batches, depth = 50, 20, 16
		var wg sync.WaitGroup
		for range conns {
			c := dial(t, srv.addrs.RESP)
			wg.Go(func() {
				for range batches {
					c.send(repeat(respCommand("INCR", "k")+"PING\r\n", depth))
					for got := 0; got < depth; {
						buf := make([]byte, 4096)
						n, err := c.Read(buf)
						if err != nil {
							t.Error(err)
							return
						}
						got += strings.Count(string(buf[:n]), "+")
					}
				}
			})
		}
		wg.Wait()
		c := dial(t, srv.addrs.RESP)
		c.send(respCommand("GET", "k"))
		c.want("$5\r\n16000\r\n")
	})
}
