//! The embedded tier: a log per group is the record of everything, an index in memory answers.

use super::events::{EventLog, Record};
use super::memory::Table;
use super::writer::{Sink, Writer};
use super::{
    At, Durability, Envelope, Kind, Outcome, Result, Storage, StorageError, Write, next_version,
};
use crate::clock::now_ms;
use crate::entity::{EntityId, Group, Model};
use crate::log::{AppendError, Entry, Log};
use async_trait::async_trait;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, RwLock, RwLockReadGuard};

type Tables = Arc<Vec<RwLock<Table>>>;

pub struct Embedded {
    model: Arc<Model>,
    tables: Tables,
    writers: HashMap<Group, Writer>,
    logs: Vec<Arc<Log>>,
    events: Arc<EventLog>,
}

impl Embedded {
    /// Opens the logs below a folder and rebuilds the index from them.
    ///
    /// # Errors
    /// When a log cannot be read or written.
    pub fn open(
        model: &Arc<Model>,
        dir: &Path,
        durability: Durability,
    ) -> std::result::Result<Embedded, String> {
        let tables: Tables = Arc::new(
            model
                .entities
                .iter()
                .map(|e| RwLock::new(Table::new(&e.filter_fields())))
                .collect(),
        );
        let mut logs = HashMap::new();
        for group in Group::ALL {
            let log = Log::open(&dir.join(group.name()), group.name(), |_, value| {
                restore(model, &tables, value)
            })?;
            logs.insert(group, Arc::new(log));
        }
        let events = EventLog::new(Arc::clone(model), Arc::clone(&logs[&Group::Events]), 0);
        let events = Arc::new(events);
        let mut writers = HashMap::new();
        let all: Vec<Arc<Log>> = logs.values().cloned().collect();
        for (group, log) in logs {
            let sink = LogSink {
                model: Arc::clone(model),
                tables: Arc::clone(&tables),
                log,
                events: (group == Group::Events).then(|| Arc::clone(&events)),
                early: durability == Durability::Queued,
                entries: Vec::new(),
                versions: Vec::new(),
                newest: HashMap::new(),
            };
            writers.insert(group, Writer::start(group.name(), sink)?);
        }
        Ok(Embedded {
            model: Arc::clone(model),
            tables,
            writers,
            logs: all,
            events,
        })
    }

    fn table(&self, entity: EntityId) -> RwLockReadGuard<'_, Table> {
        self.tables[entity].read().expect("no panic under the lock")
    }
}

fn restore(model: &Model, tables: &Tables, value: &str) -> std::result::Result<(), String> {
    let record: Record = serde_json::from_str(value).map_err(|error| error.to_string())?;
    let entity = model
        .entity(&record.entity)
        .ok_or_else(|| format!("no entity \"{}\"", record.entity))?;
    let mut table = tables[entity.id].write().expect("no panic under the lock");
    table.insert(Arc::new(record.envelope()));
    Ok(())
}

#[async_trait]
impl Storage for Embedded {
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
        let table = self.table(entity);
        Ok(ids.iter().map(|id| table.read(id, at)).collect())
    }

    async fn find(
        &self,
        entity: EntityId,
        field: &str,
        values: &[String],
        at: At,
    ) -> Result<Vec<Vec<Arc<Envelope>>>> {
        let table = self.table(entity);
        Ok(values
            .iter()
            .map(|value| table.find(field, value, at))
            .collect())
    }

    async fn all(&self, entity: EntityId, at: At) -> Result<Vec<Arc<Envelope>>> {
        Ok(self.table(entity).all(at))
    }

    async fn check(&self) -> Result<()> {
        let broken = |error: AppendError| StorageError(error.to_string());
        self.logs
            .iter()
            .try_for_each(|log| log.check().map_err(broken))
    }

    fn events(&self) -> Arc<EventLog> {
        Arc::clone(&self.events)
    }

    async fn close(&self) {
        for writer in self.writers.values() {
            writer.stop();
        }
    }
}

/// Writes one group: the log first, then the index, or the other way round.
struct LogSink {
    model: Arc<Model>,
    tables: Tables,
    log: Arc<Log>,
    events: Option<Arc<EventLog>>,
    early: bool,
    entries: Vec<Entry>,
    versions: Vec<(EntityId, Arc<Envelope>)>,
    /// What this commit has prepared, before the index knows it.
    newest: HashMap<(EntityId, String), Arc<Envelope>>,
}

impl LogSink {
    fn newest(&self, entity: EntityId, id: &str) -> Option<Arc<Envelope>> {
        let prepared = self.newest.get(&(entity, id.to_string())).cloned();
        let stored = || {
            self.tables[entity]
                .read()
                .expect("no panic under the lock")
                .newest(id)
                .cloned()
        };
        prepared.or_else(stored)
    }

    fn prepare_one(&mut self, write: Write) -> Outcome {
        // A created entity has a fresh id.
        let current = match write.kind {
            Kind::Create => None,
            Kind::Replace | Kind::Delete => self.newest(write.entity, &write.id),
        };
        let version = match next_version(&write, current.as_ref(), now_ms()) {
            Ok(version) => Arc::new(version),
            Err(outcome) => return outcome,
        };
        let record = Record {
            entity: self.model.entities[write.entity].name.clone(),
            id: write.id.clone(),
            kind: write.kind,
            created_at: version.created_at,
            applied: version.applied,
            row: None,
            payload: write.payload,
        };
        self.entries.push(record.entry());
        self.versions.push((write.entity, Arc::clone(&version)));
        self.newest
            .insert((write.entity, write.id), Arc::clone(&version));
        Outcome::Stored(version)
    }
}

impl Sink for LogSink {
    fn prepare(&mut self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        Ok(writes
            .into_iter()
            .map(|write| self.prepare_one(write))
            .collect())
    }

    fn persist(&mut self) -> Result<()> {
        let entries = std::mem::take(&mut self.entries);
        if entries.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.log.append(entries) {
            if self.early {
                // Readers see what was acknowledged and is lost; a restart has what the log has.
                eprintln!("meshql-server: acknowledged writes are lost: {error}");
                std::process::exit(1);
            }
            self.versions.clear();
            self.newest.clear();
            return Err(StorageError(format!("the log cannot be written: {error}")));
        }
        if let Some(events) = &self.events {
            events.appended();
        }
        Ok(())
    }

    fn publish(&mut self) {
        if let Some(events) = &self.events {
            events.announce(self.versions.len() as u64);
        }
        for (entity, version) in self.versions.drain(..) {
            self.tables[entity]
                .write()
                .expect("no panic under the lock")
                .insert(version);
        }
        self.newest.clear();
    }

    fn acknowledges_early(&self) -> bool {
        self.early
    }
}
