//! Accepting clients.

use crate::io_threads::IoThreads;
use std::time::Duration;
use tokio::net::TcpListener;

/// Pause after a failed accept, which usually means that file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts clients for ever and hands them to the threads.
pub async fn accept(listener: &TcpListener, threads: &IoThreads) {
    loop {
        let accepted = listener.accept().await;
        match accepted.and_then(|(stream, _)| stream.into_std()) {
            Ok(stream) => threads.serve(stream),
            Err(error) => {
                tracing::warn!("cannot accept a client: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
