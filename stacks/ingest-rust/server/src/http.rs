//! The paths of the contract.

use crate::connection::Cut;
use crate::event::write_id;
use crate::limits::{BATCH_BYTES, EVENT_BYTES};
use crate::memory::{Memory, Share};
use crate::problem::{Kind, Problem};
use crate::reader::Readers;
use crate::settings::Synchronous;
use crate::stream::{self, Hub};
use crate::writer::Writer;
use crate::{body, parameters, plain};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone)]
pub struct Service {
    pub writer: Writer,
    pub readers: Arc<Readers>,
    pub hub: Arc<Hub>,
    pub synchronous: Synchronous,
    /// How long a body may take.
    pub patience: Duration,
    /// Of bodies and answers.
    pub memory: Memory,
}

const JSON: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

fn json(text: impl IntoResponse) -> Response {
    (JSON, text).into_response()
}

impl Service {
    /// The body of a request, and what it takes in memory until it is stored.
    async fn body(&self, request: Request<Body>, limit: usize) -> Result<(Bytes, Share), Problem> {
        body::read(request, limit, self.patience, &self.memory).await
    }
}

async fn create_event(
    State(service): State<Service>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    parameters::none(request.uri().query())?;
    let (body, share) = service.body(request, EVENT_BYTES).await?;
    let rows = plain::parse_one(&body)?;
    drop(body);
    let mut id = String::with_capacity(36);
    rows.iter().for_each(|event| write_id(&mut id, &event.id));
    let duplicates = service.writer.store(rows, share).await?;
    if duplicates.is_empty() {
        let location = [(header::LOCATION, format!("/api/events/{id}"))];
        let text = format!(r#"{{"id":"{id}","status":"stored"}}"#);
        return Ok((StatusCode::CREATED, JSON, location, text).into_response());
    }
    Ok(json(format!(r#"{{"id":"{id}","status":"duplicate"}}"#)))
}

async fn create_events(
    State(service): State<Service>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    parameters::none(request.uri().query())?;
    let (body, share) = service.body(request, BATCH_BYTES).await?;
    let rows = plain::parse_batch(&body)?;
    drop(body);
    let events = rows.len();
    let duplicates = service.writer.store(rows, share).await?;
    let mut text = format!(r#"{{"stored":{},"duplicates":["#, events - duplicates.len());
    for (i, id) in duplicates.iter().enumerate() {
        text.push_str(if i == 0 { "\"" } else { ",\"" });
        write_id(&mut text, id);
        text.push('"');
    }
    text.push_str("]}");
    Ok(json(text))
}

async fn list_events(State(service): State<Service>, uri: Uri) -> Result<Response, Problem> {
    let query = parameters::page_query(uri.query())?;
    let page = service
        .readers
        .read(move |reader| reader.page(&query))
        .await?;
    Ok(json(service.memory.hold(page)?))
}

async fn get_event(
    State(service): State<Service>,
    path: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Response, Problem> {
    parameters::none(uri.query())?;
    let id = parameters::id(path.ok().as_deref().map(String::as_str))?;
    let event = service.readers.read(move |reader| reader.event(id)).await?;
    let event = event.ok_or_else(|| {
        let mut text = String::from("no event has the id ");
        write_id(&mut text, &id);
        Problem::new(Kind::NotFound, text)
    })?;
    Ok(json(service.memory.hold(event)?))
}

async fn get_stats(State(service): State<Service>, uri: Uri) -> Result<Response, Problem> {
    let minutes = parameters::stats_minutes(uri.query())?;
    let stats = service
        .readers
        .read(move |reader| reader.stats(minutes))
        .await?;
    Ok(json(service.memory.hold(stats)?))
}

async fn stream_events(
    State(service): State<Service>,
    Extension(cut): Extension<Cut>,
    method: Method,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    parameters::none(uri.query())?;
    let after = headers
        .get("last-event-id")
        .map(|value| parameters::last_event_id(value.as_bytes()));
    let after = after.transpose()?;
    let body = if method == Method::HEAD {
        Body::empty()
    } else {
        stream::open(service.hub, service.readers, service.memory, cut, after)
    };
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, body).into_response())
}

async fn get_health(State(service): State<Service>, uri: Uri) -> Result<Response, Problem> {
    parameters::none(uri.query())?;
    Ok(json(format!(
        r#"{{"status":"ok","synchronous":"{}"}}"#,
        service.synchronous
    )))
}

/// axum adds the header `Allow`.
async fn method_not_allowed(method: Method) -> Problem {
    Problem::new(
        Kind::MethodNotAllowed,
        format!("this resource does not take {method}"),
    )
}

async fn not_found(uri: Uri) -> Problem {
    Problem::new(
        Kind::NotFound,
        format!("no resource has the path {}", uri.path()),
    )
}

pub fn router(service: Service) -> Router {
    Router::new()
        .route("/api/events", get(list_events).post(create_event))
        .route("/api/events/batch", post(create_events))
        .route("/api/events/{id}", get(get_event))
        .route("/api/stats", get(get_stats))
        .route("/api/stream", get(stream_events))
        .route("/healthz", get(get_health))
        .method_not_allowed_fallback(method_not_allowed)
        .fallback(not_found)
        .with_state(service)
}
