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
