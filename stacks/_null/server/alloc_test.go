package main

import "testing"

// The measured path must not feed the garbage collector.
func TestNoAllocationPerCommand(t *testing.T) {
	for _, flags := range [][]string{nil, {"--counting"}} {
		batch := []byte(repeat(respCommand("INCR", "k")+respCommand("GET", "k")+respCommand("SET", "d", repeat("v", 570))+"PING\r\n", 16))
		resp := &peer{sess: &respSession{env: testEnv(t, flags...)}}
		get := []byte(repeat("GET /a HTTP/1.1\r\nHost: x\r\nUser-Agent: k6\r\nContent-Length: 2\r\n\r\nok", 16))
		web := &peer{sess: &httpSession{env: testEnv(t, flags...)}}
		allocs := testing.AllocsPerRun(100, func() {
			resp.feed(batch)
			resp.out.advance(len(resp.out.buf))
			web.feed(get)
			web.out.advance(len(web.out.buf))
		})
		if allocs > 0 {
			t.Errorf("flags %v: %v allocations per batch, want none", flags, allocs)
		}
	}
}
