//! What the writes of one commit do, worked out before anything is stored.

use super::document::Stored;
use crate::entity::{Entity, EntityId};
use crate::storage::events::Record;
use crate::storage::{Kind, Outcome, Write, next_version};
use mongodb::bson::Document;
use std::collections::HashMap;
use std::sync::Arc;

pub type Key = (EntityId, String);

/// The documents of one commit, by collection.
#[derive(Default)]
pub struct Plan {
    slots: HashMap<Key, Slot>,
    pub earlier: HashMap<EntityId, Vec<Document>>,
    /// Created events, in order.
    pub records: Vec<Record>,
}

struct Slot {
    newest: Stored,
    /// The database has a version of it.
    known: bool,
    changed: bool,
}

impl Plan {
    /// `newest`: of the entities that are replaced or deleted, where there are any.
    pub fn new(newest: Vec<(EntityId, Stored)>) -> Plan {
        let slot = |newest: Stored| Slot {
            newest,
            known: true,
            changed: false,
        };
        let slots = newest.into_iter().map(|(entity, stored)| {
            let key = (entity, stored.envelope.id.clone());
            (key, slot(stored))
        });
        Plan {
            slots: slots.collect(),
            ..Plan::default()
        }
    }

    /// `next_event`: the sequence of the next event, when the group has any.
    pub fn add(
        &mut self,
        write: Write,
        next_event: Option<&mut i64>,
        entity: &Entity,
        now_ms: i64,
    ) -> Outcome {
        let key = (write.entity, write.id.clone());
        let slot = self.slots.get(&key);
        let current = slot.map(|slot| &slot.newest.envelope);
        let envelope = match next_version(&write, current, now_ms) {
            Ok(version) => Arc::new(version),
            Err(outcome) => return outcome,
        };
        let sequence = next_event
            .filter(|_| write.kind == Kind::Create)
            .map(|next| {
                *next += 1;
                *next - 1
            });
        if let Some(row) = sequence {
            self.records.push(Record {
                entity: entity.name.clone(),
                id: write.id,
                kind: Kind::Create,
                created_at: envelope.created_at,
                applied: None,
                row: Some(row),
                payload: write.payload,
            });
        }
        let outcome = Outcome::Stored(Arc::clone(&envelope));
        self.put(key, envelope, sequence);
        outcome
    }

    fn put(&mut self, key: Key, envelope: Arc<crate::storage::Envelope>, sequence: Option<i64>) {
        let before = self.slots.remove(&key);
        if let Some(before) = &before {
            let document = before.newest.earlier(envelope.created_at);
            self.earlier.entry(key.0).or_default().push(document);
        }
        let slot = Slot {
            newest: Stored {
                version: before.as_ref().map_or(1, |slot| slot.newest.version + 1),
                sequence,
                born_at: before
                    .as_ref()
                    .map_or(envelope.created_at, |slot| slot.newest.born_at),
                envelope,
            },
            known: before.is_some_and(|slot| slot.known),
            changed: true,
        };
        self.slots.insert(key, slot);
    }

    /// The new current versions: of entities that the database does not know, and of those that it does.
    pub fn current(&self) -> [HashMap<EntityId, Vec<Document>>; 2] {
        let mut documents = [HashMap::new(), HashMap::new()];
        let mut changed: Vec<_> = self.slots.iter().filter(|(_, slot)| slot.changed).collect();
        // In the order of the writes, as far as the database keeps one.
        changed.sort_by_key(|(_, slot)| (slot.newest.envelope.created_at, slot.newest.sequence));
        for ((entity, _), slot) in changed {
            let list: &mut Vec<Document> = documents[usize::from(slot.known)]
                .entry(*entity)
                .or_default();
            list.push(slot.newest.current());
        }
        documents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Model;
    use crate::storage::{Envelope, Payload};

    fn write(kind: Kind, id: &str) -> Write {
        Write {
            entity: 0,
            id: id.into(),
            kind,
            payload: Payload::new(),
            applied: None,
        }
    }

    fn known(id: &str) -> (EntityId, Stored) {
        let envelope = Arc::new(Envelope {
            id: id.into(),
            payload: Payload::new(),
            created_at: 100,
            deleted: false,
            applied: None,
        });
        let (version, sequence) = (4, Some(2));
        (
            0,
            Stored {
                version,
                sequence,
                born_at: 100,
                envelope,
            },
        )
    }

    fn ids(documents: &HashMap<EntityId, Vec<Document>>) -> Vec<String> {
        let all = documents.values().flatten();
        all.map(|d| d.get_str("_id").expect("an id").to_string())
            .collect()
    }

    #[test]
    fn a_created_entity_that_is_changed_in_the_same_commit_is_stored_once() {
        let model = Model::load().expect("the model");
        let mut plan = Plan::new(Vec::new());
        for kind in [Kind::Create, Kind::Replace, Kind::Delete] {
            let outcome = plan.add(write(kind, "a"), None, &model.entities[0], 5);
            assert!(matches!(outcome, Outcome::Stored(_)));
        }
        let again = plan.add(write(Kind::Delete, "a"), None, &model.entities[0], 5);
        assert_eq!(again, Outcome::NotFound);
        let [created, replaced] = plan.current();
        assert_eq!((ids(&created), ids(&replaced)), (vec!["a".into()], vec![]));
        assert_eq!(created[&0][0].get_i32("version").ok(), Some(3));
        assert_eq!(ids(&plan.earlier), ["a/1", "a/2"]);
    }

    #[test]
    fn a_replaced_version_stays_with_its_place_among_the_events() {
        let model = Model::load().expect("the model");
        let mut plan = Plan::new(vec![known("a")]);
        let mut next = 7;
        let entity = &model.entities[0];
        plan.add(write(Kind::Replace, "a"), Some(&mut next), entity, 200);
        plan.add(write(Kind::Create, "b"), Some(&mut next), entity, 200);
        assert_eq!(next, 8, "only a creation is an event");
        let rows: Vec<_> = plan
            .records
            .iter()
            .map(|r| (r.id.as_str(), r.row))
            .collect();
        assert_eq!(rows, [("b", Some(7))]);
        let [created, replaced] = plan.current();
        assert_eq!(
            (ids(&created), ids(&replaced)),
            (vec!["b".into()], vec!["a".into()])
        );
        assert_eq!(replaced[&0][0].get("sequence"), None);
        assert_eq!(plan.earlier[&0][0].get_i64("sequence").ok(), Some(2));
        assert_eq!(ids(&plan.earlier), ["a/4"]);
    }

    #[test]
    fn what_is_not_there_is_not_replaced() {
        let model = Model::load().expect("the model");
        let mut plan = Plan::new(Vec::new());
        let outcome = plan.add(write(Kind::Replace, "x"), None, &model.entities[0], 5);
        assert_eq!(outcome, Outcome::NotFound);
        assert!(plan.current().iter().all(HashMap::is_empty));
    }
}
