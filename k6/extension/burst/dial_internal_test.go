package burst

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// interrupted is a protocol whose session cannot be opened, because the run ends just then.
type interrupted struct {
	codec
	end context.CancelFunc
}

func (i interrupted) open(net.Conn, time.Time) ([]byte, error) {
	i.end()
	return nil, errors.New("no session")
}

func TestAConnectionThatIsOpenedWhileTheRunEndsIsGivenUp(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	to := wire{address: listener.Addr().String(), timeout: time.Second}
	for range 200 {
		ctx, end := context.WithCancel(t.Context())
		conn, _, err := dial(ctx, to, interrupted{end: end})
		require.ErrorContains(t, err, "no session")
		require.Nil(t, conn)
	}
}

// queued is a protocol whose session opens when it is told to.
type queued struct {
	codec
	opening chan struct{}
	release chan struct{}
}

func (q queued) open(net.Conn, time.Time) ([]byte, error) {
	q.opening <- struct{}{}
	<-q.release
	return nil, nil
}

// It takes all turns of the process, so nothing may dial beside it.
func TestConnectionsWaitForTheirTurnToBeMade(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			if _, err := listener.Accept(); err != nil {
				return
			}
		}
	}()
	to := wire{address: listener.Addr().String(), timeout: 10 * time.Second}
	const asked = 300
	q := queued{opening: make(chan struct{}, asked), release: make(chan struct{})}
	made := make(chan error, asked)
	for range asked {
		go func() {
			conn, _, err := dial(t.Context(), to, q)
			if err == nil {
				err = conn.Close()
			}
			made <- err
		}()
	}
	for range cap(dialing) {
		<-q.opening
	}
	ended, end := context.WithCancel(t.Context())
	end()
	_, _, err = dial(ended, to, q)
	require.ErrorIs(t, err, context.Canceled, "whose run ends does not wait for its turn")
	require.Empty(t, q.opening, "nobody more than the turns that there are")
	close(q.release)
	for range asked {
		require.NoError(t, <-made)
	}
}
