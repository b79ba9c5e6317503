//! The threads that serve clients: each runs its own event loop and keeps its connections for life.
//!
//! Measured against a work-stealing runtime, this spends less on handing tasks and wake-ups between
//! threads, which is most of what a server of such short commands does besides system calls.

use crate::connection;
use crate::engine::Engine;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use tokio::runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub struct IoThreads {
    threads: Vec<(UnboundedSender<TcpStream>, JoinHandle<()>)>,
    next: AtomicUsize,
}

impl IoThreads {
    pub fn start(count: usize, engine: &Arc<Engine>) -> io::Result<Self> {
        let threads = (0..count.max(1))
            .map(|index| start_thread(index, Arc::clone(engine)))
            .collect::<io::Result<_>>()?;
        Ok(Self {
            threads,
            next: AtomicUsize::new(0),
        })
    }

    /// Gives a connection to the next thread in turn.
    pub fn serve(&self, stream: TcpStream) {
        let index = self.next.fetch_add(1, Ordering::Relaxed) % self.threads.len();
        if self.threads[index].0.send(stream).is_err() {
            tracing::error!("a thread that serves clients has ended");
        }
    }

    /// Ends all connections at their next wait. When this returns nothing is executed any more.
    pub fn stop(self) {
        for (sender, thread) in self.threads {
            drop(sender);
            if thread.join().is_err() {
                tracing::error!("a thread that serves clients panicked");
            }
        }
    }
}

/// Half of the processors, at least one: the rest is for the kernel's side of the connections and
/// for clients on the same machine.
pub fn default_count() -> usize {
    std::thread::available_parallelism().map_or(1, |count| (count.get() / 2).max(1))
}

fn start_thread(
    index: usize,
    engine: Arc<Engine>,
) -> io::Result<(UnboundedSender<TcpStream>, JoinHandle<()>)> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (sender, receiver) = unbounded_channel();
    let thread = std::thread::Builder::new()
        .name(format!("io-{index}"))
        .spawn(move || runtime.block_on(serve_all(receiver, engine)))?;
    Ok((sender, thread))
}

async fn serve_all(mut streams: UnboundedReceiver<TcpStream>, engine: Arc<Engine>) {
    while let Some(stream) = streams.recv().await {
        let engine = Arc::clone(&engine);
        tokio::spawn(async move {
            engine.counts.connected.fetch_add(1, Ordering::Relaxed);
            if let Err(error) = serve_one(stream, &engine).await {
                tracing::debug!("client connection ended: {error}");
            }
            engine.counts.connected.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

async fn serve_one(stream: TcpStream, engine: &Engine) -> io::Result<()> {
    let stream = tokio::net::TcpStream::from_std(stream)?;
    stream.set_nodelay(true)?;
    connection::serve(stream, engine).await
}
