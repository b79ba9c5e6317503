//go:build !linux

package burst

import "context"

// loopsFor returns how many batches a race needs: here one for each connection.
func loopsFor(_, connections int) int { return connections }

// run drives the race with a goroutine for each connection, because there is no epoll.
func (r *race) run(ctx context.Context) error {
	links := make([]*link, len(r.sessions))
	for i, s := range r.sessions {
		links[i] = newLink(r.wire, s)
	}
	r.begin()
	runLinks(ctx, links)
	for _, l := range links {
		l.close()
	}
	return nil
}
