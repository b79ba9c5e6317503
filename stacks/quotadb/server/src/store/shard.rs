//! One of the fixed parts of the key space: a hash table with a digest of its contents.

use super::entry::Entry;
use super::table::Table;
use xxhash_rust::xxh3::xxh3_64;

/// Number of shards. All nodes of a cluster must agree on it, so it is a constant.
pub const SHARDS: usize = 256;

/// On a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
pub struct Shard {
    table: Table,
    /// Digest of all entries; None since the last change.
    pub digest: Option<u64>,
    /// Anti-entropy round of the last change.
    pub changed_round: u64,
}

/// Hash of a key, equal on all nodes.
#[inline]
pub fn hash_key(key: &[u8]) -> u64 {
    xxh3_64(key)
}

/// Shard of a key. These bits are not those of the table's slots, which are the lowest.
#[inline]
pub fn index_of(hash: u64) -> usize {
    (hash >> 40) as usize % SHARDS
}

impl Shard {
    /// An empty one, as of this anti-entropy round.
    pub fn empty(changed_round: u64) -> Self {
        Self {
            changed_round,
            ..Self::default()
        }
    }

    #[inline]
    pub fn find(&self, hash: u64, key: &[u8]) -> Option<&Entry> {
        self.table.find(hash, |entry| *entry.key == *key)
    }

    #[inline]
    pub fn find_mut(&mut self, hash: u64, key: &[u8]) -> Option<&mut Entry> {
        self.table.find_mut(hash, |entry| *entry.key == *key)
    }

    #[inline]
    pub fn prefetch(&self, hash: u64) {
        self.table.prefetch(hash);
    }

    /// Some entry with this hash that is marked as queued.
    pub fn find_queued(&mut self, hash: u64) -> Option<&mut Entry> {
        self.table
            .find_mut(hash, |entry| entry.queued && hash_key(&entry.key) == hash)
    }

    /// Adds an entry whose key, of this hash, is not in the table.
    pub fn insert(&mut self, hash: u64, entry: Entry) -> &mut Entry {
        self.table.insert(hash, entry)
    }

    pub fn remove(&mut self, hash: u64, key: &[u8]) {
        self.table.remove(hash, |entry| *entry.key == *key);
    }

    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.table.iter()
    }
}
