//! The one thread that writes. It owns the writing connection: no lock is taken around it.
//!
//! Group commit: all requests that are waiting are stored in one transaction, so that they share one flush of the
//! log; while it is flushed the next ones queue up.

use crate::database::{self, INSERT};
use crate::event::{Id, Rows};
use crate::problem::{Kind, Problem};
use crate::stream::Hub;
use rusqlite::{Connection, Statement};
use std::collections::HashMap;
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
    pub async fn store(&self, rows: Rows) -> Outcome {
        let (done, outcome) = oneshot::channel();
        let stopped = || Problem::new(Kind::Storage, "the writer has stopped");
        self.0
            .send(Job { rows, done })
            .await
            .map_err(|_| stopped())?;
        outcome.await.map_err(|_| stopped())?
    }
}

/// Starts the thread. It checkpoints and closes the connection at its end.
pub fn start(
    connection: Connection,
    hub: Arc<Hub>,
) -> std::io::Result<(Writer, JoinHandle<rusqlite::Result<Totals>>)> {
    let (sender, queue) = mpsc::channel(QUEUE);
    let thread = std::thread::Builder::new()
        .name("writer".to_owned())
        .spawn(move || run(connection, queue, &hub))?;
    Ok((Writer(sender), thread))
}

fn run(
    connection: Connection,
    mut queue: mpsc::Receiver<Job>,
    hub: &Hub,
) -> rusqlite::Result<Totals> {
    let mut totals = Totals::default();
    let mut store = Store::prepare(&connection)?;
    while let Some(first) = queue.blocking_recv() {
        let mut group = Group::default();
        match store.transaction(first, &mut queue, &mut group) {
            Ok(()) => {
                totals.events += group.sequences.len() as u64;
                totals.transactions += 1;
                group.answer(hub);
            }
            Err(error) => {
                if !connection.is_autocommit() {
                    store.rollback.execute([])?;
                }
                group.refuse(&error);
            }
        }
    }
    drop(store);
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

/// New events by type, source and minute, of one transaction.
#[derive(Default)]
struct Counts {
    types: HashMap<String, i64>,
    sources: HashMap<String, i64>,
    minutes: HashMap<i64, i64>,
}

fn count_one(counts: &mut HashMap<String, i64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

/// The writer's statements, prepared once.
struct Store<'c> {
    connection: &'c Connection,
    begin: Statement<'c>,
    commit: Statement<'c>,
    rollback: Statement<'c>,
    insert: Statement<'c>,
    count: Statement<'c>,
}

impl<'c> Store<'c> {
    fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Store {
            connection,
            begin: connection.prepare("BEGIN IMMEDIATE")?,
            commit: connection.prepare("COMMIT")?,
            rollback: connection.prepare("ROLLBACK")?,
            insert: connection.prepare(INSERT)?,
            count: connection.prepare(
                "INSERT INTO counts VALUES (?, ?, ?)
                 ON CONFLICT DO UPDATE SET events = events + excluded.events",
            )?,
        })
    }

    /// Stores `first` and what waits in the queue, or nothing.
    fn transaction(
        &mut self,
        first: Job,
        queue: &mut mpsc::Receiver<Job>,
        group: &mut Group,
    ) -> rusqlite::Result<()> {
        let mut counts = Counts::default();
        let mut events = 0;
        let mut next = Some(first);
        let mut outcome = self.begin.execute([]).map(|_| ());
        while let Some(job) = next {
            events += job.rows.len();
            group.jobs.push((job, Vec::new()));
            if outcome.is_ok() {
                outcome = self.insert_last(group, &mut counts);
            }
            next = if events < GROUP_EVENTS {
                queue.try_recv().ok()
            } else {
                None
            };
        }
        outcome?;
        self.add_counts(&counts)?;
        self.commit.execute([])?;
        Ok(())
    }

    /// Inserts the rows of the group's last job.
    fn insert_last(&mut self, group: &mut Group, counts: &mut Counts) -> rusqlite::Result<()> {
        let job = group.jobs.len() as u32 - 1;
        let Some((Job { rows, .. }, duplicates)) = group.jobs.last_mut() else {
            return Ok(());
        };
        for (event, row) in rows.iter().enumerate() {
            if !database::insert(&mut self.insert, &row)? {
                duplicates.push(row.id);
                continue;
            }
            let sequence = self.connection.last_insert_rowid();
            group.sequences.push(Stored {
                job,
                event: event as u32,
                sequence,
            });
            count_one(&mut counts.types, row.kind);
            count_one(&mut counts.sources, row.source);
            *counts
                .minutes
                .entry(row.timestamp.div_euclid(60_000))
                .or_default() += 1;
        }
        Ok(())
    }

    fn add_counts(&mut self, counts: &Counts) -> rusqlite::Result<()> {
        for (kind, names) in [(0, &counts.types), (1, &counts.sources)] {
            for (name, events) in names {
                self.count.execute((kind, name, events))?;
            }
        }
        for (minute, events) in &counts.minutes {
            self.count.execute((2, minute, events))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
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
            tokio::spawn(async move { writer.store(rows([i, i, 255])).await })
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
        let problem = writer.store(rows([1, 0, 2])).await.unwrap_err();
        assert_eq!(problem.kind, Kind::Storage);
        assert!(problem.detail.contains("no space"), "{problem:?}");
        assert_eq!(writer.store(rows([3])).await.unwrap(), Vec::<Id>::new());
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
