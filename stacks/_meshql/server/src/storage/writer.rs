//! One thread that writes: what arrives while it is busy goes into its next commit.

use super::queue::{Job, Jobs, Queue, with_what_waits};
use super::{Outcome, Result, Write};
use std::sync::Mutex;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Where a [`Writer`] writes to. The calls of one commit: `prepare` for each job, then `persist` and `publish`
/// in the order that the durability demands.
pub trait Sink: Send + 'static {
    /// Works out what the writes of one job do, in order.
    ///
    /// # Errors
    /// Fails this job only.
    fn prepare(&mut self, writes: Vec<Write>) -> Result<Vec<Outcome>>;

    /// Puts what was prepared on the disk.
    ///
    /// # Errors
    /// Fails all jobs of this commit.
    fn persist(&mut self) -> Result<()>;

    /// Lets readers see what was prepared.
    fn publish(&mut self);

    /// Whether jobs are acknowledged before they are on the disk.
    fn acknowledges_early(&self) -> bool;
}

type Reply = (oneshot::Sender<Result<Vec<Outcome>>>, Result<Vec<Outcome>>);

pub struct Writer {
    queue: Queue,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(name: &str, sink: impl Sink) -> std::result::Result<Writer, String> {
        let (queue, jobs) = Queue::open();
        let thread = std::thread::Builder::new()
            .name(format!("write-{name}"))
            .spawn(move || run(sink, jobs))
            .map_err(|error| format!("cannot start the writer of {name}: {error}"))?;
        Ok(Writer {
            queue,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Queues the writes and waits for their acknowledgement.
    ///
    /// # Errors
    /// When the commit failed, or the writer has stopped.
    pub async fn write(&self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
        self.queue.write(writes).await
    }

    /// Writes what is queued, then ends the thread.
    pub fn stop(&self) {
        self.queue.close();
        let thread = self.thread.lock().expect("no panic under the lock").take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn run(mut sink: impl Sink, mut jobs: Jobs) {
    while let Some(first) = jobs.blocking_recv() {
        commit(&mut sink, with_what_waits(first, &mut jobs));
    }
}

fn commit(sink: &mut impl Sink, jobs: Vec<Job>) {
    let prepared: Vec<Reply> = jobs
        .into_iter()
        .map(|job| (job.reply, sink.prepare(job.writes)))
        .collect();
    if sink.acknowledges_early() {
        sink.publish();
        acknowledge(prepared, &Ok(()));
        // A failure is fatal there: the sink ends the process.
        let _ = sink.persist();
        return;
    }
    let persisted = sink.persist();
    if persisted.is_ok() {
        sink.publish();
    }
    acknowledge(prepared, &persisted);
}

fn acknowledge(prepared: Vec<Reply>, persisted: &Result<()>) {
    for (reply, outcomes) in prepared {
        // A client that has gone away no longer waits.
        let _ = reply.send(persisted.clone().and(outcomes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Kind, Payload, StorageError};
    use std::sync::{Arc, Barrier};

    /// Waits in its first commit until the test has queued more.
    struct Slow {
        gate: Arc<Barrier>,
        waited: bool,
        sizes: Arc<Mutex<Vec<usize>>>,
        prepared: usize,
        fails: bool,
    }

    impl Sink for Slow {
        fn prepare(&mut self, writes: Vec<Write>) -> Result<Vec<Outcome>> {
            self.prepared += writes.len();
            Ok(writes.iter().map(|_| Outcome::NotFound).collect())
        }

        fn persist(&mut self) -> Result<()> {
            if !self.waited {
                self.waited = true;
                self.gate.wait();
                self.gate.wait();
            }
            self.sizes
                .lock()
                .expect("a lock")
                .push(std::mem::take(&mut self.prepared));
            if self.fails {
                Err(StorageError("disk full".into()))
            } else {
                Ok(())
            }
        }

        fn publish(&mut self) {}

        fn acknowledges_early(&self) -> bool {
            false
        }
    }

    fn slow(fails: bool) -> (Slow, Arc<Barrier>, Arc<Mutex<Vec<usize>>>) {
        let gate = Arc::new(Barrier::new(2));
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let sink = Slow {
            gate: Arc::clone(&gate),
            waited: false,
            sizes: Arc::clone(&sizes),
            prepared: 0,
            fails,
        };
        (sink, gate, sizes)
    }

    fn delete(id: usize) -> Vec<Write> {
        let (kind, payload) = (Kind::Delete, Payload::new());
        vec![Write {
            entity: 0,
            id: id.to_string(),
            kind,
            payload,
            applied: None,
        }]
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn writes_that_wait_share_a_commit() {
        let (sink, gate, sizes) = slow(false);
        let writer = Arc::new(Writer::start("test", sink).expect("a writer"));
        let spawn = |id| {
            let writer = Arc::clone(&writer);
            tokio::spawn(async move { writer.write(delete(id)).await })
        };
        let mut answers = vec![spawn(0)];
        tokio::task::block_in_place(|| gate.wait());
        answers.extend((1..=20).map(spawn));
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        tokio::task::block_in_place(|| gate.wait());
        for answer in answers {
            assert_eq!(answer.await.expect("a task"), Ok(vec![Outcome::NotFound]));
        }
        assert_eq!(*sizes.lock().expect("a lock"), [1, 20]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_failed_commit_acknowledges_nothing() {
        let (mut sink, ..) = slow(true);
        sink.waited = true;
        let writer = Writer::start("test", sink).expect("a writer");
        assert_eq!(
            writer.write(delete(1)).await,
            Err(StorageError("disk full".into()))
        );
        writer.stop();
        assert_eq!(
            writer.write(delete(1)).await,
            Err(StorageError("the storage is closed".into()))
        );
    }
}
