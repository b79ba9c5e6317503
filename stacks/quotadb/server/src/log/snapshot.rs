//! Snapshots: the whole store in one file, so that the log before it can go.

use super::writer::{LogWriter, lock};
use super::{files, record};
use crate::store::{SHARDS, Store};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often the thread looks whether a snapshot is due.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// A log segment of this many bytes is replaced by a snapshot before its time, so that neither the
/// disk nor the next start depends on how much is written between two snapshots.
const LOG_BYTES: u64 = 256 << 20;
/// But not before it is this many times the size of the last snapshot, which would be written over
/// and over otherwise.
const LOG_TO_SNAPSHOT: u64 = 2;

/// Starts a thread that takes a snapshot every `interval` if anything was logged meanwhile, and
/// whenever the log outgrew the data. A zero interval leaves the latter only. It also looks whether a
/// log that takes no writes can take them again.
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
            let mut last = Instant::now();
            let mut last_bytes = 0;
            loop {
                std::thread::sleep(LOOK_INTERVAL);
                writer.look_for_room();
                if writer.refuses() {
                    continue;
                }
                let logged = writer.segment_bytes();
                let in_time = !interval.is_zero() && last.elapsed() >= interval && logged > 0;
                let outgrown = logged > LOG_BYTES.max(LOG_TO_SNAPSHOT * last_bytes);
                if in_time || outgrown {
                    last = Instant::now();
                    // A failed one costs disk space, not data: the log is complete without it.
                    match take(&dir, &store, &writer) {
                        Ok(bytes) => {
                            last_bytes = bytes;
                            tracing::info!("snapshot of {bytes} bytes taken");
                        }
                        Err(error) => {
                            tracing::warn!("snapshot failed: {error}; the log is kept");
                            // What there is of it takes room that the log may need.
                            let _ = std::fs::remove_file(files::unfinished_path(&dir));
                        }
                    }
                }
            }
        })
        .map(drop)
}

/// Writes a snapshot and removes what it replaces. Commands go on meanwhile: the store is locked for
/// one shard at a time, and what changes after the rotation is in the new segment anyway. Returns
/// the snapshot's size in bytes.
pub fn take(dir: &Path, store: &Mutex<Store>, writer: &LogWriter) -> io::Result<u64> {
    let number = writer.rotate()?;
    let path = files::snapshot_path(dir, number);
    let unfinished = files::unfinished_path(dir);
    let mut file = File::create(&unfinished)?;
    let (mut records, mut written) = (0, 0);
    let mut bytes = Vec::new();
    for index in 0..SHARDS {
        bytes.clear();
        for entry in lock(store).entries_in_shard(index) {
            record::put_entry(&mut bytes, &entry.key, &entry.state());
            records += 1;
        }
        file.write_all(&bytes)?;
        written += bytes.len() as u64;
    }
    bytes.clear();
    record::put_end(&mut bytes, records);
    file.write_all(&bytes)?;
    file.sync_all()?;
    std::fs::rename(&unfinished, &path)?;
    files::sync_dir(dir)?;
    files::remove_before(dir, number)?;
    Ok(written)
}
