package burst

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// burn uses up CPU time of the calling thread.
func burn(ns int64) {
	runtime.LockOSThread() // the clock is the thread's
	defer runtime.UnlockOSThread()
	for begun := threadNs(); threadNs()-begun < ns; {
	}
}

func threadNs() int64 {
	var spec unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spec)
	return spec.Nano()
}
