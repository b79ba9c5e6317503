//! `GET /health`: the process lives. `GET /status`: how far it is. `POST /reset`: a new window of latency and lag.

use crate::progress::Progress;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use std::sync::Arc;
use tokio::net::TcpListener;

const JSON: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

pub async fn serve(listener: TcpListener, progress: Arc<Progress>) {
    let status = |State(progress): State<Arc<Progress>>| async move {
        (JSON, progress.report().to_string()).into_response()
    };
    let reset = |State(progress): State<Arc<Progress>>| async move {
        progress.reset();
        (JSON, "{}")
    };
    let router = Router::new()
        .route("/health", get(|| async { (JSON, r#"{"status":"ok"}"#) }))
        .route("/status", get(status))
        .route("/reset", post(reset))
        .with_state(progress);
    if let Err(error) = axum::serve(listener, router).await {
        eprintln!("meshql-legacy: {error}");
    }
}
