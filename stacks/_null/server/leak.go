package main

import (
	"os"
	"time"
)

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

// leakFiles opens one file more each time and closes none until the server stops.
func (e *env) leakFiles() {
	var held []*os.File
	for e.sleep(time.Second / time.Duration(e.opts.leakFiles)) {
		if f, err := os.Open(os.DevNull); err == nil {
			held = append(held, f)
		}
	}
	for _, f := range held {
		f.Close()
	}
}
