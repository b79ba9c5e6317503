//! How many storage queries a GraphQL query costs: the batching is the point of this module.

use super::schemas;
use crate::entity::{EntityId, Model};
use crate::storage::embedded::Embedded;
use crate::storage::events::EventLog;
use crate::storage::{At, Durability, Envelope, Kind, Outcome, Result, Storage, Write};
use async_trait::async_trait;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A real storage that notes its queries.
struct Counting {
    inner: Embedded,
    queries: Mutex<Vec<String>>,
}

impl Counting {
    fn note(&self, what: &str, entity: EntityId, keys: usize) {
        let mut queries = self.queries.lock().expect("a lock");
        queries.push(format!(
            "{what} {} × {keys}",
            Model::load().expect("the model").entities[entity].name
        ));
    }
}

#[async_trait]
impl Storage for Counting {
    async fn write(&self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        self.inner.write(writes).await
    }

    async fn read(
        &self,
        entity: EntityId,
        ids: &[String],
        at: At,
    ) -> Result<Vec<Option<Arc<Envelope>>>> {
        self.note("read", entity, ids.len());
        self.inner.read(entity, ids, at).await
    }

    async fn find(
        &self,
        entity: EntityId,
        field: &str,
        values: &[String],
        at: At,
    ) -> Result<Vec<Vec<Arc<Envelope>>>> {
        self.note(&format!("find {field} of"), entity, values.len());
        self.inner.find(entity, field, values, at).await
    }

    async fn all(&self, entity: EntityId, at: At) -> Result<Vec<Arc<Envelope>>> {
        self.note("all", entity, 0);
        self.inner.all(entity, at).await
    }

    async fn check(&self) -> Result<()> {
        self.inner.check().await
    }

    fn events(&self) -> Arc<EventLog> {
        self.inner.events()
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}

/// 3 farms with 4 coops each, with 5 hens each.
async fn populate(model: &Model, storage: &Counting) {
    let create = async |entity: &str, id: String, payload: serde_json::Value| {
        let payload = payload.as_object().expect("an object").clone();
        let entity = model.known(entity).id;
        let write = Write {
            entity,
            id,
            kind: Kind::Create,
            payload,
            applied: None,
        };
        storage.write(vec![write]).await.expect("written");
    };
    for f in 0..3 {
        let farm = format!("farm{f}");
        create(
            "farm",
            farm.clone(),
            json!({"name": farm, "farm_type": "megafarm", "zone": "z"}),
        )
        .await;
        for c in 0..4 {
            let coop = format!("{farm}coop{c}");
            create(
                "coop",
                coop.clone(),
                json!({"name": coop, "farm_id": farm, "capacity": 5}),
            )
            .await;
            for h in 0..5 {
                let hen = format!("{coop}hen{h}");
                create(
                    "hen",
                    hen.clone(),
                    json!({"name": hen, "coop_id": coop, "breed": "b"}),
                )
                .await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_storage_query_for_each_level_and_relation() {
    let dir = TempDir::new().expect("a folder");
    let model = Arc::new(Model::load().expect("the model"));
    let inner = Embedded::open(&model, dir.path(), Durability::Fsync).expect("a storage");
    let counting = Arc::new(Counting {
        inner,
        queries: Mutex::default(),
    });
    populate(&model, &counting).await;
    let storage: Arc<dyn Storage> = counting.clone();
    let schemas = schemas(&model, &storage).expect("schemas");
    for (entity, query, expected) in [
        (
            "farm",
            "{ getById(id: \"farm1\") { coops { name } } }",
            vec!["find farm_id of coop × 1", "read farm × 1"],
        ),
        (
            "farm",
            "{ getAll { coops { hens { name } } farmOutput { id } } }",
            vec![
                "all farm × 0",
                "find coop_id of hen × 12",
                "find farm_id of coop × 3",
                "find farm_id of farm_output × 3",
            ],
        ),
        // Sixty hens live in twelve coops: each coop is read once.
        (
            "hen",
            "{ getAll { coop { name } } }",
            vec!["all hen × 0", "read coop × 12"],
        ),
        // A relation under two names is still one.
        (
            "farm",
            "{ getAll { a: coops { id } b: coops { hens { id } } ... on Farm { coops { name } } } }",
            vec![
                "all farm × 0",
                "find coop_id of hen × 12",
                "find farm_id of coop × 3",
            ],
        ),
        // No parents: nothing to ask.
        (
            "farm",
            "{ getByZone(zone: \"none\") { coops { hens { id } } } }",
            vec!["find zone of farm × 1"],
        ),
    ] {
        counting.queries.lock().expect("a lock").clear();
        let answer = schemas[model.known(entity).id]
            .execute(super::request(query.to_string()).expect("not too much"))
            .await;
        assert!(answer.errors.is_empty(), "{:?}", answer.errors);
        let mut queries = counting.queries.lock().expect("a lock").clone();
        queries.sort();
        assert_eq!(queries, expected, "{query}");
    }
}
