//! The data, and what the append log has to be told of it.

use crate::number::parse_i64;
use crate::record::Record;
use hashbrown::HashMap;
use smallvec::SmallVec;

/// Short keys lie in the table itself: finding one then waits for memory once.
type Key = SmallVec<[u8; 24]>;
type Values = HashMap<Key, Value>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Number(i64),
    Text(Box<[u8]>),
}

pub const NOT_INTEGER: &str = "ERR value is not an integer or out of range";
pub const OVERFLOW: &str = "ERR increment or decrement would overflow";

/// What was there before a change.
enum Before {
    Value(Key, Option<Value>),
    Everything(Values),
}

/// Changes since the last [`Store::keep`].
#[derive(Default)]
struct Journal {
    records: Vec<u8>,
    before: Vec<Before>,
}

#[derive(Default)]
pub struct Store {
    values: Values,
    /// None where nothing is logged.
    journal: Option<Journal>,
}

impl Store {
    /// From now on changes are noted, to be logged and then kept or taken back.
    pub fn note_changes(&mut self) {
        self.journal = Some(Journal::default());
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    #[inline]
    pub fn get(&self, key: &[u8]) -> Option<&Value> {
        self.values.get(key)
    }

    /// Adds to a number, which is 0 where there is none.
    #[inline]
    pub fn add(&mut self, key: &[u8], delta: i64) -> Result<i64, &'static str> {
        let found = self.values.get_mut(key);
        let before = match &found {
            None => 0,
            Some(Value::Number(number)) => *number,
            Some(Value::Text(_)) => return Err(NOT_INTEGER),
        };
        let now = before.checked_add(delta).ok_or(OVERFLOW)?;
        if let Some(journal) = &mut self.journal {
            let before = found.as_ref().map(|_| Value::Number(before));
            journal.note(Before::Value(key.into(), before), Record::Number(key, now));
        }
        match found {
            Some(value) => *value = Value::Number(now),
            None => {
                self.values.insert(key.into(), Value::Number(now));
            }
        }
        Ok(now)
    }

    pub fn set(&mut self, key: &[u8], text: &[u8]) {
        let (value, record) = match parse_i64(text) {
            Some(number) => (Value::Number(number), Record::Number(key, number)),
            None => (Value::Text(text.into()), Record::Text(key, text)),
        };
        let before = self.values.insert(key.into(), value);
        if let Some(journal) = &mut self.journal {
            journal.note(Before::Value(key.into(), before), record);
        }
    }

    /// Whether there was such a key.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        let before = self.values.remove(key);
        let found = before.is_some();
        if let Some(journal) = self.journal.as_mut().filter(|_| found) {
            journal.note(Before::Value(key.into(), before), Record::Gone(key));
        }
        found
    }

    pub fn flush(&mut self) {
        let before = std::mem::take(&mut self.values);
        if let Some(journal) = &mut self.journal {
            journal.note(Before::Everything(before), Record::Flush);
        }
    }

    /// Does what a record of the log says.
    pub fn replay(&mut self, record: Record) {
        match record {
            Record::Number(key, value) => {
                drop(self.values.insert(key.into(), Value::Number(value)))
            }
            Record::Text(key, text) => {
                drop(self.values.insert(key.into(), Value::Text(text.into())))
            }
            Record::Gone(key) => drop(self.values.remove(key)),
            Record::Flush => self.values.clear(),
        }
    }

    /// Records of the changes that are neither kept nor taken back yet.
    #[inline]
    pub fn changes(&self) -> &[u8] {
        self.journal
            .as_ref()
            .map_or(&[], |journal| &journal.records)
    }

    /// The changes are logged.
    #[inline]
    pub fn keep(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.clear();
        }
    }

    /// The changes could not be logged. They are answered with an error, so nothing may show them.
    pub fn take_back(&mut self) {
        let Some(journal) = &mut self.journal else {
            return;
        };
        // The oldest is put back last: it is what was there before all of them.
        for before in journal.before.drain(..).rev() {
            match before {
                Before::Everything(values) => self.values = values,
                Before::Value(key, Some(value)) => drop(self.values.insert(key, value)),
                Before::Value(key, None) => drop(self.values.remove(&key)),
            }
        }
        journal.clear();
    }
}

/// What a large round of changes needed beyond this is given back.
const SPARE_BYTES: usize = 1 << 20;

impl Journal {
    #[inline]
    fn note(&mut self, before: Before, record: Record) {
        self.before.push(before);
        record.put(&mut self.records);
    }

    fn clear(&mut self) {
        if self.records.capacity() > SPARE_BYTES {
            *self = Self::default();
        }
        self.records.clear();
        self.before.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record;
    use proptest::prelude::*;

    fn change(store: &mut Store, what: u8, key: u8) {
        let name = [b'k', key % 4];
        match what % 6 {
            0 | 1 => drop(store.add(&name, i64::from(what))),
            2 => store.set(&name, b"text"),
            3 => store.set(&name, b"7"),
            4 => drop(store.remove(&name)),
            _ => store.flush(),
        }
    }

    fn changed(changes: &[(u8, u8)]) -> Store {
        let mut store = Store::default();
        store.note_changes();
        for &(what, key) in changes {
            change(&mut store, what, key);
        }
        store
    }

    fn replayed(mut records: &[u8]) -> Values {
        let mut store = Store::default();
        while let Some((head, rest)) = records.split_first_chunk() {
            let (body, behind) = rest.split_at(record::header(head).unwrap().0);
            store.replay(Record::parse(body).unwrap());
            records = behind;
        }
        store.values
    }

    proptest! {
        #[test]
        fn the_records_lead_to_the_same_state(changes: Vec<(u8, u8)>) {
            let store = changed(&changes);
            prop_assert_eq!(replayed(store.changes()), store.values);
        }

        #[test]
        fn what_is_taken_back_leaves_no_trace(kept: Vec<(u8, u8)>, taken: Vec<(u8, u8)>) {
            let mut store = changed(&kept);
            store.keep();
            for &(what, key) in &taken {
                change(&mut store, what, key);
            }
            store.take_back();
            prop_assert!(store.changes().is_empty());
            prop_assert_eq!(store.values, changed(&kept).values);
        }
    }

    #[test]
    fn only_canonical_numbers_can_be_counted_on() {
        let mut store = Store::default();
        store.set(b"k", b"007");
        assert_eq!(store.add(b"k", 1), Err(NOT_INTEGER));
        store.set(b"k", b"7");
        assert_eq!(store.add(b"k", 1), Ok(8));
        assert_eq!(store.add(b"k", i64::MAX), Err(OVERFLOW));
        assert_eq!(store.get(b"k"), Some(&Value::Number(8)));
    }
}
