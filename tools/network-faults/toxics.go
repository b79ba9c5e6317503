package main

import (
	"math/rand/v2"

	"github.com/Shopify/toxiproxy/v2/toxics"
)

// holdToxic lets nothing through until it is removed; then everything goes on in order, as TCP has it when a cable is
// plugged in again. Toxiproxy's own "timeout" drops the bytes instead.
type holdToxic struct{}

func (*holdToxic) Pipe(stub *toxics.ToxicStub) { <-stub.Interrupt }

// resetChunkToxic loses the connection in the place of a share of what is sent: Toxiproxy's own "reset_peer" is drawn once
// for each connection, and connections here last.
type resetChunkToxic struct {
	Share float64 `json:"share"`
}

func (t *resetChunkToxic) Pipe(stub *toxics.ToxicStub) {
	for {
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-stub.Input:
			if chunk == nil || rand.Float64() < t.Share {
				stub.Close()
				return
			}
			stub.Output <- chunk
		}
	}
}
