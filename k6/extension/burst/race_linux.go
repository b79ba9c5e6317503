package burst

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// loopsFor returns how many batches a race needs: one for each event loop.
func loopsFor(loops, connections int) int { return min(max(1, loops), connections) }

// run drives the race with one event loop for each batch.
func (r *race) run(ctx context.Context) error {
	r.begin()
	loops := make([]*loop, len(r.batches))
	for i := range loops {
		l, err := newLoop(r, i)
		if err != nil {
			for _, made := range loops[:i] {
				made.close()
			}
			return fmt.Errorf("event loop: %w", err)
		}
		loops[i] = l
	}
	failures := make([]error, len(loops))
	var group sync.WaitGroup
	for i, l := range loops {
		group.Add(1)
		go func() {
			defer group.Done()
			failures[i] = l.run(ctx)
			l.close()
		}()
	}
	group.Wait()
	return errors.Join(failures...)
}
