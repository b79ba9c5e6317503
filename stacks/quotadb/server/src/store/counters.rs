//! Increments: the hot path.

use super::entry::Entry;
use super::undo::Before;
use super::{Store, StoreError, shard};

impl Store {
    /// Adds `delta` to this node's row of a counter and returns the new value.
    ///
    /// Nothing is allocated if the key exists and this node has counted on it before.
    #[inline]
    pub fn increment(&mut self, key: &[u8], delta: i64) -> Result<i64, StoreError> {
        let hash = shard::hash_key(key);
        let shard = &mut self.shards[shard::index_of(hash)];
        let Some(entry) = shard.find_mut(hash, key) else {
            return self.start_counter(key, hash, delta);
        };
        let before = self.journal.copy_of(entry);
        let counted = entry.count(self.membership.actor, delta)?;
        self.journal.replaced(before);
        self.journal.count_row(key, counted.epoch, counted.row);
        if self.membership.collect_changes && !entry.queued {
            entry.queued = true;
            self.changed.push(hash);
        }
        shard.digest = None;
        shard.changed_round = self.round;
        self.live_keys += usize::from(counted.created);
        Ok(counted.value)
    }

    /// The first increment of a key without an entry. It cannot be refused: a new counter is 0.
    #[cold]
    fn start_counter(&mut self, key: &[u8], hash: u64, delta: i64) -> Result<i64, StoreError> {
        self.journal.before(|| Before::Nothing(key.into()));
        let entry = Entry::counter(key, self.membership.actor);
        self.shards[shard::index_of(hash)].insert(hash, entry);
        self.live_keys += 1;
        self.increment(key, delta)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::store;
    use super::*;

    #[test]
    fn counting_creates_reads_and_bounds() {
        let mut store = store(1);
        assert_eq!(store.increment(b"k", 1), Ok(1));
        assert_eq!(store.increment(b"k", 41), Ok(42));
        assert_eq!(store.increment(b"k", -50), Ok(-8));
        assert_eq!(
            store.increment(b"k", i64::MIN),
            Err(StoreError::Overflow),
            "-8 + MIN leaves 64 bits"
        );
        assert_eq!(store.increment(b"k", 8), Ok(0));
        assert_eq!(store.increment(b"k", i64::MAX), Ok(i64::MAX));
        assert_eq!(store.increment(b"k", 1), Err(StoreError::Overflow));
        assert_eq!(store.len(), 1);
    }

    #[test]
    fn a_row_at_its_limit_refuses_instead_of_wrapping() {
        let mut store = store(1);
        let mut refused = false;
        for _ in 0..4 {
            refused |= store.increment(b"k", i64::MAX).is_err();
            refused |= store.increment(b"k", -i64::MAX).is_err();
        }
        assert!(refused);
        assert!(store.find(b"k").is_some_and(|entry| entry.value() >= 0));
    }

    #[test]
    fn text_and_quotas_cannot_be_incremented() {
        let mut store = store(1);
        store.set(b"text", b"012");
        assert_eq!(store.increment(b"text", 1), Err(StoreError::NotInteger));
        store.quota_set(b"quota", 5, 1000).unwrap();
        assert_eq!(store.increment(b"quota", 1), Err(StoreError::WrongType));
        store.set(b"number", b"12");
        assert_eq!(store.increment(b"number", 1), Ok(13));
    }
}
