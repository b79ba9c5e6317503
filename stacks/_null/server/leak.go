package main

import "time"

// leakEvery is how often the leak grows.
const leakEvery = 250 * time.Millisecond

// leak takes memory until the server stops; every page is written to, so that it is resident.
func (e *env) leak() {
	var held [][]byte
	for e.sleep(leakEvery) {
		chunk := make([]byte, e.opts.leak*uint64(leakEvery)/uint64(time.Second))
		for i := range chunk {
			chunk[i] = 1
		}
		held = append(held, chunk)
	}
	_ = held
}
