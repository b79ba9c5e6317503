//! A small Redis-compatible server for replicated counters and quotas.
//!
//! The pieces, from the outside in: [`server`] accepts connections, [`io_threads`] serve them,
//! [`connection`] turns each read into one batch, [`command`] executes it against the [`store`], [`log`] makes it durable
//! and [`replication`] carries it to the other nodes.

pub mod clock;
pub mod codec;
pub mod command;
pub mod connection;
pub mod engine;
pub mod flags;
pub mod glob;
pub mod identity;
pub mod io_threads;
pub mod log;
pub mod replication;
pub mod resp;
pub mod server;
pub mod store;
