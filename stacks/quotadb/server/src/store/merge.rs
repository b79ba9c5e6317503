//! Taking in states from peers and from the log, and handing out local changes.

use super::entry::Entry;
use super::state::State;
use super::undo::Before;
use super::{Store, shard};
use crate::codec;

impl Store {
    /// Merges a peer's copy of a key and journals it if it brought news. It is not passed on: every
    /// node talks to every other.
    pub fn merge(&mut self, key: &[u8], theirs: &State) -> bool {
        let hash = shard::hash_key(key);
        let shard = &mut self.shards[shard::index_of(hash)];
        let (entry, was_live, changed) = match shard.find_mut(hash, key) {
            Some(entry) => {
                let was_live = entry.is_live();
                let before = self.journal.copy_of(entry);
                let changed = entry.change(|mine| mine.merge(theirs));
                self.journal.replaced(before.filter(|_| changed));
                (&*entry, was_live, changed)
            }
            None => {
                self.journal.before(|| Before::Nothing(key.into()));
                let entry = shard.insert(hash, Entry::new(key, theirs.clone()));
                (&*entry, false, true)
            }
        };
        let is_live = entry.is_live();
        if changed {
            self.journal.entry(entry);
            shard.digest = None;
            shard.changed_round = self.round;
            self.live_keys = self.live_keys + usize::from(is_live) - usize::from(was_live);
        }
        // Never hand out a stamp below one already seen, even with a slow clock.
        self.last_stamp_micros = self.last_stamp_micros.max(theirs.stamp.micros);
        if !is_live && !self.membership.keep_tombstones {
            shard.remove(hash, key);
        }
        changed
    }

    /// Forgets everything, as a flush in the log says.
    pub fn replay_flush(&mut self) {
        drop(self.drop_everything());
    }

    /// Appends changed entries to `out` until it holds `max_bytes` or nothing is left. Returns how
    /// many were added.
    pub fn take_changes(&mut self, out: &mut Vec<u8>, max_bytes: usize) -> usize {
        let mut taken = 0;
        while out.len() < max_bytes {
            let Some(hash) = self.changed.pop() else {
                break;
            };
            if let Some(entry) = self.shards[shard::index_of(hash)].find_queued(hash) {
                entry.queued = false;
                codec::put_entry(out, &entry.key, &entry.state());
                taken += 1;
            }
        }
        taken
    }

    pub fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::clustered;
    use crate::codec;

    #[test]
    fn changes_are_handed_out_once_per_key_with_their_latest_state() {
        let (mut one, mut two) = (clustered(1), clustered(2));
        for _ in 0..3 {
            one.increment(b"a", 2).unwrap();
        }
        one.increment(b"b", 1).unwrap();
        let mut payload = Vec::new();
        assert_eq!(one.take_changes(&mut payload, usize::MAX), 2);
        assert!(!one.has_changes());
        let mut reader = codec::Reader::new(&payload);
        while !reader.is_empty() {
            let (key, state) = reader.entry().unwrap();
            assert!(two.merge(key, &state));
            assert!(!two.merge(key, &state), "merging twice changes nothing");
        }
        assert_eq!(two.find(b"a").unwrap().value(), 6);
        assert!(!two.has_changes(), "merged states are not passed on");
    }
}
