package measure

import (
	"sync"
	"time"
)

// usageEvery is how often this process looks at its own CPU time at first; it doubles whenever maxUsagePoints are
// kept, so that a long run costs no more memory than a short one.
const (
	usageEvery     = 50 * time.Millisecond
	maxUsagePoints = 2048
)

// UsagePoint is the CPU time that this process had used by a moment.
type UsagePoint struct {
	T      float64 `json:"t"`      // epoch ms
	CPUSec float64 `json:"cpuSec"` // user and system
}

// usage keeps the CPU time of this process from the first recorder on. The runner's samples from outside are too
// coarse for a step of less than a second: a container engine answers once in a second.
type usage struct {
	once   sync.Once
	mu     sync.Mutex
	points []UsagePoint
	every  time.Duration
}

// begin starts looking; it goes on for the life of the process.
func (u *usage) begin() {
	u.once.Do(func() {
		u.every = usageEvery
		if u.look() {
			go u.watch()
		}
	})
}

func (u *usage) watch() {
	for {
		time.Sleep(u.interval())
		u.look()
	}
}

func (u *usage) interval() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.every
}

// look keeps a point of now; false where the operating system does not tell.
func (u *usage) look() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.add()
}

// add is look for a caller that holds the lock.
func (u *usage) add() bool {
	cpu, ok := processCPU()
	if !ok {
		return false
	}
	if len(u.points) == maxUsagePoints {
		u.thin()
	}
	u.points = append(u.points, UsagePoint{T: EpochMs(Now()), CPUSec: cpu.Seconds()})
	return true
}

// thin leaves out every second point; the caller holds the lock.
func (u *usage) thin() {
	kept := u.points[:0]
	for i := 0; i < len(u.points); i += 2 {
		kept = append(kept, u.points[i])
	}
	u.points = kept
	u.every *= 2
}

// export returns the points up to now, none when nothing was recorded or the system does not tell.
func (u *usage) export() []UsagePoint {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.points) > 0 {
		u.add()
	}
	return append([]UsagePoint{}, u.points...)
}
