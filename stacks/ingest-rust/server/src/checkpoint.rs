//! Writing the log back into the database, beside the writer: SQLite's own way would do it inside a commit, for as long as
//! several groups of requests take. The thread writes back what is in the log while the writer goes on; the writer then
//! writes back the rest, which is little, so that the log begins anew.

use crate::database;
use rusqlite::hooks::Wal;
use rusqlite::Connection;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Pages in the log from which on it is written back.
pub const LOG_PAGES: usize = 4000;

/// The writer's side.
pub struct Checkpoints {
    /// Pages in the log after the last commit.
    logged: Arc<AtomicUsize>,
    wake: SyncSender<()>,
    done: Arc<AtomicBool>,
    thread: JoinHandle<()>,
    running: bool,
    /// Pages at which the next one begins: more than `LOG_PAGES` where readers kept the log from beginning anew.
    next: usize,
}

impl Checkpoints {
    /// Takes over from SQLite's own checkpoints of the writer's connection.
    pub fn start(connection: &mut Connection) -> Result<Self, Box<dyn Error>> {
        let logged = Arc::new(AtomicUsize::new(0));
        let count = logged.clone();
        connection.wal_hook(Some(move |_: &mut Wal, pages: i32| {
            count.store(usize::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        let path = connection.path().unwrap_or_default().to_owned();
        let (wake, woken) = sync_channel(1);
        let done = Arc::new(AtomicBool::new(false));
        let mark = done.clone();
        let thread = std::thread::Builder::new()
            .name("checkpoint".to_owned())
            .spawn(move || run(Path::new(&path), &woken, &mark))?;
        Ok(Checkpoints {
            logged,
            wake,
            done,
            thread,
            running: false,
            next: LOG_PAGES,
        })
    }

    /// To be called between two transactions of the writer.
    pub fn look(&mut self, connection: &Connection) {
        let pages = self.logged.load(Ordering::Relaxed);
        if self.running {
            if self.done.swap(false, Ordering::Acquire) {
                write_back(connection);
                self.running = false;
                self.next = pages + LOG_PAGES;
            }
            return;
        }
        if pages < LOG_PAGES {
            self.next = LOG_PAGES;
        }
        self.running = pages >= self.next && self.wake.try_send(()).is_ok();
    }

    /// Returns when the thread has ended.
    pub fn stop(self) {
        drop(self.wake);
        let _ = self.thread.join();
    }
}

fn run(path: &Path, woken: &Receiver<()>, done: &AtomicBool) {
    // Opened when it is first needed: most starts store little.
    let mut connection = None;
    while woken.recv().is_ok() {
        if connection.is_none() {
            connection = database::open_checkpointer(path).ok();
        }
        if let Some(connection) = &connection {
            write_back(connection);
        }
        done.store(true, Ordering::Release);
    }
}

/// As far as readers allow. An error is none of the requests': they are in the log, and the next checkpoint tries again.
fn write_back(connection: &Connection) {
    let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Synchronous;
    use std::time::{Duration, Instant};

    #[test]
    fn the_log_stays_small_while_the_writer_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = database::file(folder.path());
        let mut connection = database::open_writer(&path, Synchronous::Normal).unwrap();
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        let mut checkpoints = Checkpoints::start(&mut connection).unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        for i in 0..60 {
            // About 250 pages each.
            connection
                .execute("INSERT INTO t VALUES (zeroblob(1000000))", [])
                .unwrap();
            checkpoints.look(&connection);
            while checkpoints.running && !checkpoints.done.load(Ordering::Acquire) {
                assert!(Instant::now() < until, "it hangs at {i}");
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        checkpoints.stop();
        let log = path.with_extension("db-wal").metadata().unwrap().len();
        assert!(log < 24_000_000, "the log of 60 MB has {log} bytes");
        let stored = path.metadata().unwrap().len();
        assert!(stored > 20_000_000, "{stored} bytes were written back");
    }
}
