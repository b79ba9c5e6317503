//! The append log: one file, read at start, extended by one write for each round of commands.
//!
//! What cannot be written is cut off the file again and refused; writes are then refused until there
//! is room. After a failed sync nobody knows what the kernel dropped, so writes are refused until a
//! restart has read what is there.

use crate::flags::FsyncPolicy;
use crate::record::{self, HEADER_BYTES, Record};
use crate::stderr::tell;
use crate::store::Store;
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const FILE: &str = "counters.log";
/// Stands beside the log as long as there has been one: a log that is gone is no first start.
const KEPT: &str = "counters.kept";
const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// How often room is looked for while there is none.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// There is room again when so many bytes more fit into the file.
const ROOM_BYTES: usize = 64 << 10;

pub struct Log {
    file: File,
    /// Bytes of whole rounds in the file.
    length: u64,
    policy: FsyncPolicy,
    syncs: Arc<Syncs>,
    /// The error that commands which write are answered, and when to look for room again.
    refusal: Option<(String, Instant)>,
}

/// What the thread that syncs every second and the log tell each other.
#[derive(Default)]
struct Syncs {
    wanted: AtomicBool,
    /// Why nothing is logged any more.
    failed: OnceLock<String>,
}

impl Log {
    /// Reads the log in a directory into an empty store and opens it to be extended.
    ///
    /// # Errors
    /// Starting anyway would lose acknowledged data.
    pub fn open(dir: &Path, policy: FsyncPolicy, store: &mut Store) -> Result<Self, String> {
        let path = dir.join(FILE);
        let cannot = |error: io::Error| format!("cannot use {}: {error}", path.display());
        fs::create_dir_all(dir).map_err(cannot)?;
        let kept = dir.join(KEPT);
        demand_log(&path, &kept)?;
        let options = File::options().create(true).read(true).append(true).clone();
        let mut file = options.open(&path).map_err(cannot)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                format!("another server is using {}", path.display())
            }
            TryLockError::Error(error) => cannot(error),
        })?;
        let length = replay(&file, store).map_err(cannot)?;
        demand_nothing_behind(&mut file, length, &path)?;
        file.set_len(length).map_err(cannot)?;
        // What is shown from now on must not be with the kernel only; nor the file's name.
        file.sync_all().map_err(cannot)?;
        let sync_names = || File::open(dir).and_then(|dir| dir.sync_all());
        sync_names().map_err(cannot)?;
        // Behind the log on the disk, too: a power cut between them leaves the log alone.
        if !kept.exists() {
            File::create(&kept)
                .and_then(|_| sync_names())
                .map_err(cannot)?;
        }
        store.note_changes();
        let log = Self {
            file,
            length,
            policy,
            syncs: Arc::default(),
            refusal: None,
        };
        if policy == FsyncPolicy::Everysec {
            log.sync_every_second().map_err(cannot)?;
        }
        Ok(log)
    }

    pub fn policy(&self) -> FsyncPolicy {
        self.policy
    }

    /// Appends a round's records and makes them as safe as the policy promises.
    ///
    /// # Errors
    /// They must be taken back, and all that depends on them is answered with this.
    pub fn append(&mut self, records: &[u8]) -> Result<(), String> {
        if let Err(error) = self.file.write_all(records) {
            self.cut_back();
            let message = format!("MISCONF Errors writing to the AOF file: {error}");
            return Err(self.refuse(message));
        }
        self.length += records.len() as u64;
        match self.policy {
            FsyncPolicy::Always => match self.file.sync_data() {
                Ok(()) => Ok(()),
                Err(error) => Err(self.syncs.fail("syncing", &error)),
            },
            FsyncPolicy::Everysec => {
                self.syncs.wanted.store(true, Ordering::Release);
                Ok(())
            }
            FsyncPolicy::No => Ok(()),
        }
    }

    /// The error that commands which write are answered instead of being executed, if any. Looks for
    /// room now and then.
    pub fn refusal(&mut self) -> Option<String> {
        if let Some(failed) = self.syncs.failed.get() {
            return Some(failed.clone());
        }
        let looked = self.refusal.as_ref()?.1;
        if looked.elapsed() >= LOOK_INTERVAL {
            self.look_for_room();
        }
        self.refusal.as_ref().map(|(message, _)| message.clone())
    }

    /// Syncs everything, for a graceful stop.
    ///
    /// # Errors
    /// What was acknowledged may not be kept.
    pub fn finish(&self) -> Result<(), String> {
        if let Err(error) = self.file.sync_all() {
            self.syncs.fail("syncing", &error);
        }
        self.syncs
            .failed
            .get()
            .map_or(Ok(()), |failed| Err(failed.clone()))
    }

    fn refuse(&mut self, message: String) -> String {
        if self
            .refusal
            .as_ref()
            .is_none_or(|(before, _)| *before != message)
        {
            tell(&message);
        }
        self.refusal = Some((message.clone(), Instant::now()));
        message
    }

    /// Takes writes again if the file can grow.
    fn look_for_room(&mut self) {
        // Zeros are no record: if the process ends here, the next start cuts them off.
        let grown = self.file.write_all(&[0; ROOM_BYTES]);
        self.cut_back();
        if grown.is_ok() {
            self.refusal = None;
            tell("the log can be written again");
        } else if let Some((_, looked)) = &mut self.refusal {
            *looked = Instant::now();
        }
    }

    /// Ends the file with its last whole round.
    fn cut_back(&self) {
        if let Err(error) = self.file.set_len(self.length) {
            self.syncs.fail("cutting back", &error);
        }
    }

    fn sync_every_second(&self) -> io::Result<()> {
        let (file, syncs) = (self.file.try_clone()?, Arc::clone(&self.syncs));
        let sync = move || {
            loop {
                std::thread::sleep(SYNC_INTERVAL);
                if syncs.wanted.swap(false, Ordering::AcqRel)
                    && let Err(error) = file.sync_data()
                {
                    syncs.fail("syncing", &error);
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("log-sync".into())
            .spawn(sync)
            .map(drop)
    }
}

impl Syncs {
    fn fail(&self, action: &str, error: &impl Display) -> String {
        let message = format!(
            "MISCONF Errors {action} the AOF file: {error}; writes are refused until a restart, \
             which may bring back some that were answered with this"
        );
        self.failed
            .get_or_init(|| {
                tell(&message);
                message
            })
            .clone()
    }
}

/// What is read to its end must be a file, and one that was there must still be.
fn demand_log(path: &Path, kept: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(format!("{} is no file", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound && kept.exists() => Err(format!(
            "{} is gone; restore the file from a copy, or, to begin with no keys, remove {}",
            path.display(),
            kept.display()
        )),
        _ => Ok(()),
    }
}

/// Reads whole records from the front of the file; the bytes that they take.
fn replay(file: &File, store: &mut Store) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let (mut length, mut body) = (0, Vec::new());
    while next_body(&mut reader, &mut body)?
        && let Some(record) = Record::parse(&body)
    {
        store.replay(record);
        length += (HEADER_BYTES + body.len()) as u64;
    }
    Ok(length)
}

/// Reads the next record's body; false if there is none, or no whole one.
fn next_body(reader: &mut impl Read, body: &mut Vec<u8>) -> io::Result<bool> {
    let mut read = |bytes: &mut [u8]| match reader.read_exact(bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        outcome => outcome.map(|()| true),
    };
    let mut head = [0; HEADER_BYTES];
    if !read(&mut head)? {
        return Ok(false);
    }
    let Some((length, crc)) = record::header(&head) else {
        return Ok(false);
    };
    body.resize(length, 0);
    Ok(read(body)? && crc32fast::hash(body) == crc)
}

/// An unfinished write at the end was never acknowledged, so it may be cut off; damage with an intact
/// record behind it may not.
fn demand_nothing_behind(file: &mut File, offset: u64, path: &Path) -> Result<(), String> {
    let mut rest = Vec::new();
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.read_to_end(&mut rest))
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if (1..rest.len()).any(|at| record::is_intact(&rest[at..])) {
        return Err(format!(
            "{}: the record at byte {offset} is damaged and intact ones follow it; restore the file \
             from a copy, or, to give up what follows, truncate it there",
            path.display()
        ));
    }
    if !rest.is_empty() {
        let (cut, path) = (rest.len(), path.display());
        tell(&format!(
            "{path}: cut off {cut} bytes of an unfinished write"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A log on a pipe: it takes what is written, and no sync of it succeeds. Whoever holds the file
    /// keeps the pipe open.
    fn log_that_does_not_sync(policy: FsyncPolicy) -> (tempfile::TempDir, Log) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let file = File::options().read(true).write(true).open(path).unwrap();
        let log = Log {
            file,
            length: 0,
            policy,
            syncs: Arc::default(),
            refusal: None,
        };
        (dir, log)
    }

    #[test]
    fn after_a_failed_sync_no_write_is_taken() {
        let (_dir, mut log) = log_that_does_not_sync(FsyncPolicy::Always);
        let error = log.append(b"records").unwrap_err();
        assert!(error.contains("until a restart"), "{error}");
        assert_eq!(log.refusal(), Some(error.clone()));
        assert_eq!(log.finish(), Err(error));
    }

    #[test]
    fn a_sync_that_fails_later_ends_writes_too() {
        let (_dir, mut log) = log_that_does_not_sync(FsyncPolicy::Everysec);
        log.sync_every_second().unwrap();
        assert_eq!(log.append(b"records"), Ok(()));
        assert_eq!(log.refusal(), None);
        let begun = Instant::now();
        while log.refusal().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(log.refusal().unwrap().contains("syncing"));
    }
}
