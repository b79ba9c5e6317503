//! All versions of one entity type in memory, indexed by id and by each filtered field.
//!
//! A read costs what it returns: no scan, except for "all".

use super::{At, Envelope};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Position of an entity in order of creation.
type Slot = u32;

#[derive(Default)]
pub struct Table {
    /// Versions of each entity, oldest first.
    versions: Vec<Vec<Arc<Envelope>>>,
    slots: HashMap<String, Slot>,
    living: BTreeSet<Slot>,
    fields: HashMap<String, FieldIndex>,
}

/// Value to entities.
#[derive(Default)]
struct FieldIndex {
    /// Living entities by the value of their current version.
    current: HashMap<String, BTreeSet<Slot>>,
    /// Entities that had the value once and have it no more: only questions about the past need them.
    past: HashMap<String, BTreeSet<Slot>>,
}

impl Table {
    pub fn new(fields: &[&str]) -> Table {
        let fields = fields
            .iter()
            .map(|name| (name.to_string(), FieldIndex::default()));
        Table {
            fields: fields.collect(),
            ..Table::default()
        }
    }

    /// The newest version, be it a tombstone.
    pub fn newest(&self, id: &str) -> Option<&Arc<Envelope>> {
        self.slots
            .get(id)
            .and_then(|&slot| self.versions[slot as usize].last())
    }

    pub fn insert(&mut self, version: Arc<Envelope>) {
        let slot = match self.slots.get(&version.id) {
            Some(&slot) => slot,
            None => {
                let slot = self.versions.len() as Slot;
                self.slots.insert(version.id.clone(), slot);
                self.versions.push(Vec::new());
                slot
            }
        };
        let before = self.versions[slot as usize].last();
        for (name, index) in &mut self.fields {
            index.replace(
                slot,
                before.and_then(|v| value(v, name)),
                value(&version, name),
            );
        }
        if version.deleted {
            self.living.remove(&slot);
        } else {
            self.living.insert(slot);
        }
        self.versions[slot as usize].push(version);
    }

    pub fn read(&self, id: &str, at: At) -> Option<Arc<Envelope>> {
        self.slots
            .get(id)
            .and_then(|&slot| self.version(slot, at))
            .cloned()
    }

    /// # Panics
    /// When no query filters on the field.
    pub fn find(&self, field: &str, wanted: &str, at: At) -> Vec<Arc<Envelope>> {
        let index = &self.fields[field];
        let mut slots: Vec<Slot> = index
            .current
            .get(wanted)
            .into_iter()
            .flatten()
            .copied()
            .collect();
        if at.is_some() {
            slots.extend(index.past.get(wanted).into_iter().flatten());
            slots.sort_unstable();
        }
        slots
            .into_iter()
            .filter_map(|slot| self.version(slot, at))
            .filter(|version| value(version, field) == Some(wanted))
            .cloned()
            .collect()
    }

    pub fn all(&self, at: At) -> Vec<Arc<Envelope>> {
        match at {
            None => self
                .living
                .iter()
                .filter_map(|&slot| self.version(slot, at))
                .cloned()
                .collect(),
            Some(_) => {
                let slots = 0..self.versions.len() as Slot;
                slots
                    .filter_map(|slot| self.version(slot, at))
                    .cloned()
                    .collect()
            }
        }
    }

    /// The newest version not after `at`, unless it is a tombstone.
    fn version(&self, slot: Slot, at: At) -> Option<&Arc<Envelope>> {
        let versions = &self.versions[slot as usize];
        let count = match at {
            None => versions.len(),
            Some(time) => versions.partition_point(|version| version.created_at <= time),
        };
        let version = versions.get(count.checked_sub(1)?)?;
        (!version.deleted).then_some(version)
    }
}

impl FieldIndex {
    fn replace(&mut self, slot: Slot, before: Option<&str>, after: Option<&str>) {
        if before == after {
            return;
        }
        if let Some(old) = before {
            if let Some(slots) = self.current.get_mut(old) {
                slots.remove(&slot);
            }
            self.past.entry(old.to_string()).or_default().insert(slot);
        }
        if let Some(new) = after {
            if let Some(slots) = self.past.get_mut(new) {
                slots.remove(&slot);
            }
            self.current
                .entry(new.to_string())
                .or_default()
                .insert(slot);
        }
    }
}

fn value<'a>(version: &'a Envelope, field: &str) -> Option<&'a str> {
    if version.deleted {
        return None;
    }
    version.payload.get(field).and_then(|value| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn version(id: &str, coop: &str, created_at: i64) -> Arc<Envelope> {
        let payload = json!({"coop_id": coop})
            .as_object()
            .expect("an object")
            .clone();
        Arc::new(Envelope {
            id: id.into(),
            payload,
            created_at,
            deleted: false,
            applied: None,
        })
    }

    fn tombstone(id: &str, created_at: i64) -> Arc<Envelope> {
        let payload = Default::default();
        Arc::new(Envelope {
            id: id.into(),
            payload,
            created_at,
            deleted: true,
            applied: None,
        })
    }

    fn ids(found: Vec<Arc<Envelope>>) -> Vec<String> {
        found.iter().map(|version| version.id.clone()).collect()
    }

    /// Hen "a" moves from coop x to y at 20, back at 30, and is deleted at 40; hen "b" stays in x.
    fn hens() -> Table {
        let mut table = Table::new(&["coop_id"]);
        table.insert(version("a", "x", 10));
        table.insert(version("b", "x", 10));
        table.insert(version("a", "y", 20));
        table.insert(version("a", "x", 30));
        table.insert(tombstone("a", 40));
        table
    }

    #[test]
    fn finds_by_field_now_and_then() {
        let table = hens();
        assert_eq!(ids(table.find("coop_id", "x", Some(15))), ["a", "b"]);
        assert_eq!(ids(table.find("coop_id", "x", Some(20))), ["b"]);
        assert_eq!(ids(table.find("coop_id", "y", Some(29))), ["a"]);
        assert_eq!(ids(table.find("coop_id", "x", None)), ["b"]);
        assert_eq!(ids(table.find("coop_id", "y", None)), [""; 0]);
        assert_eq!(ids(table.find("coop_id", "x", Some(9))), [""; 0]);
    }

    #[test]
    fn reads_by_id_now_and_then() {
        let table = hens();
        assert_eq!(table.read("a", None), None);
        assert_eq!(
            table.read("a", Some(39)).expect("a version").payload["coop_id"],
            "x"
        );
        assert_eq!(table.read("a", Some(9)), None);
        assert_eq!(table.read("z", None), None);
    }

    #[test]
    fn of_two_versions_in_one_millisecond_the_later_one_counts() {
        let mut table = Table::new(&["coop_id"]);
        table.insert(version("a", "x", 10));
        table.insert(version("a", "y", 10));
        assert_eq!(
            table.read("a", Some(10)).expect("a version").payload["coop_id"],
            "y"
        );
        assert_eq!(ids(table.find("coop_id", "x", Some(10))), [""; 0]);
    }

    #[test]
    fn all_leaves_out_the_deleted_and_the_unborn() {
        let table = hens();
        assert_eq!(ids(table.all(None)), ["b"]);
        assert_eq!(ids(table.all(Some(35))), ["a", "b"]);
        assert_eq!(ids(table.all(Some(5))), [""; 0]);
    }
}
