// Package burst is the k6 module k6/x/burst: one JavaScript call performs many operations on connections of its own.
//
// The parts: a template (bytes of one operation) and a codec (a protocol, no I/O) make up a session (one
// connection's operations in flight). A drive moves sessions: on Linux event loops on epoll, each on a thread of its own,
// that all virtual users of the process share; elsewhere a goroutine for each connection. Both give the same results;
// times are nanoseconds of measure.Now.
package burst
