//! Accepting connections, and ending them: in order at a stop, at once where a client reads too slowly.

use crate::impatient::Impatient;
use crate::limits::CONNECTIONS;
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
use tokio::sync::{Notify, Semaphore, watch};
use tower_service::Service;

/// Of a request, at most, and of a body that is read at a time.
const HEAD_BYTES: usize = 32 * 1024;

/// Ends the connection that a request came by, whatever it still has to send.
#[derive(Clone, Default)]
pub struct Cut(Arc<Notify>);

impl Cut {
    pub fn now(&self) {
        self.0.notify_one();
    }
}

/// Serves until `stop` resolves, then answers what has been asked and returns when the last connection is closed.
/// `patience`: how long the head of a request may take, and an answer of which the client takes nothing.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    patience: Duration,
    stop: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
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
                let Ok(place) = places.clone().try_acquire_owned() else {
                    continue;
                };
                let serving = connection(stream, router.clone(), patience, stopped.clone());
                tokio::spawn(async move {
                    serving.await;
                    drop(place);
                });
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
) {
    let _ = stream.set_nodelay(true);
    let cut = Cut::default();
    let mark = cut.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(mark.clone());
        router.clone().call(request.map(Body::new))
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Impatient::new(stream, patience)), service);
    let mut serving = pin!(serving);
    tokio::select! {
        _ = serving.as_mut() => return,
        () = cut.0.notified() => return,
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
    serving.as_mut().graceful_shutdown();
    tokio::select! {
        _ = serving => {}
        () = cut.0.notified() => {}
    }
}
