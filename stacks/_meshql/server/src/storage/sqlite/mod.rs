//! The single-host tier: a SQLite file for each group, written by one thread, read by a few; and the event log,
//! which follows the file of the events.

mod forward;
mod reader;
mod schema;
mod sink;

use super::events::EventLog;
use super::writer::Writer;
use super::{At, Durability, Envelope, Outcome, Result, Storage, StorageError, Write};
use crate::entity::{EntityId, Group, Model};
use async_trait::async_trait;
use forward::Forwarder;
use reader::Readers;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

pub struct Sqlite {
    model: Arc<Model>,
    writers: HashMap<Group, Writer>,
    readers: HashMap<Group, Arc<Readers>>,
    events: Arc<EventLog>,
    forwarder: Forwarder,
}

impl Sqlite {
    /// Opens or creates `actors.db`, `events.db`, `projections.db` and the event log below a folder.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn open(
        model: &Arc<Model>,
        dir: &Path,
        durability: Durability,
    ) -> std::result::Result<Sqlite, String> {
        let path = |group: Group| dir.join(format!("{}.db", group.name()));
        let mut sinks = Vec::new();
        for group in Group::ALL {
            let connection = schema::open_for_writing(model, group, &path(group), durability)
                .map_err(|error| format!("{}: {error}", path(group).display()))?;
            sinks.push((group, connection));
        }
        let forwarder = Forwarder::start(model, &dir.join("event-log"), &path(Group::Events))?;
        let mut writers = HashMap::new();
        let mut readers = HashMap::new();
        for (group, connection) in sinks {
            let forward = (group == Group::Events).then(|| forwarder.handle());
            let sink = sink::SqliteSink::new(Arc::clone(model), group, connection, forward)
                .map_err(|error| format!("{}: {error}", path(group).display()))?;
            writers.insert(group, Writer::start(group.name(), sink)?);
            readers.insert(
                group,
                Arc::new(Readers::new(Arc::clone(model), path(group))),
            );
        }
        let events = forwarder.events();
        Ok(Sqlite {
            model: Arc::clone(model),
            writers,
            readers,
            events,
            forwarder,
        })
    }

    /// Runs a query on a thread that may block.
    async fn query<T: Send + 'static>(
        &self,
        entity: EntityId,
        query: impl FnOnce(&mut reader::Reader) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let readers = Arc::clone(&self.readers[&self.model.entities[entity].group]);
        let permit = readers.permit().await;
        let answer = tokio::task::spawn_blocking(move || {
            let answer = readers.with(query);
            drop(permit);
            answer
        });
        let answer = answer
            .await
            .map_err(|error| StorageError(error.to_string()))?;
        answer.map_err(|error| StorageError(error.to_string()))
    }
}

#[async_trait]
impl Storage for Sqlite {
    async fn write(&self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        let Some(first) = writes.first() else {
            return Ok(Vec::new());
        };
        self.writers[&self.model.entities[first.entity].group]
            .write(writes)
            .await
    }

    async fn read(
        &self,
        entity: EntityId,
        ids: &[String],
        at: At,
    ) -> Result<Vec<Option<Arc<Envelope>>>> {
        let ids = ids.to_vec();
        self.query(entity, move |reader| reader.read(entity, &ids, at))
            .await
    }

    async fn find(
        &self,
        entity: EntityId,
        field: &str,
        values: &[String],
        at: At,
    ) -> Result<Vec<Vec<Arc<Envelope>>>> {
        let (field, values) = (field.to_string(), values.to_vec());
        self.query(entity, move |reader| {
            reader.find(entity, &field, &values, at)
        })
        .await
    }

    async fn all(&self, entity: EntityId, at: At) -> Result<Vec<Arc<Envelope>>> {
        self.query(entity, move |reader| reader.all(entity, at))
            .await
    }

    async fn check(&self) -> Result<()> {
        for group in Group::ALL {
            let entity = self
                .model
                .entities
                .iter()
                .find(|e| e.group == group)
                .map_or(0, |e| e.id);
            self.query(entity, move |reader| {
                reader.read(entity, &[String::new()], None)
            })
            .await?;
        }
        Ok(())
    }

    fn events(&self) -> Arc<EventLog> {
        Arc::clone(&self.events)
    }

    async fn close(&self) {
        for writer in self.writers.values() {
            writer.stop();
        }
        self.forwarder.stop();
    }
}
