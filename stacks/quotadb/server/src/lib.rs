//! A small Redis-compatible server for replicated counters and quotas.
//!
//! The pieces, from the outside in: [`server`] accepts connections, [`io_threads`] serve them by an
//! [`event_loop`] each, [`connection`] parses what was read, [`command`] executes it against the
//! [`store`], [`log`] makes it durable and [`replication`] carries it to the other nodes.

pub mod clock;
pub mod codec;
pub mod command;
pub mod connection;
pub mod engine;
pub mod event_loop;
pub mod flags;
pub mod glob;
pub mod identity;
pub mod io_threads;
pub mod log;
pub mod replication;
pub mod resp;
pub mod server;
pub mod store;
