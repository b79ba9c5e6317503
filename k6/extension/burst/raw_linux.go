package burst

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These calls cannot block, because the sockets are non-blocking and the poll does not wait. So they need not tell
// the scheduler, which would cost more than a short read does.

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

func errnoOrNil(err unix.Errno) error {
	if err == 0 {
		return nil
	}
	return err
}
