//! The HTTP side: REST, GraphQL, health.

mod accept;
mod answers;
mod body;
#[cfg(test)]
mod fuzz;
mod graph;
mod health;
#[cfg(test)]
mod inputs;
mod rest;

use crate::entity::{Entity, Model};
use crate::processor::Progress;
use crate::storage::Storage;
use async_graphql::dynamic::Schema;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

pub use answers::Answers;
pub use body::Bodies;

/// What the handlers share.
pub struct App {
    pub model: Arc<Model>,
    pub storage: Arc<dyn Storage>,
    pub schemas: Vec<Schema>,
    pub progress: Arc<Progress>,
    pub bodies: Bodies,
    pub answers: Answers,
    /// Printed by `/ready`.
    pub description: serde_json::Value,
}

impl App {
    fn entity(&self, name: &str) -> Result<&Entity, Failure> {
        self.model.entity(name).ok_or(Failure::NotFound)
    }
}

pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/health", get(health::health))
        .route("/ready", get(health::ready))
        .route("/{entity}/graph", post(graph::query))
        .route("/{entity}/api", get(rest::list).post(rest::create))
        .route("/{entity}/api/", get(rest::list).post(rest::create))
        .route(
            "/{entity}/api/bulk",
            get(rest::read_bulk).post(rest::create_bulk),
        )
        .route(
            "/{entity}/api/{id}",
            get(rest::read).put(rest::replace).delete(rest::delete),
        )
        .fallback(|| async { Failure::NotFound })
        .layer(from_fn_with_state(Arc::clone(&app), held))
        .layer(from_fn(cors))
        .with_state(app)
}

async fn held(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    app.answers.hold(next.run(request).await).await
}

/// Any page may call the API: the contract has no accounts.
async fn cors(request: Request, next: Next) -> Response {
    let preflight = request.method() == Method::OPTIONS;
    let mut response = if preflight {
        StatusCode::OK.into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    if preflight {
        set(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            "GET, POST, PUT, DELETE, OPTIONS",
        );
        set(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Content-Type, Authorization",
        );
    }
    response
}

/// Why a request is refused.
#[derive(Debug)]
pub enum Failure {
    NotFound,
    /// The body or an argument is wrong: what, in one sentence.
    Invalid(String),
    /// More than is read or answered at once: of what, in one sentence.
    TooLarge(String),
    /// The body did not come in this time.
    TooSlow(Duration),
    /// Others fill the memory for all of these.
    Busy(&'static str),
    Storage(String),
}

impl From<crate::storage::StorageError> for Failure {
    fn from(error: crate::storage::StorageError) -> Failure {
        Failure::Storage(error.0)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, body) = match self {
            Failure::NotFound => (
                StatusCode::NOT_FOUND,
                json!({"error": "Resource not found"}),
            ),
            Failure::Invalid(detail) => (
                StatusCode::BAD_REQUEST,
                json!({"error": "Invalid payload", "detail": detail}),
            ),
            Failure::TooLarge(detail) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                json!({"error": "Too large", "detail": detail}),
            ),
            Failure::TooSlow(patience) => (
                StatusCode::REQUEST_TIMEOUT,
                json!({"error": "Too slow", "detail": format!("the body took longer than {} s", patience.as_secs())}),
            ),
            Failure::Busy(what) => (
                StatusCode::SERVICE_UNAVAILABLE,
                json!({"error": "Too much at once", "detail": format!("the {what} in memory fill it")}),
            ),
            Failure::Storage(problem) => {
                eprintln!("meshql-server: {problem}");
                (
                    StatusCode::INTERNAL_SERVER_ERROR,
                    json!({"error": "The storage failed"}),
                )
            }
        };
        (status, axum_json(&body)).into_response()
    }
}

type JsonBody = ([(HeaderName, HeaderValue); 1], Vec<u8>);

/// A JSON body with its content type.
fn axum_json(body: &impl serde::Serialize) -> JsonBody {
    let bytes = serde_json::to_vec(body).expect("a body is JSON");
    (
        [(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )],
        bytes,
    )
}
