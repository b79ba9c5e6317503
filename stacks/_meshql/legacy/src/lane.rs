//! The changes of one row, one after the other.

use crate::api::{Api, Failure};
use crate::change::Change;
use crate::keys::{Keys, Known};
use crate::map::{Refusal, payload};
use crate::progress::{Done, Progress};
use crate::table::{Key, Table};
use crate::waiting::{Job, Parent};
use serde_json::{Map, Value};
use std::time::Duration;

/// Pauses after failures grow from the first to the second.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));

/// What became of a row.
pub struct Outcome {
    pub table: Table,
    pub key: Key,
    /// The entity as it now is, if there is one.
    pub known: Option<Known>,
    /// The entity that was deleted last.
    pub gone: Option<Known>,
    /// The newest change, when its parent is missing.
    pub waits: Option<(Job, Parent)>,
    pub refused: Vec<(Job, String)>,
}

/// All that a lane needs and does not change.
pub struct Context<'a> {
    pub api: &'a Api,
    pub keys: &'a Keys,
    pub progress: &'a Progress,
}

/// Applies the changes in order; returns when the API has acknowledged the last of them. Tries for ever while the API
/// fails, so it is to be dropped when the processor stops: what is not done is delivered again.
pub async fn run(context: &Context<'_>, jobs: Vec<Job>) -> Outcome {
    let (table, key) = jobs
        .first()
        .map(|job| (job.message.table, job.key.clone()))
        .expect("a change");
    let known = context.keys.get(table, &key).cloned();
    let mut outcome = Outcome {
        table,
        key,
        known,
        gone: None,
        waits: None,
        refused: Vec::new(),
    };
    // An event that was made and deleted at once, or is delivered again after it was deleted: made again, it would be
    // counted again.
    let brief = outcome.table.is_event()
        && outcome.known.is_none()
        && matches!(
            jobs.last().map(|job| &job.committed.change),
            Some(Change::Delete(_))
        );
    for job in jobs.into_iter().filter(|_| !brief) {
        outcome.waits = None;
        match step(context, &mut outcome, &job).await {
            Ok(done) => context.progress.done(done, job.committed.at),
            Err(Refusal::Broken(reason)) => outcome.refused.push((job, reason)),
            Err(Refusal::Orphan { table, key }) => outcome.waits = Some((job, (table, key))),
        }
    }
    outcome
}

async fn step(context: &Context<'_>, outcome: &mut Outcome, job: &Job) -> Result<Done, Refusal> {
    match &job.committed.change {
        Change::Delete(_) => remove(context, outcome).await,
        Change::Upsert(row) => {
            let payload = payload(outcome.table, row, context.keys)?;
            store(context, outcome, &payload).await
        }
    }
}

async fn store(
    context: &Context<'_>,
    outcome: &mut Outcome,
    payload: &Map<String, Value>,
) -> Result<Done, Refusal> {
    let mut pause = RETRY.0;
    loop {
        let known = outcome.known.as_ref().map(|known| known.id.clone());
        let stored = match &known {
            Some(id) => context
                .api
                .replace(outcome.table, id, payload)
                .await
                .map(|()| id.clone()),
            None => context.api.create(outcome.table, payload).await,
        };
        match stored {
            Ok(id) => {
                let done = if known.is_some() {
                    Done::Updated
                } else {
                    Done::Created
                };
                let coop = payload
                    .get("coop_id")
                    .and_then(Value::as_str)
                    .map(String::from);
                outcome.known = Some(Known { id, coop });
                return Ok(done);
            }
            Err(Failure::Refused(reason)) => return Err(Refusal::Broken(reason)),
            // A client of the API has deleted it: the legacy row is still there, so it comes back.
            Err(Failure::Gone) if known.is_some() => outcome.known = None,
            Err(Failure::Gone) => {
                return Err(Refusal::Broken("the API does not know the entity".into()));
            }
            Err(Failure::Unknown(problem)) => {
                wait(context, &problem, &mut pause).await;
                if known.is_none() {
                    ask(context, outcome).await;
                }
            }
        }
    }
}

async fn remove(context: &Context<'_>, outcome: &mut Outcome) -> Result<Done, Refusal> {
    let mut pause = RETRY.0;
    let Some(known) = outcome.known.take() else {
        return Ok(Done::Nothing);
    };
    loop {
        match context.api.delete(outcome.table, &known.id).await {
            Ok(()) | Err(Failure::Gone) => {
                outcome.gone = Some(known);
                return Ok(Done::Deleted);
            }
            Err(Failure::Refused(reason)) => return Err(Refusal::Broken(reason)),
            Err(Failure::Unknown(problem)) => wait(context, &problem, &mut pause).await,
        }
    }
}

/// A creation without an answer may have been done: the API knows.
async fn ask(context: &Context<'_>, outcome: &mut Outcome) {
    let mut pause = RETRY.0;
    loop {
        match context.api.known(outcome.table).await {
            Ok(mut all) => {
                outcome.known = all.remove(&outcome.key);
                return;
            }
            Err(problem) => wait(context, &format!("{problem:?}"), &mut pause).await,
        }
    }
}

async fn wait(context: &Context<'_>, problem: &str, pause: &mut Duration) {
    context.progress.complain(problem);
    tokio::time::sleep(*pause).await;
    *pause = (*pause * 2).min(RETRY.1);
}
