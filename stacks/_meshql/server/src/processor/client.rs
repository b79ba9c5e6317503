//! The public API as the processor uses it: the same requests as from outside, without a socket.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderName, Request, StatusCode, header};
use serde_json::{Value, json};
use tower::ServiceExt;

/// On a write: the offset of the newest event that the new version contains; the write has no effect when the
/// stored version contains it already. On a read: that offset.
pub const EVENT_OFFSET: HeaderName = HeaderName::from_static("x-event-offset");

#[derive(Clone)]
pub struct Client {
    router: Router,
}

pub struct Answer {
    pub status: StatusCode,
    pub body: Value,
    /// The newest event that the entity contains.
    pub applied: Option<u64>,
}

impl Client {
    pub fn new(router: Router) -> Client {
        Client { router }
    }

    /// # Errors
    /// When the server fails; refusals are answers.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        applied: Option<u64>,
    ) -> Result<Answer, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(offset) = applied {
            request = request.header(EVENT_OFFSET, offset);
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = request.body(body).map_err(|error| error.to_string())?;
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let offset = response
            .headers()
            .get(EVENT_OFFSET)
            .and_then(|value| value.to_str().ok()?.parse().ok());
        let bytes = to_bytes(response.into_body(), usize::MAX)
            .await
            .map_err(|error| error.to_string())?;
        if status.is_server_error() {
            return Err(format!("{method} {path}: {status}"));
        }
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Answer {
            status,
            body,
            applied: offset,
        })
    }

    /// The `data` of a GraphQL query.
    ///
    /// # Errors
    /// When there are errors in the answer.
    pub async fn query(&self, entity: &str, query: &str) -> Result<Value, String> {
        let path = format!("/{entity}/graph");
        let answer = self
            .send("POST", &path, Some(&json!({"query": query})), None)
            .await?;
        match answer.body.get("errors") {
            None => Ok(answer.body["data"].clone()),
            Some(errors) => Err(format!("{path}: {errors}")),
        }
    }
}
