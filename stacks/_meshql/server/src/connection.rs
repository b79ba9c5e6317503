//! Accepting connections, and ending them: in order at a stop, at once where there are too many or one is too slow.

use crate::unmoved::Unmoved;
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower::Service;

/// Most of a head that is kept, or of a body that is read ahead, for each connection. The longest address that the
/// parser takes has 64 KiB.
const BUFFER_BYTES: usize = 96 * 1024;

/// What a server takes of its clients' connections.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// At a time; another is closed at once.
    pub connections: usize,
    /// For the head of a request, counted from the end of the one before; and without a byte of an answer taken.
    pub patience: Duration,
}

/// Serves until `stop` resolves, then answers what has been asked and returns when the last connection is closed.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    stop: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(bounds.connections));
    // Every connection holds a receiver: the channel is closed when the last one has ended.
    let (stopping, stopped) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                    continue;
                };
                let (router, stopped) = (router.clone(), stopped.clone());
                tokio::spawn(connection(stream, router, bounds.patience, stopped, place));
            }
            // Out of descriptors or the like: connections that end will free some.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    drop((listener, stopped));
    let _ = stopping.send(true);
    stopping.closed().await;
}

async fn connection(
    stream: TcpStream,
    router: Router,
    patience: Duration,
    mut stopped: watch::Receiver<bool>,
    _place: OwnedSemaphorePermit,
) {
    let _ = stream.set_nodelay(true);
    let service =
        service_fn(move |request: Request<Incoming>| router.clone().call(request.map(Body::new)));
    // Thousands wait here, so it is in their futures once: a name of its own would be a second place for it.
    let mut serving = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .max_buf_size(BUFFER_BYTES)
            .serve_connection(TokioIo::new(Unmoved::new(stream, patience)), service)
    );
    tokio::select! {
        _ = serving.as_mut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
    serving.as_mut().graceful_shutdown();
    let _ = serving.as_mut().await;
}
