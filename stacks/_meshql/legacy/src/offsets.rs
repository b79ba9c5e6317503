//! How far each topic is done, on the disk.
//!
//! Not synced, and a damaged file counts as none: an older position costs a redelivery.

use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Everything before `next` is done, but for the records that wait.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Position {
    pub next: i64,
    pub waiting: BTreeSet<i64>,
}

impl Position {
    /// Where to read from.
    pub fn start(&self) -> i64 {
        self.waiting
            .first()
            .map_or(self.next, |first| self.next.min(*first))
    }

    pub fn is_done(&self, offset: i64) -> bool {
        offset < self.next && !self.waiting.contains(&offset)
    }
}

pub struct Offsets {
    file: PathBuf,
    saved: HashMap<Table, Position>,
}

impl Offsets {
    /// # Errors
    /// When the folder cannot be made, or the file not be read.
    pub fn open(dir: &Path) -> Result<Offsets, String> {
        let file = dir.join("offsets.json");
        let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        fs::create_dir_all(dir).map_err(|error| fail(&error))?;
        let mut named: BTreeMap<String, Position> = match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).unwrap_or_default(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(fail(&error)),
        };
        let saved = Table::ALL.iter();
        let saved = saved.filter_map(|table| Some((*table, named.remove(table.name())?)));
        Ok(Offsets {
            saved: saved.collect(),
            file,
        })
    }

    pub fn of(&self, table: Table) -> Position {
        self.saved.get(&table).cloned().unwrap_or_default()
    }

    /// # Errors
    /// When the file cannot be written; the old one stays.
    pub fn save(&mut self, positions: HashMap<Table, Position>) -> Result<(), String> {
        if positions == self.saved {
            return Ok(());
        }
        let named: BTreeMap<&str, &Position> = positions
            .iter()
            .map(|(table, position)| (table.name(), position))
            .collect();
        let text = serde_json::to_string(&named).expect("a map is JSON");
        let part = self.file.with_extension("part");
        let written = fs::write(&part, text).and_then(|()| fs::rename(&part, &self.file));
        written.map_err(|error| format!("{}: {error}", self.file.display()))?;
        self.saved = positions;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_is_there_again() {
        let dir = tempfile::TempDir::new().expect("a folder");
        let mut offsets = Offsets::open(dir.path()).expect("opened");
        assert_eq!(offsets.of(Table::Farm), Position::default());
        let position = Position {
            next: 7,
            waiting: BTreeSet::from([3]),
        };
        offsets
            .save(HashMap::from([(Table::Farm, position.clone())]))
            .expect("saved");
        let again = Offsets::open(dir.path()).expect("opened");
        assert_eq!(
            (again.of(Table::Farm), again.of(Table::Equi)),
            (position, Position::default())
        );
    }

    #[test]
    fn only_what_waits_is_taken_again() {
        let position = Position {
            next: 7,
            waiting: BTreeSet::from([3, 5]),
        };
        assert_eq!(position.start(), 3);
        let taken: Vec<i64> = (3..9).filter(|offset| !position.is_done(*offset)).collect();
        assert_eq!(taken, [3, 5, 7, 8]);
        assert_eq!(
            Position {
                next: 7,
                waiting: BTreeSet::new()
            }
            .start(),
            7
        );
    }

    #[test]
    fn a_damaged_file_counts_as_none() {
        let dir = tempfile::TempDir::new().expect("a folder");
        fs::write(dir.path().join("offsets.json"), "{\"zfarm_mstr\": {").expect("written");
        let offsets = Offsets::open(dir.path()).expect("opened");
        assert_eq!(offsets.of(Table::Farm), Position::default());
    }
}
