//! Records of changes waiting to be written to the append log.

use super::entry::Entry;
use super::state::CountRow;
use crate::log::record;

/// Collects records in the order of the changes, under the same lock. Off by default.
#[derive(Default)]
pub struct Journal {
    enabled: bool,
    bytes: Vec<u8>,
    /// Bytes ever appended; a position in the log that a reply can wait for.
    end: u64,
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

    /// Exchanges the collected records for an empty buffer; returns the position behind them.
    pub fn take(&mut self, empty: &mut Vec<u8>) -> u64 {
        debug_assert!(empty.is_empty());
        std::mem::swap(&mut self.bytes, empty);
        self.end
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
        let before = self.bytes.len();
        write(&mut self.bytes);
        self.end += (self.bytes.len() - before) as u64;
    }
}
