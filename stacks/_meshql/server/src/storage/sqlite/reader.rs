//! Connections that only read.

use super::schema::{NEVER, expression, open_for_reading};
use crate::entity::{EntityId, Model};
use crate::storage::{At, Envelope};
use rusqlite::{Connection, Result, Row, params};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Readers of one file: more than there are cores only wait for each other.
const CONNECTIONS: usize = 4;

/// The pool of one file. Connections open when they are first needed.
pub struct Readers {
    model: Arc<Model>,
    path: PathBuf,
    idle: Mutex<Vec<Reader>>,
    permits: Arc<Semaphore>,
}

pub struct Reader {
    model: Arc<Model>,
    connection: Connection,
}

impl Readers {
    pub fn new(model: Arc<Model>, path: PathBuf) -> Readers {
        let permits = Arc::new(Semaphore::new(CONNECTIONS));
        Readers {
            model,
            path,
            idle: Mutex::new(Vec::new()),
            permits,
        }
    }

    /// The right to use a connection.
    pub async fn permit(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.permits)
            .acquire_owned()
            .await
            .expect("never closed")
    }

    /// Lends a connection.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn with<T>(&self, query: impl FnOnce(&mut Reader) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().expect("no panic under the lock").pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => Reader {
                model: Arc::clone(&self.model),
                connection: open_for_reading(&self.path)?,
            },
        };
        let answer = query(&mut reader);
        self.idle
            .lock()
            .expect("no panic under the lock")
            .push(reader);
        answer
    }
}

/// `?1` is the time; `{more}` narrows the rows.
fn select(table: &str, key: &str, more: &str) -> String {
    format!(
        "SELECT id, payload, created_at, applied, {key} FROM {table}
         WHERE superseded_at > ?1 AND created_at <= ?1 AND deleted = 0 {more}"
    )
}

/// "Now" is a moment before the end of time: only current versions are valid then.
fn moment(at: At) -> i64 {
    at.map_or(NEVER - 1, |at| at.min(NEVER - 1))
}

impl Reader {
    pub fn read(
        &mut self,
        entity: EntityId,
        ids: &[String],
        at: At,
    ) -> Result<Vec<Option<Arc<Envelope>>>> {
        let sql = select(&self.model.entities[entity].name, "NULL", "AND id = ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = Vec::with_capacity(ids.len());
        // One transaction for all ids, so that they are read from one snapshot.
        let snapshot = self.connection.unchecked_transaction()?;
        for id in ids {
            let mut rows = statement.query(params![moment(at), id])?;
            found.push(rows.next()?.map(envelope).transpose()?);
        }
        snapshot.finish()?;
        Ok(found)
    }

    pub fn find(
        &mut self,
        entity: EntityId,
        field: &str,
        values: &[String],
        at: At,
    ) -> Result<Vec<Vec<Arc<Envelope>>>> {
        let key = expression(field);
        let more = format!("AND {key} IN (SELECT value FROM json_each(?2)) ORDER BY _id");
        let sql = select(&self.model.entities[entity].name, &key, &more);
        let places: HashMap<&str, usize> = values
            .iter()
            .enumerate()
            .map(|(place, value)| (value.as_str(), place))
            .collect();
        let wanted = serde_json::to_string(values).expect("strings are JSON");
        let mut found = vec![Vec::new(); values.len()];
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![moment(at), wanted])?;
        while let Some(row) = rows.next()? {
            if let Some(&place) = places.get(row.get_ref(4)?.as_str()?) {
                found[place].push(envelope(row)?);
            }
        }
        // A value that was asked for twice is answered twice.
        for (place, value) in values.iter().enumerate() {
            if places[value.as_str()] != place {
                found[place] = found[places[value.as_str()]].clone();
            }
        }
        Ok(found)
    }

    pub fn all(&mut self, entity: EntityId, at: At) -> Result<Vec<Arc<Envelope>>> {
        let sql = select(&self.model.entities[entity].name, "NULL", "ORDER BY _id");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_and_then(params![moment(at)], envelope)?;
        rows.collect()
    }
}

fn envelope(row: &Row) -> Result<Arc<Envelope>> {
    let payload = serde_json::from_str(row.get_ref(1)?.as_str()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(Arc::new(Envelope {
        id: row.get(0)?,
        payload,
        created_at: row.get(2)?,
        deleted: false,
        applied: row.get::<_, Option<i64>>(3)?.map(|offset| offset as u64),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Group;
    use crate::storage::Durability;
    use crate::storage::sqlite::schema::open_for_writing;

    /// Reads search an index; only "all" may walk through one.
    #[test]
    fn every_filter_uses_its_index() {
        let model = Arc::new(Model::load().expect("the model"));
        let dir = tempfile::TempDir::new().expect("a folder");
        for group in Group::ALL {
            let path = dir.path().join(group.name());
            let connection =
                open_for_writing(&model, group, &path, Durability::Fsync).expect("a file");
            for entity in model.entities.iter().filter(|e| e.group == group) {
                let table = &entity.name;
                let by_id = plan(&connection, &select(table, "NULL", "AND id = 'x'"));
                assert!(
                    by_id.contains(&format!("USING INDEX {table}_id (id=?")),
                    "{by_id}"
                );
                for field in entity.filter_fields() {
                    let key = expression(field);
                    let more =
                        format!("AND {key} IN (SELECT value FROM json_each('[]')) ORDER BY _id");
                    let by_field = plan(&connection, &select(table, &key, &more));
                    assert!(
                        by_field.contains(&format!("USING INDEX {table}_{field} (<expr>=?")),
                        "{by_field}"
                    );
                }
            }
        }
    }

    fn plan(connection: &Connection, sql: &str) -> String {
        let mut statement = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .expect("SQL");
        let lines = statement
            .query_map(params![1], |row| row.get::<_, String>(3))
            .expect("a plan");
        lines
            .collect::<Result<Vec<_>>>()
            .expect("a plan")
            .join("; ")
    }
}
