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
pub struct Keys(HashMap<Table, Rows>);

#[derive(Debug, Default)]
struct Rows {
    there: BTreeMap<Key, Known>,
    /// Deleted ones: nothing keeps a legacy row from referring to them.
    gone: HashMap<Key, Known>,
}

impl Keys {
    /// The entity of a row that is there.
    pub fn get(&self, table: Table, key: &[String]) -> Option<&Known> {
        self.0.get(&table)?.there.get(key)
    }

    /// The entity that a reference leads to, which may have been deleted.
    pub fn referred(&self, table: Table, key: &[String]) -> Option<&Known> {
        let rows = self.0.get(&table)?;
        rows.there.get(key).or_else(|| rows.gone.get(key))
    }

    pub fn insert(&mut self, table: Table, key: Key, known: Known) {
        let rows = self.0.entry(table).or_default();
        rows.gone.remove(&key);
        rows.there.insert(key, known);
    }

    /// `last`: the entity that the row was in the end, where there was one.
    pub fn remove(&mut self, table: Table, key: Key, last: Option<Known>) {
        let rows = self.0.entry(table).or_default();
        rows.there.remove(&key);
        if let Some(last) = last {
            rows.gone.insert(key, last);
        }
    }

    /// Replaces all that is known of a table.
    pub fn replace(&mut self, table: Table, there: BTreeMap<Key, Known>) {
        self.0.insert(
            table,
            Rows {
                there,
                ..Rows::default()
            },
        );
    }

    /// The one with the smallest key: the same one each time, as long as it is there.
    pub fn first(&self, table: Table) -> Option<&Known> {
        self.0.get(&table)?.there.values().next()
    }

    pub fn count(&self, table: Table) -> usize {
        self.0.get(&table).map_or(0, |rows| rows.there.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deleted_row_can_still_be_referred_to() {
        let (mut keys, key) = (Keys::default(), vec!["1000".to_string()]);
        let known = |id: &str| Known {
            id: id.into(),
            coop: None,
        };
        keys.insert(Table::Farm, key.clone(), known("first"));
        keys.remove(Table::Farm, key.clone(), Some(known("first")));
        assert_eq!(
            (keys.get(Table::Farm, &key), keys.count(Table::Farm)),
            (None, 0)
        );
        assert_eq!(keys.referred(Table::Farm, &key), Some(&known("first")));
        assert_eq!(keys.first(Table::Farm), None);
        keys.insert(Table::Farm, key.clone(), known("second"));
        assert_eq!(keys.referred(Table::Farm, &key), Some(&known("second")));
    }
}
