//! What the storage does alone: the writer's own work on the same tables, with the same settings, in a bare loop on one
//! thread. No requests, no JSON, nobody beside it. The events are made before the clock starts.

use crate::database;
use crate::event::{Event, Rows};
use crate::settings::{BareInsert, Synchronous};
use crate::store::Store;
use std::path::Path;
use std::time::{Duration, Instant};

/// splitmix64: random enough for ids, and nothing to depend on.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

const TYPES: [&str; 5] = ["click", "view", "error", "metric", "trace"];
/// Made at a time.
const CHUNK: usize = 20_000;
/// On a grown table this share of what it holds is stored to read a rate off.
const GROWN_PART: usize = 3;

/// One table that grows.
struct Bare<'c> {
    store: Store<'c>,
    random: Random,
    stored: usize,
}

/// Of one measurement.
struct Reading {
    per_transaction: usize,
    stored_before: usize,
    events: usize,
    took: Duration,
}

impl Bare<'_> {
    /// Events with the sizes and the number of different names of the workload's events.
    fn samples(&mut self, events: usize) -> Rows {
        let mut rows = Rows::default();
        for i in self.stored..self.stored + events {
            let mut id = [0; 16];
            id[..8].copy_from_slice(&self.random.next().to_le_bytes());
            id[8..].copy_from_slice(&self.random.next().to_le_bytes());
            rows.push(Event {
                id,
                timestamp: 1_767_225_600_000 + i as i64 / 20,
                source: &format!("source-{}", i % 8),
                session: &format!("session-{}", i / 50 % 40),
                kind: TYPES[i % TYPES.len()],
                level: (i % 4) as u8,
                payload: &format!(r#"{{"n":{},"data":"{}"}}"#, i % 50, "d".repeat(96)),
            });
        }
        rows
    }

    fn insert(&mut self, events: usize, per_transaction: usize) -> rusqlite::Result<Reading> {
        let mut reading = Reading {
            per_transaction,
            stored_before: self.stored,
            events,
            took: Duration::ZERO,
        };
        let mut left = events;
        while left > 0 {
            let count = left.min(CHUNK.max(per_transaction));
            let rows = self.samples(count);
            let rows: Vec<_> = rows.iter().collect();
            let started = Instant::now();
            for batch in rows.chunks(per_transaction) {
                self.store.begin()?;
                for event in batch {
                    self.store.add(event)?;
                }
                self.store.commit()?;
            }
            reading.took += started.elapsed();
            self.stored += count;
            left -= count;
        }
        Ok(reading)
    }
}

impl Reading {
    fn json(&self) -> String {
        format!(
            r#"{{"perTransaction":{},"storedBefore":{},"items":{},"itemsPerSec":{:.1}}}"#,
            self.per_transaction,
            self.stored_before,
            self.events,
            self.rate()
        )
    }

    fn rate(&self) -> f64 {
        self.events as f64 / self.took.as_secs_f64()
    }
}

/// One line of JSON: for each size of a transaction the rate on a fresh file, then on one that has grown.
pub fn run(
    folder: &Path,
    synchronous: Synchronous,
    settings: &BareInsert,
) -> rusqlite::Result<String> {
    let mut readings = Vec::new();
    for (i, size) in settings.per_transaction.iter().enumerate() {
        let path = folder.join(format!("bare-{i}.db"));
        let connection = database::open_writer(&path, synchronous)?;
        let mut bare = Bare {
            store: Store::prepare(&connection)?,
            random: Random(u64::from(std::process::id()) << 8 | i as u64),
            stored: 0,
        };
        readings.push(bare.insert(settings.events, *size)?);
        if i + 1 == settings.per_transaction.len() && settings.grown > 0 {
            bare.insert(settings.grown.saturating_sub(settings.events), *size)?;
            for size in &settings.per_transaction {
                readings.push(bare.insert(settings.grown / GROWN_PART, *size)?);
            }
        }
    }
    let list: Vec<_> = readings.iter().map(Reading::json).collect();
    Ok(format!(
        r#"{{"eventsPerSec":{:.1},"synchronous":"{synchronous}","readings":[{}]}}"#,
        readings.first().map_or(0.0, Reading::rate),
        list.join(",")
    ))
}
