package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// change is a change of a directory that nobody has synced yet.
type change struct {
	kind     changeKind
	node     *node
	dir      *node
	name     string
	toDir    *node // of a rename
	toName   string
	replaced *node  // of a rename onto something
	target   string // of a symbolic link
}

type changeKind int

const (
	create changeKind = iota
	remove
	rename
)

func (c change) touches() []*node {
	all := []*node{c.node, c.dir}
	if c.toDir != nil {
		all = append(all, c.toDir)
	}
	if c.replaced != nil {
		all = append(all, c.replaced)
	}
	return all
}

// volume is a folder whose files hold what was synced, and nothing else: what was not is in the memory of this process, and
// gone with it. One lock for everything: this is a test of what is kept, not of speed.
type volume struct {
	mu      sync.Mutex
	backing string
	changes []change
	files   map[*node]struct{} // with unsynced data
	full    bool               // it takes what it already holds, and not one byte more
}

// path of what is durable, in the backing folder.
func (v *volume) path(n *node) string {
	if n.durableDir == nil {
		return v.backing
	}
	return filepath.Join(v.path(n.durableDir), n.durableName)
}

// commit makes durable what was done to this file or directory, and, in order, whatever that rests on: as a journal does, it
// never shows a later change of a directory without an earlier one. Unlike the journal of ext4 it takes no change along that
// has nothing to do with it.
func (v *volume) commit(about *node) error {
	touched := map[*node]bool{about: true}
	chosen := make([]bool, len(v.changes))
	for i := len(v.changes) - 1; i >= 0; i-- {
		for _, n := range v.changes[i].touches() {
			chosen[i] = chosen[i] || touched[n]
		}
		if chosen[i] {
			for _, n := range v.changes[i].touches() {
				touched[n] = true
			}
		}
	}
	var left []change
	var failed error
	for i, c := range v.changes {
		if !chosen[i] || failed != nil {
			left = append(left, c)
			continue
		}
		if failed = v.apply(c); failed != nil {
			left = append(left, c)
		}
	}
	v.changes = left
	return failed
}

// apply does in the backing folder what was done in the mounted one.
func (v *volume) apply(c change) error {
	switch c.kind {
	case create:
		return v.applyCreate(c)
	case remove:
		return v.applyRemove(c.node)
	}
	if !c.node.durable {
		// A socket is never durable, but what it replaced is gone.
		if c.replaced != nil {
			return v.applyRemove(c.replaced)
		}
		return nil
	}
	if c.replaced != nil {
		if err := v.keepOpen(c.replaced); err != nil {
			return err
		}
	}
	if err := os.Rename(v.path(c.node), filepath.Join(v.path(c.toDir), c.toName)); err != nil {
		return err
	}
	if c.replaced != nil {
		c.replaced.durable = false
	}
	c.node.durableDir, c.node.durableName = c.toDir, c.toName
	return nil
}

func (v *volume) applyCreate(c change) error {
	n := c.node
	path := filepath.Join(v.path(c.dir), c.name)
	perm := os.FileMode(n.attr.Mode & 0o777)
	switch {
	case n.isDir():
		if err := os.Mkdir(path, perm); err != nil {
			return err
		}
	case n.isLink():
		if err := os.Symlink(c.target, path); err != nil {
			return err
		}
	case n.isFile():
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		n.file = file
	default:
		return nil // sockets and pipes
	}
	n.durable, n.durableDir, n.durableName = true, c.dir, c.name
	return v.applyAttributes(n)
}

func (v *volume) applyRemove(n *node) error {
	if !n.durable {
		return nil
	}
	if err := v.keepOpen(n); err != nil {
		return err
	}
	if err := os.Remove(v.path(n)); err != nil {
		return err
	}
	n.durable = false
	v.closeUnused(n)
	return nil
}

// applyAttributes brings owner and mode into the backing folder.
func (v *volume) applyAttributes(n *node) error {
	path := v.path(n)
	if n.isLink() || !n.attributesChanged {
		return nil
	}
	if err := os.Lchown(path, int(n.attr.Uid), int(n.attr.Gid)); err != nil && os.Geteuid() == 0 {
		return err
	}
	n.attributesChanged = false
	return os.Chmod(path, os.FileMode(n.attr.Mode&0o777))
}

// keepOpen lets a file be read that is about to lose its name.
func (v *volume) keepOpen(n *node) error {
	if !n.isFile() || n.opened == 0 {
		return nil
	}
	_, err := v.open(n)
	return err
}

// open returns what holds the synced data of a file that has or had a durable name.
func (v *volume) open(n *node) (*os.File, error) {
	if n.file != nil || !n.durable {
		return n.file, nil
	}
	file, err := os.OpenFile(v.path(n), os.O_RDWR, 0)
	n.file = file
	return file, err
}

func (v *volume) closeUnused(n *node) {
	if n.file != nil && !n.durable && n.opened == 0 {
		n.file.Close()
		n.file = nil
	}
}

// sync makes durable what a file or directory holds. The disk is waited for after the lock is given back.
func (v *volume) sync(n *node) error {
	v.mu.Lock()
	file, err := v.syncLocked(n)
	v.mu.Unlock()
	if err != nil || file == nil {
		return err
	}
	return file.Sync()
}

func (v *volume) syncLocked(n *node) (*os.File, error) {
	if err := v.commit(n); err != nil {
		return nil, err
	}
	if n.isDir() {
		if !n.isRoot() && !n.durable {
			return nil, nil
		}
		return nil, v.applyAttributes(n)
	}
	if !n.durable {
		return nil, nil // it has no name any more
	}
	if err := v.applyAttributes(n); err != nil {
		return nil, err
	}
	file, err := v.open(n)
	if err != nil {
		return nil, err
	}
	return file, n.writeBack(file)
}

// fillOrFree: somebody else has taken all the space that was left, or gives it back.
func (v *volume) fillOrFree() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.full = !v.full
}

// syncAll is an orderly end.
func (v *volume) syncAll() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.changes {
		if err := v.apply(c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	v.changes = nil
	for n := range v.files {
		if _, err := v.syncLocked(n); err != nil {
			return err
		}
	}
	return nil
}

// Loss says what a loss of power took.
type Loss struct {
	Changes int    `json:"changes"` // of directories
	Files   int    `json:"files"`   // with unsynced data
	Bytes   int64  `json:"bytes"`   // in changed parts of pages
	Torn    []Torn `json:"torn"`
}

// Torn is a page of which a part had reached the disk.
type Torn struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
}

// losePower lets nobody do anything any more: the lock is never given back.
func (v *volume) losePower(torn bool) (Loss, error) {
	v.mu.Lock()
	loss := Loss{Changes: len(v.changes), Torn: []Torn{}}
	for n := range v.files {
		loss.Files++
		for _, p := range n.pages {
			loss.Bytes += int64(p.to - p.from)
		}
		if !torn || !n.durable {
			continue
		}
		file, err := v.open(n)
		if err != nil {
			return loss, err
		}
		offset, bytes, err := n.tear(file)
		if err != nil {
			return loss, err
		}
		if bytes > 0 {
			name, _ := filepath.Rel(v.backing, v.path(n))
			loss.Torn = append(loss.Torn, Torn{File: name, Offset: offset, Bytes: bytes})
		}
	}
	return loss, nil
}
