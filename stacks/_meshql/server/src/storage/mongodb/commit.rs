//! Stores the writes of many requests together: a few commands for each commit, whatever their number.
//!
//! Earlier versions are stored first, then the new current ones. A crash in between leaves a document that the next
//! change of the entity overwrites, and no read is wrong. Every command can be sent again without harm, so a commit
//! whose answer was lost is repeated until the server has told what became of it.

use super::connect::{Absence, absence, short};
use super::document::Stored;
use super::feed::Handle;
use super::plan::Plan;
use crate::clock::now_ms;
use crate::entity::{EntityId, Model};
use crate::storage::queue::Job;
use crate::storage::{Durability, Kind, Result, StorageError};
use futures_util::future::{join_all, try_join_all};
use mongodb::Database;
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::error::Error;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Documents of one command together, bytes: the server takes 48 MB.
const COMMAND_BYTES: usize = 16_000_000;

/// Pause before a commit is sent again.
const RETRY: Duration = Duration::from_millis(200);

/// Code of "there is one already": it was stored, and the answer was lost.
const DUPLICATE: i32 = 11000;

pub struct Committer {
    model: Arc<Model>,
    database: Database,
    /// For messages.
    place: String,
    concern: Document,
    feed: Option<Handle>,
    /// The server did not answer the last time.
    away: bool,
}

impl Committer {
    pub fn new(
        model: Arc<Model>,
        database: Database,
        place: String,
        durability: Durability,
        feed: Option<Handle>,
    ) -> Committer {
        Committer {
            model,
            database,
            place,
            concern: write_concern(durability),
            feed,
            away: false,
        }
    }

    /// Answers every job.
    pub async fn commit(&mut self, jobs: Vec<Job>) {
        let mut plan = match self.newest(&jobs).await {
            Ok(newest) => Plan::new(newest),
            Err(problem) => {
                for job in jobs {
                    let _ = job.reply.send(Err(problem.clone()));
                }
                return;
            }
        };
        let now = now_ms();
        let mut answers = Vec::with_capacity(jobs.len());
        for Job { writes, reply } in jobs {
            let mut outcomes = Vec::with_capacity(writes.len());
            for write in writes {
                let entity = &self.model.entities[write.entity];
                let next_event = self.feed.as_mut().map(|feed| &mut feed.next);
                outcomes.push(plan.add(write, next_event, entity, now));
            }
            answers.push((reply, outcomes));
        }
        let stored = self.store(&plan).await;
        if let Some(feed) = &self.feed {
            match &stored {
                Ok(()) => feed.acknowledged(plan.records),
                Err(Failure::Unsent(_)) => {}
                // A part of it may be there, and what is there counts.
                Err(_) => {
                    feed.what_is_there(&plan.records, &self.model, &self.database)
                        .await;
                }
            }
        }
        let stored = stored.map_err(Failure::problem);
        for (reply, outcomes) in answers {
            // A client that has gone away no longer waits.
            let _ = reply.send(stored.clone().map(|()| outcomes));
        }
    }

    /// The newest versions of what is replaced or deleted: one query for each collection.
    async fn newest(&self, jobs: &[Job]) -> Result<Vec<(EntityId, Stored)>> {
        let mut wanted: HashMap<EntityId, HashSet<&str>> = HashMap::new();
        let writes = jobs.iter().flat_map(|job| &job.writes);
        for write in writes.filter(|write| write.kind != Kind::Create) {
            wanted.entry(write.entity).or_default().insert(&write.id);
        }
        let queries = wanted.into_iter().map(|(entity, ids)| async move {
            let ids: Vec<&str> = ids.into_iter().collect();
            let collection = self
                .database
                .collection::<RawDocumentBuf>(&self.model.entities[entity].name);
            let mut cursor = collection.find(doc! {"_id": {"$in": &ids}}).await?;
            let mut found = Vec::new();
            while cursor.advance().await? {
                found.push((entity, Stored::read(cursor.current())));
            }
            Ok::<_, Error>((ids, found))
        });
        let found = try_join_all(queries).await.map_err(|error| short(&error))?;
        let mut newest = Vec::new();
        for (ids, versions) in found {
            for (entity, stored) in versions {
                let stored = stored?;
                // An earlier version has an id of its own, which is no entity's.
                if ids.contains(&stored.envelope.id.as_str()) {
                    newest.push((entity, stored));
                }
            }
        }
        Ok(newest)
    }

    /// Returns when the server has stored it all, or has said that it will not. What may be there in part is sent
    /// until one of both is certain.
    async fn store(&mut self, plan: &Plan) -> std::result::Result<(), Failure> {
        let [created, replaced] = plan.current();
        let mut again = false;
        loop {
            let stored = self.try_store(plan, &created, &replaced, again).await;
            match &stored {
                Ok(()) | Err(Failure::Refused(_)) => self.say(None),
                Err(Failure::Unsent(problem) | Failure::Lost(problem)) => self.say(Some(problem)),
            }
            again = match stored {
                Err(Failure::Lost(_)) => true,
                Err(Failure::Unsent(_)) if again => true,
                other => return other,
            };
            tokio::time::sleep(RETRY).await;
        }
    }

    /// One line when the server goes, and one when it is back.
    fn say(&mut self, problem: Option<&StorageError>) {
        match problem {
            Some(problem) if !self.away => eprintln!("meshql-server: {}: {problem}", self.place),
            None if self.away => eprintln!("meshql-server: {} answers again", self.place),
            _ => {}
        }
        self.away = problem.is_some();
    }

    async fn try_store(
        &self,
        plan: &Plan,
        created: &HashMap<EntityId, Vec<Document>>,
        replaced: &HashMap<EntityId, Vec<Document>>,
        again: bool,
    ) -> std::result::Result<(), Failure> {
        let update = |documents: &HashMap<EntityId, Vec<Document>>, upsert: bool| {
            let commands = documents.iter().flat_map(|(&entity, list)| {
                chunks(list).map(move |part| self.update(entity, part, upsert))
            });
            commands.collect::<Vec<_>>()
        };
        self.send_all(update(&plan.earlier, true), again).await?;
        let mut commands = update(replaced, false);
        for (&entity, list) in created {
            commands.extend(chunks(list).map(|part| self.insert(entity, part)));
        }
        self.send_all(commands, again).await
    }

    /// Waits for all answers, whatever the first ones are: then nothing is under way any more.
    async fn send_all(
        &self,
        commands: Vec<Document>,
        again: bool,
    ) -> std::result::Result<(), Failure> {
        let sent = commands
            .into_iter()
            .map(|command| self.send(command, again));
        let answers = join_all(sent).await;
        let total = answers.len();
        let mut failures: Vec<Failure> = answers
            .into_iter()
            .filter_map(|answer| answer.err())
            .collect();
        if failures.len() < total {
            failures = failures.into_iter().map(Failure::in_part).collect();
        }
        failures
            .into_iter()
            .max_by_key(Failure::rank)
            .map_or(Ok(()), Err)
    }

    fn insert(&self, entity: EntityId, documents: &[Document]) -> Document {
        doc! {
            "insert": &self.model.entities[entity].name,
            "documents": documents,
            "ordered": false,
            "writeConcern": self.concern.clone(),
        }
    }

    /// Replaces whole documents by their `_id`.
    fn update(&self, entity: EntityId, documents: &[Document], upsert: bool) -> Document {
        let updates: Vec<Document> = documents
            .iter()
            .map(|document| {
                let id = document.get("_id").cloned();
                doc! {"q": {"_id": id}, "u": document, "upsert": upsert}
            })
            .collect();
        doc! {
            "update": &self.model.entities[entity].name,
            "updates": updates,
            "ordered": false,
            "writeConcern": self.concern.clone(),
        }
    }

    /// `again`: it may have been stored by an earlier attempt.
    async fn send(&self, command: Document, again: bool) -> std::result::Result<(), Failure> {
        let answer = self.database.run_command(command).await;
        let answer = answer.map_err(|error| match absence(&error) {
            Some(Absence::Unsent) => Failure::Unsent(short(&error)),
            Some(Absence::Unknown) => Failure::Lost(short(&error)),
            None => Failure::Refused(short(&error)),
        })?;
        refusal(&answer, again).map_or(Ok(()), |text| Err(Failure::Refused(StorageError(text))))
    }
}

enum Failure {
    /// The server has not seen it.
    Unsent(StorageError),
    Refused(StorageError),
    /// What became of it is unknown.
    Lost(StorageError),
}

impl Failure {
    fn problem(self) -> StorageError {
        match self {
            Failure::Unsent(problem) | Failure::Refused(problem) | Failure::Lost(problem) => {
                problem
            }
        }
    }

    /// The failure of a part of a commit, of which another part is stored.
    fn in_part(self) -> Failure {
        match self {
            Failure::Unsent(problem) => Failure::Lost(problem),
            other => other,
        }
    }

    /// The higher one decides.
    fn rank(&self) -> u8 {
        match self {
            Failure::Unsent(_) => 0,
            Failure::Refused(_) => 1,
            Failure::Lost(_) => 2,
        }
    }
}

/// What the server did not store, in its own words.
fn refusal(answer: &Document, again: bool) -> Option<String> {
    let errors = answer
        .get_array("writeErrors")
        .map_or(&[][..], Vec::as_slice);
    let mut errors = errors.iter().filter_map(|error| error.as_document());
    let refused =
        errors.find(|error| !(again && error.get_i32("code").is_ok_and(|code| code == DUPLICATE)));
    let refused = refused.or_else(|| answer.get_document("writeConcernError").ok());
    refused.map(|error| {
        error
            .get_str("errmsg")
            .unwrap_or("it was refused")
            .to_string()
    })
}

/// Parts that fit into one command each.
fn chunks(mut documents: &[Document]) -> impl Iterator<Item = &[Document]> {
    std::iter::from_fn(move || {
        if documents.is_empty() {
            return None;
        }
        let mut bytes = 0;
        let fits = documents.iter().take_while(|document| {
            bytes += RawDocumentBuf::try_from(*document).map_or(0, |raw| raw.as_bytes().len());
            bytes <= COMMAND_BYTES
        });
        let (part, rest) = documents.split_at(fits.count().max(1));
        documents = rest;
        Some(part)
    })
}

/// `fsync`: in the journal of a majority of the servers. `queued`: in the memory of one.
fn write_concern(durability: Durability) -> Document {
    match durability {
        Durability::Queued => doc! {"w": 1, "j": false},
        Durability::Fsync | Durability::Kernel => doc! {"w": "majority", "j": true},
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_refused_is_told_in_its_words() {
        let stored = doc! {"ok": 1, "n": 1};
        assert_eq!(refusal(&stored, false), None);
        let full =
            doc! {"ok": 1, "writeErrors": [{"index": 0, "code": 14031, "errmsg": "no room"}]};
        assert_eq!(refusal(&full, true).as_deref(), Some("no room"));
        let lonely =
            doc! {"ok": 1, "writeConcernError": {"code": 64, "errmsg": "waiting for replication"}};
        assert_eq!(
            refusal(&lonely, false).as_deref(),
            Some("waiting for replication")
        );
    }

    #[test]
    fn a_duplicate_is_an_earlier_attempt_only_where_there_was_one() {
        let duplicate =
            doc! {"ok": 1, "writeErrors": [{"index": 0, "code": DUPLICATE, "errmsg": "E11000"}]};
        assert_eq!(refusal(&duplicate, true), None);
        assert_eq!(refusal(&duplicate, false).as_deref(), Some("E11000"));
    }

    #[test]
    fn documents_are_cut_into_commands_that_the_server_takes() {
        let large = doc! {"text": "x".repeat(COMMAND_BYTES / 2 - 100)};
        let huge = doc! {"text": "x".repeat(COMMAND_BYTES + 1)};
        let documents = [large.clone(), large.clone(), large, huge, doc! {"a": 1}];
        let sizes: Vec<usize> = chunks(&documents).map(<[Document]>::len).collect();
        assert_eq!(sizes, [2, 1, 1, 1]);
        assert_eq!(chunks(&[]).count(), 0);
    }
}
