//! The event log: what the processor of projections consumes.

use super::version::{Envelope, Kind, Payload, Result, StorageError};
use crate::entity::{EntityId, Model};
use crate::log::{AppendError, Entry, Log};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// Pause of who carries stored events to the log, when it has no room for them.
pub const RETRY: Duration = Duration::from_millis(200);

/// Ends the process when the log takes no more of the events that a database has stored: a restart finds out where
/// it ends. No acknowledged write is in danger.
pub fn give_up_if_broken(error: &AppendError) {
    eprintln!("meshql-server: events cannot be carried to the log: {error}");
    if let AppendError::Broken(_) = error {
        std::process::exit(1);
    }
}

/// A version of an entity as the logs hold it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    pub entity: String,
    pub id: String,
    pub kind: Kind,
    pub created_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<u64>,
    /// Row of the database that it was forwarded from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<i64>,
    pub payload: Payload,
}

impl Record {
    /// The key and the value for a log.
    pub fn entry(&self) -> Entry {
        let value = serde_json::to_string(self).expect("a record is JSON");
        (self.id.clone(), value)
    }

    pub fn envelope(self) -> Envelope {
        Envelope {
            id: self.id,
            payload: self.payload,
            created_at: self.created_at,
            deleted: self.kind == Kind::Delete,
            applied: self.applied,
        }
    }
}

/// An event as it was created. Later versions and deletes of it are no events.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub offset: u64,
    pub entity: EntityId,
    pub payload: Payload,
}

pub struct EventLog {
    model: Arc<Model>,
    log: Arc<Log>,
    head: AtomicU64,
    end: watch::Sender<u64>,
}

impl EventLog {
    /// `waiting`: acknowledged records that are not in the log yet.
    pub fn new(model: Arc<Model>, log: Arc<Log>, waiting: u64) -> EventLog {
        let head = AtomicU64::new(log.end() + waiting);
        let (end, _) = watch::channel(log.end());
        EventLog {
            model,
            log,
            head,
            end,
        }
    }

    /// The offset at which every acknowledged event is consumed.
    pub fn head(&self) -> u64 {
        self.head.load(Ordering::Acquire)
    }

    /// To be called before the acknowledgement of `count` records.
    pub fn announce(&self, count: u64) {
        self.head.fetch_add(count, Ordering::AcqRel);
    }

    /// Takes an announcement back: the records were not written.
    pub fn retract(&self, count: u64) {
        self.head.fetch_sub(count, Ordering::AcqRel);
    }

    /// To be called when the log has grown.
    pub fn appended(&self) {
        self.end.send_replace(self.log.end());
    }

    /// Returns when the log has records from this offset on.
    pub async fn wait_for(&self, offset: u64) {
        let mut end = self.end.subscribe();
        let _ = end.wait_for(|&end| end > offset).await;
    }

    /// Events from an offset on, and where to go on reading.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn read(&self, from: u64, limit: usize) -> Result<(Vec<Event>, u64)> {
        let records = self.log.read(from, limit).map_err(StorageError)?;
        let next = from + records.len() as u64;
        let mut events = Vec::new();
        for (offset, value) in records {
            let record: Record = serde_json::from_str(&value)
                .map_err(|error| StorageError(format!("event {offset}: {error}")))?;
            let entity = self.model.entity(&record.entity);
            let entity =
                entity.ok_or_else(|| StorageError(format!("event {offset}: {}", record.entity)))?;
            if record.kind == Kind::Create {
                events.push(Event {
                    offset,
                    entity: entity.id,
                    payload: record.payload,
                });
            }
        }
        Ok((events, next))
    }
}
