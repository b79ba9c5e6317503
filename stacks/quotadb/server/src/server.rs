//! Accepting clients.

use crate::engine::Engine;
use crate::io_threads::IoThreads;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpListener;

/// Pause after a failed accept, which usually means that file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts clients for ever and hands them to the threads.
pub async fn accept(listener: &TcpListener, threads: &IoThreads, engine: &Engine) {
    let connected = &engine.counts.connected;
    loop {
        let accepted = listener.accept().await;
        match accepted.and_then(|(stream, _)| stream.into_std()) {
            Ok(mut stream) if connected.load(Ordering::Relaxed) >= engine.flags.max_clients => {
                // It fits into any socket's buffer; a client that left needs it no more.
                let _ = stream.write_all(b"-ERR max number of clients reached\r\n");
            }
            Ok(stream) => {
                connected.fetch_add(1, Ordering::Relaxed);
                threads.serve(stream);
            }
            Err(error) => {
                tracing::warn!("cannot accept a client: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
