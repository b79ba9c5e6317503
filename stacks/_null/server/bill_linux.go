package main

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// bill makes the requests of the only loop take as much CPU as --cost says, whatever serving them took: two servers are
// then apart by a known ratio, also on a machine where the network costs more today than yesterday.
type bill struct {
	env  *env
	paid uint64        // requests
	due  time.Duration // the thread's CPU time at which they are paid for
}

// carried is how much of what requests took beyond their cost later ones may make up for: a call that was dear, not the
// single requests of a client that waits for each.
const carried = time.Millisecond

// newBill is nil without --cost. The calling goroutine stays on its thread, whose clock counts.
func newBill(e *env) *bill {
	if e.opts.cost == 0 {
		return nil
	}
	runtime.LockOSThread()
	return &bill{env: e, due: threadCPU()}
}

func (b *bill) pay() {
	if b == nil {
		return
	}
	served := b.env.requests.Load()
	b.due = max(b.due, threadCPU()-carried-time.Duration(served-b.paid)*b.env.opts.cost)
	b.due += time.Duration(served-b.paid) * b.env.opts.cost
	b.paid = served
	for threadCPU() < b.due {
	}
}

// threadCPU is the CPU time of the calling thread.
func threadCPU() time.Duration {
	const clockThreadCPU = 3
	var spec syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU, uintptr(unsafe.Pointer(&spec)), 0)
	return time.Duration(spec.Nano())
}
