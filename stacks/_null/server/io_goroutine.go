package main

import (
	"net"
	"sync"
	"time"
)

// readSize is how much is read at once, bytes.
const readSize = 64 << 10

// goroutines is the portable I/O engine: one goroutine per connection. With --delay
// it reads no further request of a connection before it has sent the replies to the last batch.
type goroutines struct {
	env  *env
	ends []endpoint
	wg   sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

func startGoroutines(e *env, ends []endpoint) *goroutines {
	g := &goroutines{env: e, ends: ends, conns: map[net.Conn]struct{}{}}
	for _, end := range ends {
		g.wg.Go(func() { g.accept(end) })
	}
	return g
}

func (g *goroutines) accept(end endpoint) {
	for {
		conn, err := end.l.Accept()
		if err != nil {
			if !g.env.sleep(10 * time.Millisecond) { // out of descriptors, or stopped
				return
			}
			continue
		}
		g.mu.Lock()
		g.conns[conn] = struct{}{}
		g.mu.Unlock()
		if g.env.isStopped() { // stop may have looked at conns before this one was in it
			conn.Close()
			return
		}
		g.wg.Go(func() {
			g.serve(conn, newSession(end.proto, g.env))
			g.mu.Lock()
			delete(g.conns, conn)
			g.mu.Unlock()
			conn.Close()
		})
	}
}

// serve runs one connection to its end.
func (g *goroutines) serve(conn net.Conn, sess session) {
	p := &peer{sess: sess}
	buf := make([]byte, readSize)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		g.env.hold()
		data := buf[:n]
		for {
			st := p.feed(data)
			if !g.flush(conn, &p.out) || st == statusClose {
				return
			}
			if st != statusFull {
				break
			}
			data = nil // the rest is kept in p.in
		}
	}
}

// flush sends all replies, each when it is due; false means that the connection is over.
func (g *goroutines) flush(conn net.Conn, o *outbox) bool {
	for o.pending() > 0 {
		chunk := o.sendable()
		if len(chunk) == 0 {
			if !g.env.sleep(time.Until(o.nextDue())) {
				return false
			}
			g.env.hold()
			continue
		}
		n, err := conn.Write(chunk)
		if err != nil {
			return false
		}
		o.advance(n)
	}
	return true
}

func (g *goroutines) stop() {
	for _, end := range g.ends {
		end.l.Close()
	}
	g.mu.Lock()
	for conn := range g.conns {
		conn.Close()
	}
	g.mu.Unlock()
	g.wg.Wait()
}
