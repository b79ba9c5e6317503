//! What all connections share.

use crate::flags::Flags;
use crate::identity::Identity;
use crate::log::writer::{Kept, LogWriter, lock};
use crate::replication::cluster::Cluster;
use crate::store::Store;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

pub struct Engine {
    pub flags: Flags,
    pub identity: Identity,
    pub store: Arc<Mutex<Store>>,
    pub log: Option<Arc<LogWriter>>,
    pub cluster: Arc<Cluster>,
    pub started: Instant,
    pub counts: Counts,
    pub buffers: Arc<Buffers>,
}

/// Totals since start, for `INFO`. Updated once per round or connection, not per command.
#[derive(Default)]
pub struct Counts {
    pub commands: AtomicU64,
    pub connections: AtomicU64,
    pub connected: AtomicU64,
}

/// Memory that clients' buffers take beyond what every connection has.
pub struct Buffers {
    taken: AtomicUsize,
    limit: usize,
}

impl Buffers {
    pub fn new(limit: usize) -> Self {
        Self {
            taken: AtomicUsize::new(0),
            limit,
        }
    }

    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Notes that a connection holds `now` bytes in place of `before`; false where all connections
    /// together then hold too much because of it.
    pub fn change(&self, before: usize, now: usize) -> bool {
        if now <= before {
            self.taken.fetch_sub(before - now, Ordering::Relaxed);
            return true;
        }
        let more = now - before;
        self.taken.fetch_add(more, Ordering::Relaxed) + more <= self.limit
    }
}

impl Engine {
    /// Returns when it is clear whether the log up to position `end` is as safe as the fsync policy
    /// promises: never [`Kept::NotYet`].
    #[inline]
    pub async fn keep(&self, end: u64) -> Kept {
        match &self.log {
            Some(log) => log.keep(end).await,
            None => Kept::Yes,
        }
    }

    /// Whether the log up to position `end` is that safe already. If not yet, that will soon be clear,
    /// and the wakers of [`LogWriter::wake_on_kept`] are woken.
    #[inline]
    pub fn keep_now(&self, end: u64) -> Kept {
        match &self.log {
            Some(log) => log.keep_now(end),
            None => Kept::Yes,
        }
    }

    /// The error that commands which write are answered instead of being executed, if any.
    #[inline]
    pub fn refusal(&self) -> Option<String> {
        self.log.as_ref().and_then(|log| log.refusal())
    }

    pub fn next_connection_id(&self) -> u64 {
        self.counts.connections.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Takes the store's lock when a round first needs it, and holds it to the round's end: one lock for
/// the pipelines of many connections, and none for a round of `PING`s.
pub struct BatchStore<'a> {
    mutex: &'a Mutex<Store>,
    guard: Option<MutexGuard<'a, Store>>,
    used: bool,
}

impl<'a> BatchStore<'a> {
    pub fn new(mutex: &'a Mutex<Store>) -> Self {
        Self {
            mutex,
            guard: None,
            used: false,
        }
    }

    #[inline]
    pub fn get(&mut self) -> &mut Store {
        self.used = true;
        self.guard.get_or_insert_with(|| lock(self.mutex))
    }

    /// Asks for a key's memory, for a command that comes soon.
    #[inline]
    pub fn prefetch(&mut self, key: &[u8]) {
        self.guard
            .get_or_insert_with(|| lock(self.mutex))
            .prefetch(key);
    }

    /// Whether [`BatchStore::get`] was called since the last look.
    #[inline]
    pub fn take_used(&mut self) -> bool {
        std::mem::take(&mut self.used)
    }

    /// Releases the lock. Returns the log position that the round's replies depend on: they may show
    /// any change made before, by whichever connection.
    pub fn finish(self) -> u64 {
        self.guard.map_or(0, |store| store.journal.end())
    }
}
