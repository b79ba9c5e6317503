//! How far each topic is done, on the disk.
//!
//! Not synced, and a damaged file counts as none: an older position costs a redelivery, which changes nothing.

use crate::table::Table;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

pub struct Offsets {
    file: PathBuf,
    saved: HashMap<Table, i64>,
}

impl Offsets {
    /// # Errors
    /// When the folder cannot be made, or the file not be read.
    pub fn open(dir: &Path) -> Result<Offsets, String> {
        let file = dir.join("offsets.json");
        let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        fs::create_dir_all(dir).map_err(|error| fail(&error))?;
        let named: BTreeMap<String, i64> = match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).unwrap_or_default(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(fail(&error)),
        };
        let saved = Table::ALL
            .iter()
            .filter_map(|table| Some((*table, *named.get(table.name())?)));
        Ok(Offsets {
            saved: saved.collect(),
            file,
        })
    }

    /// Offset of the next record that is not done.
    pub fn of(&self, table: Table) -> i64 {
        self.saved.get(&table).copied().unwrap_or(0)
    }

    /// # Errors
    /// When the file cannot be written; the old one stays.
    pub fn save(&mut self, offsets: HashMap<Table, i64>) -> Result<(), String> {
        if offsets == self.saved {
            return Ok(());
        }
        let named: BTreeMap<&str, i64> = offsets
            .iter()
            .map(|(table, at)| (table.name(), *at))
            .collect();
        let text = serde_json::to_string(&named).expect("a map is JSON");
        let part = self.file.with_extension("part");
        let written = fs::write(&part, text).and_then(|()| fs::rename(&part, &self.file));
        written.map_err(|error| format!("{}: {error}", self.file.display()))?;
        self.saved = offsets;
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
        assert_eq!(offsets.of(Table::Farm), 0);
        offsets
            .save(HashMap::from([(Table::Farm, 7)]))
            .expect("saved");
        let again = Offsets::open(dir.path()).expect("opened");
        assert_eq!((again.of(Table::Farm), again.of(Table::Equi)), (7, 0));
    }

    #[test]
    fn a_damaged_file_counts_as_none() {
        let dir = tempfile::TempDir::new().expect("a folder");
        fs::write(dir.path().join("offsets.json"), "{\"zfarm_mstr\": 4").expect("written");
        let offsets = Offsets::open(dir.path()).expect("opened");
        assert_eq!(offsets.of(Table::Farm), 0);
    }
}
