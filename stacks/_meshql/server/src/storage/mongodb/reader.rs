//! Reads: one query each, whatever the number of ids or values.

use super::connect::{POOL, short, to_the_end};
use super::document::{FIELD_CREATED, FIELD_ID, FIELD_SUPERSEDED, NEVER, Stored, time};
use crate::entity::{EntityId, Group, Model};
use crate::storage::{At, Envelope, Result};
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::{Collection, Database};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Documents of one answer: a query is one round trip unless its answer is larger than 16 MB.
const BATCH: u32 = 100_000;

/// Queries under way at a time, fewer than there are connections: the writers need some, too.
const QUERIES: usize = POOL as usize - 4;

pub struct Reader {
    collections: Vec<Collection<RawDocumentBuf>>,
    places: Arc<Semaphore>,
}

impl Reader {
    pub fn new(model: &Model, databases: &HashMap<Group, Database>) -> Reader {
        let collections = model
            .entities
            .iter()
            .map(|entity| databases[&entity.group].collection(&entity.name));
        Reader {
            collections: collections.collect(),
            places: Arc::new(Semaphore::new(QUERIES)),
        }
    }

    /// # Errors
    /// What the driver says.
    pub async fn read(
        &self,
        entity: EntityId,
        ids: &[String],
        at: At,
    ) -> Result<Vec<Option<Arc<Envelope>>>> {
        let filter = match at {
            None => doc! {"_id": one_of(ids)},
            Some(time) => {
                let mut filter = valid(Some(time));
                filter.insert(FIELD_ID, one_of(ids));
                filter
            }
        };
        let found = self.query(entity, filter).await?;
        let by_id: HashMap<&str, &Arc<Envelope>> = found
            .iter()
            .map(|version| (version.id.as_str(), version))
            .collect();
        Ok(ids
            .iter()
            .map(|id| by_id.get(id.as_str()).map(|&v| Arc::clone(v)))
            .collect())
    }

    /// # Errors
    /// What the driver says.
    pub async fn find(
        &self,
        entity: EntityId,
        field: &str,
        values: &[String],
        at: At,
    ) -> Result<Vec<Vec<Arc<Envelope>>>> {
        let mut filter = valid(at);
        filter.insert(format!("payload.{field}"), one_of(values));
        let mut by_value: HashMap<String, Vec<Arc<Envelope>>> = HashMap::new();
        for version in self.query(entity, filter).await? {
            if let Some(value) = version.payload.get(field).and_then(|value| value.as_str()) {
                by_value.entry(value.to_string()).or_default().push(version);
            }
        }
        Ok(values
            .iter()
            .map(|value| by_value.get(value).cloned().unwrap_or_default())
            .collect())
    }

    /// # Errors
    /// What the driver says.
    pub async fn all(&self, entity: EntityId, at: At) -> Result<Vec<Arc<Envelope>>> {
        self.query(entity, valid(at)).await
    }

    /// Living versions, read in a task of its own: a client that leaves drops whatever waits for it, and an
    /// operation of the driver that is dropped half-way may never give its connection back.
    async fn query(&self, entity: EntityId, filter: Document) -> Result<Vec<Arc<Envelope>>> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let collection = self.collections[entity].clone();
        to_the_end(async move {
            let _place = place;
            Reader::living(&collection, filter).await
        })
        .await
    }

    /// While a new version is being stored the one before it may be there twice: it counts once.
    async fn living(
        collection: &Collection<RawDocumentBuf>,
        filter: Document,
    ) -> Result<Vec<Arc<Envelope>>> {
        let find = collection.find(filter).batch_size(BATCH);
        let mut cursor = find.await.map_err(|error| short(&error))?;
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        while cursor.advance().await.map_err(|error| short(&error))? {
            let stored = Stored::read(cursor.current())?;
            if !stored.envelope.deleted && seen.insert(stored.envelope.id.clone()) {
                found.push(stored);
            }
        }
        // Each index has an order of its own; the answer is the same whichever was searched.
        found.sort_by(|a, b| (a.born_at, &a.envelope.id).cmp(&(b.born_at, &b.envelope.id)));
        Ok(found.into_iter().map(|stored| stored.envelope).collect())
    }
}

fn one_of(values: &[String]) -> mongodb::bson::Bson {
    match values {
        [one] => one.as_str().into(),
        many => doc! {"$in": many}.into(),
    }
}

/// The versions that are valid at a time.
fn valid(at: At) -> Document {
    match at {
        None => doc! {FIELD_SUPERSEDED: time(NEVER), "deleted": false},
        Some(at) => doc! {
            FIELD_SUPERSEDED: {"$gt": time(at.min(NEVER - 1))},
            FIELD_CREATED: {"$lte": time(at)},
            "deleted": false,
        },
    }
}
