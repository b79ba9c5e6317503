//! Takes batches of records: maps them, applies them through the API, and knows how far each topic is done.

use crate::api::Api;
use crate::change;
use crate::dead::{DeadLetters, Letter};
use crate::kafka::{Batch, Kafka, Message};
use crate::keys::Keys;
use crate::lane::{self, Context, Outcome};
use crate::map;
use crate::offsets::{Offsets, Position};
use crate::progress::Progress;
use crate::table::{Key, Table};
use crate::waiting::{Job, Parent, Waiting};
use futures_util::stream::{self, StreamExt};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// Rows that are written at once: the API commits them together.
const PARALLEL: usize = 32;

/// Pause after a failure of the dead-letter topic.
const RETRY: Duration = Duration::from_millis(500);

pub struct Settings {
    /// The only client (`MANDT`) whose rows are taken.
    pub client: String,
    /// How long a row waits for its parent.
    pub patience: Duration,
}

pub struct Processor {
    pub api: Api,
    pub kafka: Arc<Kafka>,
    pub keys: Keys,
    pub dead: DeadLetters,
    pub offsets: Offsets,
    pub progress: Arc<Progress>,
    pub settings: Settings,
    waiting: Waiting,
    /// Offset of the next record of each topic.
    next: HashMap<Table, i64>,
    /// What was done before the start.
    before: HashMap<Table, Position>,
}

impl Processor {
    pub fn new(
        (api, kafka): (Api, Arc<Kafka>),
        (dead, offsets): (DeadLetters, Offsets),
        progress: Arc<Progress>,
        settings: Settings,
    ) -> Processor {
        let before: HashMap<Table, Position> = Table::ALL
            .into_iter()
            .map(|table| (table, offsets.of(table)))
            .collect();
        let next = before
            .iter()
            .map(|(table, position)| (*table, position.start()))
            .collect();
        progress.dead_letters(dead.count());
        Processor {
            api,
            kafka,
            keys: Keys::default(),
            dead,
            offsets,
            progress,
            settings,
            waiting: Waiting::default(),
            next,
            before,
        }
    }

    /// Learns from the API which entities there are; tries until it answers.
    pub async fn learn(&mut self) {
        for table in Table::ALL {
            let rows = loop {
                match self.api.known(table).await {
                    Ok(rows) => break rows,
                    Err(problem) => self.progress.complain(&format!("{problem:?}")),
                }
                tokio::time::sleep(RETRY).await;
            };
            self.keys.replace(table, rows);
            self.progress
                .at(table, self.next[&table], self.keys.count(table));
        }
    }

    pub fn next(&self, table: Table) -> i64 {
        self.next[&table]
    }

    /// When this returns, each record is acknowledged by the API, waits for its parent, or is a dead letter.
    pub async fn take(&mut self, batches: Vec<Batch>) {
        let mut jobs = Vec::new();
        let mut letters = Vec::new();
        let mut next = HashMap::new();
        for batch in batches {
            self.progress.reaches(batch.table, batch.end);
            if batch.anew {
                self.before.remove(&batch.table);
                next.insert(batch.table, batch.end);
            }
            for message in batch.messages {
                next.insert(message.table, message.offset + 1);
                if self
                    .before
                    .get(&message.table)
                    .is_some_and(|before| before.is_done(message.offset))
                {
                    continue;
                }
                match self.job(message) {
                    Ok(job) => jobs.extend(job),
                    Err((message, reason)) => letters.push(self.letter(message, reason)),
                }
            }
        }
        self.apply(jobs, &mut letters).await;
        self.retry(&mut letters).await;
        self.expire(&mut letters);
        self.bury(letters).await;
        self.next.extend(next);
        self.tell();
        self.save();
    }

    /// None: nothing is to be done.
    fn job(&self, message: Message) -> Result<Option<Job>, (Message, String)> {
        let committed = match change::parse(message.value.as_deref()) {
            Ok(Some(committed)) => committed,
            Ok(None) => return Ok(None),
            Err(reason) => return Err((message, reason)),
        };
        if map::client(committed.row()) != self.settings.client {
            self.progress.other_client();
            return Ok(None);
        }
        match map::key(message.table, committed.row()) {
            Ok(key) => Ok(Some(Job {
                message,
                key,
                committed,
            })),
            Err(reason) => Err((message, reason)),
        }
    }

    /// Parents before children; rows of one phase at once, changes of one row in order.
    async fn apply(&mut self, jobs: Vec<Job>, letters: &mut Vec<Letter>) {
        let mut phases: BTreeMap<usize, HashMap<(Table, Key), Vec<Job>>> = BTreeMap::new();
        for job in jobs {
            let table = job.message.table;
            let rows = phases.entry(table.phase()).or_default();
            rows.entry((table, job.key.clone())).or_default().push(job);
        }
        for rows in phases.into_values() {
            let context = Context {
                api: &self.api,
                keys: &self.keys,
                progress: &self.progress,
            };
            let outcomes: Vec<Outcome> = stream::iter(rows.into_values())
                .map(|jobs| lane::run(&context, jobs))
                .buffer_unordered(PARALLEL)
                .collect()
                .await;
            for outcome in outcomes {
                self.settle(outcome, letters);
            }
        }
    }

    fn settle(&mut self, outcome: Outcome, letters: &mut Vec<Letter>) {
        let Outcome {
            table,
            key,
            known,
            gone,
            waits,
            refused,
        } = outcome;
        for (job, reason) in refused {
            letters.push(self.letter(job.message, reason));
        }
        match waits {
            Some((job, parent)) => self.waiting.add(job, parent),
            None => self.waiting.remove(table, &key),
        }
        match known {
            Some(known) => self.keys.insert(table, key, known),
            None => self.keys.remove(table, key, gone),
        }
    }

    /// Rows whose parent has come. Each round makes parents of others, or meets the next missing one.
    async fn retry(&mut self, letters: &mut Vec<Letter>) {
        for _ in Table::ALL {
            let jobs = self.waiting.resolved(&self.keys);
            if jobs.is_empty() {
                return;
            }
            self.apply(jobs, letters).await;
        }
    }

    fn expire(&mut self, letters: &mut Vec<Letter>) {
        let seconds = self.settings.patience.as_secs();
        for (job, parent) in self.waiting.expired(self.settings.patience) {
            let reason = format!("{} did not come within {seconds} s", row_of(&parent));
            letters.push(self.letter(job.message, reason));
        }
    }

    fn letter(&self, message: Message, reason: String) -> Letter {
        Letter {
            topic: self.kafka.topic_of(message.table),
            message,
            reason,
        }
    }

    /// Until the broker has them.
    async fn bury(&mut self, letters: Vec<Letter>) {
        loop {
            match self.dead.write(&letters).await {
                Ok(count) => return self.progress.dead_letters(count),
                Err(problem) => self.progress.complain(&problem),
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    fn tell(&self) {
        for table in Table::ALL {
            self.progress
                .at(table, self.next[&table], self.keys.count(table));
        }
        self.progress.waiting(self.waiting.count());
    }

    /// After a restart only what waits, and what was not done, is taken again.
    pub fn save(&mut self) {
        let position = |table: Table| {
            let next = self.next[&table];
            let mut position = Position {
                next,
                waiting: self.waiting.offsets(table),
            };
            if let Some(before) = self.before.get(&table) {
                position.next = next.max(before.next);
                position.waiting.extend(before.waiting.range(next..));
            }
            (table, position)
        };
        let positions = Table::ALL.into_iter().map(position).collect();
        if let Err(problem) = self.offsets.save(positions) {
            self.progress.complain(&problem);
        }
    }
}

fn row_of((table, key): &Parent) -> String {
    let columns = table.key().iter().zip(key);
    let named: Vec<String> = columns
        .map(|((column, _), value)| format!("{} {value}", column.to_uppercase()))
        .collect();
    match named.is_empty() {
        true => format!("any row of {}", table.name()),
        false => format!("the row of {} with {}", table.name(), named.join(", ")),
    }
}
