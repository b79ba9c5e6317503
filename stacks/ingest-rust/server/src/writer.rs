//! The one thread that writes. It owns the writing connection: no lock is taken around it.
//!
//! Group commit: all requests that are waiting are stored in one transaction, so that they share one flush of the
//! log; while it is flushed the next ones queue up.

use crate::checkpoint::Checkpoints;
use crate::event::{Id, Rows};
use crate::memory::Share;
use crate::problem::{Kind, Problem};
use crate::store::Store;
use crate::stream::Hub;
use rusqlite::Connection;
use std::error::Error;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// Requests that may wait; more are held back at their sockets.
const QUEUE: usize = 1024;
/// Events after which a transaction is closed even if more are waiting: bounds how long the first one waits.
const GROUP_EVENTS: usize = 20_000;

/// The ids of the events that were not stored, in their order.
type Outcome = Result<Vec<Id>, Problem>;

struct Job {
    rows: Rows,
    /// What its body took in memory, which its rows take now.
    _share: Share,
    done: oneshot::Sender<Outcome>,
}

/// What was stored since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub events: u64,
    pub transactions: u64,
}

/// Hands events to the writing thread. The thread ends when the last clone is gone and the queue is empty.
#[derive(Clone)]
pub struct Writer(mpsc::Sender<Job>);

impl Writer {
    /// Stores all rows or none. Returns after the commit.
    pub async fn store(&self, rows: Rows, share: Share) -> Outcome {
        let (done, outcome) = oneshot::channel();
        let stopped = || Problem::new(Kind::Storage, "the writer has stopped");
        self.0
            .send(Job {
                rows,
                _share: share,
                done,
            })
            .await
            .map_err(|_| stopped())?;
        outcome.await.map_err(|_| stopped())?
    }
}

/// The writer's thread; it ends with what it has stored.
pub type WriterThread = JoinHandle<rusqlite::Result<Totals>>;

/// Starts the thread. It checkpoints and closes the connection at its end.
pub fn start(
    mut connection: Connection,
    hub: Arc<Hub>,
) -> Result<(Writer, WriterThread), Box<dyn Error>> {
    let (sender, queue) = mpsc::channel(QUEUE);
    let checkpoints = Checkpoints::start(&mut connection)?;
    let thread = std::thread::Builder::new()
        .name("writer".to_owned())
        .spawn(move || run(connection, checkpoints, queue, &hub))?;
    Ok((Writer(sender), thread))
}

fn run(
    connection: Connection,
    mut checkpoints: Checkpoints,
    mut queue: mpsc::Receiver<Job>,
    hub: &Hub,
) -> rusqlite::Result<Totals> {
    let mut totals = Totals::default();
    let mut store = Store::prepare(&connection)?;
    while let Some(first) = queue.blocking_recv() {
        let mut group = Group::default();
        match transaction(&mut store, first, &mut queue, &mut group) {
            Ok(()) => {
                totals.events += group.sequences.len() as u64;
                totals.transactions += 1;
                group.answer(hub);
                checkpoints.look(&connection);
            }
            Err(error) => {
                store.rollback()?;
                group.refuse(&error);
            }
        }
    }
    drop(store);
    checkpoints.stop();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(totals)
}

/// The requests of one transaction.
#[derive(Default)]
struct Group {
    jobs: Vec<(Job, Vec<Id>)>,
    /// For each job and event: the sequence of what was stored. Duplicates have none.
    sequences: Vec<Stored>,
}

struct Stored {
    job: u32,
    event: u32,
    sequence: i64,
}

impl Group {
    /// Stores the rows of the last job.
    fn store_last(&mut self, store: &mut Store<'_>) -> rusqlite::Result<()> {
        let job = self.jobs.len() as u32 - 1;
        let Some((Job { rows, .. }, duplicates)) = self.jobs.last_mut() else {
            return Ok(());
        };
        for (event, row) in rows.iter().enumerate() {
            match store.add(&row)? {
                None => duplicates.push(row.id),
                Some(sequence) => self.sequences.push(Stored {
                    job,
                    event: event as u32,
                    sequence,
                }),
            }
        }
        Ok(())
    }

    fn answer(self, hub: &Hub) {
        let mut rows = Vec::with_capacity(self.jobs.len());
        for (job, duplicates) in self.jobs {
            // A client that has gone does not wait for its answer.
            let _ = job.done.send(Ok(duplicates));
            rows.push(job.rows);
        }
        if hub.is_wanted() && !self.sequences.is_empty() {
            let events: Vec<Vec<_>> = rows.iter().map(|rows| rows.iter().collect()).collect();
            hub.publish(self.sequences.iter().map(|stored| {
                (
                    stored.sequence,
                    events[stored.job as usize][stored.event as usize],
                )
            }));
        }
    }

    fn refuse(self, error: &rusqlite::Error) {
        for (job, _) in self.jobs {
            let _ = job
                .done
                .send(Err(Problem::new(Kind::Storage, error.to_string())));
        }
    }
}

/// Stores `first` and what waits in the queue, or nothing.
fn transaction(
    store: &mut Store<'_>,
    first: Job,
    queue: &mut mpsc::Receiver<Job>,
    group: &mut Group,
) -> rusqlite::Result<()> {
    let mut events = 0;
    let mut next = Some(first);
    let mut outcome = store.begin();
    while let Some(job) = next {
        events += job.rows.len();
        group.jobs.push((job, Vec::new()));
        if outcome.is_ok() {
            outcome = group.store_last(store);
        }
        next = if events < GROUP_EVENTS {
            queue.try_recv().ok()
        } else {
            None
        };
    }
    outcome?;
    store.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database;
    use crate::event::Event;
    use crate::memory::Memory;
    use crate::settings::Synchronous;

    fn rows(ids: impl IntoIterator<Item = u8>) -> Rows {
        let mut rows = Rows::default();
        for id in ids {
            rows.push(Event {
                id: [id; 16],
                timestamp: -1,
                source: "s",
                session: "n",
                kind: "t",
                level: 0,
                payload: "{}",
            });
        }
        rows
    }

    fn share() -> Share {
        Memory::new(0).share()
    }

    fn count(connection: &Connection, sql: &str) -> i64 {
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[tokio::test]
    async fn requests_that_wait_share_a_transaction_and_all_are_answered() {
        let folder = tempfile::tempdir().unwrap();
        let path = database::file(folder.path());
        let connection = database::open_writer(&path, Synchronous::Full).unwrap();
        let (writer, thread) = start(connection, Arc::new(Hub::default())).unwrap();
        let stores = (0..200_u8).map(|i| {
            let writer = writer.clone();
            tokio::spawn(async move { writer.store(rows([i, i, 255]), share()).await })
        });
        let mut duplicates = 0;
        for store in stores.collect::<Vec<_>>() {
            duplicates += store.await.unwrap().unwrap().len();
        }
        drop(writer);
        let totals = thread.join().unwrap().unwrap();
        assert_eq!((duplicates, totals.events), (399, 201));
        assert!(totals.transactions < 200, "{totals:?}");

        let reader = database::open_reader(&path).unwrap();
        assert_eq!(count(&reader, "SELECT count(*) FROM events"), 201);
        assert_eq!(count(&reader, "SELECT max(seq) FROM events"), 201);
        assert_eq!(
            count(
                &reader,
                "SELECT events FROM counts WHERE kind = 2 AND name = -1"
            ),
            201
        );
    }

    #[tokio::test]
    async fn a_group_that_fails_stores_nothing_and_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = database::file(folder.path());
        let connection = database::open_writer(&path, Synchronous::Full).unwrap();
        connection
            .execute_batch(
                "CREATE TEMP TRIGGER full BEFORE INSERT ON main.events WHEN NEW.id = zeroblob(16)
                 BEGIN SELECT RAISE(ABORT, 'no space'); END",
            )
            .unwrap();
        let (writer, thread) = start(connection, Arc::new(Hub::default())).unwrap();
        let problem = writer.store(rows([1, 0, 2]), share()).await.unwrap_err();
        assert_eq!(problem.kind, Kind::Storage);
        assert!(problem.detail.contains("no space"), "{problem:?}");
        assert_eq!(
            writer.store(rows([3]), share()).await.unwrap(),
            Vec::<Id>::new()
        );
        drop(writer);
        thread.join().unwrap().unwrap();
        let reader = database::open_reader(&path).unwrap();
        assert_eq!(count(&reader, "SELECT count(*) FROM events"), 1);
        assert_eq!(
            count(&reader, "SELECT sum(events) FROM counts WHERE kind = 0"),
            1
        );
    }
}
