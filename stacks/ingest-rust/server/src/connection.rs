//! Accepting connections, and ending them: in order at a stop, at once where a client reads too slowly.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tower_service::Service;

/// Ends the connection that a request came by, whatever it still has to send.
#[derive(Clone, Default)]
pub struct Cut(Arc<Notify>);

impl Cut {
    pub fn now(&self) {
        self.0.notify_one();
    }
}

/// Serves until `stop` resolves, then answers what has been asked and returns when the last connection is closed.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    // Every connection holds a receiver: the channel is closed when the last one has ended.
    let (stopping, stopped) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, _)) => drop(tokio::spawn(connection(
                stream,
                router.clone(),
                stopped.clone(),
            ))),
            // Out of descriptors or the like: connections that end will free some.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
        }
    }
    drop((listener, stopped));
    let _ = stopping.send(true);
    stopping.closed().await;
}

async fn connection(stream: TcpStream, router: Router, mut stopped: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let cut = Cut::default();
    let mark = cut.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(mark.clone());
        router.clone().call(request.map(Body::new))
    });
    let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
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
