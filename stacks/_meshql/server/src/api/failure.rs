//! Why a request is refused, and how an answer in JSON is written.

use crate::storage::StorageError;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::time::Duration;

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

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Failure {
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

pub type JsonBody = ([(HeaderName, HeaderValue); 1], Vec<u8>);

/// A JSON body with its content type.
pub fn axum_json(body: &impl serde::Serialize) -> JsonBody {
    let bytes = serde_json::to_vec(body).expect("a body is JSON");
    (
        [(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )],
        bytes,
    )
}
