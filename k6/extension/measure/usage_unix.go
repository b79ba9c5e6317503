//go:build unix

package measure

import (
	"syscall"
	"time"
)

// processCPU returns the CPU time of this process, user and system, all threads.
func processCPU() (time.Duration, bool) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, false
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), true
}
