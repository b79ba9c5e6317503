//! A hash table of entries, by open addressing with linear probing.
//!
//! An increment costs mostly what it waits for memory. Here a key is usually found in the first
//! line that is looked at, and which line that is follows from the hash alone, so that it can be
//! asked for ahead. A table with control bytes beside the entries (hashbrown's) waits twice, one
//! after the other.

use super::entry::Entry;
use super::shard::hash_key;

const LEAST_SLOTS: usize = 8;

const _: () = assert!(size_of::<Option<Entry>>() == 64);

/// The number of slots is a power of two or zero, and at least a quarter of them are empty, which
/// ends every search.
#[derive(Default)]
pub struct Table {
    slots: Vec<Option<Entry>>,
    length: usize,
}

impl Table {
    #[inline]
    pub fn find(&self, hash: u64, matches: impl FnMut(&Entry) -> bool) -> Option<&Entry> {
        self.slots[self.position(hash, matches)?].as_ref()
    }

    #[inline]
    pub fn find_mut(
        &mut self,
        hash: u64,
        matches: impl FnMut(&Entry) -> bool,
    ) -> Option<&mut Entry> {
        let at = self.position(hash, matches)?;
        self.slots[at].as_mut()
    }

    /// Asks the processor to fetch the line where a key of this hash is looked for first.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(self.home(hash)) {
            prefetch_line(slot);
        }
    }

    /// Adds an entry that is not in the table; `hash` is that of its key.
    pub fn insert(&mut self, hash: u64, entry: Entry) -> &mut Entry {
        if (self.length + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.length += 1;
        let at = self.free_slot(hash);
        self.slots[at].insert(entry)
    }

    /// Removes the entry that matches, and closes the gap so that no search ends too early.
    pub fn remove(&mut self, hash: u64, matches: impl FnMut(&Entry) -> bool) {
        let Some(mut gap) = self.position(hash, matches) else {
            return;
        };
        self.slots[gap] = None;
        self.length -= 1;
        let mask = self.slots.len() - 1;
        let mut at = (gap + 1) & mask;
        while let Some(entry) = &self.slots[at] {
            let steps_from = |start: usize| at.wrapping_sub(start) & mask;
            // An entry may move back as far as the slot where its search begins.
            if steps_from(self.home(hash_key(&entry.key))) >= steps_from(gap) {
                self.slots.swap(gap, at);
                gap = at;
            }
            at = (at + 1) & mask;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.slots.iter().flatten()
    }

    /// Where a search begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        hash as usize & self.slots.len().wrapping_sub(1)
    }

    #[inline]
    fn position(&self, hash: u64, mut matches: impl FnMut(&Entry) -> bool) -> Option<usize> {
        let mut at = self.home(hash);
        while let Some(entry) = self.slots.get(at)? {
            if matches(entry) {
                return Some(at);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }

    fn free_slot(&self, hash: u64) -> usize {
        let mut at = self.home(hash);
        while self.slots[at].is_some() {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() * 2).max(LEAST_SLOTS);
        let empty = std::iter::repeat_with(|| None).take(slots).collect();
        for entry in std::mem::replace(&mut self.slots, empty)
            .into_iter()
            .flatten()
        {
            let at = self.free_slot(hash_key(&entry.key));
            self.slots[at] = Some(entry);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn prefetch_line<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a hint to the processor, which neither reads nor writes memory as a program sees it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// There is no stable way to say it on other processors: they wait when they come to it.
#[cfg(not(target_arch = "x86_64"))]
fn prefetch_line<T>(_: &T) {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A table beside a plain set, through any inserts and removals. Few keys and few slots, so that
    /// runs of neighbours wrap around the end and gaps open within them.
    fn check(steps: &[(bool, u8)]) {
        let mut table = Table::default();
        let mut expected = BTreeSet::new();
        for (add, key) in steps {
            let key = [b'k', key % 40];
            let hash = hash_key(&key);
            let same = |entry: &Entry| *entry.key == key;
            assert_eq!(table.find(hash, same).is_some(), expected.contains(&key));
            if *add && expected.insert(key) {
                table.insert(hash, Entry::counter(&key, 1));
            } else if !*add {
                expected.remove(&key);
                table.remove(hash, same);
            }
            for key in &expected {
                let found = table.find_mut(hash_key(key), |entry| *entry.key == *key);
                assert!(found.is_some(), "{key:?} is lost");
            }
            assert_eq!(table.iter().count(), expected.len());
        }
    }

    proptest! {
        #[test]
        fn it_holds_what_was_added_and_not_removed(
            steps in prop::collection::vec(any::<(bool, u8)>(), 0..300)
        ) {
            check(&steps);
        }
    }

    #[test]
    fn an_empty_table_answers_too() {
        let mut table = Table::default();
        table.prefetch(1);
        assert!(table.find(1, |_| true).is_none());
        table.remove(1, |_| true);
        assert_eq!(table.iter().count(), 0);
    }
}
