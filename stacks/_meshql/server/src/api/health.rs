//! `/health`: the process lives. `/ready`: it can serve, and how far the projections are behind.

use super::app::App;
use super::failure::axum_json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// How long the storage may take to say that it can serve.
const PATIENCE: Duration = Duration::from_secs(4);

pub async fn health() -> Response {
    axum_json(&json!({"status": "ok"})).into_response()
}

/// `processor.lag`: acknowledged records of the event log that are not in the projections yet.
pub async fn ready(State(app): State<Arc<App>>) -> Response {
    let checked = tokio::time::timeout(PATIENCE, app.storage.check()).await;
    let healthy = matches!(checked, Ok(Ok(())));
    let mut body = app.description.clone();
    body["status"] = if healthy { "ok" } else { "unavailable" }.into();
    body["processor"] = app.progress.report(app.storage.events().head());
    let status = if healthy {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, axum_json(&body)).into_response()
}
