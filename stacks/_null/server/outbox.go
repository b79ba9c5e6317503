package main

import "time"

// outbox is the replies of one connection that are not yet sent. Without --delay
// it is a plain buffer; with it, marks say when each reply may leave.
type outbox struct {
	buf   []byte
	sent  int // bytes of buf already written
	marks []mark
}

// mark: the bytes of buf up to end may leave at due.
type mark struct {
	end int
	due time.Time
}

const (
	// maxPending stops the reading of a connection whose client does not take its replies, bytes.
	maxPending = 64 << 20
	// maxKept is the largest buffer that an idle connection keeps, bytes.
	maxKept = 1 << 20
)

func (o *outbox) pending() int { return len(o.buf) - o.sent }

func (o *outbox) full() bool { return len(o.buf)-o.sent >= maxPending }

// mark says that everything up to the end of buf may leave at due; what is in front of it still goes first.
func (o *outbox) mark(due time.Time) {
	o.marks = append(o.marks, mark{len(o.buf), due})
}

// sendable returns the bytes that may leave now.
func (o *outbox) sendable() []byte {
	if len(o.marks) == 0 {
		return o.buf[o.sent:]
	}
	now, end := time.Now(), o.sent
	for _, m := range o.marks {
		if m.due.After(now) {
			return o.buf[o.sent:end]
		}
		end = m.end
	}
	return o.buf[o.sent:]
}

// nextDue is the time of the first reply that may not leave yet; only valid when sendable is empty and pending is not.
func (o *outbox) nextDue() time.Time { return o.marks[0].due }

// advance notes that n bytes were written.
func (o *outbox) advance(n int) {
	o.sent += n
	if o.sent == len(o.buf) {
		o.sent, o.marks = 0, o.marks[:0]
		if cap(o.buf) > maxKept {
			o.buf = nil
		}
		o.buf = o.buf[:0]
		return
	}
	gone := 0
	for gone < len(o.marks) && o.marks[gone].end <= o.sent {
		gone++
	}
	o.marks = o.marks[:copy(o.marks, o.marks[gone:])]
	if o.sent > maxKept && o.sent > len(o.buf)/2 {
		o.compact()
	}
}

// compact drops the written bytes of a box that never runs empty.
func (o *outbox) compact() {
	o.buf = o.buf[:copy(o.buf, o.buf[o.sent:])]
	for i := range o.marks {
		o.marks[i].end -= o.sent
	}
	o.sent = 0
}
