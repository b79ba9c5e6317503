package burst

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These calls cannot block, because the sockets are non-blocking and the poll does not wait. So they need not tell
// the scheduler, which would cost more than a short read does.

// rawReceive and rawSend are for sockets: by way of read and write the kernel takes a few per cent longer, because it
// looks at what only files have.
func rawReceive(fd int, buffer []byte) (int, unix.Errno) {
	n, _, err := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(buffer))), uintptr(len(buffer)), 0, 0, 0)
	return int(n), err
}

func rawSend(fd int, data []byte) (int, unix.Errno) {
	n, _, err := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)), unix.MSG_NOSIGNAL, 0, 0)
	return int(n), err
}

func rawRead(fd int, buffer []byte) (int, unix.Errno) {
	n, _, err := syscall.RawSyscall(unix.SYS_READ, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(buffer))), uintptr(len(buffer)))
	return int(n), err
}

func rawWrite(fd int, data []byte) (int, unix.Errno) {
	n, _, err := syscall.RawSyscall(unix.SYS_WRITE, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)))
	return int(n), err
}

// rawPoll returns the events that are there already.
func rawPoll(epoll int, events []unix.EpollEvent) (int, unix.Errno) {
	n, _, err := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(epoll),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}

// pollFor waits for events, for at most a time in ns; without end when it is negative. It blocks, to the nanosecond
// where the kernel can (Linux 5.11), else to the millisecond below.
func pollFor(epoll int, events []unix.EpollEvent, ns int64) (int, error) {
	if ns < 0 {
		return unix.EpollWait(epoll, events, -1)
	}
	limit := unix.NsecToTimespec(ns)
	n, _, err := syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epoll),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)),
		uintptr(unsafe.Pointer(&limit)), 0, 0)
	switch err {
	case 0:
		return int(n), nil
	case unix.ENOSYS, unix.EPERM: // an old kernel, or a container's filter that does not know the call
		return unix.EpollWait(epoll, events, int(ns/1e6))
	}
	return 0, err
}
