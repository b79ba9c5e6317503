package burst

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"ladderbench/k6/extension/measure"
)

// book is what a loop keeps for one log: its operations so far, and the moments still to come.
type book struct {
	log     *measure.LoopLog
	active  int // peers with a job
	taken   int // moments asked for that are, or were, in pending
	pending []int64
	tallies map[tallyKey]*measure.Tally
}

// tallyKey tells windows apart, and the lanes of one.
type tallyKey struct {
	recorder *measure.Recorder
	lane     int // -1 without one
}

// refresh takes over the moments that were asked for since.
func (b *book) refresh() {
	asked := b.log.Asked(b.taken)
	if len(asked) == 0 {
		return
	}
	b.taken += len(asked)
	b.pending = append(b.pending, asked...)
	slices.Sort(b.pending)
}

// account makes the operations of a peer's job count for their windows.
func (l *loop) account(p *peer) {
	s := p.session
	b := l.bookOf(s.batch.Recorder().Loops())
	p.book = b
	b.active++
	b.refresh()
	s.tallies = s.tallies[:0]
	if s.mixed == nil {
		s.tallies = append(s.tallies, b.tally(s.batch.Recorder(), p.wire.lane))
		return
	}
	for _, batch := range s.mixed {
		s.tallies = append(s.tallies, b.tally(batch.Recorder(), p.wire.lane))
	}
}

func (l *loop) bookOf(log *measure.LoopLog) *book {
	for _, b := range l.books {
		if b.log == log {
			return b
		}
	}
	b := &book{log: log, tallies: make(map[tallyKey]*measure.Tally)}
	l.books = append(l.books, b)
	return b
}

func (b *book) tally(r *measure.Recorder, lane *int) *measure.Tally {
	key := tallyKey{recorder: r, lane: -1}
	if lane != nil {
		key.lane = *lane
	}
	t := b.tallies[key]
	if t == nil {
		t = r.Tally(lane)
		b.tallies[key] = t
	}
	return t
}

// nextMark returns the first moment to be noted, or never.
func (l *loop) nextMark() int64 {
	next := never
	for _, b := range l.books {
		if len(b.pending) > 0 {
			next = min(next, b.pending[0])
		}
	}
	return next
}

// markDue notes the moments that have passed.
func (l *loop) markDue(now int64) {
	for _, b := range l.books {
		for len(b.pending) > 0 && b.pending[0] <= now {
			moment := b.pending[0]
			b.pending = b.pending[1:]
			l.mark(b, moment, now)
		}
	}
}

func (l *loop) mark(b *book, moment, now int64) {
	m := measure.Mark{
		MomentMs: measure.EpochMs(moment), AtMs: measure.EpochMs(now), PassMs: float64(l.longest) / 1e6,
		Operations: make([]measure.Tally, 0, len(b.tallies)),
	}
	l.longest = 0
	m.CPUNs, m.WaitNs = l.stats.read()
	for _, t := range b.tallies {
		m.Operations = append(m.Operations, *t)
	}
	slices.SortFunc(m.Operations, func(a, c measure.Tally) int {
		return bytes.Compare([]byte(a.Phase+"\x00"+a.Op), []byte(c.Phase+"\x00"+c.Op))
	})
	b.log.Mark(l.info, m)
}

// threadInfo describes the calling thread.
func threadInfo(number int) measure.LoopInfo {
	info := measure.LoopInfo{Loop: number, TID: unix.Gettid(), CPUs: []int{}}
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) == nil {
		for cpu := range 8 * len(set) * 8 {
			if set.IsSet(cpu) {
				info.CPUs = append(info.CPUs, cpu)
			}
		}
	}
	return info
}

// threadStats reads what the scheduler knows of a thread.
type threadStats struct{ schedstat int }

func (t *threadStats) open(tid int) {
	var err error
	t.schedstat, err = unix.Open(fmt.Sprintf("/proc/self/task/%d/schedstat", tid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.schedstat = -1
	}
}

// read returns the calling thread's CPU time and its wait for a CPU, ns, nil where the kernel does not tell. The CPU
// time comes from the thread's own clock: schedstat knows of a running thread only what it did up to the last tick.
func (t *threadStats) read() (cpuNs, waitNs *int64) {
	var spec unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spec) == nil {
		ns := spec.Nano()
		cpuNs = &ns
	}
	if t.schedstat < 0 {
		return cpuNs, nil
	}
	var line [128]byte
	n, err := unix.Pread(t.schedstat, line[:], 0)
	if err != nil {
		return cpuNs, nil
	}
	if fields := bytes.Fields(line[:n]); len(fields) >= 2 {
		if ns, err := strconv.ParseInt(string(fields[1]), 10, 64); err == nil {
			waitNs = &ns
		}
	}
	return cpuNs, waitNs
}
