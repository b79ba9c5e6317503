package burst

import (
	"context"
	"fmt"
	"net"
	"time"
)

// redialPause keeps a connection that cannot be made from spinning.
const redialPause = 50 * time.Millisecond

// dialing limits how many connections are being made at once, to half of what common servers let wait to be accepted
// (Redis and Node.js 511). Of ten thousand that are asked for at the same moment the kernel would reset some, and they
// would count as failures of the server.
var dialing = make(chan struct{}, 256)

// dial connects and lets the codec open the session; in holds bytes that were received beyond that. The time-out
// begins when it is its turn.
func dial(ctx context.Context, w wire, c codec) (net.Conn, []byte, error) {
	select {
	case dialing <- struct{}{}:
		defer func() { <-dialing }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	dialer := net.Dialer{Timeout: w.timeout}
	deadline := time.Now().Add(w.timeout)
	conn, err := dialer.DialContext(ctx, "tcp", w.address)
	if err != nil {
		return nil, nil, err
	}
	// It may run after the return below: conn is no named result, which that would set to nil.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	var in []byte
	if err = w.ready(conn); err == nil {
		in, err = c.open(conn, deadline)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, fmt.Errorf("opening %s: %w", w.address, err)
	}
	return conn, in, nil
}

// sleep waits until a moment of measure.Now or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
