//! Reading a data directory back at start.

use super::files;
use super::record::{self, Applied};
use crate::store::Store;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    pub records: u64,
    /// Number for the next log segment, above all used ones.
    pub next_log: u64,
    /// Bytes cut off torn tails.
    pub torn_bytes: u64,
}

/// Why a data directory cannot be used. Starting anyway would silently lose acknowledged data.
#[derive(Debug)]
pub enum RecoveryError {
    Io(PathBuf, io::Error),
    /// A damaged record with intact ones behind it.
    Damaged {
        file: PathBuf,
        offset: u64,
    },
    /// A snapshot without its end mark; the file is only ever renamed into place complete.
    IncompleteSnapshot(PathBuf),
    /// The segment a snapshot leads to, or one between two others, is not there.
    MissingLog(PathBuf),
}

impl fmt::Display for RecoveryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Damaged { file, offset } => write!(
                f,
                "{}: the record at byte {offset} is damaged and intact ones follow it, in this \
                 segment or a later one; restore the file from a copy, or, to give up what follows, \
                 truncate it there and remove the later segments",
                file.display()
            ),
            Self::IncompleteSnapshot(path) => {
                write!(f, "{}: the snapshot is incomplete", path.display())
            }
            Self::MissingLog(path) => write!(f, "{}: this log segment is missing", path.display()),
        }
    }
}

/// Loads the newest snapshot and replays the log behind it.
pub fn recover(dir: &Path, store: &mut Store) -> Result<Recovered, RecoveryError> {
    let listing = files::list(dir).map_err(|error| RecoveryError::Io(dir.into(), error))?;
    let mut recovered = Recovered::default();
    let first_log = match listing.snapshots.last() {
        Some(&number) => {
            load_snapshot(&files::snapshot_path(dir, number), store, &mut recovered)?;
            number
        }
        None => listing.logs.first().copied().unwrap_or(1),
    };
    let mut next = first_log;
    let mut tails = Vec::new();
    for &number in listing.logs.iter().filter(|&&n| n >= first_log) {
        if number != next {
            return Err(RecoveryError::MissingLog(files::log_path(dir, next)));
        }
        let (replayed, tail) = replay_log(&files::log_path(dir, number), store)?;
        // What follows an unfinished write was never acknowledged, so nothing can follow it.
        if let Some(Tail { file, offset, .. }) = tails.first().filter(|_| replayed > 0) {
            return Err(RecoveryError::Damaged {
                file: file.clone(),
                offset: *offset,
            });
        }
        tails.extend(tail);
        recovered.records += replayed;
        next = number + 1;
    }
    for tail in &tails {
        cut(tail)?;
        recovered.torn_bytes += tail.bytes.len() as u64;
    }
    // Its records may be with the kernel only, and the next segment must never outlive them.
    if next > first_log {
        let last = files::log_path(dir, next - 1);
        File::open(&last)
            .and_then(|file| file.sync_all())
            .map_err(|error| RecoveryError::Io(last, error))?;
    }
    // A segment is created before the snapshot that leads to it.
    if next == first_log && !listing.snapshots.is_empty() {
        return Err(RecoveryError::MissingLog(files::log_path(dir, next)));
    }
    recovered.next_log = next;
    Ok(recovered)
}

fn load_snapshot(
    path: &Path,
    store: &mut Store,
    recovered: &mut Recovered,
) -> Result<(), RecoveryError> {
    let bytes = read(path)?;
    let (mut offset, mut records) = (0, 0);
    while let Some((body, length)) = record::next_body(&bytes[offset..]) {
        offset += length;
        match record::apply(body, store) {
            Ok(Applied::Change) => records += 1,
            Ok(Applied::End(promised)) if promised == records && offset == bytes.len() => {
                recovered.records += records;
                return Ok(());
            }
            _ => break,
        }
    }
    Err(RecoveryError::IncompleteSnapshot(path.into()))
}

/// The end of a segment that holds no intact record.
struct Tail {
    file: PathBuf,
    offset: u64,
    bytes: Vec<u8>,
}

/// Applies a segment; returns how many records it has, and what is behind the last one.
fn replay_log(path: &Path, store: &mut Store) -> Result<(u64, Option<Tail>), RecoveryError> {
    let mut bytes = read(path)?;
    let mut records = 0;
    let good = replay(&bytes, store, &mut records).map_err(|offset| RecoveryError::Damaged {
        file: path.into(),
        offset: offset as u64,
    })?;
    let tail = (good < bytes.len()).then(|| Tail {
        file: path.into(),
        offset: good as u64,
        bytes: bytes.split_off(good),
    });
    Ok((records, tail))
}

/// Cuts off an unfinished write, keeping a copy of it beside the segment.
fn cut(tail: &Tail) -> Result<(), RecoveryError> {
    let copy = files::torn_path(&tail.file, tail.offset);
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |error| RecoveryError::Io(path, error)
    };
    File::create(&copy)
        .and_then(|mut file| file.write_all(&tail.bytes).and_then(|()| file.sync_all()))
        .map_err(failed(&copy))?;
    File::options()
        .write(true)
        .open(&tail.file)
        .and_then(|file| file.set_len(tail.offset).and_then(|()| file.sync_all()))
        .map_err(failed(&tail.file))?;
    tracing::warn!(
        "{}: cut off {} bytes of an unfinished write at byte {}, kept as {}",
        tail.file.display(),
        tail.bytes.len(),
        tail.offset,
        copy.display()
    );
    Ok(())
}

/// Applies the records in `bytes` and counts them. Returns where the intact part ends, or as an
/// error the offset of a damaged record that has an intact one anywhere behind it.
pub fn replay(bytes: &[u8], store: &mut Store, records: &mut u64) -> Result<usize, usize> {
    let mut offset = 0;
    while let Some((body, length)) = record::next_body(&bytes[offset..]) {
        // A valid checksum over nonsense is not a torn write.
        record::apply(body, store).map_err(|_| offset)?;
        offset += length;
        *records += 1;
    }
    // Its own length may be what is damaged, so every byte may be where the next one begins.
    let behind = (offset + 1..bytes.len()).any(|at| record::is_intact(&bytes[at..]));
    if behind { Err(offset) } else { Ok(offset) }
}

fn read(path: &Path) -> Result<Vec<u8>, RecoveryError> {
    std::fs::read(path).map_err(|error| RecoveryError::Io(path.into(), error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Membership;
    use crate::store::journal::Pending;

    fn store() -> Store {
        Store::new(Membership {
            actor: 1,
            keep_tombstones: false,
            collect_changes: false,
        })
    }

    /// A journal of 20 increments of one key and a string.
    fn journal() -> Vec<u8> {
        let mut store = store();
        store.journal.enable();
        for _ in 0..20 {
            store.increment(b"counter", 2).unwrap();
        }
        store.set(b"text", b"hello");
        let mut pending = Pending::default();
        store.journal.take(&mut pending);
        pending.bytes
    }

    #[test]
    fn a_log_cut_anywhere_replays_up_to_its_last_whole_record() {
        let bytes = journal();
        for cut in 0..bytes.len() {
            let (mut store, mut records) = (store(), 0);
            let good = replay(&bytes[..cut], &mut store, &mut records).unwrap();
            assert!(good <= cut);
            let value = store.find(b"counter").map_or(0, |entry| entry.value());
            assert_eq!(value, i128::from(records.min(20)) * 2);
        }
    }

    #[test]
    fn a_tail_of_zeros_is_torn() {
        let mut bytes = journal();
        let whole = bytes.len();
        bytes.extend_from_slice(&[0; 4096]);
        assert_eq!(replay(&bytes, &mut store(), &mut 0), Ok(whole));
    }

    #[test]
    fn damage_in_the_middle_is_refused() {
        let mut bytes = journal();
        let (_, first) = record::next_body(&bytes).unwrap();
        bytes[first + 20] ^= 1;
        assert_eq!(replay(&bytes, &mut store(), &mut 0), Err(first));
    }

    /// Whatever is done to one place of a log, its intact records are not cut off.
    #[test]
    fn damage_anywhere_is_refused_while_anything_intact_follows() {
        let bytes = journal();
        let mut starts = vec![0];
        while let Some((_, length)) = record::next_body(&bytes[starts[starts.len() - 1]..]) {
            starts.push(starts[starts.len() - 1] + length);
        }
        let last = starts[starts.len() - 2];
        for at in 0..last {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let record = starts.iter().rfind(|&&start| start <= at).unwrap();
                assert_eq!(replay(&damaged, &mut store(), &mut 0), Err(*record));
            }
        }
        let mut zeroed = bytes.clone();
        zeroed[starts[3] + 5..starts[9] + 2].fill(0);
        assert_eq!(replay(&zeroed, &mut store(), &mut 0), Err(starts[3]));
    }

    #[test]
    fn a_damaged_last_record_is_the_end_only_where_no_segment_follows() {
        let dir = tempfile::tempdir().unwrap();
        let bytes = journal();
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        let first = files::log_path(dir.path(), 1);
        std::fs::write(&first, &damaged).unwrap();
        std::fs::write(files::log_path(dir.path(), 2), &bytes).unwrap();
        let refused = recover(dir.path(), &mut store());
        assert!(matches!(refused, Err(RecoveryError::Damaged { .. })));
        assert_eq!(std::fs::read(&first).unwrap(), damaged, "nothing was cut");

        std::fs::write(files::log_path(dir.path(), 2), b"").unwrap();
        let recovered = recover(dir.path(), &mut store()).unwrap();
        assert_eq!(recovered.records, 20);
        let cut = std::fs::read(&first).unwrap();
        let copy = std::fs::read(files::torn_path(&first, cut.len() as u64)).unwrap();
        assert_eq!([cut, copy].concat(), damaged, "the tail is kept");
    }

    #[test]
    fn deletes_flushes_and_quotas_replay_to_the_same_keys() {
        let mut original = store();
        original.journal.enable();
        original.increment(b"gone", 1).unwrap();
        original.flush();
        original.increment(b"again", 9).unwrap();
        original.delete(b"again");
        original.increment(b"again", 1).unwrap();
        original.quota_set(b"quota", 10, 1000).unwrap();
        original.quota_take(b"quota", 4, 5_000).unwrap();
        let mut pending = Pending::default();
        original.journal.take(&mut pending);

        let mut copy = store();
        replay(&pending.bytes, &mut copy, &mut 0).unwrap();
        assert_eq!(copy.len(), 2);
        assert_eq!(copy.find(b"again").unwrap().value(), 1);
        assert_eq!(copy.quota_get(b"quota", 5_000).unwrap().remaining, 6);
    }
}
