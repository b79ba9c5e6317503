//! Keeps the projections up to date from the event log, through the public API.
//!
//! Events are taken in batches; for each projection the events of a batch are folded in order into one write. The
//! write carries the offset of the newest event in it, and an event that a projection contains is left out: an event
//! that is delivered twice counts once.

mod client;
mod project;
mod route;
mod rules;

use crate::entity::Model;
use crate::storage::events::{Event, EventLog};
use axum::Router;
use client::Client;
use futures_util::stream::{self, StreamExt};
use project::{Changes, Keys, project};
use route::{Target, route};
use serde_json::json;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

pub use client::EVENT_OFFSET;

/// Records of the log that are taken at once.
const BATCH: usize = 256;

/// Projections that are written at once: one commit takes them together.
const PARALLEL: usize = 64;

/// Pause after a failure.
const RETRY: Duration = Duration::from_millis(200);

/// Events are left to gather for so long: each batch costs the disk a commit, and clients wait for the same disk.
const GATHER: Duration = Duration::from_millis(50);

/// How often the position is saved: what came after is delivered again after a crash, which changes nothing.
const SAVE_EVERY: Duration = Duration::from_millis(500);

/// Where the processor is, for `/ready`.
#[derive(Default)]
pub struct Progress {
    /// Offset of the next record.
    position: AtomicU64,
    refused: AtomicU64,
}

impl Progress {
    pub fn report(&self, head: u64) -> serde_json::Value {
        let position = self.position.load(Ordering::Acquire);
        json!({
            "lag": head.saturating_sub(position),
            "position": position,
            "head": head,
            "refused": self.refused.load(Ordering::Relaxed),
        })
    }
}

pub struct Processor {
    model: Arc<Model>,
    events: Arc<EventLog>,
    progress: Arc<Progress>,
    client: Client,
    keys: Keys,
    file: PathBuf,
    saved_at: Instant,
}

impl Processor {
    /// # Errors
    /// When the file of the position cannot be read.
    pub fn open(
        model: Arc<Model>,
        events: Arc<EventLog>,
        progress: Arc<Progress>,
        router: Router,
        dir: &Path,
    ) -> Result<Processor, String> {
        let file = dir.join("processor.offset");
        progress
            .position
            .store(read_position(&file)?, Ordering::Release);
        let client = Client::new(router);
        Ok(Processor {
            model,
            events,
            progress,
            client,
            keys: Keys::default(),
            file,
            saved_at: Instant::now(),
        })
    }

    /// Runs until `stop` becomes true; the batch at hand is finished first.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        loop {
            let position = self.position();
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => break,
                () = self.gathered(position) => {}
            }
            if let Err(problem) = self.step(position).await {
                eprintln!("meshql-server: the processor tries again: {problem}");
                tokio::time::sleep(RETRY).await;
            }
            if self.saved_at.elapsed() >= SAVE_EVERY {
                self.save();
            }
        }
        self.save();
    }

    fn position(&self) -> u64 {
        self.progress.position.load(Ordering::Acquire)
    }

    /// Returns when there are events, and a full batch of them or some time later.
    async fn gathered(&self, position: u64) {
        self.events.wait_for(position).await;
        let full = self.events.wait_for(position + BATCH as u64 - 1);
        let _ = tokio::time::timeout(GATHER, full).await;
    }

    fn save(&mut self) {
        if let Err(problem) = write_position(&self.file, self.position()) {
            eprintln!("meshql-server: {problem}");
        }
        self.saved_at = Instant::now();
    }

    /// Takes one batch.
    async fn step(&mut self, position: u64) -> Result<(), String> {
        let (events, next) = self.events.read(position, BATCH).map_err(|error| error.0)?;
        let batch: Vec<(Target, Changes)> = self.group(events).into_iter().collect();
        self.keys
            .learn(&self.client, batch.iter().map(|(target, _)| target))
            .await?;
        let (client, keys) = (&self.client, &self.keys);
        let done: Vec<Result<(Target, String), String>> = stream::iter(batch)
            .map(|(target, changes)| async move { project(client, keys, target, &changes).await })
            .buffer_unordered(PARALLEL)
            .collect()
            .await;
        // All are waited for: who creates one that is still being created makes a second one.
        let (written, failed): (Vec<_>, Vec<_>) = done.into_iter().partition(Result::is_ok);
        self.keys.remember(written.into_iter().flatten().collect());
        if let Some(Err(problem)) = failed.into_iter().next() {
            return Err(problem);
        }
        self.progress.position.store(next, Ordering::Release);
        Ok(())
    }

    fn group(&self, events: Vec<Event>) -> HashMap<Target, Changes> {
        let mut groups: HashMap<Target, Changes> = HashMap::new();
        for event in events {
            let entity = &self.model.entities[event.entity].name;
            match route(entity, &event.payload) {
                Ok(changes) => {
                    for (target, change) in changes {
                        groups
                            .entry(target)
                            .or_default()
                            .push((event.offset, change));
                    }
                }
                Err(problem) => {
                    eprintln!("meshql-server: event {}: {problem}", event.offset);
                    self.progress.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        groups
    }
}

/// Without the file every event is delivered again, which changes nothing.
fn read_position(file: &Path) -> Result<u64, String> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text.trim().parse().unwrap_or(0)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(format!("{}: {error}", file.display())),
    }
}

/// Not synced: an older position costs a redelivery, no more.
fn write_position(file: &Path, position: u64) -> Result<(), String> {
    let part = file.with_extension("part");
    let written = fs::write(&part, position.to_string()).and_then(|()| fs::rename(&part, file));
    written.map_err(|error| format!("{}: {error}", file.display()))
}
