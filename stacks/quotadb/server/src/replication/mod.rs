//! Active-active replication between nodes that all talk to each other.
//!
//! Each node dials every peer and sends its own changes over that connection: batches numbered from
//! 1, acknowledged by the receiver, sent again when unacknowledged. Once a second it also sends
//! digests of its shards; the receiver asks for the shards that differ. Both parts only ever merge
//! states, so lost, repeated and reordered messages do no harm.
//!
//! [`message`], [`outbox`], [`inbox`] and [`exchange`] are free of I/O; [`sender`] and [`receiver`]
//! put them on sockets, and the tests put them on a simulated network.

pub mod cluster;
pub mod exchange;
pub mod frame;
pub mod inbox;
pub mod message;
pub mod outbox;
pub mod receiver;
pub mod sender;
