//! The scaled single-host tier: a MongoDB database for each group, one writer for each, and the event log, which is
//! fed with what was acknowledged.

mod commit;
mod connect;
mod document;
mod feed;
mod plan;
mod reader;
mod writer;

pub use connect::drop_databases;

use super::addresses::Addresses;
use super::events::EventLog;
use super::{At, Durability, Envelope, Outcome, Result, Storage, StorageError, Write};
use crate::entity::{EntityId, Group, Model};
use async_trait::async_trait;
use commit::Committer;
use feed::Feed;
use mongodb::Database;
use mongodb::bson::doc;
use reader::Reader;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use writer::Writer;

/// Longest wait of a client for its acknowledgement.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Mongo {
    model: Arc<Model>,
    databases: HashMap<Group, Database>,
    writers: HashMap<Group, Writer>,
    reader: Reader,
    events: Arc<EventLog>,
    feed: Feed,
}

impl Mongo {
    /// Connects, makes the indexes, and brings the event log below a folder up to date.
    ///
    /// # Errors
    /// When a database cannot be reached or the log cannot be written.
    pub async fn open(
        model: &Arc<Model>,
        addresses: &Addresses,
        dir: &Path,
        durability: Durability,
    ) -> std::result::Result<Mongo, String> {
        let databases = connect::connect(addresses).await?;
        for group in Group::ALL {
            let entities = model.entities.iter().filter(|e| e.group == group);
            connect::make_indexes(&databases[&group], entities)
                .await
                .map_err(|error| format!("{}: {error}", addresses.describe(group)))?;
        }
        let (log, next_event) =
            feed::catch_up(model, &databases[&Group::Events], &dir.join("event-log"))
                .await
                .map_err(|error| format!("{}: {error}", addresses.describe(Group::Events)))?;
        let events = Arc::new(EventLog::new(Arc::clone(model), Arc::clone(&log), 0));
        let feed = Feed::start(log, Arc::clone(&events))?;
        let writers = Group::ALL.map(|group| {
            let committer = Committer::new(
                Arc::clone(model),
                databases[&group].clone(),
                addresses.describe(group),
                durability,
                (group == Group::Events).then(|| feed.handle(next_event)),
            );
            (group, Writer::start(committer))
        });
        Ok(Mongo {
            model: Arc::clone(model),
            reader: Reader::new(model, &databases),
            databases,
            writers: writers.into(),
            events,
            feed,
        })
    }
}

#[async_trait]
impl Storage for Mongo {
    async fn write(&self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        let Some(first) = writes.first() else {
            return Ok(Vec::new());
        };
        let writer = &self.writers[&self.model.entities[first.entity].group];
        match tokio::time::timeout(PATIENCE, writer.write(writes)).await {
            Ok(answer) => answer,
            Err(_) => Err(StorageError(format!(
                "no acknowledgement in {} s: whether it is stored is unknown",
                PATIENCE.as_secs()
            ))),
        }
    }

    async fn read(
        &self,
        entity: EntityId,
        ids: &[String],
        at: At,
    ) -> Result<Vec<Option<Arc<Envelope>>>> {
        self.reader.read(entity, ids, at).await
    }

    async fn find(
        &self,
        entity: EntityId,
        field: &str,
        values: &[String],
        at: At,
    ) -> Result<Vec<Vec<Arc<Envelope>>>> {
        self.reader.find(entity, field, values, at).await
    }

    async fn all(&self, entity: EntityId, at: At) -> Result<Vec<Arc<Envelope>>> {
        self.reader.all(entity, at).await
    }

    async fn check(&self) -> Result<()> {
        let databases: Vec<Database> = self.databases.values().cloned().collect();
        connect::to_the_end(async move {
            for database in databases {
                let pinged = database.run_command(doc! {"ping": 1}).await;
                pinged.map_err(|error| connect::short(&error))?;
            }
            Ok(())
        })
        .await
    }

    fn events(&self) -> Arc<EventLog> {
        Arc::clone(&self.events)
    }

    async fn close(&self) {
        for writer in self.writers.values() {
            writer.stop().await;
        }
        self.feed.stop();
    }
}
