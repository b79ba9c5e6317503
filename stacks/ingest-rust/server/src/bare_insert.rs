//! The ceiling of the binding: the same table, indexes and settings, a bare loop, one transaction for each batch.

use crate::database::{self, INSERT};
use crate::event::{Event, Rows};
use crate::settings::{BareInsert, Synchronous};
use rusqlite::Connection;
use std::time::Instant;

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

/// Events with the sizes and the number of different names of the workload's events.
fn samples(events: usize) -> Rows {
    let mut rows = Rows::default();
    let mut random = Random(std::process::id().into());
    for i in 0..events {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&random.next().to_le_bytes());
        id[8..].copy_from_slice(&random.next().to_le_bytes());
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

/// The events are made before the clock starts. One line of JSON.
pub fn run(
    connection: &Connection,
    synchronous: Synchronous,
    settings: &BareInsert,
) -> rusqlite::Result<String> {
    let rows = samples(settings.events);
    let events: Vec<Event<'_>> = rows.iter().collect();
    let mut insert = connection.prepare(INSERT)?;
    let mut begin = connection.prepare("BEGIN IMMEDIATE")?;
    let mut commit = connection.prepare("COMMIT")?;
    let started = Instant::now();
    for batch in events.chunks(settings.batch) {
        begin.execute([])?;
        for event in batch {
            database::insert(&mut insert, event)?;
        }
        commit.execute([])?;
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(format!(
        r#"{{"events":{},"batchSize":{},"transactions":{},"seconds":{seconds},"eventsPerSec":{},"synchronous":"{synchronous}"}}"#,
        settings.events,
        settings.batch,
        settings.events.div_ceil(settings.batch),
        settings.events as f64 / seconds,
    ))
}
