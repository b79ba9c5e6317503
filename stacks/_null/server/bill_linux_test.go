package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// A request costs what was asked for, in all, by the kernel's own account of the process: twins are as far apart as said.
func TestTimedCost(t *testing.T) {
	const batch, batches = 16, 4000
	perRequest := func(cost string) float64 {
		cmd, _, addrs := launch(t, "--resp", "127.0.0.1:0", "--cost", cost)
		c := dial(t, addrs.RESP)
		before := processCPU(t, cmd.Process.Pid)
		for range batches {
			c.send(repeat("PING\r\n", batch))
			c.want(repeat("+PONG\r\n", batch))
		}
		time.Sleep(20 * time.Millisecond) // the last batch is paid for after its replies
		return (processCPU(t, cmd.Process.Pid) - before).Seconds() * 1e6 / (batch * batches)
	}
	const attempts = 5
	var seen []float64
	for range attempts {
		// The Go runtime's other threads come on top.
		low, high := perRequest("10us"), perRequest("11us")
		if seen = []float64{low, high}; low > 9.95 && low < 10.4 && high/low > 1.08 && high/low < 1.12 {
			return
		}
	}
	t.Errorf("requests of 10 and 11 µs took %.2f and %.2f µs in the last of %d attempts", seen[0], seen[1], attempts)
}

// processCPU sums the scheduler's accounts of all threads.
func processCPU(t *testing.T, pid int) (sum time.Duration) {
	t.Helper()
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, thread.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var ns int64
		if _, err := fmt.Fscan(strings.NewReader(string(text)), &ns); err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(ns)
	}
	return sum
}
