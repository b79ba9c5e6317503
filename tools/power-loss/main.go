// A folder that forgets what was not synced: a pass-through file system (FUSE) for measuring what a loss of power costs.
// What is written stays in the memory of this process until fsync, fdatasync, msync or O_SYNC move it into the backing
// folder. SIGUSR1 is the loss of power: one line of JSON says what it took, the mount is gone, and the backing folder holds
// what a disk would. SIGUSR2 fills the disk up, the next one frees it again. SIGTERM is an orderly end, which syncs everything.
// See README.md.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

const (
	exitFailed = 1
	exitUsage  = 2
	detachWait = 2 * time.Second
)

func main() {
	torn := flag.Bool("torn", false, "at a loss of power a part of the first unsynced page of each file is kept")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: power-loss [-torn] BACKING MOUNT   (SIGUSR1: power is lost; SIGUSR2: full, and free again; SIGTERM: orderly end)")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(exitUsage)
	}
	signals, fills := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGINT)
	signal.Notify(fills, syscall.SIGUSR2)
	mounted, err := mount(flag.Arg(0), flag.Arg(1))
	if err != nil {
		fmt.Fprintf(os.Stderr, "power-loss: %v\n", err)
		os.Exit(exitFailed)
	}
	fmt.Println("mounted")
	go func() {
		for range fills {
			mounted.root.volume.fillOrFree()
		}
	}()
	ended := make(chan struct{})
	go func() {
		mounted.server.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		// Somebody else unmounted it: nothing was asked to be kept.
	case got := <-signals:
		if got == syscall.SIGUSR1 {
			err = mounted.losePower(*torn)
		} else {
			err = mounted.end()
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "power-loss: %v\n", err)
		os.Exit(exitFailed)
	}
}

type mounted struct {
	root   *node
	server *fuse.Server
	path   string
}

// mount fails where there is no FUSE, or one of the folders is not there.
func mount(backing, path string) (*mounted, error) {
	backing, err := realPath(backing)
	if err != nil {
		return nil, err
	}
	if path, err = realPath(path); err != nil {
		return nil, err
	}
	if err := demandApart(backing, path); err != nil {
		return nil, err
	}
	root, err := newRoot(backing)
	if err != nil {
		return nil, err
	}
	second := time.Second
	isRoot := os.Geteuid() == 0
	server, err := fs.Mount(path, root, &fs.Options{
		EntryTimeout:    &second,
		AttrTimeout:     &second,
		NullPermissions: true,
		MountOptions: fuse.MountOptions{
			// Servers of which root makes another user; others may not allow it.
			AllowOther:    isRoot,
			DirectMount:   isRoot,
			Options:       []string{"default_permissions"},
			FsName:        backing,
			Name:          "power-loss",
			DisableXAttrs: true,
			MaxWrite:      1 << 20,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot mount %s: %w", path, err)
	}
	return &mounted{root, server, path}, nil
}

func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// losePower says what was lost, and takes the mount away; whoever still waits for an answer gets an error.
func (m *mounted) losePower(torn bool) error {
	loss, err := m.root.volume.losePower(torn)
	return errors.Join(err, json.NewEncoder(os.Stdout).Encode(loss), m.detach())
}

// end keeps everything.
func (m *mounted) end() error {
	return errors.Join(m.root.volume.syncAll(), m.detach())
}

// detach takes the mount away also while somebody works in it. It does not wait for what the kernel may still want to write
// to it, and nobody takes: that ends with this process.
func (m *mounted) detach() error {
	done := make(chan error, 1)
	go func() {
		err := syscall.Unmount(m.path, syscall.MNT_DETACH)
		if err != nil {
			// Without the right to do it, fusermount does.
			err = m.server.Unmount()
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(detachWait):
		return nil
	}
}
