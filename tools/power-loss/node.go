package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Flags of fallocate and renameat2, as Linux has them.
const (
	fallocKeepSize  = 1
	fallocPunchHole = 2
	fallocZeroRange = 16
	renameNoReplace = 1
)

// node is a file or directory as programs see it. go-fuse keeps the tree of the visible names.
type node struct {
	fs.Inode
	volume            *volume
	attr              fuse.Attr // size apart
	attributesChanged bool
	target            string // of a symbolic link
	unlinked          bool
	opened            int

	size  int64
	pages map[int64]*page
	cut   int64    // up to here the backing file's data is still what programs see
	file  *os.File // the backing file, once it was needed

	durable     bool
	durableDir  *node
	durableName string
}

// handle is an opened file.
type handle struct{ syncs bool }

func (n *node) isDir() bool  { return n.attr.Mode&syscall.S_IFMT == syscall.S_IFDIR }
func (n *node) isFile() bool { return n.attr.Mode&syscall.S_IFMT == syscall.S_IFREG }
func (n *node) isLink() bool { return n.attr.Mode&syscall.S_IFMT == syscall.S_IFLNK }
func (n *node) isRoot() bool { return n.Inode.IsRoot() }

func (n *node) changed() {
	n.volume.files[n] = struct{}{}
	n.touch()
}

func (n *node) touch() {
	now := time.Now()
	n.attr.SetTimes(nil, &now, &now)
}

// newRoot reads what a backing folder holds when it is mounted.
func newRoot(backing string) (*node, error) {
	v := &volume{backing: backing, files: map[*node]struct{}{}}
	info, err := os.Stat(backing)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &os.PathError{Op: "mount", Path: backing, Err: syscall.ENOTDIR}
	}
	return v.nodeOf(info), nil
}

func (v *volume) nodeOf(info os.FileInfo) *node {
	n := &node{volume: v, pages: map[int64]*page{}, durable: true}
	n.attr.FromStat(info.Sys().(*syscall.Stat_t))
	if n.isFile() {
		n.size = info.Size()
		n.cut = n.size
	}
	return n
}

var _ = (fs.NodeOnAdder)((*node)(nil))

// OnAdd makes the tree below the root from what is durable.
func (n *node) OnAdd(ctx context.Context) {
	if !n.isDir() || (n.durableDir == nil && !n.isRoot()) {
		return
	}
	entries, err := os.ReadDir(n.volume.path(n))
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue
		}
		child := n.volume.nodeOf(info)
		child.durableDir, child.durableName = n, entry.Name()
		if child.isLink() {
			child.target, _ = os.Readlink(n.volume.path(child))
		}
		n.AddChild(entry.Name(), n.NewPersistentInode(ctx, child, child.stable()), true)
	}
}

func (n *node) stable() fs.StableAttr {
	return fs.StableAttr{Mode: n.attr.Mode & syscall.S_IFMT}
}

// add makes a new thing with a name; the caller holds the lock.
func (n *node) add(ctx context.Context, name string, mode uint32, target string, out *fuse.EntryOut) *node {
	child := &node{volume: n.volume, target: target, pages: map[int64]*page{}, attributesChanged: true}
	child.attr.Mode = mode
	if caller, ok := fuse.FromContext(ctx); ok {
		child.attr.Owner = caller.Owner
	}
	now := time.Now()
	child.attr.SetTimes(&now, &now, &now)
	n.NewPersistentInode(ctx, child, child.stable())
	n.volume.changes = append(n.volume.changes, change{kind: create, node: child, dir: n, name: name, target: target})
	n.touch()
	child.fill(&out.Attr)
	return child
}

func (n *node) fill(out *fuse.Attr) {
	ino := out.Ino
	*out = n.attr
	out.Ino = ino
	out.Size = uint64(n.size)
	if n.isLink() {
		out.Size = uint64(len(n.target))
	}
	out.Blocks = (out.Size + 511) / 512
	out.Blksize = pageSize
	out.Nlink = 1
	if n.unlinked {
		out.Nlink = 0
	}
}

func (n *node) child(name string) *node {
	if inode := n.GetChild(name); inode != nil {
		return inode.Operations().(*node)
	}
	return nil
}

var _ = (fs.NodeLookuper)((*node)(nil))

func (n *node) Lookup(_ context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	child := n.child(name)
	if child == nil {
		return nil, syscall.ENOENT
	}
	child.fill(&out.Attr)
	return &child.Inode, 0
}

var _ = (fs.NodeCreater)((*node)(nil))

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	if n.volume.full {
		return nil, nil, 0, syscall.ENOSPC
	}
	child := n.add(ctx, name, mode&0o7777|syscall.S_IFREG, "", out)
	child.opened++
	return &child.Inode, &handle{syncs: flags&syscall.O_DSYNC != 0}, fuse.FOPEN_KEEP_CACHE, 0
}

var _ = (fs.NodeMkdirer)((*node)(nil))

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	if n.volume.full {
		return nil, syscall.ENOSPC
	}
	return &n.add(ctx, name, mode&0o7777|syscall.S_IFDIR, "", out).Inode, 0
}

var _ = (fs.NodeSymlinker)((*node)(nil))

func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	if n.volume.full {
		return nil, syscall.ENOSPC
	}
	return &n.add(ctx, name, 0o777|syscall.S_IFLNK, target, out).Inode, 0
}

var _ = (fs.NodeMknoder)((*node)(nil))

// Mknod: sockets and pipes work, and are never durable.
func (n *node) Mknod(ctx context.Context, name string, mode, _ uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	switch mode & syscall.S_IFMT {
	case syscall.S_IFREG, syscall.S_IFSOCK, syscall.S_IFIFO:
	default:
		return nil, syscall.EPERM
	}
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	if n.volume.full {
		return nil, syscall.ENOSPC
	}
	return &n.add(ctx, name, mode, "", out).Inode, 0
}

var _ = (fs.NodeReadlinker)((*node)(nil))

func (n *node) Readlink(context.Context) ([]byte, syscall.Errno) {
	return []byte(n.target), 0
}

var _ = (fs.NodeUnlinker)((*node)(nil))

func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	return n.remove(name)
}

var _ = (fs.NodeRmdirer)((*node)(nil))

func (n *node) Rmdir(_ context.Context, name string) syscall.Errno {
	return n.remove(name)
}

// remove takes a name away: from the visible tree at once, under the lock, so that it and the changes agree.
func (n *node) remove(name string) syscall.Errno {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	child := n.child(name)
	if child == nil {
		return syscall.ENOENT
	}
	if child.isDir() && len(child.Children()) > 0 {
		return syscall.ENOTEMPTY
	}
	n.volume.changes = append(n.volume.changes, change{kind: remove, node: child, dir: n, name: name})
	n.touch()
	child.hasLostName()
	return 0
}

// hasLostName: nobody will read it any more but who has it open.
func (n *node) hasLostName() {
	n.unlinked = true
	n.forgetUnused()
}

func (n *node) forgetUnused() {
	if n.unlinked && n.opened == 0 {
		delete(n.volume.files, n)
		n.volume.closeUnused(n)
	}
}

var _ = (fs.NodeRenamer)((*node)(nil))

func (n *node) Rename(_ context.Context, name string, to fs.InodeEmbedder, toName string, flags uint32) syscall.Errno {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	toDir := to.(*node)
	child, replaced := n.child(name), toDir.child(toName)
	switch {
	case child == nil:
		return syscall.ENOENT
	case flags&^renameNoReplace != 0:
		return syscall.EINVAL
	case replaced != nil && flags&renameNoReplace != 0:
		return syscall.EEXIST
	case replaced == child:
		return 0
	case replaced != nil && replaced.isDir() && len(replaced.Children()) > 0:
		return syscall.ENOTEMPTY
	}
	n.volume.changes = append(n.volume.changes, change{
		kind: rename, node: child, dir: n, name: name, toDir: toDir, toName: toName, replaced: replaced,
	})
	n.touch()
	toDir.touch()
	if replaced != nil {
		replaced.hasLostName()
	}
	return 0
}

var _ = (fs.NodeGetattrer)((*node)(nil))

func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	n.fill(&out.Attr)
	return 0
}

var _ = (fs.NodeSetattrer)((*node)(nil))

func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	if size, ok := in.GetSize(); ok && n.isFile() {
		if n.hasNoRoom(int64(size)) {
			return syscall.ENOSPC
		}
		n.truncate(int64(size))
	}
	if mode, ok := in.GetMode(); ok {
		n.attr.Mode = n.attr.Mode&syscall.S_IFMT | mode&0o7777
		n.attributesChanged = true
	}
	if uid, ok := in.GetUID(); ok {
		n.attr.Uid = uid
		n.attributesChanged = true
	}
	if gid, ok := in.GetGID(); ok {
		n.attr.Gid = gid
		n.attributesChanged = true
	}
	if at, ok := in.GetATime(); ok {
		n.attr.SetTimes(&at, nil, nil)
	}
	if at, ok := in.GetMTime(); ok {
		n.attr.SetTimes(nil, &at, nil)
	}
	n.fill(&out.Attr)
	return 0
}

var _ = (fs.NodeOpener)((*node)(nil))

func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	n.opened++
	if flags&syscall.O_TRUNC != 0 {
		n.truncate(0)
	}
	return &handle{syncs: flags&syscall.O_DSYNC != 0}, fuse.FOPEN_KEEP_CACHE, 0
}

var _ = (fs.NodeReleaser)((*node)(nil))

func (n *node) Release(context.Context, fs.FileHandle) syscall.Errno {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	n.opened--
	n.forgetUnused()
	return 0
}

var _ = (fs.NodeReader)((*node)(nil))

func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	file, err := n.volume.open(n)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	count, err := n.readAt(file, dest, off)
	return fuse.ReadResultData(dest[:count]), fs.ToErrno(err)
}

var _ = (fs.NodeWriter)((*node)(nil))

func (n *node) Write(_ context.Context, f fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	n.volume.mu.Lock()
	file, err := n.volume.open(n)
	if err == nil && n.hasNoRoom(off+int64(len(data))) {
		err = syscall.ENOSPC
	}
	if err == nil {
		err = n.writeAt(file, data, off)
	}
	n.volume.mu.Unlock()
	if h, ok := f.(*handle); ok && h.syncs && err == nil {
		err = n.volume.sync(n)
	}
	if err != nil {
		return 0, fs.ToErrno(err)
	}
	return uint32(len(data)), 0
}

// hasNoRoom: a full disk takes what lies within a file, and lets none grow. The caller holds the lock.
func (n *node) hasNoRoom(end int64) bool {
	return n.volume.full && end > n.size
}

var _ = (fs.NodeFsyncer)((*node)(nil))

// Fsync is fsync, fdatasync and msync of a file, and fsync of a directory.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	return fs.ToErrno(n.volume.sync(n))
}

var _ = (fs.NodeFlusher)((*node)(nil))

// Flush: closing a file makes nothing durable.
func (n *node) Flush(context.Context, fs.FileHandle) syscall.Errno { return 0 }

var _ = (fs.NodeAllocater)((*node)(nil))

func (n *node) Allocate(_ context.Context, _ fs.FileHandle, off, size uint64, mode uint32) syscall.Errno {
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	start, end := int64(off), int64(off+size)
	if mode&^(fallocKeepSize|fallocPunchHole|fallocZeroRange) != 0 {
		return syscall.EOPNOTSUPP
	}
	if mode&(fallocPunchHole|fallocZeroRange) != 0 {
		file, err := n.volume.open(n)
		if stop := min(end, n.size); err == nil && stop > start {
			err = n.writeAt(file, make([]byte, stop-start), start)
		}
		if err != nil {
			return fs.ToErrno(err)
		}
	}
	if mode&fallocKeepSize == 0 && n.hasNoRoom(end) {
		return syscall.ENOSPC
	}
	if mode&fallocKeepSize == 0 && end > n.size {
		n.truncate(end)
	}
	return 0
}

var _ = (fs.NodeStatfser)((*node)(nil))

func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(n.volume.backing, &stat); err != nil {
		return fs.ToErrno(err)
	}
	out.FromStatfsT(&stat)
	n.volume.mu.Lock()
	defer n.volume.mu.Unlock()
	if n.volume.full {
		out.Bfree, out.Bavail = 0, 0
	}
	return 0
}

// demandApart: a folder mounted over itself, or below, would wait for itself.
func demandApart(backing, mount string) error {
	for _, pair := range [][2]string{{backing, mount}, {mount, backing}} {
		rel, err := filepath.Rel(pair[0], pair[1])
		if err != nil {
			return err
		}
		if rel == "." || filepath.IsLocal(rel) {
			return errors.New("the backing folder and the mount must lie apart")
		}
	}
	return nil
}
