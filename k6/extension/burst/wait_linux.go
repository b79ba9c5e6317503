package burst

import (
	"context"
	"errors"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"ladderbench/k6/extension/measure"
)

// coarse is what Go's timers may oversleep by; the rest of a wait is left to the kernel's precise timers.
const coarse = int64(1200 * time.Microsecond)

// sleepUntil waits for a moment of measure.Now, to about 0.1 ms, or for the end of ctx.
func sleepUntil(ctx context.Context, moment int64) {
	if rest := moment - measure.Now(); rest > coarse {
		sleep(ctx, time.Duration(rest-coarse))
	}
	if rest := moment - measure.Now(); rest > 0 && ctx.Err() == nil {
		pause := unix.NsecToTimespec(min(rest, coarse))
		_ = unix.Nanosleep(&pause, nil)
	}
}

// fresh reports whether the server still holds a resting connection open.
func fresh(conn *net.TCPConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	open := true
	err = raw.Control(func(fd uintptr) {
		var peek [1]byte
		n, _, err := unix.Recvfrom(int(fd), peek[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		open = n > 0 || errors.Is(err, unix.EAGAIN)
	})
	return err == nil && open
}
