package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"runtime"
	"testing"
	"time"
)

func TestCounting(t *testing.T) {
	cases := []struct{ in, want string }{
		{respCommand("GET", "k"), "$-1\r\n"},
		{"INCR k\r\nINCR k\r\nINCRBY k 40\r\nDECR k\r\nDECRBY k 2\r\nGET k\r\n", ":1\r\n:2\r\n:42\r\n:41\r\n:39\r\n$2\r\n39\r\n"},
		{"SET a 12\r\nINCR a\r\nSET b x\r\nINCR b\r\n", "+OK\r\n:13\r\n+OK\r\n-" + errNotInteger + "\r\n"},
		{"SET a 007\r\nGET a\r\nINCR a\r\n", "+OK\r\n$3\r\n007\r\n-" + errNotInteger + "\r\n"},
		{respCommand("SET", "a", "") + "GET a\r\nSET a 5\r\nGET a\r\nSET a no\r\nGET a\r\n", "+OK\r\n$0\r\n\r\n+OK\r\n$1\r\n5\r\n+OK\r\n$2\r\nno\r\n"},
		{"INCR a\r\nSET b x\r\nMGET a b c\r\nDBSIZE\r\nEXISTS a b c\r\nDEL a c\r\nDBSIZE\r\nFLUSHALL\r\nDBSIZE\r\nGET b\r\n",
			":1\r\n+OK\r\n*3\r\n$1\r\n1\r\n$1\r\nx\r\n$-1\r\n:2\r\n:2\r\n:1\r\n:1\r\n+OK\r\n:0\r\n$-1\r\n"},
		{"INCRBY a 9223372036854775807\r\nINCR a\r\nGET a\r\n", ":9223372036854775807\r\n-" + errOverflow + "\r\n$19\r\n9223372036854775807\r\n"},
		{"INCRBY a -9223372036854775808\r\nDECR a\r\nDECRBY b -9223372036854775808\r\n", ":-9223372036854775808\r\n-" + errOverflow + "\r\n-ERR decrement would overflow\r\n"},
		{"INCRBY a x\r\nINCRBY a 1.5\r\n", "-" + errNotInteger + "\r\n-" + errNotInteger + "\r\n"},
		{"SET a 1 EX 5\r\nGET a\r\n", "-ERR syntax error: SET options are not supported here\r\n$-1\r\n"},
		{"INCRBY z 0\r\nEXISTS z\r\n", ":0\r\n:1\r\n"},
	}
	for _, c := range cases {
		inOneAndInBytes(t, func() session { return &respSession{env: testEnv(t, "--counting")} }, c.in, c.want)
	}
}

// The mutant: a lost write is acknowledged like any other, and the state is short by exactly the lost ones.
func TestDropEvery(t *testing.T) {
	s := &respSession{env: testEnv(t, "--counting", "--drop-every", "10")}
	talk(s, []byte(repeat("INCR k\r\n", 1000)), 1<<20)
	if got, _ := talk(s, []byte("GET k\r\n"), 100); string(got) != "$3\r\n900\r\n" {
		t.Errorf("after 1000 INCRs: %q, want 900", got)
	}
	s = &respSession{env: testEnv(t, "--counting", "--drop-every", "3")}
	got, _ := talk(s, []byte("SET a x\r\nSET b x\r\nSET c x\r\nSET d x\r\nMGET a b c d\r\n"), 100)
	if want := repeat("+OK\r\n", 4) + "*4\r\n$1\r\nx\r\n$1\r\nx\r\n$-1\r\n$1\r\nx\r\n"; string(got) != want {
		t.Errorf("third SET dropped: %q, want %q", got, want)
	}
}

func TestDelay(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, append(ioFlags, "--delay", "30ms")...)
		c := dial(t, srv.addrs.RESP)
		begin := time.Now()
		c.send("PING a\r\nPING b\r\n")
		c.want("$1\r\na\r\n$1\r\nb\r\n")
		if took := time.Since(begin); took < 30*time.Millisecond || took > 2*time.Second {
			t.Errorf("two pipelined commands took %v, want 30 ms", took)
		}
		begin = time.Now()
		resp, err := http.Get("http://" + srv.addrs.HTTP)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if took := time.Since(begin); took < 30*time.Millisecond {
			t.Errorf("HTTP took %v, want 30 ms", took)
		}
	})
}

// Replies stay in order, however short the later delays are, and a client can send on while it waits.
func TestDelayKeepsOrder(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, append(ioFlags, "--counting", "--delay", "0s:0.7,1ms:0.25,5ms:0.05")...)
		c := dial(t, srv.addrs.RESP)
		const n = 500
		go func() {
			for range n {
				c.send("INCR k\r\n")
			}
		}()
		lines := bufio.NewReader(c)
		for i := int64(1); i <= n; i++ {
			line, err := lines.ReadString('\n')
			if err != nil || line != string(appendInt(nil, i)) {
				t.Fatalf("reply %d: %q, %v", i, line, err)
			}
		}
	})
}

func TestDelayIsSeededAndTrueToItsWeights(t *testing.T) {
	const text, n = "1ms:0.5,5ms:0.49,200ms:0.01", 20_000
	draw := func(seed uint64) (all []time.Duration, long int) {
		d, err := parseDelay(text, seed)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			x := d.draw()
			all = append(all, x)
			if x == 200*time.Millisecond {
				long++
			}
		}
		return all, long
	}
	a, long := draw(7)
	b, _ := draw(7)
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("draw %d differs between two runs with one seed", i)
		}
	}
	if long < n/200 || long > n/50 {
		t.Errorf("%d long delays of %d, want about %d", long, n, n/100)
	}
}

func TestPause(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, append(ioFlags, "--pause", "500ms/250ms")...)
		c := dial(t, srv.addrs.RESP)
		worst := time.Duration(0)
		for begin := time.Now(); time.Since(begin) < 1100*time.Millisecond; {
			sent := time.Now()
			c.send("PING\r\n")
			c.want("+PONG\r\n")
			worst = max(worst, time.Since(sent))
		}
		if worst < 200*time.Millisecond || worst > 2*time.Second {
			t.Errorf("longest reply %v, want about 250 ms", worst)
		}
	})
}

func TestPauseSchedule(t *testing.T) {
	p, err := parsePause("10s/1s")
	if err != nil {
		t.Fatal(err)
	}
	for up, want := range map[time.Duration]time.Duration{
		0: 0, 8999 * time.Millisecond: 0, 9 * time.Second: time.Second, 9900 * time.Millisecond: 100 * time.Millisecond,
		10 * time.Second: 0, 29500 * time.Millisecond: 500 * time.Millisecond,
	} {
		if got := p.remaining(up); got != want {
			t.Errorf("at %v: %v left, want %v", up, got, want)
		}
	}
}

func TestNotReady(t *testing.T) {
	srv := start(t, "--not-ready", "300ms")
	c := dial(t, srv.addrs.RESP)
	c.send("PING\r\n")
	c.want("-LOADING the null responder is loading\r\n")
	c.send("INCR k\r\n")
	c.want(":1\r\n")
	resp, err := http.Get("http://" + srv.addrs.HTTP + "/healthz")
	if err != nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("healthz while loading: %v, %v", resp, err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	time.Sleep(320 * time.Millisecond)
	c.send("PING\r\n")
	c.want("+PONG\r\n")
}

// A stop must not wait for a pause, a delay or a client.
// The mutant: memory grows by what was asked for, and a collector cannot get it back.
func TestLeak(t *testing.T) {
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	srv := start(t, "--leak-bytes-per-sec", "8000000")
	time.Sleep(1100 * time.Millisecond)
	if grown := int64(held()) - int64(before); grown < 5_000_000 || grown > 12_000_000 {
		t.Errorf("grew by %d bytes in 1.1 s, want about 8 000 000", grown)
	}
	srv.stop()
}

// The mutant: files stay open, until the server stops.
func TestLeakOfFiles(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("open files cannot be counted here: ", err)
		}
		return len(entries)
	}
	before := open()
	srv := start(t, "--leak-files-per-sec", "100")
	time.Sleep(500 * time.Millisecond)
	if grown := open() - before; grown < 30 || grown > 70 {
		t.Errorf("%d files more in 0.5 s, want about 50", grown)
	}
	srv.stop()
}

func TestStopIsPrompt(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, append(ioFlags, "--delay", "1h", "--pause", "100h/99h59m59.9s")...)
		c := dial(t, srv.addrs.RESP)
		c.send("PING\r\n")
		time.Sleep(150 * time.Millisecond)
		begin := time.Now()
		srv.stop()
		if took := time.Since(begin); took > time.Second {
			t.Errorf("stop took %v", took)
		}
		if _, err := readByte(c); err == nil {
			t.Error("a reply came from a stopped server")
		}
	})
}

func readByte(r io.Reader) (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(r, b[:])
	return b[0], err
}
