//! The writer of one group: what arrives while it commits goes into its next commit.

use super::commit::Committer;
use crate::storage::queue::{Jobs, Queue, with_what_waits};
use crate::storage::{Outcome, Result, Write};
use std::sync::Mutex;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long a stop waits for a commit to a server that is not there.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Writer {
    queue: Queue,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub fn start(committer: Committer) -> Writer {
        let (queue, jobs) = Queue::open();
        let task = tokio::spawn(run(committer, jobs));
        Writer {
            queue,
            task: Mutex::new(Some(task)),
        }
    }

    /// Queues the writes and waits for their acknowledgement.
    ///
    /// # Errors
    /// When the commit failed, or the writer has stopped.
    pub async fn write(&self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        self.queue.write(writes).await
    }

    /// Commits what is queued, then ends.
    pub async fn stop(&self) {
        self.queue.close();
        let task = self.task.lock().expect("no panic under the lock").take();
        if let Some(mut task) = task
            && tokio::time::timeout(PATIENCE, &mut task).await.is_err()
        {
            task.abort();
        }
    }
}

async fn run(mut committer: Committer, mut jobs: Jobs) {
    while let Some(first) = jobs.recv().await {
        committer.commit(with_what_waits(first, &mut jobs)).await;
    }
}
