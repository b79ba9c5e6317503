package main

import (
	"syscall"
	"unsafe"
)

func msync(memory []byte) error {
	_, _, errno := syscall.Syscall(syscall.SYS_MSYNC, uintptr(unsafe.Pointer(&memory[0])), uintptr(len(memory)), syscall.MS_SYNC)
	if errno != 0 {
		return errno
	}
	return nil
}
