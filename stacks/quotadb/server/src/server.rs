//! Accepting clients.

use crate::connection;
use crate::engine::Engine;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpListener;

/// Pause after a failed accept, which usually means that file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves clients for as long as the runtime lives.
pub async fn serve(listener: TcpListener, engine: Arc<Engine>) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!("cannot accept a client: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!("cannot set TCP_NODELAY: {error}");
        }
        let engine = Arc::clone(&engine);
        tokio::spawn(async move {
            engine.counts.connected.fetch_add(1, Ordering::Relaxed);
            if let Err(error) = connection::serve(stream, &engine).await {
                tracing::debug!("client connection ended: {error}");
            }
            engine.counts.connected.fetch_sub(1, Ordering::Relaxed);
        });
    }
}
