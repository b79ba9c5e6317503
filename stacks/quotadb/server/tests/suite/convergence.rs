//! Three nodes on a simulated network that loses, repeats and reorders messages, is partitioned, and
//! whose nodes restart, some after losing the end of their log: in the end all hold the same.

use proptest::prelude::*;
use quotadb::log::recovery;
use quotadb::replication::exchange;
use quotadb::replication::inbox::Inbox;
use quotadb::replication::message::Message;
use quotadb::replication::outbox::Outbox;
use quotadb::store::journal::Pending;
use quotadb::store::state::State;
use quotadb::store::{Membership, SHARDS, Store};
use std::collections::BTreeMap;

const NODES: usize = 3;
const KEYS: usize = 4;

#[derive(Clone, Debug)]
enum Step {
    Add {
        node: usize,
        key: usize,
        delta: i64,
    },
    Set {
        node: usize,
        key: usize,
        number: bool,
    },
    Delete {
        node: usize,
        key: usize,
    },
    QuotaSet {
        node: usize,
        key: usize,
        limit: u64,
    },
    Take {
        node: usize,
        key: usize,
        amount: u64,
    },
    /// Send changes, and again what is unacknowledged if `resend`.
    Send {
        node: usize,
        resend: bool,
    },
    Compare {
        from: usize,
        to: usize,
    },
    /// Any message under way, so they overtake one another.
    Deliver {
        pick: usize,
        again: bool,
    },
    Lose {
        pick: usize,
    },
    Cut {
        a: usize,
        b: usize,
    },
    Heal,
    /// A graceful stop, or a crash that loses up to this many bytes of the log's end.
    Restart {
        node: usize,
        lost: Option<usize>,
    },
}

struct Node {
    store: Store,
    session: u64,
    inboxes: [Inbox; NODES],
    outboxes: [Outbox; NODES],
    disk: Vec<u8>,
}

struct InFlight {
    from: usize,
    to: usize,
    /// Session of the node that dialled this connection.
    session: u64,
    message: Message,
}

struct World {
    nodes: Vec<Node>,
    network: Vec<InFlight>,
    cut: [[bool; NODES]; NODES],
    next_id: u64,
    now_ms: u64,
    /// What was added to each key, if nothing was ever lost or reset.
    added: [i64; KEYS],
}

fn new_store(actor: u64) -> Store {
    let mut store = Store::new(Membership {
        actor,
        keep_tombstones: true,
        collect_changes: true,
    });
    store.journal.enable();
    store
}

fn key_name(key: usize) -> [u8; 1] {
    [b'a' + key as u8]
}

impl World {
    fn new() -> Self {
        Self {
            nodes: (1..=NODES as u64)
                .map(|id| Node {
                    store: new_store(id),
                    session: id,
                    inboxes: Default::default(),
                    outboxes: Default::default(),
                    disk: Vec::new(),
                })
                .collect(),
            network: Vec::new(),
            cut: Default::default(),
            next_id: 100,
            now_ms: 1_000_000,
            added: [0; KEYS],
        }
    }

    fn apply(&mut self, step: &Step) {
        self.now_ms += 50;
        match *step {
            Step::Add { node, key, delta } => {
                let store = &mut self.nodes[node].store;
                if store.increment(&key_name(key), delta).is_ok() {
                    self.added[key] += delta;
                }
            }
            Step::Set { node, key, number } => {
                let value: &[u8] = if number { b"500" } else { b"text" };
                self.nodes[node].store.set(&key_name(key), value);
            }
            Step::Delete { node, key } => {
                self.nodes[node].store.delete(&key_name(key));
            }
            Step::QuotaSet { node, key, limit } => {
                let _ = self.nodes[node]
                    .store
                    .quota_set(&key_name(key), limit, 1000);
            }
            Step::Take { node, key, amount } => {
                let store = &mut self.nodes[node].store;
                let _ = store.quota_take(&key_name(key), amount, self.now_ms);
            }
            Step::Send { node, resend } => self.send_changes(node, resend),
            Step::Compare { from, to } => self.compare(from, to),
            Step::Deliver { pick, again } => self.deliver_any(pick, again),
            Step::Lose { pick } => {
                if !self.network.is_empty() {
                    let index = pick % self.network.len();
                    self.network.swap_remove(index);
                }
            }
            Step::Cut { a, b } => {
                self.cut[a][b] = true;
                self.cut[b][a] = true;
            }
            Step::Heal => self.cut = Default::default(),
            Step::Restart { node, lost } => self.restart(node, lost),
        }
        for node in &mut self.nodes {
            let mut pending = Pending::default();
            node.store.journal.take(&mut pending);
            node.disk.extend(pending.bytes);
        }
    }

    fn post(&mut self, from: usize, to: usize, session: u64, message: Message) {
        if from != to && !self.cut[from][to] {
            self.network.push(InFlight {
                from,
                to,
                session,
                message,
            });
        }
    }

    fn send_changes(&mut self, from: usize, resend: bool) {
        while let Some(batch) = exchange::collect_batch(&mut self.nodes[from].store) {
            for outbox in &mut self.nodes[from].outboxes {
                outbox.push(batch.clone());
            }
        }
        let session = self.nodes[from].session;
        for to in (0..NODES).filter(|&to| to != from) {
            if resend {
                self.nodes[from].outboxes[to].rewind();
            }
            while let Some(message) = self.nodes[from].outboxes[to].next_unsent() {
                self.post(from, to, session, message);
            }
        }
    }

    fn compare(&mut self, from: usize, to: usize) {
        let digests = self.nodes[from].store.digests(true);
        let session = self.nodes[from].session;
        self.post(from, to, session, Message::Digest(digests));
    }

    fn deliver_any(&mut self, pick: usize, again: bool) {
        if self.network.is_empty() {
            return;
        }
        let index = pick % self.network.len();
        let InFlight {
            from,
            to,
            session,
            message,
        } = self.network.swap_remove(index);
        if again {
            self.post(from, to, session, message.clone());
        }
        self.deliver(from, to, session, &message);
    }

    fn deliver(&mut self, from: usize, to: usize, session: u64, message: &Message) {
        match message {
            Message::Ack { received } => {
                // An answer reaches only the process that asked.
                if self.nodes[to].session == session {
                    self.nodes[to].outboxes[from].acknowledge(*received);
                }
            }
            Message::Pull(shards) => {
                if self.nodes[to].session == session {
                    for &shard in shards {
                        for repair in exchange::repair(&self.nodes[to].store, shard) {
                            self.post(to, from, session, repair);
                        }
                    }
                }
            }
            _ => {
                let current = self.nodes[from].session == session;
                let node = &mut self.nodes[to];
                if current {
                    node.inboxes[from].resume(session);
                }
                let inbox = &mut node.inboxes[from];
                let answer = exchange::receive(&mut node.store, inbox, session, message).unwrap();
                if let Some(answer) = answer {
                    self.post(to, from, session, answer);
                }
            }
        }
    }

    /// Starts a node again from its disk. After a crash it counts under a new actor id.
    fn restart(&mut self, index: usize, lost: Option<usize>) {
        let fresh_actor = self.fresh_id();
        let session = self.fresh_id();
        let node = &mut self.nodes[index];
        let actor = match lost {
            Some(_) => fresh_actor,
            None => node.store.membership().actor,
        };
        let kept = node.disk.len() - lost.unwrap_or(0).min(node.disk.len());
        let mut store = new_store(actor);
        let good = recovery::replay(&node.disk[..kept], &mut store, &mut 0).unwrap();
        store.journal.take(&mut Pending::default());
        node.disk.truncate(good);
        node.store = store;
        node.session = session;
        node.inboxes = Default::default();
        node.outboxes = Default::default();
    }

    fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Heals the network and lets the nodes talk until they agree.
    fn settle(&mut self) {
        self.cut = Default::default();
        for _ in 0..3 {
            for from in 0..NODES {
                self.send_changes(from, true);
                for to in 0..NODES {
                    self.compare(from, to);
                }
            }
            while !self.network.is_empty() {
                self.deliver_any(0, false);
            }
        }
    }

    fn contents(&self, node: usize) -> BTreeMap<Vec<u8>, State> {
        (0..SHARDS)
            .flat_map(|shard| self.nodes[node].store.entries_in_shard(shard))
            .map(|entry| {
                assert_eq!(
                    entry.value(),
                    entry.state().value(),
                    "the cached sum is right"
                );
                (entry.key.to_vec(), entry.state().into_owned())
            })
            .collect()
    }

    fn assert_converged(&mut self) -> Result<(), TestCaseError> {
        let expected = self.contents(0);
        for node in 1..NODES {
            prop_assert_eq!(&self.contents(node), &expected);
            let digests = self.nodes[0].store.digests(true);
            prop_assert!(self.nodes[node].store.differing(&digests).is_empty());
            prop_assert_eq!(self.nodes[node].store.len(), self.nodes[0].store.len());
        }
        Ok(())
    }
}

fn network_step() -> impl Strategy<Value = Step> {
    let node = || 0..NODES;
    prop_oneof![
        4 => (node(), any::<bool>()).prop_map(|(node, resend)| Step::Send { node, resend }),
        2 => (node(), node()).prop_map(|(from, to)| Step::Compare { from, to }),
        8 => (any::<usize>(), any::<bool>())
            .prop_map(|(pick, again)| Step::Deliver { pick, again }),
        3 => any::<usize>().prop_map(|pick| Step::Lose { pick }),
        1 => (node(), node()).prop_map(|(a, b)| Step::Cut { a, b }),
        1 => Just(Step::Heal),
    ]
}

fn add_step() -> impl Strategy<Value = Step> {
    (0..NODES, 0..KEYS, -9i64..10).prop_map(|(node, key, delta)| Step::Add { node, key, delta })
}

/// Only increments, and restarts that lose nothing.
fn counting_steps() -> impl Strategy<Value = Vec<Step>> {
    let restart = (0..NODES, any::<bool>()).prop_map(|(node, graceful)| Step::Restart {
        node,
        lost: (!graceful).then_some(0),
    });
    let step = prop_oneof![8 => add_step(), 10 => network_step(), 1 => restart];
    prop::collection::vec(step, 0..150)
}

/// Everything, with crashes that lose part of the log.
fn all_steps() -> impl Strategy<Value = Vec<Step>> {
    let place = || (0..NODES, 0..KEYS);
    let restart = (0..NODES, prop::option::of(0usize..400))
        .prop_map(|(node, lost)| Step::Restart { node, lost });
    let step = prop_oneof![
        6 => add_step(),
        2 => (place(), any::<bool>())
            .prop_map(|((node, key), number)| Step::Set { node, key, number }),
        2 => place().prop_map(|(node, key)| Step::Delete { node, key }),
        1 => (place(), 1u64..20)
            .prop_map(|((node, key), limit)| Step::QuotaSet { node, key, limit }),
        3 => (place(), 1u64..5)
            .prop_map(|((node, key), amount)| Step::Take { node, key, amount }),
        14 => network_step(),
        1 => restart,
    ];
    prop::collection::vec(step, 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn counters_converge_to_exactly_what_was_added(steps in counting_steps()) {
        let mut world = World::new();
        for step in &steps {
            world.apply(step);
        }
        world.settle();
        world.assert_converged()?;
        for key in 0..KEYS {
            let value = world.nodes[0].store.find(&key_name(key)).map_or(0, |entry| entry.value());
            prop_assert_eq!(value, i128::from(world.added[key]));
        }
    }

    #[test]
    fn all_kinds_of_keys_converge_whatever_is_lost(steps in all_steps()) {
        let mut world = World::new();
        for step in &steps {
            world.apply(step);
        }
        world.settle();
        world.assert_converged()?;
    }
}

/// A peer knows more of this node's row than the node does after a crash. Had it gone on counting in
/// that row, the peer's larger number would have swallowed what it added.
#[test]
fn increments_after_a_crash_that_lost_sent_ones_still_count() {
    let mut world = World::new();
    let add = |delta| Step::Add {
        node: 0,
        key: 0,
        delta,
    };
    world.apply(&add(5));
    world.apply(&Step::Send {
        node: 0,
        resend: false,
    });
    for _ in 0..2 {
        world.apply(&Step::Deliver {
            pick: 0,
            again: false,
        });
    }
    world.apply(&Step::Restart {
        node: 0,
        lost: Some(usize::MAX),
    });
    world.apply(&add(3));
    world.settle();
    for node in &world.nodes {
        assert_eq!(node.store.find(&key_name(0)).unwrap().value(), 8);
    }
}
