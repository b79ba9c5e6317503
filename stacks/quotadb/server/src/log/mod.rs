//! The append log and its snapshots.
//!
//! The data directory holds numbered segments `log-<n>.qdb` and at most one complete snapshot
//! `snapshot-<n>.qdb`, which covers everything before segment `n`. Every record carries the state
//! reached, not the step taken, so replaying a record twice does no harm; that lets a snapshot be
//! taken shard by shard while commands go on.

pub mod failure;
pub mod files;
pub mod record;
pub mod recovery;
pub mod snapshot;
pub mod writer;

/// Ends the process because something failed that nothing works without.
pub fn die(action: &str, error: &std::io::Error) -> ! {
    tracing::error!("cannot {action}: {error}; stopping");
    std::process::exit(1);
}
