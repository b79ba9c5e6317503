//! Taking back changes that the log could not take.
//!
//! They were answered with an error, so nothing may show them, and nothing may build on them.

use super::entry::Entry;
use super::journal::Pending;
use super::key::Key;
use super::shard::Shard;
use super::{Store, shard};

/// What was there before a change.
pub enum Before {
    Entry(Entry),
    /// No entry of this key.
    Nothing(Key),
    /// All shards, and how many keys existed in them.
    Everything(Vec<Shard>, usize),
}

const _: () = assert!(size_of::<Before>() <= 128);

impl Store {
    /// Takes back what was taken from the journal, and what was changed since. Returns the position
    /// behind all of it; later ones are those of other changes.
    pub fn take_back(&mut self, mut taken: Pending) -> u64 {
        let mut since = Pending::default();
        self.journal.take(&mut since);
        // The oldest is put back last: it is what was there before all of them.
        for before in since.before.drain(..).rev() {
            self.put_back(before);
        }
        for before in taken.before.drain(..).rev() {
            self.put_back(before);
        }
        let end = self.journal.end();
        self.journal.skip();
        end
    }

    fn put_back(&mut self, before: Before) {
        let round = self.round;
        match before {
            Before::Everything(shards, live_keys) => {
                self.shards = shards;
                self.live_keys = live_keys;
                for shard in &mut self.shards {
                    shard.digest = None;
                    shard.changed_round = round;
                }
            }
            Before::Entry(mut entry) => {
                let hash = shard::hash_key(&entry.key);
                let shard = self.forget(&entry.key, hash, &mut entry.queued);
                let is_live = entry.is_live();
                shard.insert(hash, entry);
                self.live_keys += usize::from(is_live);
            }
            Before::Nothing(key) => {
                self.forget(&key, shard::hash_key(&key), &mut false);
            }
        }
    }

    /// Removes a key's entry, if there is one, and returns its shard. `queued` becomes whether it is
    /// among the changes for the peers.
    fn forget(&mut self, key: &[u8], hash: u64, queued: &mut bool) -> &mut Shard {
        let shard = &mut self.shards[shard::index_of(hash)];
        let now = shard.find(hash, key);
        *queued = now.is_some_and(|entry| entry.queued);
        self.live_keys -= usize::from(now.is_some_and(Entry::is_live));
        shard.remove(hash, key);
        shard.digest = None;
        shard.changed_round = self.round;
        shard
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{clustered, store};
    use super::*;
    use crate::codec;
    use proptest::prelude::*;

    /// All that a store holds, in an order.
    fn contents(store: &Store) -> (usize, Vec<Vec<u8>>) {
        let entries = (0..super::super::SHARDS).flat_map(|index| store.entries_in_shard(index));
        let mut entries: Vec<Vec<u8>> = entries
            .map(|entry| {
                let mut bytes = Vec::new();
                codec::put_entry(&mut bytes, &entry.key, &entry.state());
                bytes
            })
            .collect();
        entries.sort();
        (store.len(), entries)
    }

    fn change(store: &mut Store, what: u8, key: u8) {
        let name = [b'k', key % 4];
        match what % 7 {
            0 | 1 => drop(store.increment(&name, i64::from(what))),
            2 => store.set(&name, b"text"),
            3 => drop(store.delete(&name)),
            4 => drop(store.quota_set(&name, 9, 1000)),
            5 => drop(store.quota_take(&name, 1, 5_000)),
            _ if key == 0 => store.flush(),
            _ => {
                let mut other = super::super::testing::store(2);
                other.increment(&name, 1).unwrap();
                let state = other.find(&name).unwrap().state().into_owned();
                store.merge(&name, &state);
            }
        }
    }

    proptest! {
        /// Whatever was kept stays, whatever was taken or made since is gone, and both nodes agree.
        #[test]
        fn what_is_taken_back_leaves_no_trace(
            kept in prop::collection::vec(any::<(u8, u8)>(), 0..20),
            taken in prop::collection::vec(any::<(u8, u8)>(), 0..20),
            since in prop::collection::vec(any::<(u8, u8)>(), 0..20),
            alone: bool,
        ) {
            let mut store = if alone { store(1) } else { clustered(1) };
            store.journal.enable();
            kept.iter().for_each(|&(what, key)| change(&mut store, what, key));
            store.journal.take(&mut Pending::default());
            let before = contents(&store);
            let digests = store.digests(true);

            taken.iter().for_each(|&(what, key)| change(&mut store, what, key));
            let mut pending = Pending::default();
            store.journal.take(&mut pending);
            since.iter().for_each(|&(what, key)| change(&mut store, what, key));
            let end = store.journal.end();
            prop_assert_eq!(store.take_back(pending), end);
            prop_assert_eq!(contents(&store), before);
            prop_assert_eq!(store.digests(true), digests);
            prop_assert!(store.journal.end() > end);
            let mut rest = Pending::default();
            store.journal.take(&mut rest);
            prop_assert!(rest.bytes.is_empty(), "nothing of it is written later");
        }

        /// What was changed before, and is not with the peers yet, still comes to them.
        #[test]
        fn the_peers_get_what_was_kept(
            kept in prop::collection::vec(any::<(u8, u8)>(), 1..20),
            taken in prop::collection::vec(any::<(u8, u8)>(), 0..20),
        ) {
            let (mut one, mut two) = (clustered(1), clustered(2));
            one.journal.enable();
            kept.iter().for_each(|&(what, key)| change(&mut one, what, key));
            one.journal.take(&mut Pending::default());
            let digests = one.digests(true);
            taken.iter().for_each(|&(what, key)| change(&mut one, what, key));
            one.take_back(Pending::default());
            let mut changes = Vec::new();
            one.take_changes(&mut changes, usize::MAX);
            let mut reader = codec::Reader::new(&changes);
            while !reader.is_empty() {
                let (key, state) = reader.entry().unwrap();
                two.merge(key, &state);
            }
            for shard in two.differing(&digests) {
                // Merged from a third node: not for this one to pass on.
                for entry in one.entries_in_shard(usize::from(shard)) {
                    prop_assert!(entry.state().counts.iter().any(|row| row.actor == 2));
                }
            }
        }
    }
}
