//go:build !linux

package burst

import "time"

// burn uses up CPU time of the calling thread; here as long as it is not interrupted.
func burn(ns int64) {
	for begun := time.Now(); time.Since(begun) < time.Duration(ns); {
	}
}
