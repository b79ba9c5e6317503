package main

import (
	"bytes"
	"testing"
)

// fuzzSession checks that no input makes a session panic, and that where the
// network cuts the input makes no difference to what it says.
func fuzzSession(f *testing.F, make func(e *env) session, kept []string, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed), uint8(3))
		f.Add([]byte(seed[:len(seed)/2]), uint8(1))
	}
	for _, in := range kept {
		for _, chunk := range []uint8{0, 1, 2, 3, 14} {
			f.Add([]byte(in), chunk)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, chunk uint8) {
		whole, st := talk(make(testEnv(t, "--counting")), bytes.Clone(in), max(len(in), 1))
		parts, st2 := talk(make(testEnv(t, "--counting")), bytes.Clone(in), int(chunk)+1)
		if !bytes.Equal(whole, parts) || st != st2 {
			t.Fatalf("whole: %.200q (%v)\nin chunks of %d: %.200q (%v)", whole, st, int(chunk)+1, parts, st2)
		}
	})
}

func FuzzRESP(f *testing.F) {
	fuzzSession(f, func(e *env) session { return &respSession{env: e} }, keptRESP,
		"PING\r\n", respCommand("INCR", "k")+respCommand("GET", "k"), respCommand("SET", "k", "12")+respCommand("INCRBY", "k", "-9223372036854775808"),
		respCommand("MGET", "a", "b")+"QUIT\r\n", "*1048577\r\n", "*2\r\n$536870913\r\n", "*2\r\n$-5\r\n", "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$99999999\r\nabc",
		"*-1\r\n*0\r\n", "$5\r\nhello\r\n", "\x00\xff\r\n", "*1\r\n$4\r\nPINGPING", "CONFIG GET a b\r\nCOMMAND COUNT\r\nDBSIZE\r\n",
		"*99999999999999999999\r\n", "*1\r\r\n", "DECRBY k -9223372036854775808\r\n")
}

func FuzzHTTP(f *testing.F) {
	fuzzSession(f, func(e *env) session { return &httpSession{env: e} }, keptHTTP,
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nffffffffffffff\r\nx", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: b\r\n\r\n",
		"GET / HTTP/1.1\r\nContent-Length: 999999999999999999\r\n\r\n", "\r\n\r\n\r\n", "GET / HTTP/1.1\n\n", "G\r\n\r\n", ": :\r\n:\r\n\r\n",
		wsHello+"\r\n"+masked(0x81, "hello"))
}

func FuzzWS(f *testing.F) {
	fuzzSession(f, func(e *env) session { return &wsSession{env: e} }, keptWS,
		masked(0x81, "hello"), masked(0x01, "a")+masked(0x89, "p")+masked(0x80, "b"), masked(0x88, "\x03\xe8bye"), masked(0x82, repeat("x", 300)),
		"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x81\xfe\x00", "\xff\xff", "\x80\x80\x00\x00\x00\x00")
}
