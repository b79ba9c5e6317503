package burst

import (
	"fmt"
	"net"
	"time"
)

// wire is how bytes travel: the address, and the client pattern that a real client may have by its choice of calls;
// and who moves them.
type wire struct {
	address string
	timeout time.Duration
	delay   bool // without TCP_NODELAY: Nagle's algorithm holds a small write back while an earlier one is not acknowledged
	split   bool // what is sent at once goes out in two writes
	lane    *int // its loop, nil for the virtual user's
	brake   int64
}

// writePatterns is what the option `writes` may say; the value tells whether they are split.
var writePatterns = map[string]bool{"": false, "one": false, "two": true}

func (o *protocolOptions) wire() wire {
	return wire{
		address: o.Address,
		timeout: o.timeout(),
		delay:   o.NoDelay != nil && !*o.NoDelay,
		split:   writePatterns[o.Writes],
		lane:    o.Lane,
		brake:   int64(o.BrakeNsPerOp),
	}
}

// ready sets a fresh connection's options. Go sets TCP_NODELAY by itself.
func (w wire) ready(conn net.Conn) error {
	if !w.delay {
		return nil
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return fmt.Errorf("noDelay: false needs TCP, not %T", conn)
	}
	return tcp.SetNoDelay(false)
}

// chunk returns how many of the bytes from a position on go into the next write.
func (w wire) chunk(from, size int) int {
	if half := size / 2; w.split && from < half {
		return half - from
	}
	return size - from
}

// hold burns the extra CPU time of operations that were answered, where a brake is asked for.
func (w *wire) hold(operations int64) {
	if w.brake > 0 && operations > 0 {
		burn(w.brake * operations)
	}
}
