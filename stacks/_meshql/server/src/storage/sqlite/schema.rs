//! The files: a table per entity, a row per version.
//!
//! A version is valid from `created_at` until `superseded_at`, so that a read at any time is one lookup in an index
//! and costs the same however many versions there are.

use crate::entity::{Entity, Group, Model};
use crate::storage::Durability;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// `superseded_at` of a current version.
pub const NEVER: i64 = i64::MAX;

/// # Errors
/// What SQLite says.
pub fn open_for_writing(
    model: &Model,
    group: Group,
    path: &Path,
    durability: Durability,
) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = if durability == Durability::Fsync {
        "FULL"
    } else {
        "NORMAL"
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    configure(&connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    for entity in model.entities.iter().filter(|entity| entity.group == group) {
        connection.execute_batch(&ddl(entity))?;
    }
    Ok(connection)
}

/// # Errors
/// What SQLite says.
pub fn open_for_reading(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.pragma_update(None, "mmap_size", 256 * 1024 * 1024)?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// `_id` counts over all tables of a file: it is the order of the writes. `version` counts from 1 for each entity.
fn ddl(entity: &Entity) -> String {
    let table = &entity.name;
    let mut ddl = format!(
        "CREATE TABLE IF NOT EXISTS {table} (
           _id INTEGER PRIMARY KEY,
           id TEXT NOT NULL,
           payload TEXT NOT NULL,
           created_at INTEGER NOT NULL,
           superseded_at INTEGER NOT NULL,
           version INTEGER NOT NULL,
           deleted INTEGER NOT NULL,
           applied INTEGER,
           authorized_tokens TEXT NOT NULL DEFAULT '[]'
         );
         CREATE INDEX IF NOT EXISTS {table}_id ON {table} (id, superseded_at);
         CREATE INDEX IF NOT EXISTS {table}_current ON {table} (superseded_at);"
    );
    for field in entity.filter_fields() {
        let expression = expression(field);
        ddl += &format!(
            "CREATE INDEX IF NOT EXISTS {table}_{field} ON {table} ({expression}, superseded_at);"
        );
    }
    ddl
}

/// A payload field in SQL, as its index has it.
pub fn expression(field: &str) -> String {
    format!("json_extract(payload, '$.{field}')")
}
