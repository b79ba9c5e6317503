//! Walking over keys.

use super::entry::Entry;
use super::key::Key;
use super::{SHARDS, Store};
use crate::glob;

impl Store {
    /// All existing keys that match the pattern, in no order.
    pub fn matching<'a>(&'a self, pattern: &'a [u8]) -> impl Iterator<Item = &'a Entry> {
        (0..SHARDS)
            .flat_map(|index| self.live_in_shard(index))
            .filter(move |entry| glob::matches(pattern, &entry.key))
    }

    /// Existing keys of one shard. A shard is the step of `SCAN`: a key never changes its shard, so
    /// a scan sees every key that exists throughout it exactly once.
    pub fn live_in_shard(&self, index: usize) -> impl Iterator<Item = &Entry> {
        self.shards[index].entries().filter(|entry| entry.is_live())
    }

    /// Everything in one shard, tombstones included.
    pub fn entries_in_shard(&self, index: usize) -> impl Iterator<Item = &Entry> {
        self.shards[index].entries()
    }

    pub(super) fn live_key_list(&self) -> Vec<Key> {
        self.matching(b"*").map(|entry| entry.key.clone()).collect()
    }
}
