//! What was done so far, for `/status`. Latency is from the commit in the legacy database to the API's acknowledgement,
//! both by the clock of one machine.

use crate::table::Table;
use chrono::{DateTime, Utc};
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// One minute, and three digits.
const LONGEST_US: u64 = 60_000_000;
const DIGITS: u8 = 3;

/// Complaints come at most so often.
const QUIET: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    Created,
    Updated,
    Deleted,
    /// Deleted before it was ever made.
    Nothing,
}

pub struct Progress(Mutex<State>);

struct State {
    phase: usize,
    created: u64,
    updated: u64,
    deleted: u64,
    dead_letters: u64,
    other_clients: u64,
    waiting: usize,
    entities: HashMap<Table, usize>,
    /// Offset after the last record of each topic, and of the next one to be done.
    ends: HashMap<Table, i64>,
    next: HashMap<Table, i64>,
    most_lag: i64,
    latency_us: Histogram<u64>,
    complained: Option<Instant>,
}

impl Default for Progress {
    fn default() -> Progress {
        let latency_us = Histogram::new_with_max(LONGEST_US, DIGITS).expect("valid bounds");
        Progress(Mutex::new(State {
            phase: 0,
            created: 0,
            updated: 0,
            deleted: 0,
            dead_letters: 0,
            other_clients: 0,
            waiting: 0,
            entities: HashMap::new(),
            ends: HashMap::new(),
            next: HashMap::new(),
            most_lag: 0,
            latency_us,
            complained: None,
        }))
    }
}

impl State {
    fn lag(&self) -> i64 {
        let behind =
            |(table, end): (&Table, &i64)| (end - self.next.get(table).unwrap_or(&0)).max(0);
        self.ends.iter().map(behind).sum()
    }
}

impl Progress {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn phase(&self, phase: usize) {
        self.state().phase = phase;
    }

    /// A change is acknowledged. `committed`: when it was made, where that is known.
    pub fn done(&self, done: Done, committed: Option<DateTime<Utc>>) {
        let took = committed.map(|at| (Utc::now() - at).num_microseconds().unwrap_or(i64::MAX));
        let mut state = self.state();
        match done {
            Done::Created => state.created += 1,
            Done::Updated => state.updated += 1,
            Done::Deleted => state.deleted += 1,
            Done::Nothing => {}
        }
        if let Some(us) = took {
            state.latency_us.saturating_record(us.max(0) as u64);
        }
    }

    pub fn dead_letters(&self, count: u64) {
        self.state().dead_letters += count;
    }

    pub fn other_client(&self) {
        self.state().other_clients += 1;
    }

    /// The topic has records up to this offset.
    pub fn reaches(&self, table: Table, end: i64) {
        let mut state = self.state();
        state.ends.insert(table, end);
        state.most_lag = state.most_lag.max(state.lag());
    }

    /// Everything before this offset is done, or waits.
    pub fn at(&self, table: Table, next: i64, entities: usize) {
        let mut state = self.state();
        state.next.insert(table, next);
        state.entities.insert(table, entities);
    }

    pub fn waiting(&self, rows: usize) {
        self.state().waiting = rows;
    }

    /// Begins a new window of latency and lag.
    pub fn reset(&self) {
        let mut state = self.state();
        state.latency_us.reset();
        state.most_lag = state.lag();
    }

    pub fn complain(&self, problem: &str) {
        let mut state = self.state();
        if state.complained.is_none_or(|at| at.elapsed() >= QUIET) {
            eprintln!("meshql-legacy: {problem}; tries again");
            state.complained = Some(Instant::now());
        }
    }

    /// `lag`: records of the topics that are not done; `waiting`: rows whose parent is not there yet.
    pub fn report(&self) -> Value {
        let state = self.state();
        let entities: HashMap<&str, usize> = state
            .entities
            .iter()
            .map(|(table, count)| (table.name(), *count))
            .collect();
        json!({
            "status": "ok",
            "phase": state.phase,
            "lag": state.lag(),
            "mostLag": state.most_lag,
            "waiting": state.waiting,
            "created": state.created,
            "updated": state.updated,
            "deleted": state.deleted,
            "deadLetters": state.dead_letters,
            "otherClients": state.other_clients,
            "entities": entities,
            "latency": latency(&state.latency_us),
        })
    }
}

/// `buckets`: pairs of a latency in microseconds and how many took so long, for merging.
fn latency(us: &Histogram<u64>) -> Value {
    let ms = |us: u64| us as f64 / 1000.0;
    let buckets: Vec<(u64, u64)> = us
        .iter_recorded()
        .map(|step| (step.value_iterated_to(), step.count_at_value()))
        .collect();
    let empty = us.is_empty();
    json!({
        "count": us.len(),
        "minMs": (!empty).then(|| ms(us.min())),
        "p50Ms": (!empty).then(|| ms(us.value_at_quantile(0.5))),
        "p90Ms": (!empty).then(|| ms(us.value_at_quantile(0.9))),
        "p99Ms": (!empty).then(|| ms(us.value_at_quantile(0.99))),
        "maxMs": (!empty).then(|| ms(us.max())),
        "buckets": buckets,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_is_from_commit_to_now() {
        let progress = Progress::default();
        for ms in [100, 200, 300] {
            progress.done(
                Done::Created,
                Some(Utc::now() - chrono::Duration::milliseconds(ms)),
            );
        }
        progress.done(Done::Updated, None);
        let report = progress.report();
        assert_eq!(
            (&report["created"], &report["updated"]),
            (&json!(3), &json!(1))
        );
        assert_eq!(report["latency"]["count"], 3);
        let p50 = report["latency"]["p50Ms"].as_f64().expect("a number");
        assert!((200.0..260.0).contains(&p50), "{p50}");
        progress.reset();
        let report = progress.report();
        assert_eq!(report["latency"]["count"], 0);
        assert_eq!(report["latency"]["p99Ms"], Value::Null);
        assert_eq!(report["created"], 3, "counts go on");
    }

    #[test]
    fn lag_is_what_the_topics_have_more() {
        let progress = Progress::default();
        progress.reaches(Table::Farm, 10);
        progress.reaches(Table::Equi, 5);
        progress.at(Table::Farm, 8, 8);
        assert_eq!(progress.report()["lag"], 7);
        progress.at(Table::Equi, 5, 5);
        progress.at(Table::Farm, 10, 9);
        let report = progress.report();
        assert_eq!(
            (&report["lag"], &report["mostLag"]),
            (&json!(0), &json!(15))
        );
        assert_eq!(report["entities"]["zfarm_mstr"], 9);
    }
}
