//! The replicated data: counters, strings and quotas, and how two copies of them merge.

pub mod counters;
mod digest;
pub mod entry;
pub mod journal;
pub mod key;
pub mod keys;
mod merge;
pub mod quotas;
mod shard;
pub mod state;
pub mod strings;
mod table;
mod undo;

use crate::clock;
use entry::Entry;
use journal::Journal;
use shard::Shard;
use state::Stamp;

pub use digest::ShardDigest;
pub use shard::SHARDS;

/// Why a command on the store was refused; the words are those of Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreError {
    NotInteger,
    Overflow,
    WrongType,
    NoSuchQuota,
}

impl StoreError {
    pub fn message(self) -> &'static str {
        match self {
            Self::NotInteger => "ERR value is not an integer or out of range",
            Self::Overflow => "ERR increment or decrement would overflow",
            Self::WrongType => "WRONGTYPE Operation against a key holding the wrong kind of value",
            Self::NoSuchQuota => "ERR no such quota",
        }
    }
}

/// How a store takes part in a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Membership {
    /// Name of this node's rows, never reused after a crash (see [`crate::identity`]).
    pub actor: u64,
    /// Deleted keys are remembered, so that a peer's old copy cannot bring them back.
    pub keep_tombstones: bool,
    /// Local changes are collected for the peers.
    pub collect_changes: bool,
}

/// All keys of one node. It is a plain value without locks or I/O; the server wraps it in a mutex
/// that is taken once per batch of commands.
pub struct Store {
    shards: Vec<Shard>,
    membership: Membership,
    live_keys: usize,
    last_stamp_micros: u64,
    /// Hashes of entries changed here and not yet handed to the peers.
    changed: Vec<u64>,
    /// Counts anti-entropy rounds; tells how recently a shard changed.
    round: u64,
    pub journal: Journal,
}

impl Store {
    pub fn new(membership: Membership) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            membership,
            live_keys: 0,
            last_stamp_micros: 0,
            changed: Vec::new(),
            round: 0,
            journal: Journal::default(),
        }
    }

    pub fn membership(&self) -> Membership {
        self.membership
    }

    /// Number of existing keys, tombstones not counted.
    pub fn len(&self) -> usize {
        self.live_keys
    }

    pub fn is_empty(&self) -> bool {
        self.live_keys == 0
    }

    /// The entry of an existing key.
    #[inline]
    pub fn find(&self, key: &[u8]) -> Option<&Entry> {
        let hash = shard::hash_key(key);
        self.shards[shard::index_of(hash)]
            .find(hash, key)
            .filter(|entry| entry.is_live())
    }

    /// Asks for a key's memory ahead of its use.
    #[inline]
    pub fn prefetch(&self, key: &[u8]) {
        let hash = shard::hash_key(key);
        self.shards[shard::index_of(hash)].prefetch(hash);
    }

    /// A timestamp for a write of this node, later than every earlier one of it.
    fn next_stamp(&mut self) -> Stamp {
        self.last_stamp_micros = clock::unix_micros().max(self.last_stamp_micros.saturating_add(1));
        Stamp {
            micros: self.last_stamp_micros,
            actor: self.membership.actor,
        }
    }
}

#[cfg(test)]
mod testing {
    use super::{Membership, Store};

    /// A store on its own.
    pub fn store(actor: u64) -> Store {
        Store::new(Membership {
            actor,
            keep_tombstones: false,
            collect_changes: false,
        })
    }

    /// A store that is part of a cluster.
    pub fn clustered(actor: u64) -> Store {
        Store::new(Membership {
            actor,
            keep_tombstones: true,
            collect_changes: true,
        })
    }
}
