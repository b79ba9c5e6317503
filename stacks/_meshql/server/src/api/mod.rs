//! The HTTP side: REST, GraphQL, health.

mod accept;
mod answers;
mod app;
mod body;
mod failure;
#[cfg(test)]
mod fuzz;
mod graph;
mod health;
#[cfg(test)]
mod inputs;
mod rest;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use failure::Failure;
use std::sync::Arc;

pub use answers::Answers;
pub use app::App;
pub use body::Bodies;

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
