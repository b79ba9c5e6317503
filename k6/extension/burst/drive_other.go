//go:build !linux

package burst

// platformDrive returns the drive of this operating system: without epoll a goroutine for each connection.
func platformDrive() drive { return goroutines{} }
