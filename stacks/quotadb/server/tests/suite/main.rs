//! Tests of the whole server: over real sockets, with real processes, and of three nodes on a
//! simulated network.

mod bounds;
mod client;
mod commands;
mod compatibility;
mod convergence;
mod corpus;
mod durability;
#[cfg(target_os = "linux")]
mod full_disk;
mod fuzz;
mod inputs;
mod process;
mod replication;
mod split_invariance;
