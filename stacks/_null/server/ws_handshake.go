package main

import (
	"crypto/sha1"
	"encoding/base64"
)

// wsGUID is the constant of RFC 6455 §1.3.
const wsGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

// upgradable checks the handshake of a request that says "Upgrade: websocket" (RFC 6455 §4.2.1).
func (r *httpRequest) upgradable() bool {
	key, err := base64.StdEncoding.DecodeString(r.wsKey)
	return err == nil && len(key) == 16 && r.get && !r.old && r.connUpgrade && r.wsVersion13 && r.length == 0 && !r.chunked
}

// appendHandshake accepts the upgrade and the first offered subprotocol.
func appendHandshake(b []byte, r *httpRequest) []byte {
	sum := sha1.Sum([]byte(r.wsKey + wsGUID))
	b = append(b, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "...)
	b = base64.StdEncoding.AppendEncode(b, sum[:])
	if r.wsProtocol != "" {
		b = append(b, "\r\nSec-WebSocket-Protocol: "...)
		b = append(b, r.wsProtocol...)
	}
	return append(b, "\r\n\r\n"...)
}
