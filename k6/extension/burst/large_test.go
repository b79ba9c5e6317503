package burst_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Requests that no socket buffer takes at once, and replies that no read takes at once, arrive whole, whatever else the
// same drive does meanwhile.
func TestLargeRequestsAndRepliesArriveWhole(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		var c counter
		large := strings.Repeat("x", size)
		v.set("address", respServer(t, func(words []string) string {
			switch {
			case words[0] == "INCR":
				return c.incr(words)
			case words[0] == "GET":
				return "$" + strconv.Itoa(size) + "\r\n" + large + "\r\n"
			case len(words[2]) != size:
				return "-ERR short\r\n"
			}
			time.Sleep(5 * time.Millisecond) // meanwhile the next request fills the buffers
			return "+OK\r\n"
		}))
		v.eval(`keys = {seed: 3, space: 9}; connecting = {connections: 3};
			template = {command: ['SET', '{key}', '{value:` + strconv.Itoa(size) + `}'], expect: 'simple:OK'}`)
		require.Equal(t, result{Acked: 60}, drive(`count: 60, depth: 5`))
		v.eval(`template = {command: ['GET', '{key}'], expect: 'bulk'}`)
		require.Equal(t, result{Acked: 60}, drive(`count: 60, depth: 5`))
		v.eval(`template = {command: ['INCR', '{key}'], expect: 'integer'}`)
		require.Equal(t, result{Acked: 500}, drive(`count: 500`))
		require.Equal(t, int64(500), c.stored())
	})
}

// A burst that is interrupted with half a request on its way leaves no connection behind that somebody could go on with.
func TestAnInterruptedLargeRequestIsNotContinued(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		stall := make(chan struct{})
		var interrupted time.Time
		v.set("address", respServer(t, func([]string) string {
			time.Sleep(50 * time.Millisecond) // the second request fills the buffers, and stays half sent
			interrupted = time.Now()
			v.rt.CancelContext()
			<-stall
			return ""
		}))
		t.Cleanup(func() { close(stall) }) // before the server waits for its connections
		v.eval(`template = {command: ['SET', 'a', 'x'.repeat(6 << 20)]}; connecting = {timeoutMs: 60000}`)
		require.Equal(t, result{Aborted: 2}, drive(`count: 10, depth: 2`))
		require.Less(t, time.Since(interrupted), 10*time.Second)
	})
}
