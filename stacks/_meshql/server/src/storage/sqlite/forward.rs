//! Carries created events from the file of the events to the event log, in the order of their rows.
//!
//! The log knows the last row that it holds, so that nothing is carried twice or left out after a crash.

use super::schema::open_for_reading;
use crate::entity::{Entity, Group, Model};
use crate::log::{AppendError, Log};
use crate::storage::Kind;
use crate::storage::events::{EventLog, RETRY, Record, give_up_if_broken};
use rusqlite::{Connection, params};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Rows carried at once.
const BATCH: usize = 256;

pub struct Forwarder {
    events: Arc<EventLog>,
    wake: Mutex<Option<SyncSender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the writer of the events holds.
pub struct Handle {
    events: Arc<EventLog>,
    wake: SyncSender<()>,
}

impl Handle {
    pub fn announce(&self, count: u64) {
        self.events.announce(count);
    }

    pub fn retract(&self, count: u64) {
        self.events.retract(count);
    }

    pub fn wake(&self) {
        match self.wake.try_send(()) {
            // Full: it is awake already. Disconnected: it has stopped.
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
        }
    }
}

impl Forwarder {
    /// # Errors
    /// When the log or the file cannot be opened.
    pub fn start(model: &Arc<Model>, log_dir: &Path, database: &Path) -> Result<Forwarder, String> {
        let mut last = 0;
        let log = Log::open(log_dir, "events", |_, value| {
            let record: Record = serde_json::from_str(value).map_err(|error| error.to_string())?;
            last = record.row.ok_or("no row")?;
            Ok(())
        })?;
        let log = Arc::new(log);
        let connection = open_for_reading(database).map_err(|error| error.to_string())?;
        let tables: Vec<&Entity> = model
            .entities
            .iter()
            .filter(|e| e.group == Group::Events)
            .collect();
        let waiting = connection
            .query_row(&count_sql(&tables), params![last], |row| {
                row.get::<_, i64>(0)
            })
            .map_err(|error| error.to_string())?;
        let sql = select_sql(&tables);
        let events = Arc::new(EventLog::new(
            Arc::clone(model),
            Arc::clone(&log),
            waiting as u64,
        ));
        let (wake, woken) = sync_channel(1);
        let carrier = Carrier {
            connection,
            sql,
            log,
            last,
            events: Arc::clone(&events),
        };
        let thread = std::thread::Builder::new()
            .name("forward-events".into())
            .spawn(move || carrier.run(&woken))
            .map_err(|error| format!("cannot start the forwarder: {error}"))?;
        Ok(Forwarder {
            events,
            wake: Mutex::new(Some(wake)),
            thread: Mutex::new(Some(thread)),
        })
    }

    pub fn events(&self) -> Arc<EventLog> {
        Arc::clone(&self.events)
    }

    /// # Panics
    /// After [`Forwarder::stop`].
    pub fn handle(&self) -> Handle {
        let wake = self.wake.lock().expect("no panic under the lock").clone();
        Handle {
            events: self.events(),
            wake: wake.expect("not stopped"),
        }
    }

    /// Carries what is left and ends, once the writer has gone.
    pub fn stop(&self) {
        drop(self.wake.lock().expect("no panic under the lock").take());
        if let Some(thread) = self.thread.lock().expect("no panic under the lock").take() {
            let _ = thread.join();
        }
    }
}

struct Carrier {
    connection: Connection,
    sql: String,
    log: Arc<Log>,
    last: i64,
    events: Arc<EventLog>,
}

impl Carrier {
    fn run(mut self, woken: &Receiver<()>) {
        loop {
            match self.carry() {
                Ok(BATCH) => continue,
                Ok(_) => {}
                Err(error) => {
                    give_up_if_broken(&error);
                    match woken.recv_timeout(RETRY) {
                        Ok(()) | Err(RecvTimeoutError::Timeout) => continue,
                        // A restart carries what the log does not have.
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
            }
            if woken.recv().is_err() {
                let _ = self.carry();
                return;
            }
        }
    }

    /// Returns how many rows it carried.
    fn carry(&mut self) -> Result<usize, AppendError> {
        let unread = |error: rusqlite::Error| AppendError::Broken(error.to_string());
        let records = self.rows().map_err(unread)?;
        let Some(last) = records.last().and_then(|record| record.row) else {
            return Ok(0);
        };
        self.log
            .append(records.iter().map(Record::entry).collect())?;
        self.last = last;
        self.events.appended();
        Ok(records.len())
    }

    fn rows(&self) -> rusqlite::Result<Vec<Record>> {
        let mut statement = self.connection.prepare_cached(&self.sql)?;
        let rows = statement.query_map(params![self.last, BATCH as i64], |row| {
            let payload: String = row.get(3)?;
            Ok(Record {
                row: row.get(0)?,
                entity: row.get(1)?,
                id: row.get(2)?,
                kind: Kind::Create,
                created_at: row.get(4)?,
                applied: None,
                payload: serde_json::from_str(&payload).unwrap_or_default(),
            })
        })?;
        rows.collect()
    }
}

/// Rows of all tables in the order in which they were written; `?1` is the last row that is known.
fn select_sql(tables: &[&Entity]) -> String {
    let one = |entity: &&Entity| {
        let table = &entity.name;
        format!(
            "SELECT * FROM (SELECT _id, '{table}', id, payload, created_at FROM {table}
             WHERE _id > ?1 AND version = 1 ORDER BY _id LIMIT ?2)"
        )
    };
    let parts: Vec<String> = tables.iter().map(one).collect();
    format!("{} ORDER BY 1 LIMIT ?2", parts.join(" UNION ALL "))
}

fn count_sql(tables: &[&Entity]) -> String {
    let one = |entity: &&Entity| {
        format!(
            "(SELECT count(*) FROM {} WHERE _id > ?1 AND version = 1)",
            entity.name
        )
    };
    let parts: Vec<String> = tables.iter().map(one).collect();
    format!("SELECT {}", parts.join(" + "))
}
