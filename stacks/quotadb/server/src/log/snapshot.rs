//! Snapshots: the whole store in one file, so that the log before it can go.

use super::writer::{LogWriter, lock};
use super::{files, record};
use crate::store::{SHARDS, Store};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Starts a thread that takes a snapshot every `interval` if anything was logged meanwhile.
pub fn start(
    dir: &Path,
    interval: Duration,
    store: Arc<Mutex<Store>>,
    writer: Arc<LogWriter>,
) -> io::Result<()> {
    let dir = dir.to_path_buf();
    std::thread::Builder::new()
        .name("snapshot".into())
        .spawn(move || {
            loop {
                std::thread::sleep(interval);
                if writer.segment_bytes() == 0 {
                    continue;
                }
                // A failed snapshot costs disk space, not data: the log is complete without it.
                match take(&dir, &store, &writer) {
                    Ok(records) => tracing::info!("snapshot of {records} entries taken"),
                    Err(error) => tracing::warn!("snapshot failed: {error}; the log is kept"),
                }
            }
        })
        .map(drop)
}

/// Writes a snapshot and removes what it replaces. Commands go on meanwhile: the store is locked for
/// one shard at a time, and what changes after the rotation is in the new segment anyway.
pub fn take(dir: &Path, store: &Mutex<Store>, writer: &LogWriter) -> io::Result<u64> {
    let number = writer.rotate();
    let path = files::snapshot_path(dir, number);
    let unfinished = path.with_extension("tmp");
    let mut file = File::create(&unfinished)?;
    let mut records = 0;
    let mut bytes = Vec::new();
    for index in 0..SHARDS {
        bytes.clear();
        for entry in lock(store).entries_in_shard(index) {
            record::put_entry(&mut bytes, &entry.key, &entry.state);
            records += 1;
        }
        file.write_all(&bytes)?;
    }
    bytes.clear();
    record::put_end(&mut bytes, records);
    file.write_all(&bytes)?;
    file.sync_all()?;
    std::fs::rename(&unfinished, &path)?;
    files::sync_dir(dir)?;
    files::remove_before(dir, number)?;
    Ok(records)
}
