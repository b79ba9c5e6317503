//go:build !linux

package burst

import (
	"context"
	"net"
	"time"

	"ladderbench/k6/extension/measure"
)

// sleepUntil waits for a moment of measure.Now, as precisely as Go's timers are, or for the end of ctx.
func sleepUntil(ctx context.Context, moment int64) {
	sleep(ctx, time.Duration(moment-measure.Now()))
}

// fresh reports whether the server still holds a resting connection open; not known here.
func fresh(*net.TCPConn) bool { return true }
