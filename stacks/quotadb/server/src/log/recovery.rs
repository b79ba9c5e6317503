//! Reading a data directory back at start.

use super::files;
use super::record::{self, Applied};
use crate::store::Store;
use std::fmt;
use std::io;
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
                "{}: the record at byte {offset} is damaged and intact ones follow it; restore the \
                 file from a copy, or truncate it there to give up what follows",
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
    for &number in listing.logs.iter().filter(|&&n| n >= first_log) {
        if number != next {
            return Err(RecoveryError::MissingLog(files::log_path(dir, next)));
        }
        replay_log(&files::log_path(dir, number), store, &mut recovered)?;
        next = number + 1;
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

fn replay_log(
    path: &Path,
    store: &mut Store,
    recovered: &mut Recovered,
) -> Result<(), RecoveryError> {
    let bytes = read(path)?;
    let good =
        replay(&bytes, store, &mut recovered.records).map_err(|offset| RecoveryError::Damaged {
            file: path.into(),
            offset: offset as u64,
        })?;
    let torn = bytes.len() - good;
    if torn > 0 {
        tracing::warn!(
            "{}: cut off {torn} bytes of an unfinished write at byte {good}",
            path.display()
        );
        recovered.torn_bytes += torn as u64;
        truncate(path, good as u64).map_err(|error| RecoveryError::Io(path.into(), error))?;
    }
    Ok(())
}

/// Applies the records in `bytes` and counts them. Returns where the intact part ends, or as an
/// error the offset of a damaged record that is not the last.
pub fn replay(bytes: &[u8], store: &mut Store, records: &mut u64) -> Result<usize, usize> {
    let mut offset = 0;
    while let Some((body, length)) = record::next_body(&bytes[offset..]) {
        // A valid checksum over nonsense is not a torn write.
        record::apply(body, store).map_err(|_| offset)?;
        offset += length;
        *records += 1;
    }
    let tail = &bytes[offset..];
    let behind = record::declared_length(tail).and_then(|length| tail.get(length..));
    match behind {
        Some(behind) if record::next_body(behind).is_some() => Err(offset),
        _ => Ok(offset),
    }
}

fn truncate(path: &Path, length: u64) -> io::Result<()> {
    let file = std::fs::OpenOptions::new().write(true).open(path)?;
    file.set_len(length)?;
    file.sync_all()
}

fn read(path: &Path) -> Result<Vec<u8>, RecoveryError> {
    std::fs::read(path).map_err(|error| RecoveryError::Io(path.into(), error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Membership;

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
        let mut bytes = Vec::new();
        store.journal.take(&mut bytes);
        bytes
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
        let mut bytes = Vec::new();
        original.journal.take(&mut bytes);

        let mut copy = store();
        replay(&bytes, &mut copy, &mut 0).unwrap();
        assert_eq!(copy.len(), 2);
        assert_eq!(copy.find(b"again").unwrap().value(), 1);
        assert_eq!(copy.quota_get(b"quota", 5_000).unwrap().remaining, 6);
    }
}
