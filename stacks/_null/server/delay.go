package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

// delayDist is a discrete distribution of delays, drawn with a seeded generator:
// the sequence of draws is the same in every run, which request gets which draw is not.
type delayDist struct {
	mu     sync.Mutex
	rng    *rand.Rand
	upTo   []float64 // cumulative weights, the last is 1
	delays []time.Duration
}

// parseDelay reads "1ms:0.5,5ms:0.5" or a single "5ms". An empty text is no delay (nil).
func parseDelay(text string, seed uint64) (*delayDist, error) {
	if text == "" {
		return nil, nil
	}
	d := &delayDist{rng: rand.New(rand.NewPCG(seed, seed))}
	sum := 0.0
	for part := range strings.SplitSeq(text, ",") {
		length, weight, weighted := strings.Cut(strings.TrimSpace(part), ":")
		dur, err := time.ParseDuration(length)
		if err != nil {
			return nil, err
		}
		if dur < 0 {
			return nil, fmt.Errorf("negative delay %q", part)
		}
		w := 1.0
		if weighted {
			if w, err = strconv.ParseFloat(weight, 64); err != nil || !(w >= 0 && w <= 1) {
				return nil, fmt.Errorf("weight %q is not within 0…1", weight)
			}
		}
		sum += w
		d.delays, d.upTo = append(d.delays, dur), append(d.upTo, sum)
	}
	if math.Abs(sum-1) > 1e-6 {
		return nil, errors.New("weights sum to " + strconv.FormatFloat(sum, 'g', 6, 64) + ", not 1")
	}
	return d, nil
}

// draw returns the next delay.
func (d *delayDist) draw() time.Duration {
	d.mu.Lock()
	x := d.rng.Float64()
	d.mu.Unlock()
	for i, up := range d.upTo {
		if x < up {
			return d.delays[i]
		}
	}
	return d.delays[len(d.delays)-1]
}
