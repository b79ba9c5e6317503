//! The peers of this node and what is known about them.

use super::exchange;
use super::inbox::Inbox;
use super::message::Entries;
use super::outbox::Outbox;
use crate::engine::Engine;
use crate::log::writer::{Kept, lock};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// How long changes are collected before they are sent.
const BATCH_INTERVAL: Duration = Duration::from_millis(10);
/// Between anti-entropy rounds.
pub const ROUND_INTERVAL: Duration = Duration::from_secs(1);

/// Most nodes that are remembered by name.
const MAX_NODES: usize = 64;

pub struct Cluster {
    /// Drawn at start; tells peers that batch numbers begin anew.
    pub session: u64,
    pub peers: Vec<Arc<Peer>>,
    /// Arrival of batches by sending node's name.
    inboxes: Mutex<HashMap<String, Arc<Mutex<Inbox>>>>,
    repaired_shards: AtomicU64,
}

/// A node that this one sends to.
pub struct Peer {
    pub address: String,
    pub outbox: Mutex<Outbox>,
    /// Told when the outbox has something to send.
    pub wake: Notify,
    pub connected: AtomicBool,
    /// Batches were given up, so the next comparison covers every shard.
    pub compare_all: AtomicBool,
}

impl Cluster {
    pub fn new(session: u64, addresses: &[String]) -> Self {
        Self {
            session,
            peers: addresses.iter().map(|a| Arc::new(Peer::new(a))).collect(),
            inboxes: Mutex::default(),
            repaired_shards: AtomicU64::new(0),
        }
    }

    /// What arrived of a node's batches; None while too many others are connected. Those that are not
    /// make room: what they sent before is sent again, which does no harm.
    pub fn inbox_of(&self, node: &str) -> Option<Arc<Mutex<Inbox>>> {
        let mut inboxes = lock(&self.inboxes);
        if inboxes.len() >= MAX_NODES && !inboxes.contains_key(node) {
            inboxes.retain(|_, inbox| Arc::strong_count(inbox) > 1);
        }
        let room = inboxes.len() < MAX_NODES || inboxes.contains_key(node);
        room.then(|| Arc::clone(inboxes.entry(node.to_string()).or_default()))
    }

    /// Shards fetched from peers because digests differed.
    pub fn repaired_shards(&self) -> u64 {
        self.repaired_shards.load(Ordering::Relaxed)
    }

    pub fn count_repaired(&self, shards: usize) {
        self.repaired_shards
            .fetch_add(shards as u64, Ordering::Relaxed);
    }

    fn compare_all(&self) {
        for peer in &self.peers {
            peer.compare_all.store(true, Ordering::Relaxed);
        }
    }

    fn queue(&self, entries: &Entries) {
        for peer in &self.peers {
            if !lock(&peer.outbox).push(Arc::clone(entries)) {
                peer.compare_all.store(true, Ordering::Relaxed);
            }
            peer.wake.notify_one();
        }
    }
}

impl Peer {
    fn new(address: &str) -> Self {
        Self {
            address: address.to_string(),
            outbox: Mutex::default(),
            wake: Notify::new(),
            connected: AtomicBool::new(false),
            compare_all: AtomicBool::new(false),
        }
    }

    /// For `INFO`.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        let state = if self.connected.load(Ordering::Relaxed) {
            "up"
        } else {
            "down"
        };
        let unacknowledged = lock(&self.outbox).len();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "address={},state={state},unacknowledged_batches={unacknowledged}",
            self.address
        );
        text
    }
}

/// Hands local changes to all peers every few milliseconds, for as long as the runtime lives.
pub async fn collect_changes(engine: Arc<Engine>) {
    let mut ticks = tokio::time::interval(BATCH_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        loop {
            let (batch, log_end) = {
                let mut store = lock(&engine.store);
                (exchange::collect_batch(&mut store), store.journal.end())
            };
            let Some(entries) = batch else {
                break;
            };
            // Peers must not learn what a crash could still take back here. Where some of it was taken
            // back, comparing finds what is left of it.
            if engine.keep(log_end).await == Kept::Yes {
                engine.cluster.queue(&entries);
            } else {
                engine.cluster.compare_all();
            }
        }
    }
}

/// Counts anti-entropy rounds, for as long as the runtime lives.
pub async fn count_rounds(engine: Arc<Engine>) {
    let mut ticks = tokio::time::interval(ROUND_INTERVAL);
    loop {
        ticks.tick().await;
        lock(&engine.store).next_round();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nodes_take_bounded_room() {
        let cluster = Cluster::new(1, &[]);
        let name = |index: usize| format!("node-{index}");
        for index in 0..1000 {
            assert!(cluster.inbox_of(&name(index)).is_some());
        }
        assert!(lock(&cluster.inboxes).len() <= MAX_NODES);
        let connected: Vec<_> = (0..MAX_NODES)
            .map(|index| cluster.inbox_of(&name(index)).unwrap())
            .collect();
        assert!(cluster.inbox_of("another").is_none());
        assert!(
            cluster.inbox_of(&name(3)).is_some(),
            "a known one is let in"
        );
        drop(connected);
        assert!(cluster.inbox_of("another").is_some());
    }
}
