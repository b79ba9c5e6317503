//! Writing the journal to the current segment and syncing it, as the fsync policy asks.
//!
//! `always`: one thread writes and syncs whatever has been collected by all connections since the
//! last sync, so that one fsync serves them all; replies wait for it. `everysec` and `no`: the
//! connection that needs its records written writes everybody's; a thread syncs every second or
//! not at all.

use super::{die, files};
use crate::flags::FsyncPolicy;
use crate::store::Store;
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
}

struct Segment {
    number: u64,
    file: Arc<File>,
    spare: Vec<u8>,
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
                spare: Vec::new(),
            }),
            segment_bytes: AtomicU64::new(0),
            written: AtomicU64::new(0),
            unsynced: AtomicBool::new(false),
            kept: watch::Sender::new(0),
            wanted: Mutex::new(false),
            wake: Condvar::new(),
            wakers: Mutex::new(Vec::new()),
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

    /// Returns when everything up to journal position `end` is as safe as the policy promises.
    pub async fn keep(&self, end: u64) {
        if !self.keep_now(end) {
            // The sender lives as long as self, so this cannot fail.
            let _ = self.kept.subscribe().wait_for(|&kept| kept >= end).await;
        }
    }

    /// Whether everything up to journal position `end` is as safe as the policy promises, having
    /// written it if that is enough. If not, a sync has been asked for.
    pub fn keep_now(&self, end: u64) -> bool {
        if self.policy != FsyncPolicy::Always {
            if self.written.load(Ordering::Acquire) < end {
                self.write_pending();
            }
            return true;
        }
        if self.kept() >= end {
            return true;
        }
        *lock(&self.wanted) = true;
        self.wake.notify_one();
        false
    }

    /// Journal position up to which everything is as safe as `always` promises.
    pub fn kept(&self) -> u64 {
        *self.kept.borrow()
    }

    /// Wakes an event loop after every sync that a reply waited for.
    pub fn wake_on_kept(&self, waker: Arc<Waker>) {
        lock(&self.wakers).push(waker);
    }

    /// Writes and syncs everything; for a graceful stop.
    pub fn finish(&self) {
        self.write_pending();
        self.sync();
    }

    /// Begins a new segment and returns its number. Everything journaled before is in older ones.
    pub fn rotate(&self) -> u64 {
        // Most of the syncing is done before others are kept waiting.
        self.sync();
        let mut segment = lock(&self.segment);
        self.write_into(&mut segment);
        self.sync_file(&segment.file);
        let number = segment.number + 1;
        match create_segment(&self.dir, number) {
            Ok(file) => segment.file = file,
            Err(error) => die("create a log segment", &error),
        }
        segment.number = number;
        self.segment_bytes.store(0, Ordering::Relaxed);
        number
    }

    fn write_pending(&self) {
        self.write_into(&mut lock(&self.segment));
    }

    fn write_into(&self, segment: &mut Segment) {
        let mut records = std::mem::take(&mut segment.spare);
        let end = lock(&self.store).journal.take(&mut records);
        if !records.is_empty() {
            if let Err(error) = (&*segment.file).write_all(&records) {
                die("write the log", &error);
            }
            self.segment_bytes
                .fetch_add(records.len() as u64, Ordering::Relaxed);
            self.unsynced.store(true, Ordering::Release);
        }
        self.written.store(end, Ordering::Release);
        records.clear();
        if records.capacity() <= SPARE_BYTES {
            segment.spare = records;
        }
    }

    /// Syncs what is written, without keeping others from writing on.
    fn sync(&self) {
        let (file, end) = {
            let segment = lock(&self.segment);
            (
                Arc::clone(&segment.file),
                self.written.load(Ordering::Acquire),
            )
        };
        if self.unsynced.swap(false, Ordering::AcqRel) {
            self.sync_file(&file);
        }
        self.kept.send_if_modified(|kept| {
            let forward = end > *kept;
            *kept = end.max(*kept);
            forward
        });
    }

    fn sync_file(&self, file: &File) {
        if let Err(error) = file.sync_data() {
            die("sync the log", &error);
        }
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
    let file = File::options()
        .create_new(true)
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
