//! A key in the table: its state and what is cached about it.

use super::state::{Base, State};
use smallvec::SmallVec;

/// Keys of usual length live in the entry itself.
pub type Key = SmallVec<[u8; 24]>;

/// Laid out so that an increment touches the first two cache lines only.
#[repr(C, align(64))]
pub struct Entry {
    pub key: Key,
    /// [`State::value`], kept up to date so that reading does not sum rows.
    pub value: i128,
    /// Already listed among the changes for the peers.
    pub queued: bool,
    pub state: State,
    /// Hash of the key, kept so that a growing table needs no rehash.
    pub hash: u64,
}

/// What a client reads from a key.
#[derive(Debug, PartialEq, Eq)]
pub enum Value<'a> {
    Number(i128),
    Text(&'a [u8]),
}

impl Entry {
    pub fn new(key: &[u8], hash: u64, state: State) -> Self {
        Self {
            key: Key::from_slice(key),
            hash,
            value: state.value(),
            state,
            queued: false,
        }
    }

    #[inline]
    pub fn is_live(&self) -> bool {
        self.state.is_live()
    }

    /// The readable value; None for a quota.
    #[inline]
    pub fn readable(&self) -> Option<Value<'_>> {
        match &self.state.base {
            Base::Absent | Base::Number(_) => Some(Value::Number(self.value)),
            Base::Text(text) => Some(Value::Text(text)),
            Base::Quota(_) => None,
        }
    }

    /// The type's name as `TYPE` answers it; counters are strings to a Redis client.
    pub fn type_name(&self) -> &'static str {
        match self.state.base {
            Base::Quota(_) => "quota",
            _ => "string",
        }
    }
}
