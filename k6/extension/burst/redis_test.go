package burst_test

import (
	"bufio"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startRedis runs a real redis-server on a free port and returns its address; it skips where there is none.
func startRedis(t *testing.T) string {
	t.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not on PATH")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, port, _ := net.SplitHostPort(address)
	server := exec.Command(binary, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	require.Eventually(t, func() bool { return ask(address, "PING") == "+PONG" }, 10*time.Second, 20*time.Millisecond)
	return address
}

// ask sends an inline command and returns the first line, or the value, of the reply.
func ask(address, line string) string {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return ""
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "%s\r\n", line)
	r := bufio.NewReader(conn)
	reply, _ := r.ReadString('\n')
	if strings.HasPrefix(reply, "$") && reply != "$-1\r\n" {
		reply, _ = r.ReadString('\n')
	}
	return strings.TrimSpace(reply)
}

func storedIn(t *testing.T, address, key string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(ask(address, "GET "+key), 10, 64)
	require.NoError(t, err)
	return n
}

func TestRealRedisHoldsExactlyWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	address := startRedis(t)
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		key := strings.ReplaceAll(t.Name(), "/", "-")
		v.set("address", address).set("key", key)
		v.eval(`template = {command: ['INCR', key], expect: 'integer'}; connecting = {connections: 20}`)
		require.Equal(t, result{Acked: 100_003}, drive(`count: 100003, depth: 16`))
		require.Equal(t, int64(100_003), storedIn(t, address, key))
		v.eval(`template = {command: ['SET', key + '{key}', '{value:3000}'], expect: 'simple:OK'}; keys = {seed: 5, space: 10}`)
		require.Equal(t, result{Acked: 100}, drive(`count: 100, depth: 4`))
		first := v.eval(`var first = burst.keys(keys); var n = first.next(); n`)
		require.Equal(t, v.eval(`first.value(n, 3000)`), ask(address, fmt.Sprintf("GET %s%v", key, first)))
		v.eval(`template = {command: ['GET', key + '{key}'], expect: 'bulk-or-null'}`)
		require.Equal(t, result{Acked: 500}, drive(`count: 500, depth: 16`))
		v.eval(`template = {command: ['INCR', key + '{key}']}`)
		require.Equal(t, result{Failed: 3}, drive(`count: 3`), "a text is not an integer")
	})
}

func TestRealRedisAfterAnInterruptedBurst(t *testing.T) {
	t.Parallel()
	address := startRedis(t)
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		key := strings.ReplaceAll(t.Name(), "/", "-")
		v.set("address", address).set("key", key)
		v.eval(`template = {command: ['INCR', key], expect: 'integer'}; connecting = {connections: 10}`)
		time.AfterFunc(300*time.Millisecond, v.rt.CancelContext)
		r := drive(`count: 1e9, depth: 16`)
		time.Sleep(50 * time.Millisecond)
		stored := storedIn(t, address, key)
		require.Positive(t, r.Acked)
		require.LessOrEqual(t, r.Acked, stored)
		require.LessOrEqual(t, stored, r.Acked+r.Aborted+r.Failed)
	})
}
