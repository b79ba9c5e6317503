package main

import (
	"errors"
	"io"
	"os"
)

const (
	pageSize   = 4096
	sectorSize = 512
)

// page is one that differs from what was synced; from and to: the changed part.
type page struct {
	data     [pageSize]byte
	from, to int
}

// readAt reads what a program sees: the unsynced, and what was synced below it.
func (n *node) readAt(file *os.File, dest []byte, off int64) (int, error) {
	if off >= n.size {
		return 0, nil
	}
	dest = dest[:min(int64(len(dest)), n.size-off)]
	for done := 0; done < len(dest); {
		at := off + int64(done)
		part := dest[done:min(len(dest), done+pageSize-int(at%pageSize))]
		if p := n.pages[at/pageSize]; p != nil {
			copy(part, p.data[at%pageSize:])
		} else if err := n.readSynced(file, part, at); err != nil {
			return 0, err
		}
		done += len(part)
	}
	return len(dest), nil
}

// readSynced reads what the backing file holds; beyond it, and beyond a cut that was not synced, are zeros.
func (n *node) readSynced(file *os.File, dest []byte, off int64) error {
	clear(dest)
	if file == nil || off >= n.cut {
		return nil
	}
	_, err := file.ReadAt(dest[:min(int64(len(dest)), n.cut-off)], off)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// writeAt changes pages in memory only.
func (n *node) writeAt(file *os.File, data []byte, off int64) error {
	for done := 0; done < len(data); {
		at := off + int64(done)
		from := int(at % pageSize)
		p := n.pages[at/pageSize]
		if p == nil {
			p = &page{from: pageSize}
			if err := n.readSynced(file, p.data[:], at-int64(from)); err != nil {
				return err
			}
			n.pages[at/pageSize] = p
		}
		count := copy(p.data[from:], data[done:])
		p.from, p.to = min(p.from, from), max(p.to, from+count)
		done += count
	}
	n.size = max(n.size, off+int64(len(data)))
	n.changed()
	return nil
}

// truncate sets the size: what lay beyond reads as zeros, also when the file grows again.
func (n *node) truncate(size int64) {
	if size < n.size {
		for index, p := range n.pages {
			start := index * pageSize
			if start >= size {
				delete(n.pages, index)
			} else if start+pageSize > size {
				kept := int(size - start)
				clear(p.data[kept:])
				p.to = min(p.to, kept)
				p.from = min(p.from, p.to)
			}
		}
		n.cut = min(n.cut, size)
	}
	n.size = size
	n.changed()
}

// writeBack brings the data of a file into the backing folder.
func (n *node) writeBack(file *os.File) error {
	if _, unsynced := n.volume.files[n]; !unsynced {
		return nil
	}
	if err := file.Truncate(min(n.cut, n.size)); err != nil {
		return err
	}
	for index, p := range n.pages {
		start := index * pageSize
		if end := min(int64(pageSize), n.size-start); end > 0 {
			if _, err := file.WriteAt(p.data[:end], start); err != nil {
				return err
			}
		}
	}
	if err := file.Truncate(n.size); err != nil {
		return err
	}
	clear(n.pages)
	n.cut = n.size
	delete(n.volume.files, n)
	return nil
}

// tear writes the first part of the first unsynced page, as a disk that loses power in the midst of it: whole sectors where
// the changed part has an end of one in it, else half of the changed part.
func (n *node) tear(file *os.File) (offset, bytes int64, err error) {
	first := int64(-1)
	for index := range n.pages {
		if first < 0 || index < first {
			first = index
		}
	}
	if first < 0 {
		return 0, 0, nil
	}
	p := n.pages[first]
	middle := (p.from + p.to + 1) / 2
	if sector := (middle + sectorSize - 1) / sectorSize * sectorSize; sector < p.to {
		middle = sector
	} else if sector -= sectorSize; sector > p.from {
		middle = sector
	}
	if middle <= p.from || middle >= p.to {
		return 0, 0, nil
	}
	offset = first*pageSize + int64(p.from)
	_, err = file.WriteAt(p.data[p.from:middle], offset)
	return offset, int64(middle - p.from), err
}
