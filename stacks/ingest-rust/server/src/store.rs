//! What storing events takes, on the one connection that writes: refusing duplicates, the event, its indexes, the
//! counts. Statements stay prepared. Used by the writer and by the measurement of the storage alone.

use crate::event::{Event, Id};
use rusqlite::{Connection, Statement, params};
use std::collections::HashMap;

/// Ids move from `recent_ids` to `ids` range by range, one range for so many stored events …
const SETTLE_EVERY: usize = 1000;
/// … and so many ranges: by the first byte of the id, eight values each.
const RANGES: u16 = 32;

/// New events by type, source and minute, of one transaction.
#[derive(Default)]
struct Counts {
    types: HashMap<String, i64>,
    sources: HashMap<String, i64>,
    minutes: HashMap<i64, i64>,
}

fn count_one(counts: &mut HashMap<String, i64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

/// Where the store stands after a commit.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Sequence of the last event.
    last: i64,
    /// Events stored since a range was settled.
    unsettled: usize,
    /// The range that is settled next.
    range: u16,
}

pub struct Store<'c> {
    connection: &'c Connection,
    begin: Statement<'c>,
    commit: Statement<'c>,
    rollback: Statement<'c>,
    claim: Statement<'c>,
    insert: Statement<'c>,
    count: Statement<'c>,
    settle: Statement<'c>,
    forget: Statement<'c>,
    committed: Place,
    place: Place,
    counts: Counts,
}

impl<'c> Store<'c> {
    pub fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        let last = connection.query_row("SELECT coalesce(max(seq), 0) FROM events", [], |row| {
            row.get(0)
        })?;
        let place = Place {
            last,
            ..Place::default()
        };
        Ok(Store {
            connection,
            begin: connection.prepare("BEGIN IMMEDIATE")?,
            commit: connection.prepare("COMMIT")?,
            rollback: connection.prepare("ROLLBACK")?,
            claim: connection.prepare(
                "INSERT INTO recent_ids (id, seq)
                 SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM ids WHERE id = ?1)
                 ON CONFLICT DO NOTHING",
            )?,
            insert: connection.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?,
            count: connection.prepare(
                "INSERT INTO counts VALUES (?, ?, ?)
                 ON CONFLICT DO UPDATE SET events = events + excluded.events",
            )?,
            settle: connection.prepare(
                "INSERT INTO ids SELECT id, seq FROM recent_ids WHERE id >= ?1 AND id < ?2",
            )?,
            forget: connection.prepare("DELETE FROM recent_ids WHERE id >= ?1 AND id < ?2")?,
            committed: place,
            place,
            counts: Counts::default(),
        })
    }

    pub fn begin(&mut self) -> rusqlite::Result<()> {
        self.begin.execute([]).map(drop)
    }

    /// Stores one event. Returns its sequence, `None` where its id is stored already.
    pub fn add(&mut self, event: &Event<'_>) -> rusqlite::Result<Option<i64>> {
        let sequence = self.place.last + 1;
        if self.claim.execute(params![event.id, sequence])? == 0 {
            return Ok(None);
        }
        self.insert.execute(params![
            sequence,
            event.id,
            event.timestamp,
            event.source,
            event.session,
            event.kind,
            event.level,
            event.payload,
        ])?;
        self.place.last = sequence;
        self.place.unsettled += 1;
        count_one(&mut self.counts.types, event.kind);
        count_one(&mut self.counts.sources, event.source);
        let minute = event.timestamp.div_euclid(60_000);
        *self.counts.minutes.entry(minute).or_default() += 1;
        Ok(Some(sequence))
    }

    /// Returns when the transaction is flushed.
    pub fn commit(&mut self) -> rusqlite::Result<()> {
        self.add_counts()?;
        while self.place.unsettled >= SETTLE_EVERY {
            self.settle_range()?;
        }
        self.commit.execute([])?;
        self.committed = self.place;
        Ok(())
    }

    /// Undoes what was added since `begin`, if anything is open.
    pub fn rollback(&mut self) -> rusqlite::Result<()> {
        self.counts = Counts::default();
        self.place = self.committed;
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.rollback.execute([]).map(drop)
    }

    fn add_counts(&mut self) -> rusqlite::Result<()> {
        for (kind, names) in [(0, &mut self.counts.types), (1, &mut self.counts.sources)] {
            for (name, events) in names.drain() {
                self.count.execute((kind, name, events))?;
            }
        }
        for (minute, events) in self.counts.minutes.drain() {
            self.count.execute((2, minute, events))?;
        }
        Ok(())
    }

    fn settle_range(&mut self) -> rusqlite::Result<()> {
        let Place { range, .. } = self.place;
        let bounds = [range, range + 1].map(|r| bound(r * (256 / RANGES)));
        self.settle.execute(params![bounds[0], bounds[1]])?;
        self.forget.execute(params![bounds[0], bounds[1]])?;
        self.place.range = (range + 1) % RANGES;
        self.place.unsettled -= SETTLE_EVERY;
        Ok(())
    }
}

/// The least id whose first byte is `first`; for 256 what is above every id.
fn bound(first: u16) -> Vec<u8> {
    match u8::try_from(first) {
        Ok(byte) => vec![byte],
        Err(_) => vec![u8::MAX; size_of::<Id>() + 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database;
    use crate::settings::Synchronous;

    fn event(n: u64) -> Event<'static> {
        let mut id = [0; 16];
        // Spread over all ranges.
        id[..8].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        id[8..].copy_from_slice(&n.to_be_bytes());
        Event {
            id,
            timestamp: 0,
            source: "s",
            session: "n",
            kind: "t",
            level: 0,
            payload: "{}",
        }
    }

    fn add(store: &mut Store<'_>, numbers: std::ops::Range<u64>) -> usize {
        store.begin().unwrap();
        let stored = numbers.filter(|n| store.add(&event(*n)).unwrap().is_some());
        let count = stored.count();
        store.commit().unwrap();
        count
    }

    fn one(connection: &Connection, sql: &str) -> i64 {
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn ids_settle_and_are_found_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = database::file(folder.path());
        let connection = database::open_writer(&path, Synchronous::Normal).unwrap();
        let mut store = Store::prepare(&connection).unwrap();
        let total = 2 * u64::from(RANGES) * SETTLE_EVERY as u64;
        for from in (0..total).step_by(700) {
            let to = (from + 700).min(total);
            assert_eq!(add(&mut store, from..to), (to - from) as usize);
        }
        let recent = one(&connection, "SELECT count(*) FROM recent_ids");
        let settled = one(&connection, "SELECT count(*) FROM ids");
        assert_eq!(recent + settled, total as i64);
        assert!(recent < i64::from(RANGES) * SETTLE_EVERY as i64, "{recent}");
        assert_eq!(add(&mut store, 0..total), 0, "each id is known");
        drop(store);
        let mut again = Store::prepare(&connection).unwrap();
        assert_eq!(add(&mut again, total - 1..total + 1), 1);
        assert_eq!(one(&connection, "SELECT max(seq) FROM events"), total as i64 + 1);
    }

    #[test]
    fn what_was_rolled_back_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = database::file(folder.path());
        let connection = database::open_writer(&path, Synchronous::Normal).unwrap();
        let mut store = Store::prepare(&connection).unwrap();
        assert_eq!(add(&mut store, 0..5), 5);
        store.begin().unwrap();
        assert_eq!(store.add(&event(7)).unwrap(), Some(6));
        store.rollback().unwrap();
        store.rollback().unwrap();
        assert_eq!(add(&mut store, 7..9), 2);
        assert_eq!(one(&connection, "SELECT max(seq) FROM events"), 7);
        assert_eq!(one(&connection, "SELECT sum(events) FROM counts WHERE kind = 0"), 7);
    }

    #[test]
    fn the_last_range_ends_above_every_id() {
        let ranges: Vec<_> = (0..=RANGES).map(|r| bound(r * (256 / RANGES))).collect();
        assert_eq!(ranges[0], [0]);
        assert!(ranges.is_sorted());
        assert!(ranges[usize::from(RANGES)].as_slice() > [u8::MAX; 16].as_slice());
        assert!(ranges[0].as_slice() <= [0; 16].as_slice());
    }
}
