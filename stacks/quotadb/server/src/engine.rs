//! What all connections share.

use crate::flags::Flags;
use crate::identity::Identity;
use crate::log::writer::{LogWriter, lock};
use crate::replication::cluster::Cluster;
use crate::store::Store;
use std::sync::atomic::{AtomicU64, Ordering};
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
}

/// Totals since start, for `INFO`. Updated once per batch or connection, not per command.
#[derive(Default)]
pub struct Counts {
    pub commands: AtomicU64,
    pub connections: AtomicU64,
    pub connected: AtomicU64,
}

impl Engine {
    /// Returns when the log up to position `end` is as safe as the fsync policy promises.
    #[inline]
    pub async fn keep(&self, end: u64) {
        if let Some(log) = &self.log {
            log.keep(end).await;
        }
    }

    pub fn next_connection_id(&self) -> u64 {
        self.counts.connections.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Takes the store's lock when a batch first needs it, and holds it to the batch's end: one lock
/// for a whole pipeline, and none for a batch of `PING`s.
pub struct BatchStore<'a> {
    mutex: &'a Mutex<Store>,
    guard: Option<MutexGuard<'a, Store>>,
}

impl<'a> BatchStore<'a> {
    pub fn new(mutex: &'a Mutex<Store>) -> Self {
        Self { mutex, guard: None }
    }

    #[inline]
    pub fn get(&mut self) -> &mut Store {
        self.guard.get_or_insert_with(|| lock(self.mutex))
    }

    /// Releases the lock. Returns the log position that the batch's replies depend on: they may
    /// show any change made before, by whichever connection.
    pub fn finish(self) -> u64 {
        self.guard.map_or(0, |store| store.journal.end())
    }
}
