//! The threads that serve clients: each runs its own event loop and keeps its connections for life.
//!
//! Measured against an asynchronous runtime, this spends less on handing tasks and wake-ups around,
//! which is most of what a server of such short commands does besides system calls.

use crate::engine::Engine;
use crate::event_loop::EventLoop;
use mio::Waker;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

pub struct IoThreads {
    threads: Vec<IoThread>,
    next: AtomicUsize,
}

struct IoThread {
    arrivals: Sender<TcpStream>,
    waker: Arc<Waker>,
    handle: JoinHandle<()>,
}

impl IoThreads {
    pub fn start(count: usize, engine: &Arc<Engine>) -> io::Result<Self> {
        let threads = (0..count.max(1))
            .map(|index| IoThread::start(index, Arc::clone(engine)))
            .collect::<io::Result<_>>()?;
        Ok(Self {
            threads,
            next: AtomicUsize::new(0),
        })
    }

    /// Gives a connection, which must not block, to the next thread in turn.
    pub fn serve(&self, stream: TcpStream) {
        let index = self.next.fetch_add(1, Ordering::Relaxed) % self.threads.len();
        let thread = &self.threads[index];
        if thread.arrivals.send(stream).is_err() {
            tracing::error!("a thread that serves clients has ended");
        } else if let Err(error) = thread.waker.wake() {
            tracing::error!("cannot wake a thread that serves clients: {error}");
        }
    }

    /// Ends all connections at their next wait. When this returns nothing is executed any more.
    pub fn stop(self) {
        for thread in self.threads {
            drop(thread.arrivals);
            if let Err(error) = thread.waker.wake() {
                tracing::error!("cannot wake a thread that serves clients: {error}");
            } else if thread.handle.join().is_err() {
                tracing::error!("a thread that serves clients panicked");
            }
        }
    }
}

impl IoThread {
    fn start(index: usize, engine: Arc<Engine>) -> io::Result<Self> {
        let (arrivals, receiver) = channel();
        let (event_loop, waker) = EventLoop::new(engine, receiver)?;
        let handle = std::thread::Builder::new()
            .name(format!("io-{index}"))
            .spawn(move || event_loop.run())?;
        Ok(Self {
            arrivals,
            waker,
            handle,
        })
    }
}

/// Half of the processors, at least one: the rest is for the kernel's side of the connections and
/// for clients on the same machine.
pub fn default_count() -> usize {
    std::thread::available_parallelism().map_or(1, |count| (count.get() / 2).max(1))
}
