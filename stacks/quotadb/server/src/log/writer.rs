//! Writing the journal to the current segment and syncing it, as the fsync policy asks.
//!
//! `always`: one thread writes and syncs whatever has been collected by all connections since the
//! last sync, so that one fsync serves them all; replies wait for it. `everysec` and `no`: the
//! connection that needs its records written writes everybody's; a thread syncs every second or
//! not at all.
//!
//! What cannot be written is cut off the segment again, taken back in the store, and answered with an
//! error; then writes are refused until there is room. After a failed sync nobody knows what the
//! kernel dropped, so writes are refused until a restart has read what is there.

use super::failure::Failure;
use super::{die, files};
use crate::flags::FsyncPolicy;
use crate::store::Store;
use crate::store::journal::Pending;
use mio::Waker;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use tokio::sync::watch;

const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// A write buffer that grew beyond this many bytes is given back.
const SPARE_BYTES: usize = 1 << 20;
/// There is room again when so many bytes more fit into the segment.
const ROOM_BYTES: usize = 64 << 10;

/// What became of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// They are as safe as the policy promises.
    Yes,
    NotYet,
    /// They were taken back, or nobody knows.
    No,
}

pub struct LogWriter {
    dir: PathBuf,
    policy: FsyncPolicy,
    store: Arc<Mutex<Store>>,
    /// Locked before the store when both are needed, never after.
    segment: Mutex<Segment>,
    segment_bytes: AtomicU64,
    /// Journal position up to which records are written.
    written: AtomicU64,
    /// Written, but not synced yet.
    unsynced: AtomicBool,
    /// Journal position up to which records are synced (`always`) or written (else).
    kept: watch::Sender<u64>,
    /// Set when a reply waits for the sync thread.
    wanted: Mutex<bool>,
    wake: Condvar,
    /// Event loops whose connections wait for `kept`.
    wakers: Mutex<Vec<Arc<Waker>>>,
    /// Held while syncing: what one thread is still syncing must not be taken for synced by another.
    syncing: Mutex<()>,
    failure: Failure,
}

struct Segment {
    number: u64,
    file: Arc<File>,
    spare: Pending,
}

impl LogWriter {
    /// Opens segment `number` and starts the sync thread.
    pub fn start(
        dir: &Path,
        number: u64,
        policy: FsyncPolicy,
        store: Arc<Mutex<Store>>,
    ) -> io::Result<Arc<Self>> {
        let writer = Arc::new(Self {
            dir: dir.into(),
            policy,
            store,
            segment: Mutex::new(Segment {
                number,
                file: create_segment(dir, number)?,
                spare: Pending::default(),
            }),
            segment_bytes: AtomicU64::new(0),
            written: AtomicU64::new(0),
            unsynced: AtomicBool::new(false),
            kept: watch::Sender::new(0),
            wanted: Mutex::new(false),
            wake: Condvar::new(),
            wakers: Mutex::new(Vec::new()),
            syncing: Mutex::new(()),
            failure: Failure::default(),
        });
        let thread = Arc::clone(&writer);
        match policy {
            FsyncPolicy::Always => spawn("log-sync", move || thread.sync_when_wanted())?,
            FsyncPolicy::Everysec => spawn("log-sync", move || thread.sync_every_second())?,
            FsyncPolicy::No => {}
        }
        Ok(writer)
    }

    pub fn policy(&self) -> FsyncPolicy {
        self.policy
    }

    /// Bytes in the current segment.
    pub fn segment_bytes(&self) -> u64 {
        self.segment_bytes.load(Ordering::Relaxed)
    }

    /// The error that commands which write are answered instead of being executed, if any.
    pub fn refusal(&self) -> Option<String> {
        self.refuses().then(|| self.failure.message())
    }

    /// Whether there is a [`LogWriter::refusal`].
    #[inline]
    pub fn refuses(&self) -> bool {
        self.failure.refuses()
    }

    /// The error that is answered in place of replies which depend on what is not kept.
    pub fn failure(&self) -> String {
        self.failure.message()
    }

    /// Returns when it is clear whether everything up to journal position `end` is as safe as the
    /// policy promises: never [`Kept::NotYet`].
    pub async fn keep(&self, end: u64) -> Kept {
        match self.keep_now(end) {
            Kept::NotYet => {
                // The sender lives as long as self, so this cannot fail.
                let _ = self.kept.subscribe().wait_for(|&kept| kept >= end).await;
                self.outcome(end)
            }
            outcome => outcome,
        }
    }

    /// Whether everything up to journal position `end` is as safe as the policy promises, having
    /// written it if that is enough. If not yet, a sync has been asked for.
    pub fn keep_now(&self, end: u64) -> Kept {
        if self.policy != FsyncPolicy::Always {
            if self.written.load(Ordering::Acquire) < end {
                self.write_pending();
            }
            return self.outcome(end);
        }
        if self.kept() >= end {
            return self.outcome(end);
        }
        *lock(&self.wanted) = true;
        self.wake.notify_one();
        Kept::NotYet
    }

    /// What became of everything up to a position that is not above [`LogWriter::kept`].
    #[inline]
    pub fn outcome(&self, end: u64) -> Kept {
        if self.failure.has_lost(end) {
            Kept::No
        } else {
            Kept::Yes
        }
    }

    /// Journal position up to which everything is as safe as `always` promises, or lost.
    pub fn kept(&self) -> u64 {
        *self.kept.borrow()
    }

    /// Wakes an event loop after every sync that a reply waited for.
    pub fn wake_on_kept(&self, waker: Arc<Waker>) {
        lock(&self.wakers).push(waker);
    }

    /// Writes and syncs everything; for a graceful stop.
    ///
    /// # Errors
    /// What was acknowledged may not be kept.
    pub fn finish(&self) -> Result<(), String> {
        self.write_pending();
        self.sync();
        if self.failure.is_final() {
            return Err(self.failure.message());
        }
        Ok(())
    }

    /// Begins a new segment and returns its number. Everything journaled before is in older ones.
    pub fn rotate(&self) -> io::Result<u64> {
        // Most of the syncing is done before others are kept waiting.
        self.sync();
        let mut segment = lock(&self.segment);
        self.write_into(&mut segment);
        if let Some(refusal) = self.refusal() {
            return Err(io::Error::other(refusal));
        }
        if let Err(error) = segment.file.sync_data() {
            self.fail_sync(&error);
            return Err(error);
        }
        let number = segment.number + 1;
        segment.file = create_segment(&self.dir, number)?;
        segment.number = number;
        self.segment_bytes.store(0, Ordering::Relaxed);
        Ok(number)
    }

    /// Takes writes again if the segment can grow.
    pub fn look_for_room(&self) {
        if !self.refuses() || self.failure.is_final() {
            return;
        }
        let segment = lock(&self.segment);
        // Zeros are no record: if the process ends here, the next start cuts them off.
        let grown = (&*segment.file).write_all(&[0; ROOM_BYTES]);
        if self.cut_back(&segment) && grown.is_ok() {
            self.failure.end();
        }
    }

    fn write_pending(&self) {
        self.write_into(&mut lock(&self.segment));
    }

    /// Writes what is journaled, or takes it back.
    fn write_into(&self, segment: &mut Segment) {
        let mut pending = std::mem::take(&mut segment.spare);
        let end = lock(&self.store).journal.take(&mut pending);
        if !self.append(segment, &pending.bytes) {
            self.take_back(self.written.load(Ordering::Acquire), pending);
            return;
        }
        self.written.store(end, Ordering::Release);
        pending.clear(SPARE_BYTES);
        segment.spare = pending;
    }

    /// Writes all records, or none and says why.
    fn append(&self, segment: &Segment, records: &[u8]) -> bool {
        if records.is_empty() {
            return true;
        }
        if self.failure.is_final() {
            return false;
        }
        if let Err(error) = (&*segment.file).write_all(records) {
            self.failure.begin(&error);
            self.cut_back(segment);
            return false;
        }
        self.segment_bytes
            .fetch_add(records.len() as u64, Ordering::Relaxed);
        self.unsynced.store(true, Ordering::Release);
        true
    }

    /// Ends the segment with its last whole write; false if it cannot be.
    fn cut_back(&self, segment: &Segment) -> bool {
        let cut = segment.file.set_len(self.segment_bytes());
        if let Err(error) = &cut {
            self.failure.begin_final("cutting back", error);
        }
        cut.is_ok()
    }

    /// Takes back what was taken from the journal and what was changed since. What was journaled
    /// behind `from` is lost. To be called with the segment locked.
    fn take_back(&self, from: u64, taken: Pending) {
        let mut store = lock(&self.store);
        let end = store.take_back(taken);
        // Before it counts as written: who waits for it asks then whether it is lost.
        self.failure.lose(from, end);
        self.written.store(store.journal.end(), Ordering::Release);
    }

    /// Syncs what is written, without keeping others from writing on.
    fn sync(&self) {
        let _syncing = lock(&self.syncing);
        let (file, end) = {
            let segment = lock(&self.segment);
            (
                Arc::clone(&segment.file),
                self.written.load(Ordering::Acquire),
            )
        };
        if self.unsynced.swap(false, Ordering::AcqRel)
            && let Err(error) = file.sync_data()
        {
            let _segment = lock(&self.segment);
            self.fail_sync(&error);
            return;
        }
        self.advance_kept(end);
    }

    /// To be called with the segment locked.
    fn fail_sync(&self, error: &io::Error) {
        self.failure.begin_final("syncing", error);
        // Without `always`, what was written is what was promised.
        let from = match self.policy {
            FsyncPolicy::Always => self.kept(),
            _ => self.written.load(Ordering::Acquire),
        };
        self.take_back(from, Pending::default());
        self.advance_kept(self.written.load(Ordering::Acquire));
    }

    fn advance_kept(&self, end: u64) {
        self.kept.send_if_modified(|kept| {
            let forward = end > *kept;
            *kept = end.max(*kept);
            forward
        });
    }

    fn sync_when_wanted(&self) {
        loop {
            let mut wanted = lock(&self.wanted);
            while !*wanted {
                wanted = match self.wake.wait(wanted) {
                    Ok(guard) => guard,
                    Err(poisoned) => poisoned.into_inner(),
                };
            }
            *wanted = false;
            drop(wanted);
            self.write_pending();
            self.sync();
            // Always, not only if this sync moved anything: the wish may have come just after the
            // sync that fulfilled it.
            for waker in lock(&self.wakers).iter() {
                if let Err(error) = waker.wake() {
                    die("wake a thread that serves clients", &error);
                }
            }
        }
    }

    fn sync_every_second(&self) {
        loop {
            std::thread::sleep(SYNC_INTERVAL);
            self.write_pending();
            self.sync();
        }
    }
}

fn create_segment(dir: &Path, number: u64) -> io::Result<Arc<File>> {
    // It is there and empty where an earlier attempt failed half-way.
    let file = File::options()
        .create(true)
        .append(true)
        .open(files::log_path(dir, number))?;
    files::sync_dir(dir)?;
    Ok(Arc::new(file))
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(body)
        .map(drop)
}

/// Locks a mutex; the process aborts on panic, so poisoning cannot be seen outside tests.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Membership;
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    /// A log whose segment is a pipe: it takes what is written, and no sync of it succeeds. Whoever
    /// holds the file keeps the pipe open.
    fn log_that_does_not_sync(policy: FsyncPolicy) -> (tempfile::TempDir, File, Arc<LogWriter>) {
        let dir = tempfile::tempdir().unwrap();
        let path = files::log_path(dir.path(), 1);
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a string that ends with a zero byte.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let pipe = File::options().read(true).write(true).open(path).unwrap();
        let mut store = Store::new(Membership {
            actor: 1,
            keep_tombstones: false,
            collect_changes: false,
        });
        store.journal.enable();
        let store = Arc::new(Mutex::new(store));
        let writer = LogWriter::start(dir.path(), 1, policy, store).unwrap();
        (dir, pipe, writer)
    }

    fn increment(writer: &LogWriter) -> u64 {
        let mut store = lock(&writer.store);
        store.increment(b"n", 1).unwrap();
        store.journal.end()
    }

    #[tokio::test]
    async fn after_a_failed_sync_no_write_is_taken() {
        let (_dir, _pipe, writer) = log_that_does_not_sync(FsyncPolicy::Always);
        let end = increment(&writer);
        assert_eq!(writer.keep(end).await, Kept::No);
        let refusal = writer.refusal().unwrap();
        assert!(refusal.contains("until a restart"), "{refusal}");
        writer.look_for_room();
        assert_eq!(writer.refusal(), Some(refusal.clone()));
        // One that was begun before it was refused.
        let end = increment(&writer);
        assert_eq!(writer.keep(end).await, Kept::No);
        let (now, value) = {
            let store = lock(&writer.store);
            (store.journal.end(), store.find(b"n").map(|n| n.value()))
        };
        assert_eq!(value, Some(1), "what was not written is taken back");
        assert_eq!(writer.keep(now).await, Kept::Yes, "reads go on");
        assert!(writer.rotate().is_err());
        assert_eq!(writer.finish(), Err(refusal));
    }

    #[tokio::test]
    async fn what_was_promised_without_a_sync_stays_so_when_one_fails() {
        let (_dir, _pipe, writer) = log_that_does_not_sync(FsyncPolicy::No);
        let written = increment(&writer);
        assert_eq!(writer.keep(written).await, Kept::Yes);
        let pending = increment(&writer);
        writer.sync();
        assert_eq!(writer.keep(written).await, Kept::Yes);
        assert_eq!(writer.keep(pending).await, Kept::No);
        assert!(writer.refuses());
    }
}
