//! Walking over keys.

use super::entry::Entry;
use super::key::Key;
use super::{SHARDS, Store};

impl Store {
    /// All existing keys, in no order.
    pub fn live(&self) -> impl Iterator<Item = &Entry> {
        (0..SHARDS).flat_map(|index| self.live_in_shard(index))
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
        self.live().map(|entry| entry.key.clone()).collect()
    }
}
