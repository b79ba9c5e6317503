//! A key in the table: its state and what is cached about it.

use super::StoreError;
use super::key::Key;
use super::state::{Base, CountRow, State, UseRow};
use std::borrow::Cow;

/// One cache line: an increment of a counter that one node counts on touches no other.
#[derive(Clone)]
#[repr(align(64))]
pub struct Entry {
    pub key: Key,
    contents: Contents,
    /// Already listed among the changes for the peers.
    pub queued: bool,
}

const _: () = assert!(size_of::<Entry>() == 64);

#[derive(Clone)]
enum Contents {
    /// The usual counter: only ever counted, and by one node. Its state is this row, in epoch 0.
    Row(CountRow),
    Full(Box<Full>),
}

#[derive(Clone)]
struct Full {
    /// [`State::value`] of the state, so that reading does not sum rows.
    value: i128,
    state: State,
}

/// What a client reads from a key.
#[derive(Debug, PartialEq, Eq)]
pub enum Value<'a> {
    Number(i128),
    Text(&'a [u8]),
}

/// A counter after an increment.
pub struct Counted {
    pub value: i64,
    /// The row that counted it, and the epoch it belongs to.
    pub row: CountRow,
    pub epoch: u64,
    /// The key did not exist before.
    pub created: bool,
}

static ABSENT: Base = Base::Absent;

impl Entry {
    pub fn new(key: &[u8], state: State) -> Self {
        Self {
            key: Key::from(key),
            contents: Contents::from(state),
            queued: false,
        }
    }

    /// A key that does not exist yet.
    pub fn absent(key: &[u8]) -> Self {
        Self::new(key, State::default())
    }

    /// A counter of 0.
    pub fn counter(key: &[u8], actor: u64) -> Self {
        Self {
            key: Key::from(key),
            contents: Contents::Row(CountRow::new(actor)),
            queued: false,
        }
    }

    /// The state as it is exchanged.
    pub fn state(&self) -> Cow<'_, State> {
        match &self.contents {
            Contents::Row(row) => Cow::Owned(State::from(*row)),
            Contents::Full(full) => Cow::Borrowed(&full.state),
        }
    }

    /// Changes the state by any rule.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut State) -> T) -> T {
        match &mut self.contents {
            Contents::Row(row) => {
                let mut state = State::from(*row);
                let result = change(&mut state);
                self.contents = Contents::from(state);
                result
            }
            Contents::Full(full) => {
                let result = change(&mut full.state);
                full.value = full.state.value();
                result
            }
        }
    }

    /// Adds to this actor's row. Nothing is allocated if the actor has counted on the key before.
    #[inline]
    pub fn count(&mut self, actor: u64, delta: i64) -> Result<Counted, StoreError> {
        match &mut self.contents {
            Contents::Row(row) if row.actor == actor => {
                let value = sum(row.value(), delta)?;
                row.add(delta)?;
                Ok(Counted {
                    value,
                    row: *row,
                    epoch: 0,
                    created: false,
                })
            }
            _ => self.count_among_others(actor, delta),
        }
    }

    fn count_among_others(&mut self, actor: u64, delta: i64) -> Result<Counted, StoreError> {
        let full = self.contents.make_full();
        match full.state.base {
            Base::Absent | Base::Number(_) => {}
            Base::Text(_) => return Err(StoreError::NotInteger),
            Base::Quota(_) => return Err(StoreError::WrongType),
        }
        let value = sum(full.value, delta)?;
        let created = !full.state.is_live();
        // A row of zeros left behind by a refusal would make the key exist, but a row at its limit
        // is never new.
        let row = full.state.count_row(actor);
        row.add(delta)?;
        let row = *row;
        full.value = i128::from(value);
        Ok(Counted {
            value,
            row,
            epoch: full.state.epoch,
            created,
        })
    }

    #[inline]
    pub fn is_live(&self) -> bool {
        match &self.contents {
            Contents::Row(_) => true,
            Contents::Full(full) => full.state.is_live(),
        }
    }

    /// The counter's value.
    #[inline]
    pub fn value(&self) -> i128 {
        match &self.contents {
            Contents::Row(row) => row.value(),
            Contents::Full(full) => full.value,
        }
    }

    #[inline]
    pub fn base(&self) -> &Base {
        match &self.contents {
            Contents::Row(_) => &ABSENT,
            Contents::Full(full) => &full.state.base,
        }
    }

    pub fn uses(&self) -> &[UseRow] {
        match &self.contents {
            Contents::Row(_) => &[],
            Contents::Full(full) => &full.state.uses,
        }
    }

    /// The readable value; None for a quota.
    #[inline]
    pub fn readable(&self) -> Option<Value<'_>> {
        match self.base() {
            Base::Absent | Base::Number(_) => Some(Value::Number(self.value())),
            Base::Text(text) => Some(Value::Text(text)),
            Base::Quota(_) => None,
        }
    }

    /// The type's name as `TYPE` answers it; counters are strings to a Redis client.
    pub fn type_name(&self) -> &'static str {
        match self.base() {
            Base::Quota(_) => "quota",
            _ => "string",
        }
    }
}

impl From<State> for Contents {
    fn from(state: State) -> Self {
        match state.only_row() {
            Some(row) => Self::Row(row),
            None => Self::Full(Box::new(Full {
                value: state.value(),
                state,
            })),
        }
    }
}

impl Contents {
    fn make_full(&mut self) -> &mut Full {
        if let Self::Row(row) = self {
            *self = Self::Full(Box::new(Full {
                value: row.value(),
                state: State::from(*row),
            }));
        }
        match self {
            Self::Full(full) => full,
            Self::Row(_) => unreachable!("made full above"),
        }
    }
}

/// The new value of a counter; nodes keep their own increments within 64 bits.
#[inline]
fn sum(value: i128, delta: i64) -> Result<i64, StoreError> {
    i64::try_from(value + i128::from(delta)).map_err(|_| StoreError::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state of every kind survives being kept in its short form, and comes out as it went in.
    #[test]
    fn a_state_is_kept_as_it_is() {
        let counter = Entry::counter(b"k", 7);
        assert!(counter.is_live());
        let row = State::from(CountRow::new(7));
        assert_eq!(*counter.state(), row);
        let mut two_rows = row.clone();
        two_rows.count_row(8).added = 1;
        let mut later = row.clone();
        later.epoch = 1;
        let mut stamped = row.clone();
        stamped.stamp.micros = 1;
        let mut set = row.clone();
        set.base = Base::Number(5);
        let mut used = row.clone();
        used.use_row(7);
        for state in [State::default(), row, two_rows, later, stamped, set, used] {
            let entry = Entry::new(b"k", state.clone());
            assert_eq!(*entry.state(), state);
            assert_eq!(entry.is_live(), state.is_live());
            assert_eq!(entry.value(), state.value());
        }
    }

    #[test]
    fn another_node_s_row_is_counted_on_top() {
        let mut entry = Entry::counter(b"k", 7);
        entry.count(7, 10).unwrap();
        let counted = entry.count(8, -3).unwrap();
        assert_eq!((counted.value, counted.row.subtracted), (7, 3));
        assert_eq!(entry.count(7, 1).unwrap().row.added, 11);
        assert_eq!(entry.value(), entry.state().value());
        assert_eq!(entry.state().counts.len(), 2);
    }
}
