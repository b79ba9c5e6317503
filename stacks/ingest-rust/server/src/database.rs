//! The SQLite file: settings and schema.

use crate::settings::Synchronous;
use rusqlite::{Connection, OpenFlags, ffi};
use std::path::{Path, PathBuf};

const SCHEMA: &str = include_str!("../schema.sql");

pub fn file(data: &Path) -> PathBuf {
    data.join("events.db")
}

/// Each connection is used by one thread at a time, so SQLite's own locks around it are left out.
fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// SQLite keeps statistics of its memory behind a lock that all threads share; nothing here reads them.
/// Has to be called before the first connection.
pub fn configure() {
    // SAFETY: no other thread uses SQLite yet, and the option takes one integer.
    unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0) };
}

/// Keeps every other server off the folder for as long as the connection is there, whichever program it is: two would
/// give out the same numbers. The kernel lets go of it when the process ends, however it does.
pub fn hold(data: &Path) -> Result<Connection, String> {
    let path = data.join("server.lock");
    let open = || {
        let connection = connect(
            &path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )?;
        connection
            .execute_batch("PRAGMA cache_size = -64; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE;")?;
        Ok(connection)
    };
    open().map_err(|error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ffi::ErrorCode::DatabaseBusy) => {
            format!("another server has its data in {}", data.display())
        }
        _ => format!("cannot lock {}: {error}", path.display()),
    })
}

/// The only connection that writes.
pub fn open_writer(path: &Path, synchronous: Synchronous) -> rusqlite::Result<Connection> {
    let connection = connect(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    )?;
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = {synchronous};
         PRAGMA wal_autocheckpoint = 4000;
         PRAGMA cache_size = -8192;
         PRAGMA temp_store = MEMORY;
         PRAGMA busy_timeout = 5000;"
    ))?;
    connection.execute_batch(SCHEMA)?;
    Ok(connection)
}

/// The connection of the checkpoints beside the writer.
pub fn open_checkpointer(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch("PRAGMA cache_size = -64; PRAGMA busy_timeout = 5000;")?;
    Ok(connection)
}

/// One of the connections that read while the writer writes.
pub fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.execute_batch(
        "PRAGMA cache_size = -2048; PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = 5000;",
    )?;
    Ok(connection)
}
