package main

import (
	"encoding/binary"
	"testing"
)

const wsHello = "GET /chat HTTP/1.1\r\nHost: x\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n" +
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"

// wsAccepted is the answer to wsHello; the key and its hash are the example of RFC 6455 §1.3.
const wsAccepted = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

// masked is a client frame; first is its first byte (fin and opcode).
func masked(first byte, payload string) string {
	b := appendFrame(nil, 0, len(payload))
	b[0] = first
	b[1] |= 0x80
	mask := [4]byte{1, 2, 3, 250}
	b = append(b, mask[:]...)
	return string(appendUnmasked(b, []byte(payload), mask))
}

func plain(op byte, payload string) string {
	return string(appendFrame(nil, op, len(payload))) + payload
}

func closeFrame(code uint16) string { return string(appendClose(nil, code)) }

func TestWSConversations(t *testing.T) {
	code := func(n uint16) string { return string(binary.BigEndian.AppendUint16(nil, n)) }
	text, bin, ping, cls := byte(0x80|opText), byte(0x80|opBinary), byte(0x80|opPing), byte(0x80|opClose)
	cases := []struct{ name, in, want string }{
		{"text", masked(text, "héllo, wörld"), plain(opText, "héllo, wörld")},
		{"empty", masked(text, ""), plain(opText, "")},
		{"126", masked(text, repeat("a", 126)), plain(opText, repeat("a", 126))},
		{"70000", masked(bin, repeat("\xff", 70000)), plain(opBinary, repeat("\xff", 70000))},
		{"pipelined", repeat(masked(text, "m"), 100), repeat(plain(opText, "m"), 100)},
		{"fragments with a ping between", masked(opText, "h\xc3") + masked(ping, "p") + masked(0, "\xa9l") + masked(0x80, "lo"),
			plain(opPong, "p") + plain(opText, "héllo")},
		{"pong", masked(0x80|opPong, "x"), ""},
		{"close", masked(cls, code(1000)+"bye") + masked(text, "late"), plain(opClose, code(1000)+"bye")},
		{"close without code", masked(cls, ""), plain(opClose, "")},
		{"close with half a code", masked(cls, "x"), closeFrame(closeProtocol)},
		{"close with a code that is none", masked(cls, code(1005)), closeFrame(closeProtocol)},
		{"unmasked", plain(opText, "x"), closeFrame(closeProtocol)},
		{"reserved bit", masked(text|0x40, "x"), closeFrame(closeProtocol)},
		{"reserved opcode", masked(0x83, "x"), closeFrame(closeProtocol)},
		{"reserved control", masked(0x8b, "x"), closeFrame(closeProtocol)},
		{"long ping", masked(ping, repeat("p", 126)), closeFrame(closeProtocol)},
		{"ping in pieces", masked(opPing, "p"), closeFrame(closeProtocol)},
		{"continuation of nothing", masked(0x80, "x"), closeFrame(closeProtocol)},
		{"text within a text", masked(opText, "a") + masked(text, "b"), closeFrame(closeProtocol)},
		{"no utf-8", masked(text, "\xff\xfe"), closeFrame(closeNotUTF8)},
		{"too big", "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", closeFrame(closeTooBig)},
	}
	e := testEnv(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inOneAndInBytes(t, func() session { return &httpSession{env: e} },
				wsHello+"\r\n"+c.in, wsAccepted+"\r\n\r\n"+c.want)
		})
	}
}

func TestWSFragmentsTooBig(t *testing.T) {
	s := wsSession{env: testEnv(t), kind: opText, message: make([]byte, maxMessage)}
	if code := s.collect(frame{payload: []byte("x")}); code != closeTooBig {
		t.Errorf("close code %d, want %d", code, closeTooBig)
	}
}

func TestWSOnSockets(t *testing.T) {
	forEachIO(t, func(t *testing.T, ioFlags ...string) {
		srv := start(t, ioFlags...)
		for _, addr := range []string{srv.addrs.WS, srv.addrs.HTTP} {
			c := dial(t, addr)
			c.send(wsHello + "Sec-WebSocket-Protocol: v1.json , v2.bin\r\n\r\n")
			c.want(wsAccepted + "\r\nSec-WebSocket-Protocol: v1.json\r\n\r\n")
			c.send(masked(0x80|opText, "hello"))
			c.want(plain(opText, "hello"))
			c.send(masked(0x80|opBinary, repeat("x", 1<<20)))
			c.want(plain(opBinary, repeat("x", 1<<20)))
			c.send(masked(0x80|opClose, ""))
			c.want(plain(opClose, ""))
			c.wantEnd()
		}
	})
}

func TestWSReply(t *testing.T) {
	e := testEnv(t, "--ws-reply", "ack")
	inOneAndInBytes(t, func() session { return &wsSession{env: e} }, masked(0x82, "anything"), plain(opText, "ack"))
}
