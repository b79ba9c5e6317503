package burst_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serve accepts connections until the test ends and returns the address.
func serve(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var group sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	group.Add(1)
	go func() {
		defer group.Done()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			group.Add(1)
			go func() {
				defer group.Done()
				handle(conn)
				_ = conn.Close()
				mu.Lock()
				delete(open, conn)
				mu.Unlock()
			}()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return listener.Addr().String()
}

// command reads one RESP array of bulk strings.
func command(r *bufio.Reader) ([]string, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(head[1:]))
	if err != nil || head[0] != '*' {
		return nil, fmt.Errorf("bad head %q", head)
	}
	words := make([]string, n)
	for i := range words {
		size, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		length, err := strconv.Atoi(strings.TrimSpace(size[1:]))
		if err != nil || size[0] != '$' {
			return nil, fmt.Errorf("bad length %q", size)
		}
		body := make([]byte, length+2)
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, err
		}
		words[i] = string(body[:length])
	}
	return words, nil
}

// respServer answers commands by a function; an empty answer closes the connection.
func respServer(t *testing.T, answer func(words []string) string) string {
	return serve(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for {
			words, err := command(r)
			if err != nil {
				return
			}
			reply := answer(words)
			if reply == "" {
				return
			}
			if _, err := io.WriteString(conn, reply); err != nil {
				return
			}
		}
	})
}

// counter is a RESP server's state: INCR by key.
type counter struct {
	mu     sync.Mutex
	values map[string]int
	order  []string
	total  int
}

func (c *counter) incr(words []string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[string]int{}
	}
	key := words[1]
	c.values[key]++
	c.total++
	c.order = append(c.order, key)
	return fmt.Sprintf(":%d\r\n", c.values[key])
}

func (c *counter) stored() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(c.total)
}

// sequence returns the keys in the order of their arrival.
func (c *counter) sequence() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.order, ",")
}

// respiteServer answers every INCR after a known delay and keeps the delays that it really took.
type respiteServer struct {
	mu     sync.Mutex
	delays []time.Duration
}

func (s *respiteServer) answer(pick func(i int) time.Duration) func([]string) string {
	return func([]string) string {
		begun := time.Now()
		s.mu.Lock()
		i := len(s.delays)
		s.delays = append(s.delays, 0)
		s.mu.Unlock()
		for rest := pick(i); rest > 0; rest = pick(i) - time.Since(begun) {
			time.Sleep(rest)
		}
		s.mu.Lock()
		s.delays[i] = time.Since(begun)
		s.mu.Unlock()
		return ":1\r\n"
	}
}
