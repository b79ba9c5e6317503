//! Records of changes waiting to be written to the append log, and what was there before them.

use super::entry::Entry;
use super::state::CountRow;
use super::undo::Before;
use crate::log::record;

/// Collects records in the order of the changes, under the same lock. Off by default.
#[derive(Default)]
pub struct Journal {
    enabled: bool,
    pending: Pending,
    /// Bytes ever appended; a position in the log that a reply can wait for.
    end: u64,
}

/// Changes that are not written yet.
#[derive(Default)]
pub struct Pending {
    /// Their records.
    pub bytes: Vec<u8>,
    /// What they replaced, in their order.
    pub(super) before: Vec<Before>,
}

impl Journal {
    pub fn enable(&mut self) {
        self.enabled = true;
    }

    /// Position behind the last record.
    #[inline]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Exchanges what was collected for something empty; returns the position behind it.
    pub fn take(&mut self, empty: &mut Pending) -> u64 {
        debug_assert!(empty.bytes.is_empty() && empty.before.is_empty());
        std::mem::swap(&mut self.pending, empty);
        self.end
    }

    /// Ends the positions of changes that were taken back: none that comes is one of theirs.
    /// Returns the first new one.
    pub(super) fn skip(&mut self) -> u64 {
        self.end += 1;
        self.end
    }

    /// A copy of an entry that may change, where changes may have to be taken back.
    #[inline]
    pub(super) fn copy_of(&self, entry: &Entry) -> Option<Entry> {
        self.enabled.then(|| entry.clone())
    }

    /// Notes that the copied entry did change.
    #[inline]
    pub(super) fn replaced(&mut self, copy: Option<Entry>) {
        if let Some(entry) = copy {
            self.pending.before.push(Before::Entry(entry));
        }
    }

    /// Notes what a change is about to replace. Its record has to follow.
    #[inline]
    pub(super) fn before(&mut self, what: impl FnOnce() -> Before) {
        if self.enabled {
            self.pending.before.push(what());
        }
    }

    #[inline]
    pub fn count_row(&mut self, key: &[u8], epoch: u64, row: CountRow) {
        if self.enabled {
            self.append(|out| record::put_count_row(out, key, epoch, row));
        }
    }

    pub fn entry(&mut self, entry: &Entry) {
        if self.enabled {
            self.append(|out| record::put_entry(out, &entry.key, &entry.state()));
        }
    }

    pub fn flush_all(&mut self) {
        if self.enabled {
            self.append(record::put_flush);
        }
    }

    #[inline]
    fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let bytes = &mut self.pending.bytes;
        let before = bytes.len();
        write(bytes);
        self.end += (bytes.len() - before) as u64;
    }
}

impl Pending {
    /// Forgets all of it and keeps the memory, unless there is more than `spare_bytes` of it.
    pub fn clear(&mut self, spare_bytes: usize) {
        self.bytes.clear();
        self.before.clear();
        if self.bytes.capacity() > spare_bytes {
            self.bytes = Vec::new();
        }
        if self.before.capacity() * size_of::<Before>() > spare_bytes {
            self.before = Vec::new();
        }
    }
}
