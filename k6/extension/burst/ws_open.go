package burst

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"
)

// open upgrades the connection, sends the greeting and waits for the ready message.
func (c *wsCodec) open(conn net.Conn, deadline time.Time) ([]byte, error) {
	c.fragmented, c.partial, c.pongs, c.asked = false, c.partial[:0], c.pongs[:0], c.asked[:0]
	var nonce [16]byte
	binary.LittleEndian.PutUint64(nonce[:], c.nextMask())
	binary.LittleEndian.PutUint64(nonce[8:], c.nextMask())
	key := base64.StdEncoding.EncodeToString(nonce[:])
	out := c.handshake.append(nil, &c.vars)
	out = append(out, "Sec-WebSocket-Key: "+key+"\r\n\r\n"...)
	in, err := exchange(conn, deadline, out, 1, func(in []byte) (int, error) { return c.upgraded(in, key) })
	if err != nil {
		return nil, err
	}
	out = out[:0]
	for _, greeting := range c.greeting {
		out = c.appendMessage(out, greeting)
	}
	if len(c.ready) == 0 {
		if len(out) > 0 {
			_, err = conn.Write(out)
		}
		return in, err
	}
	return exchangeFrom(conn, deadline, out, in, c.awaitReady)
}

// upgraded checks the server's handshake.
func (c *wsCodec) upgraded(in []byte, key string) (int, error) {
	end := bytes.Index(in, crlf2)
	if end < 0 {
		if len(in) > maxLine || !couldBeHTTP(in) {
			return 0, errHTTP
		}
		return 0, nil
	}
	var r httpReply
	if _, err := r.parseHead(in[:end+2]); err != nil {
		return 0, err
	}
	if r.status != 101 {
		return 0, fmt.Errorf("websocket: upgrade refused with status %d", r.status)
	}
	sum := sha1.Sum([]byte(key + wsGUID)) //nolint:gosec // RFC 6455 asks for it
	if !bytes.Contains(in[:end], []byte(base64.StdEncoding.EncodeToString(sum[:]))) {
		return 0, errors.New("websocket: wrong Sec-WebSocket-Accept")
	}
	return end + len(crlf2), nil
}

// awaitReady skips messages up to the one that says that the session is ready.
func (c *wsCodec) awaitReady(in []byte) (n int, done bool, err error) {
	for {
		body, used, err := c.message(in[n:])
		if err != nil || used == 0 {
			return n, false, err
		}
		n += used
		if bytes.Contains(body, c.ready) {
			return n, true, nil
		}
	}
}
