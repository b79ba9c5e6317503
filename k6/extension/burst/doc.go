// Package burst is the k6 module k6/x/burst: one JavaScript call performs many operations on connections of its own.
//
// The parts: a template (bytes of one operation) and a codec (a protocol, no I/O) make up a session (one
// connection's operations in flight). A session is moved by one of two drives: blocking, one goroutine for each
// connection, or event loops on epoll (Linux). Both give the same results; times are nanoseconds of measure.Now.
package burst
