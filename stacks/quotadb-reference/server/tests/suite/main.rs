//! Tests of the whole server: over real sockets, with real processes and files.

mod bounds;
mod client;
mod commands;
mod counter;
mod durability;
#[cfg(target_os = "linux")]
mod full_disk;
mod inputs;
mod process;
