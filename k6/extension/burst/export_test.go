package burst

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"
)

// NewWithGoroutines is New with the drive of platforms that have no event loops.
func NewWithGoroutines() modules.Module { return &rootModule{drive: goroutines{}} }

// StartLoops makes what lives as long as the process.
func StartLoops(t *testing.T) {
	t.Helper()
	_, err := platformDrive().carry(wire{}, nil, 0)
	require.NoError(t, err)
}

// EventsOf reads a stream of Server-Sent Events in pieces of a size; lost tells that it ended.
func EventsOf(stream string, size int) (events []string, lost bool) {
	c := &sseCodec{event: func(data []byte) { events = append(events, string(data)) }}
	var rest []byte
	for len(stream) > 0 {
		n := min(size, len(stream))
		rest = append(rest, stream[:n]...)
		stream = stream[n:]
		used, _, why := c.replies(rest, 0)
		if rest = rest[used:]; why != stopMore {
			return events, true
		}
	}
	return events, false
}
