//! The questions of the contract. Each read has a connection of its own, so that it never waits for the writer.

use crate::database;
use crate::event::{Event, Id, write_event};
use crate::limits::STATS_NAMES;
use crate::problem::{Kind, Problem};
use crate::timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Connections kept open between reads.
const IDLE: usize = 4;
const SELECT: &str = "SELECT seq, id, timestamp, source, session, type, level, payload FROM events";

const SEQUENCE_OF: &str =
    "(SELECT seq FROM recent_ids WHERE id = ?1 UNION ALL SELECT seq FROM ids WHERE id = ?1)";

/// What `GET /api/events` asks for.
#[derive(Debug, Default, PartialEq)]
pub struct Query {
    pub source: Option<String>,
    pub kind: Option<String>,
    pub session: Option<String>,
    /// ms.
    pub since: Option<i64>,
    pub until: Option<i64>,
    pub cursor: Option<Cursor>,
    pub limit: u32,
}

/// A place in the order of pages: after this event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cursor {
    timestamp: i64,
    sequence: i64,
}

impl Cursor {
    /// 32 lower-case hexadecimal digits: the two numbers as 64 bits each.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        if text.len() != 32 || !text.bytes().all(digits) {
            return None;
        }
        let number = u128::from_str_radix(text, 16).ok()?;
        Some(Cursor {
            timestamp: (number >> 64) as i64,
            sequence: number as i64,
        })
    }
}

/// Stored events as messages of the stream.
pub struct Messages {
    pub text: String,
    /// Sequence of the last one.
    pub last: Option<i64>,
    /// Whether others may follow.
    pub more: bool,
}

/// Opens connections as they are needed, and keeps some.
pub struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Reader>>,
}

impl Readers {
    pub fn new(path: PathBuf) -> Self {
        Readers {
            path,
            idle: Mutex::default(),
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one read on a thread for blocking work.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        act: impl FnOnce(&Reader) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let readers = self.clone();
        let work = move || {
            let kept = readers.idle().pop();
            let reader = match kept {
                Some(reader) => reader,
                None => Reader(database::open_reader(&readers.path)?),
            };
            let outcome = act(&reader);
            let mut idle = readers.idle();
            if idle.len() < IDLE {
                idle.push(reader);
            }
            outcome
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(outcome) => Ok(outcome?),
            Err(error) => Err(Problem::new(Kind::Internal, error.to_string())),
        }
    }
}

pub struct Reader(Connection);

fn event_of<'r>(row: &'r Row<'_>) -> rusqlite::Result<(i64, Event<'r>)> {
    let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let event = Event {
        id: row.get::<_, Id>(1)?,
        timestamp: row.get(2)?,
        source: text(3)?,
        session: text(4)?,
        kind: text(5)?,
        level: row.get(6)?,
        payload: text(7)?,
    };
    Ok((row.get(0)?, event))
}

impl Reader {
    /// The event as JSON.
    pub fn event(&self, id: Id) -> rusqlite::Result<Option<String>> {
        self.0
            .prepare_cached(&format!("{SELECT} WHERE seq = {SEQUENCE_OF}"))?
            .query_row([id], |row| {
                let (sequence, event) = event_of(row)?;
                let mut json = String::new();
                write_event(&mut json, &event, sequence);
                Ok(json)
            })
            .optional()
    }

    /// The sequence of the event stored last, 0 where there is none.
    pub fn last_sequence(&self) -> rusqlite::Result<i64> {
        self.0
            .prepare_cached("SELECT coalesce(max(seq), 0) FROM events")?
            .query_row([], |row| row.get(0))
    }

    /// The events after a sequence, in its order, up to about `bytes` bytes.
    pub fn messages_after(&self, sequence: i64, bytes: usize) -> rusqlite::Result<Messages> {
        let sql = format!("{SELECT} WHERE seq > ? ORDER BY seq");
        let mut statement = self.0.prepare_cached(&sql)?;
        let mut rows = statement.query([sequence])?;
        let mut messages = Messages {
            text: String::new(),
            last: None,
            more: false,
        };
        while let Some(row) = rows.next()? {
            if messages.text.len() >= bytes {
                messages.more = true;
                break;
            }
            let (sequence, event) = event_of(row)?;
            write_message(&mut messages.text, sequence, |out| {
                write_event(out, &event, sequence)
            });
            messages.last = Some(sequence);
        }
        Ok(messages)
    }

    /// The page as JSON.
    pub fn page(&self, query: &Query) -> rusqlite::Result<String> {
        let (sql, values) = page_sql(query);
        let mut statement = self.0.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        let mut json = String::from(r#"{"events":["#);
        let (mut count, mut last, mut more) = (0, (0, 0), false);
        while let Some(row) = rows.next()? {
            if count == query.limit {
                more = true;
                break;
            }
            let (sequence, event) = event_of(row)?;
            if count > 0 {
                json.push(',');
            }
            write_event(&mut json, &event, sequence);
            last = (event.timestamp, sequence);
            count += 1;
        }
        if more {
            let _ = write!(json, r#"],"nextCursor":"{:016x}{:016x}"}}"#, last.0, last.1);
        } else {
            json.push_str(r#"],"nextCursor":null}"#);
        }
        Ok(json)
    }

    /// Counts of one moment as JSON.
    pub fn stats(&self, minutes: u32) -> rusqlite::Result<String> {
        let moment = self.0.unchecked_transaction()?;
        let total: i64 = self
            .0
            .prepare_cached("SELECT coalesce(sum(events), 0) FROM counts WHERE kind = 1")?
            .query_row([], |row| row.get(0))?;
        let mut json = format!(r#"{{"events":{total},"byType":"#);
        self.write_names(&mut json, 0)?;
        json.push_str(r#","bySource":"#);
        self.write_names(&mut json, 1)?;
        json.push_str(r#","perMinute":["#);
        self.write_minutes(&mut json, minutes)?;
        json.push_str("]}");
        moment.commit()?;
        Ok(json)
    }

    fn write_names(&self, json: &mut String, kind: i64) -> rusqlite::Result<()> {
        let mut statement = self.0.prepare_cached(
            "SELECT name, events FROM counts WHERE kind = ? ORDER BY events DESC, name LIMIT ?",
        )?;
        let mut rows = statement.query((kind, STATS_NAMES))?;
        let mut open = '{';
        while let Some(row) = rows.next()? {
            let _ = write!(
                json,
                r#"{open}"{}":{}"#,
                row.get_ref(0)?.as_str()?,
                row.get::<_, i64>(1)?
            );
            open = ',';
        }
        json.push_str(if open == '{' { "{}" } else { "}" });
        Ok(())
    }

    fn write_minutes(&self, json: &mut String, minutes: u32) -> rusqlite::Result<()> {
        let mut statement = self.0.prepare_cached(
            "SELECT name, events FROM (
               SELECT name, events FROM counts WHERE kind = 2 ORDER BY name DESC LIMIT ?
             ) ORDER BY name",
        )?;
        let mut rows = statement.query([minutes])?;
        let mut separator = "";
        while let Some(row) = rows.next()? {
            let _ = write!(json, r#"{separator}{{"minute":""#);
            timestamp::write(json, row.get::<_, i64>(0)? * 60_000);
            let _ = write!(json, r#"","events":{}}}"#, row.get::<_, i64>(1)?);
            separator = ",";
        }
        Ok(())
    }
}

fn page_sql(query: &Query) -> (String, Vec<Value>) {
    let mut conditions = Vec::new();
    let mut values = Vec::new();
    for (condition, text) in [
        ("source = ?", &query.source),
        ("type = ?", &query.kind),
        ("session = ?", &query.session),
    ] {
        if let Some(text) = text {
            conditions.push(condition);
            values.push(Value::from(text.clone()));
        }
    }
    for (condition, time) in [
        ("timestamp >= ?", query.since),
        ("timestamp < ?", query.until),
    ] {
        if let Some(time) = time {
            conditions.push(condition);
            values.push(Value::from(time));
        }
    }
    if let Some(cursor) = query.cursor {
        conditions.push("(timestamp, seq) < (?, ?)");
        values.extend([Value::from(cursor.timestamp), Value::from(cursor.sequence)]);
    }
    // One more than the page holds tells whether another page follows.
    values.push(Value::from(query.limit + 1));
    let filter = if conditions.is_empty() {
        String::new()
    } else {
        format!("WHERE {}", conditions.join(" AND "))
    };
    (
        format!("{SELECT} {filter} ORDER BY timestamp DESC, seq DESC LIMIT ?"),
        values,
    )
}

/// Appends one message of the protocol.
pub fn write_message(out: &mut String, sequence: i64, data: impl FnOnce(&mut String)) {
    let _ = write!(out, "id: {sequence}\ndata: ");
    data(out);
    out.push_str("\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Synchronous;

    #[test]
    fn no_page_is_sorted_and_none_scans_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = database::file(folder.path());
        let connection = database::open_writer(&path, Synchronous::Full).unwrap();
        let name = || Some("x".to_owned());
        let cursor = Cursor::parse("00000000000000010000000000000002");
        for query in [
            Query {
                limit: 5,
                ..Query::default()
            },
            Query {
                source: name(),
                cursor,
                limit: 5,
                ..Query::default()
            },
            Query {
                kind: name(),
                since: Some(1),
                limit: 5,
                ..Query::default()
            },
            Query {
                session: name(),
                until: Some(1),
                limit: 5,
                ..Query::default()
            },
            Query {
                since: Some(1),
                until: Some(2),
                cursor,
                limit: 5,
                ..Query::default()
            },
            Query {
                source: name(),
                kind: name(),
                session: name(),
                limit: 5,
                ..Query::default()
            },
        ] {
            let (sql, values) = page_sql(&query);
            let mut plan = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .unwrap();
            let steps: Vec<String> = plan
                .query_map(params_from_iter(values), |row| row.get(3))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            assert!(
                steps.iter().all(|s| s.contains("USING INDEX events_by_")),
                "{sql}: {steps:?}"
            );
        }
    }

    #[test]
    fn a_cursor_is_32_digits() {
        let cursor = Cursor::parse("ffffffffffffffff000000000000000a");
        assert_eq!(
            cursor,
            Some(Cursor {
                timestamp: -1,
                sequence: 10
            })
        );
        for text in [
            "",
            "+fffffffffffffff000000000000000a",
            "FFffffffffffffff000000000000000a",
        ] {
            assert_eq!(Cursor::parse(text), None);
        }
    }
}
