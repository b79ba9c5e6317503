package main

import (
	"container/heap"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// loopTimer wakes an event loop for delayed replies. It is a timerfd, because
// epoll's own time-out counts in whole milliseconds.
type loopTimer struct {
	fd   int
	due  timerHeap
	next time.Time // what the timerfd is set to; zero when it is not
}

// timerEntry: flush c at due.
type timerEntry struct {
	due time.Time
	c   *conn
}

func newLoopTimer() (*loopTimer, error) {
	const monotonic = 1
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, monotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("timerfd_create", errno)
	}
	return &loopTimer{fd: int(fd)}, nil
}

// add schedules the next delayed reply of c, which is not scheduled yet.
func (t *loopTimer) add(c *conn) {
	c.timed = true
	heap.Push(&t.due, timerEntry{c.out.nextDue(), c})
	t.arm()
}

// expired returns the connections whose time has come; they are no longer scheduled.
func (t *loopTimer) expired() []*conn {
	var ticks [8]byte
	rawRead(t.fd, ticks[:])
	t.next = time.Time{}
	var conns []*conn
	for now := time.Now(); len(t.due) > 0 && !t.due[0].due.After(now); {
		e := heap.Pop(&t.due).(timerEntry)
		e.c.timed = false
		conns = append(conns, e.c)
	}
	return conns
}

// arm sets the timerfd to the first entry, if it is not set to that or an earlier one.
func (t *loopTimer) arm() {
	if len(t.due) == 0 || !t.next.IsZero() && !t.due[0].due.Before(t.next) {
		return
	}
	t.next = t.due[0].due
	wait := max(time.Until(t.next), 1) // zero would disarm it
	spec := [2]syscall.Timespec{{}, syscall.NsecToTimespec(int64(wait))}
	syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, uintptr(t.fd), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}

func (t *loopTimer) close() { syscall.Close(t.fd) }

type timerHeap []timerEntry

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)        { *h = append(*h, x.(timerEntry)) }
func (h *timerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = timerEntry{}
	*h = old[:len(old)-1]
	return last
}
