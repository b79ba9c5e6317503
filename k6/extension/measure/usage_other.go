//go:build !unix

package measure

import "time"

// processCPU is not known here; the runner's own samples tell.
func processCPU() (time.Duration, bool) { return 0, false }
