//! The writer of one file: what arrives together is one transaction.

use super::forward::Handle;
use super::schema::NEVER;
use crate::clock::now_ms;
use crate::entity::{EntityId, Group, Model};
use crate::storage::writer::Sink;
use crate::storage::{Envelope, Kind, Outcome, Result, StorageError, Write, next_version};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

pub struct SqliteSink {
    model: Arc<Model>,
    connection: Connection,
    forward: Option<Handle>,
    next_row: i64,
    /// Entities created in this transaction.
    created: u64,
    /// Whether this commit has begun its transaction.
    begun: bool,
}

/// The newest version of an entity, and where it stands.
struct Newest {
    row: i64,
    version: i64,
    envelope: Arc<Envelope>,
}

impl SqliteSink {
    pub fn new(
        model: Arc<Model>,
        group: Group,
        connection: Connection,
        forward: Option<Handle>,
    ) -> rusqlite::Result<SqliteSink> {
        let mut next_row = 1;
        for entity in model.entities.iter().filter(|entity| entity.group == group) {
            let sql = format!("SELECT coalesce(max(_id), 0) + 1 FROM {}", entity.name);
            next_row = next_row.max(connection.query_row(&sql, [], |row| row.get(0))?);
        }
        Ok(SqliteSink {
            model,
            connection,
            forward,
            next_row,
            created: 0,
            begun: false,
        })
    }

    fn prepare_one(&mut self, write: Write) -> rusqlite::Result<Outcome> {
        // A created entity has a fresh id.
        let newest = match write.kind {
            Kind::Create => None,
            Kind::Replace | Kind::Delete => self.newest(write.entity, &write.id)?,
        };
        let current = newest.as_ref().map(|newest| &newest.envelope);
        let version = match next_version(&write, current, now_ms()) {
            Ok(version) => Arc::new(version),
            Err(outcome) => return Ok(outcome),
        };
        self.insert(write.entity, newest.as_ref(), &version)?;
        self.created += u64::from(write.kind == Kind::Create);
        Ok(Outcome::Stored(version))
    }

    fn newest(&self, entity: EntityId, id: &str) -> rusqlite::Result<Option<Newest>> {
        let table = &self.model.entities[entity].name;
        let sql = format!(
            "SELECT _id, version, payload, created_at, deleted, applied FROM {table}
             WHERE id = ?1 AND superseded_at = {NEVER}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let row = statement.query_row(params![id], |row| {
            let payload: String = row.get(2)?;
            Ok(Newest {
                row: row.get(0)?,
                version: row.get(1)?,
                envelope: Arc::new(Envelope {
                    id: id.to_string(),
                    payload: serde_json::from_str(&payload).unwrap_or_default(),
                    created_at: row.get(3)?,
                    deleted: row.get(4)?,
                    applied: row.get::<_, Option<i64>>(5)?.map(|offset| offset as u64),
                }),
            })
        });
        row.optional()
    }

    fn insert(
        &mut self,
        entity: EntityId,
        before: Option<&Newest>,
        version: &Envelope,
    ) -> rusqlite::Result<()> {
        let table = &self.model.entities[entity].name;
        if let Some(before) = before {
            let sql = format!("UPDATE {table} SET superseded_at = ?2 WHERE _id = ?1");
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.execute(params![before.row, version.created_at])?;
        }
        let sql = format!(
            "INSERT INTO {table} (_id, id, payload, created_at, superseded_at, version, deleted, applied)
             VALUES (?1, ?2, ?3, ?4, {NEVER}, ?5, ?6, ?7)"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.execute(params![
            self.next_row,
            version.id,
            serde_json::to_string(&version.payload).expect("a payload is JSON"),
            version.created_at,
            before.map_or(1, |before| before.version + 1),
            version.deleted,
            version.applied.map(|offset| offset as i64),
        ])?;
        self.next_row += 1;
        Ok(())
    }

    /// Begins the transaction of a commit with its first job.
    fn begin(&mut self) -> Result<()> {
        if !self.begun {
            self.connection
                .execute_batch("BEGIN IMMEDIATE")
                .map_err(failed)?;
            self.begun = true;
        }
        self.still_open()
    }

    /// Without room SQLite may undo a transaction by itself, and what comes then would be one of its own.
    fn still_open(&self) -> Result<()> {
        if self.connection.is_autocommit() {
            return Err(StorageError("SQLite has undone the transaction".into()));
        }
        Ok(())
    }

    /// Undoes one job of a transaction that goes on.
    fn savepoint(&mut self, writes: Vec<Write>) -> rusqlite::Result<Vec<Outcome>> {
        self.connection.execute_batch("SAVEPOINT job")?;
        let created = self.created;
        let outcomes: rusqlite::Result<Vec<Outcome>> = writes
            .into_iter()
            .map(|write| self.prepare_one(write))
            .collect();
        if outcomes.is_err() {
            self.created = created;
            self.connection.execute_batch("ROLLBACK TO job")?;
        }
        self.connection.execute_batch("RELEASE job")?;
        outcomes
    }

    fn commit(&mut self) -> Result<()> {
        self.still_open()?;
        if let Some(forward) = &self.forward {
            forward.announce(self.created);
        }
        self.connection.execute_batch("COMMIT").map_err(|error| {
            if let Some(forward) = &self.forward {
                forward.retract(self.created);
            }
            failed(error)
        })
    }
}

fn failed(error: rusqlite::Error) -> StorageError {
    StorageError(error.to_string())
}

impl Sink for SqliteSink {
    fn prepare(&mut self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        self.begin()?;
        self.savepoint(writes).map_err(failed)
    }

    fn persist(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.begun) {
            return Ok(());
        }
        let committed = self.commit();
        if committed.is_err() {
            // It may be undone already.
            let _ = self.connection.execute_batch("ROLLBACK");
            self.created = 0;
        }
        committed
    }

    fn publish(&mut self) {
        if let Some(forward) = self.forward.as_ref().filter(|_| self.created > 0) {
            forward.wake();
        }
        self.created = 0;
    }

    fn acknowledges_early(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema;
    use super::*;
    use crate::storage::{Durability, Payload};
    use tempfile::TempDir;

    fn creation(entity: EntityId, id: &str) -> Vec<Write> {
        vec![Write {
            entity,
            id: id.into(),
            kind: Kind::Create,
            payload: Payload::new(),
            applied: None,
        }]
    }

    #[test]
    fn a_transaction_that_sqlite_has_undone_acknowledges_nothing() {
        let dir = TempDir::new().expect("a folder");
        let model = Arc::new(Model::load().expect("the model"));
        let farm = model.known("farm").id;
        let path = dir.path().join("actors.db");
        let connection = schema::open_for_writing(&model, Group::Actors, &path, Durability::Fsync);
        let connection = connection.expect("a file");
        let sink = SqliteSink::new(Arc::clone(&model), Group::Actors, connection, None);
        let mut sink = sink.expect("a sink");
        let ids = |sink: &SqliteSink| {
            let mut found = sink.connection.prepare("SELECT id FROM farm").expect("SQL");
            let found = found.query_map([], |row| row.get::<_, String>(0));
            found.expect("rows").collect::<rusqlite::Result<Vec<_>>>()
        };
        assert!(sink.prepare(creation(farm, "undone")).is_ok());
        // What SQLite may do by itself when a write finds no room.
        sink.connection.execute_batch("ROLLBACK").expect("undone");
        assert!(sink.prepare(creation(farm, "late")).is_err());
        assert!(sink.persist().is_err(), "the first one is not acknowledged");
        assert_eq!(ids(&sink), Ok(Vec::new()));
        assert!(sink.prepare(creation(farm, "next")).is_ok());
        assert_eq!(sink.persist(), Ok(()));
        assert_eq!(ids(&sink), Ok(vec!["next".to_string()]));
    }
}
