//! Whole-key writes: `SET`, `DEL` and flushing.

use super::entry::Entry;
use super::shard::Shard;
use super::state::{Base, Stamp, State};
use super::undo::Before;
use super::{SHARDS, Store, shard};
use crate::resp::number::parse_i64;

impl Store {
    /// Replaces the key with a string, whatever it was.
    pub fn set(&mut self, key: &[u8], value: &[u8]) {
        let base = match parse_i64(value) {
            Some(number) => Base::Number(number),
            None => Base::Text(value.into()),
        };
        self.write_base(key, base);
    }

    /// Deletes the key; false if it did not exist.
    pub fn delete(&mut self, key: &[u8]) -> bool {
        let existed = self.find(key).is_some();
        if existed {
            self.write_base(key, Base::Absent);
        }
        existed
    }

    /// Deletes every key. In a cluster each key leaves a tombstone, which takes time in proportion
    /// to their number; a node on its own just drops its tables.
    pub fn flush(&mut self) {
        if self.membership.keep_tombstones {
            for key in self.live_key_list() {
                self.write_base(&key, Base::Absent);
            }
            return;
        }
        let live_keys = self.live_keys;
        let shards = self.drop_everything();
        self.journal
            .before(|| Before::Everything(shards, live_keys));
        self.journal.flush_all();
    }

    /// Forgets all entries without telling anyone. Returns them.
    pub(super) fn drop_everything(&mut self) -> Vec<Shard> {
        let empty = (0..SHARDS).map(|_| Shard::empty(self.round));
        self.changed.clear();
        self.live_keys = 0;
        std::mem::replace(&mut self.shards, empty.collect())
    }

    /// Writes the base value. Rows counted so far are discarded by opening a new epoch; without any,
    /// the epoch stays and concurrent writes are decided by their stamps alone.
    pub(super) fn write_base(&mut self, key: &[u8], base: Base) {
        let stamp = self.next_stamp();
        self.update(key, |state| {
            if state.has_rows() {
                state.epoch = state.epoch.saturating_add(1);
                state.counts.clear();
                state.uses.clear();
            }
            state.stamp = stamp.max(Stamp {
                micros: state.stamp.micros.saturating_add(1),
                ..stamp
            });
            state.base = base;
        });
    }

    /// Changes a key's state locally: keeps the caches, journal and change list in step.
    pub(super) fn update(&mut self, key: &[u8], change: impl FnOnce(&mut State)) {
        let hash = shard::hash_key(key);
        let index = shard::index_of(hash);
        if self.shards[index].find(hash, key).is_none() {
            self.journal.before(|| Before::Nothing(key.into()));
            self.shards[index].insert(hash, Entry::absent(key));
        }
        let shard = &mut self.shards[index];
        let Some(entry) = shard.find_mut(hash, key) else {
            return;
        };
        let was_live = entry.is_live();
        self.journal.before(|| Before::Entry(entry.clone()));
        entry.change(change);
        self.journal.entry(entry);
        if self.membership.collect_changes && !entry.queued {
            entry.queued = true;
            self.changed.push(hash);
        }
        let is_live = entry.is_live();
        shard.digest = None;
        shard.changed_round = self.round;
        self.live_keys = self.live_keys + usize::from(is_live) - usize::from(was_live);
        if !is_live && !self.membership.keep_tombstones {
            shard.remove(hash, key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::Value;
    use super::super::testing::{clustered, store};

    #[test]
    fn set_keeps_text_and_canonical_numbers_apart() {
        let mut store = store(1);
        store.set(b"k", b"007");
        assert_eq!(
            store.find(b"k").unwrap().readable(),
            Some(Value::Text(b"007"))
        );
        store.set(b"k", b"7");
        assert_eq!(store.find(b"k").unwrap().readable(), Some(Value::Number(7)));
        assert_eq!(store.find(b"k").unwrap().state().epoch, 0);
    }

    #[test]
    fn set_and_delete_of_a_counter_open_an_epoch() {
        let mut store = clustered(1);
        store.increment(b"k", 5).unwrap();
        store.set(b"k", b"100");
        assert_eq!(store.increment(b"k", 1), Ok(101));
        assert_eq!(store.find(b"k").unwrap().state().epoch, 1);
        assert!(store.delete(b"k"));
        assert!(!store.delete(b"k"));
        assert_eq!(store.len(), 0);
        assert_eq!(store.increment(b"k", 1), Ok(1));
        assert_eq!(store.find(b"k").unwrap().state().epoch, 2);
    }

    #[test]
    fn a_node_on_its_own_forgets_deleted_keys() {
        let mut store = store(1);
        store.increment(b"k", 5).unwrap();
        store.delete(b"k");
        assert_eq!(
            store
                .shards
                .iter()
                .map(|s| s.entries().count())
                .sum::<usize>(),
            0
        );
    }

    #[test]
    fn flush_empties_both_kinds() {
        for mut store in [store(1), clustered(1)] {
            store.increment(b"a", 1).unwrap();
            store.set(b"b", b"text");
            store.flush();
            assert!(store.is_empty());
            assert!(store.find(b"a").is_none());
        }
    }
}
