package burst

import (
	"context"
	"sync"
)

// carrier is what a drive keeps of one connection between calls.
type carrier interface {
	// use gives it another session. A connection with half a message in it cannot be handed on.
	use(s *session)
	// close ends the connection; it is made again when it is needed.
	close()
}

// drive gives sessions bytes and the time.
type drive interface {
	// carry returns the carrier of a session; connections with the same seat share a thread where there are threads.
	carry(w wire, s *session, seat uint64) (carrier, error)
	// run moves the sessions until all are done, or until ctx ends. session.begin comes before it.
	run(ctx context.Context, carriers []carrier)
}

// goroutines is the drive that needs nothing of the operating system: a goroutine for each connection.
type goroutines struct{}

func (goroutines) carry(w wire, s *session, _ uint64) (carrier, error) { return newLink(w, s), nil }

func (goroutines) run(ctx context.Context, carriers []carrier) {
	var group sync.WaitGroup
	for _, c := range carriers[1:] {
		group.Add(1)
		go func() {
			defer group.Done()
			c.(*link).run(ctx)
		}()
	}
	carriers[0].(*link).run(ctx)
	group.Wait()
}
