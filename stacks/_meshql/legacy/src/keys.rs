//! Which entity each legacy row became.

use crate::table::{Key, Table};
use std::collections::{BTreeMap, HashMap};

/// An entity that a legacy row became.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub id: String,
    /// Of a hen: the id of its coop.
    pub coop: Option<String>,
}

/// Kept in memory; after a restart it is asked of the API again.
#[derive(Debug, Default)]
pub struct Keys(HashMap<Table, BTreeMap<Key, Known>>);

impl Keys {
    pub fn get(&self, table: Table, key: &[String]) -> Option<&Known> {
        self.0.get(&table)?.get(key)
    }

    pub fn insert(&mut self, table: Table, key: Key, known: Known) {
        self.0.entry(table).or_default().insert(key, known);
    }

    pub fn remove(&mut self, table: Table, key: &[String]) {
        if let Some(rows) = self.0.get_mut(&table) {
            rows.remove(key);
        }
    }

    /// Replaces all that is known of a table.
    pub fn replace(&mut self, table: Table, rows: BTreeMap<Key, Known>) {
        self.0.insert(table, rows);
    }

    /// The one with the smallest key: the same one each time, as long as it is there.
    pub fn first(&self, table: Table) -> Option<&Known> {
        self.0.get(&table)?.values().next()
    }

    pub fn count(&self, table: Table) -> usize {
        self.0.get(&table).map_or(0, BTreeMap::len)
    }
}
