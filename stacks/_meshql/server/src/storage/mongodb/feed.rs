//! Feeds the event log with the events that the database has acknowledged, in their order.
//!
//! The log knows the last event that it has. What a crash left between the database and the log is carried at the
//! start, so that no event is left out and none is there twice.

use super::connect::short;
use super::document::{FIELD_SEQUENCE, Stored};
use crate::entity::{Entity, Group, Model};
use crate::log::Log;
use crate::storage::events::{EventLog, RETRY, Record, give_up_if_broken};
use crate::storage::{Kind, Result, StorageError};
use futures_util::future::try_join_all;
use mongodb::Database;
use mongodb::bson::{RawDocumentBuf, doc};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Events that are carried at once.
const BATCH: usize = 256;

/// What the writer of the events holds.
pub struct Handle {
    /// Sequence of the next event.
    pub next: i64,
    events: Arc<EventLog>,
    records: Sender<Vec<Record>>,
}

impl Handle {
    /// To be called before the answer to the client.
    pub fn acknowledged(&self, records: Vec<Record>) {
        if records.is_empty() {
            return;
        }
        self.events.announce(records.len() as u64);
        // The thread ends only after the writer, or with the process.
        let _ = self.records.send(records);
    }

    /// Of a commit that failed: the events that are stored in spite of it.
    pub async fn what_is_there(&self, records: &[Record], model: &Model, database: &Database) {
        let rows = records.iter().filter_map(|record| record.row);
        let (Some(first), Some(last)) = (rows.clone().min(), rows.max()) else {
            return;
        };
        let mut from = first - 1;
        while from < last {
            let mut found = after(model, database, from)
                .await
                .unwrap_or_else(|problem| {
                    eprintln!("meshql-server: which events are stored is unknown: {problem}");
                    std::process::exit(1);
                });
            found.retain(|record| record.row.is_some_and(|row| row <= last));
            from = found.last().and_then(|record| record.row).unwrap_or(last);
            self.acknowledged(found);
        }
    }
}

pub struct Feed {
    events: Arc<EventLog>,
    records: Mutex<Option<Sender<Vec<Record>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Feed {
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(log: Arc<Log>, events: Arc<EventLog>) -> std::result::Result<Feed, String> {
        let (records, received) = channel();
        let announce = Arc::clone(&events);
        let thread = std::thread::Builder::new()
            .name("feed-events".into())
            .spawn(move || run(&log, &announce, &received))
            .map_err(|error| format!("cannot start the feed of the event log: {error}"))?;
        Ok(Feed {
            events,
            records: Mutex::new(Some(records)),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// # Panics
    /// After [`Feed::stop`].
    pub fn handle(&self, next: i64) -> Handle {
        let records = self
            .records
            .lock()
            .expect("no panic under the lock")
            .clone();
        Handle {
            next,
            events: Arc::clone(&self.events),
            records: records.expect("not stopped"),
        }
    }

    /// Appends what is left and ends, once the writer has gone.
    pub fn stop(&self) {
        drop(self.records.lock().expect("no panic under the lock").take());
        if let Some(thread) = self.thread.lock().expect("no panic under the lock").take() {
            let _ = thread.join();
        }
    }
}

fn run(log: &Log, events: &EventLog, received: &Receiver<Vec<Record>>) {
    while let Ok(mut records) = received.recv() {
        while records.len() < BATCH {
            let Ok(more) = received.try_recv() else { break };
            records.extend(more);
        }
        while let Err(error) = log.append(records.iter().map(Record::entry).collect()) {
            give_up_if_broken(&error);
            match received.recv_timeout(RETRY) {
                Ok(more) => records.extend(more),
                Err(RecvTimeoutError::Timeout) => {}
                // A restart carries what the log does not have.
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        events.appended();
    }
}

/// Opens the log and appends the events that it does not have.
///
/// Returns it with the sequence of the next event.
///
/// # Errors
/// When the log or the database cannot be read.
pub async fn catch_up(model: &Model, database: &Database, dir: &Path) -> Result<(Arc<Log>, i64)> {
    let mut last = 0;
    let log = Log::open(dir, "events", |_, value| {
        let record: Record = serde_json::from_str(value).map_err(|error| error.to_string())?;
        last = record.row.ok_or("no row")?;
        Ok(())
    });
    let log = Arc::new(log.map_err(StorageError)?);
    loop {
        let records = after(model, database, last).await?;
        let Some(newest) = records.last().and_then(|record| record.row) else {
            return Ok((log, last + 1));
        };
        let entries = records.iter().map(Record::entry).collect();
        log.append(entries)
            .map_err(|error| StorageError(error.to_string()))?;
        last = newest;
    }
}

/// The next events after a sequence, in order.
async fn after(model: &Model, database: &Database, last: i64) -> Result<Vec<Record>> {
    let events = model.entities.iter().filter(|e| e.group == Group::Events);
    let queries = events.map(|entity| after_in(entity, database, last));
    let mut records: Vec<Record> = try_join_all(queries).await?.into_iter().flatten().collect();
    records.sort_by_key(|record| record.row);
    // A crash may have left a version as the current one and as an earlier one.
    records.dedup_by_key(|record| record.row);
    records.truncate(BATCH);
    Ok(records)
}

async fn after_in(entity: &Entity, database: &Database, last: i64) -> Result<Vec<Record>> {
    let mut cursor = database
        .collection::<RawDocumentBuf>(&entity.name)
        .find(doc! {FIELD_SEQUENCE: {"$gt": last}})
        .sort(doc! {FIELD_SEQUENCE: 1})
        // Twice as many: each may be there twice.
        .limit(2 * BATCH as i64)
        .await
        .map_err(|error| short(&error))?;
    let mut records = Vec::new();
    while cursor.advance().await.map_err(|error| short(&error))? {
        let Stored {
            sequence, envelope, ..
        } = Stored::read(cursor.current())?;
        records.push(Record {
            entity: entity.name.clone(),
            id: envelope.id.clone(),
            kind: Kind::Create,
            created_at: envelope.created_at,
            applied: None,
            row: sequence,
            payload: envelope.payload.clone(),
        });
    }
    Ok(records)
}
