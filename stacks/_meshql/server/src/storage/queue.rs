//! What waits for a writer: requests put their writes here, and one writer at the other end commits many of them together.

use super::{Outcome, Result, StorageError, Write};
use std::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// Writes that go into one commit at most.
const BATCH: usize = 256;

pub struct Job {
    pub writes: Vec<Write>,
    pub reply: oneshot::Sender<Result<Vec<Outcome>>>,
}

/// The end of the requests.
pub struct Queue(Mutex<Option<UnboundedSender<Job>>>);

/// The end of the writer.
pub type Jobs = UnboundedReceiver<Job>;

impl Queue {
    pub fn open() -> (Queue, Jobs) {
        let (sender, jobs) = unbounded_channel();
        (Queue(Mutex::new(Some(sender))), jobs)
    }

    /// Queues the writes and waits for their acknowledgement.
    ///
    /// # Errors
    /// When the commit failed, or the queue is closed.
    pub async fn write(&self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        let (reply, answer) = oneshot::channel();
        let stopped = || StorageError("the storage is closed".into());
        {
            let sender = self.0.lock().expect("no panic under the lock");
            let sender = sender.as_ref().ok_or_else(stopped)?;
            sender.send(Job { writes, reply }).map_err(|_| stopped())?;
        }
        answer.await.map_err(|_| stopped())?
    }

    /// Takes nothing more: the writer commits what is queued and ends.
    pub fn close(&self) {
        drop(self.0.lock().expect("no panic under the lock").take());
    }
}

/// A job, and what waits behind it: one commit.
pub fn with_what_waits(first: Job, jobs: &mut Jobs) -> Vec<Job> {
    let mut batch = vec![first];
    let mut count = batch[0].writes.len();
    while count < BATCH {
        let Ok(job) = jobs.try_recv() else { break };
        count += job.writes.len();
        batch.push(job);
    }
    batch
}
