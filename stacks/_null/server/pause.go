package main

import (
	"errors"
	"strings"
	"time"
)

// pauseSchedule stops the responder, as SIGSTOP would, for the last `length` of each `every`.
// The pause is at the end of the period, so that a start-up probe is answered.
type pauseSchedule struct {
	every, length time.Duration
}

// parsePause reads "10s/1s". An empty text is no pause (nil).
func parsePause(text string) (*pauseSchedule, error) {
	if text == "" {
		return nil, nil
	}
	every, length, ok := strings.Cut(text, "/")
	if !ok {
		return nil, errors.New("want EVERY/FOR, e.g. 10s/1s")
	}
	var p pauseSchedule
	var err error
	if p.every, err = time.ParseDuration(every); err != nil {
		return nil, err
	}
	if p.length, err = time.ParseDuration(length); err != nil {
		return nil, err
	}
	if p.length <= 0 || p.every <= p.length {
		return nil, errors.New("FOR must be positive and shorter than EVERY")
	}
	return &p, nil
}

// remaining is how much of a pause is left at `up` after the start; 0 outside a pause.
func (p *pauseSchedule) remaining(up time.Duration) time.Duration {
	phase := up % p.every
	if phase < p.every-p.length {
		return 0
	}
	return p.every - phase
}
