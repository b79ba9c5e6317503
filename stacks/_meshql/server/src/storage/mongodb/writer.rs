//! The writer of one group: what arrives while it commits goes into its next commit.

use super::commit::Committer;
use crate::storage::{Outcome, Result, StorageError, Write};
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Writes that go into one commit at most.
const BATCH: usize = 256;

/// How long a stop waits for a commit to a server that is not there.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Job {
    pub writes: Vec<Write>,
    pub reply: oneshot::Sender<Result<Vec<Outcome>>>,
}

pub struct Writer {
    jobs: Mutex<Option<UnboundedSender<Job>>>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub fn start(committer: Committer) -> Writer {
        let (sender, receiver) = unbounded_channel();
        let task = tokio::spawn(run(committer, receiver));
        Writer {
            jobs: Mutex::new(Some(sender)),
            task: Mutex::new(Some(task)),
        }
    }

    /// Queues the writes and waits for their acknowledgement.
    ///
    /// # Errors
    /// When the commit failed, or the writer has stopped.
    pub async fn write(&self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        let (reply, answer) = oneshot::channel();
        let stopped = || StorageError("the storage is closed".into());
        {
            let jobs = self.jobs.lock().expect("no panic under the lock");
            let sender = jobs.as_ref().ok_or_else(stopped)?;
            sender.send(Job { writes, reply }).map_err(|_| stopped())?;
        }
        answer.await.map_err(|_| stopped())?
    }

    /// Commits what is queued, then ends.
    pub async fn stop(&self) {
        drop(self.jobs.lock().expect("no panic under the lock").take());
        let task = self.task.lock().expect("no panic under the lock").take();
        if let Some(mut task) = task
            && tokio::time::timeout(PATIENCE, &mut task).await.is_err()
        {
            task.abort();
        }
    }
}

async fn run(mut committer: Committer, mut receiver: UnboundedReceiver<Job>) {
    while let Some(first) = receiver.recv().await {
        let mut jobs = vec![first];
        let mut count = jobs[0].writes.len();
        while count < BATCH {
            let Ok(job) = receiver.try_recv() else { break };
            count += job.writes.len();
            jobs.push(job);
        }
        committer.commit(jobs).await;
    }
}
