package main

import (
	"fmt"
	"os"
	"sync"
)

// epollEngine is --loops event loops on raw non-blocking sockets. The first loop
// accepts and deals the connections out in turn, so that each has its fair share.
type epollEngine struct {
	env   *env
	loops []*loop
	next  int // the loop of the next connection; only the first loop touches it
	wg    sync.WaitGroup
}

func startEpoll(e *env, ends []endpoint) (engine, error) {
	g := &epollEngine{env: e}
	for range e.opts.loops {
		l, err := newLoop(g)
		if err != nil {
			g.closeLoops()
			return nil, fmt.Errorf("event loop: %w", err)
		}
		g.loops = append(g.loops, l)
	}
	for _, end := range ends {
		if err := g.loops[0].listen(end); err != nil {
			g.closeLoops()
			return nil, fmt.Errorf("event loop: %w", err)
		}
	}
	for _, l := range g.loops {
		g.wg.Go(l.run)
	}
	return g, nil
}

// pick chooses the loop of a new connection.
func (g *epollEngine) pick() *loop {
	l := g.loops[g.next%len(g.loops)]
	g.next++
	return l
}

func (g *epollEngine) stop() {
	for _, l := range g.loops {
		l.wake()
	}
	g.wg.Wait()
	g.closeLoops()
}

func (g *epollEngine) closeLoops() {
	for _, l := range g.loops {
		l.close()
	}
}

// takeListener moves a listening socket from Go's poller to ours.
func takeListener(end endpoint) (*os.File, error) {
	f, err := end.l.File() // a duplicate, which Go does not poll
	if err != nil {
		return nil, err
	}
	return f, end.l.Close()
}
