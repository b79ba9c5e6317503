package burst_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ssdbServer speaks the native protocol: set and get on a map, everything else is a client_error.
func ssdbServer(t *testing.T) string {
	return serve(t, func(conn net.Conn) {
		r, stored := bufio.NewReader(conn), map[string]string{}
		for {
			words, err := ssdbBlocks(r)
			if err != nil {
				return
			}
			reply := []string{"client_error", "Unknown Command: " + words[0]}
			switch words[0] {
			case "set":
				stored[words[1]] = words[2]
				reply = []string{"ok", "1"}
			case "get":
				reply = []string{"not_found"}
				if value, ok := stored[words[1]]; ok {
					reply = []string{"ok", value}
				}
			}
			for _, block := range reply {
				_, _ = fmt.Fprintf(conn, "%d\n%s\n", len(block), block)
			}
			_, _ = io.WriteString(conn, "\n")
		}
	})
}

func ssdbBlocks(r *bufio.Reader) ([]string, error) {
	var words []string
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line = strings.TrimSpace(line); line == "" {
			return words, nil
		}
		size, err := strconv.Atoi(line)
		if err != nil {
			return nil, err
		}
		body := make([]byte, size+1)
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, err
		}
		words = append(words, string(body[:size]))
	}
}

func TestSsdbSpeaksTheNativeProtocol(t *testing.T) {
	t.Parallel()
	eachDrive(t, func(t *testing.T, v *vu, drive func(string) result) {
		v.set("address", ssdbServer(t))
		v.eval(`protocol = 'ssdb'; keys = {seed: 3, space: 1e6}`)
		v.eval(`template = {command: ['set', 'k:{key}', '{value:700}']}`)
		require.Equal(t, result{Acked: 200}, drive(`count: 200, depth: 8`))
		v.eval(`template = {command: ['get', 'k:{key}'], expect: 'bulk-or-null'}`)
		require.Equal(t, result{Acked: 200}, drive(`count: 200, depth: 8`))
		v.eval(`template = {command: ['get', 'k:{key}'], expect: 'bulk'}`)
		require.Equal(t, result{Failed: 8}, drive(`count: 8, depth: 8`))
		v.eval(`template = {command: ['GET', 'k:{key}']}`)
		require.Equal(t, result{Failed: 8}, drive(`count: 8, depth: 8`))
		require.Equal(t, map[string]int64{"protocol": 8, "server": 8}, v.window().errorsOf())
		require.Equal(t, map[string]int64{"not_found": 8, "client_error": 8}, v.window().ErrorKinds)
	})
}
