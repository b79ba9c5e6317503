package burst

import (
	"fmt"
	"io"
	"net"
	"time"
)

// exchange sends bytes on a fresh connection and reads the given number of replies before any operation. It returns
// what was received beyond them.
func exchange(
	conn net.Conn, deadline time.Time, out []byte, replies int, parse func(in []byte) (int, error),
) ([]byte, error) {
	if replies == 0 {
		return nil, nil
	}
	return exchangeFrom(conn, deadline, out, nil, func(in []byte) (used int, done bool, err error) {
		for {
			n, err := parse(in[used:])
			if err != nil || n == 0 {
				return used, false, err
			}
			used += n
			if replies--; replies == 0 {
				return used, true, nil
			}
		}
	})
}

// exchangeFrom sends bytes and reads, beginning with what is received already, until parse says that it is done.
func exchangeFrom(
	conn net.Conn, deadline time.Time, out, in []byte, parse func(in []byte) (used int, done bool, err error),
) ([]byte, error) {
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	if len(out) > 0 {
		if _, err := conn.Write(out); err != nil {
			return nil, err
		}
	}
	chunk := make([]byte, 4096)
	for {
		used, done, err := parse(in)
		if err != nil {
			return nil, err
		}
		in = in[used:]
		if done {
			return in, nil
		}
		if len(in) > maxReply {
			return nil, fmt.Errorf("greeting longer than %d bytes", maxReply)
		}
		n, err := conn.Read(chunk)
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		in = append(in, chunk[:n]...)
	}
}
