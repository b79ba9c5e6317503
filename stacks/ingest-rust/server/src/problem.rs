//! Errors of the contract: problem documents as RFC 9457 describes them.

use crate::output::complain;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    MalformedJson,
    InvalidParameter,
    InvalidEvent,
    NotFound,
    MethodNotAllowed,
    BodyTooLarge,
    UnsupportedMediaType,
    RequestTimeout,
    Storage,
    Overloaded,
    Internal,
}

impl Kind {
    fn facts(self) -> (StatusCode, &'static str, &'static str) {
        use StatusCode as S;
        match self {
            Kind::MalformedJson => (S::BAD_REQUEST, "malformed-json", "The body is not JSON"),
            Kind::InvalidParameter => (
                S::BAD_REQUEST,
                "invalid-parameter",
                "A parameter is not valid",
            ),
            Kind::InvalidEvent => (
                S::UNPROCESSABLE_ENTITY,
                "invalid-event",
                "The body is not what the contract asks for",
            ),
            Kind::NotFound => (S::NOT_FOUND, "not-found", "There is nothing here"),
            Kind::MethodNotAllowed => (
                S::METHOD_NOT_ALLOWED,
                "method-not-allowed",
                "The method is not allowed here",
            ),
            Kind::BodyTooLarge => (
                S::PAYLOAD_TOO_LARGE,
                "body-too-large",
                "The body is too large",
            ),
            Kind::UnsupportedMediaType => (
                S::UNSUPPORTED_MEDIA_TYPE,
                "unsupported-media-type",
                "The body must be application/json",
            ),
            Kind::RequestTimeout => (
                S::REQUEST_TIMEOUT,
                "request-timeout",
                "The request did not come in time",
            ),
            Kind::Storage => (S::SERVICE_UNAVAILABLE, "storage", "The store refused"),
            Kind::Overloaded => (
                S::SERVICE_UNAVAILABLE,
                "overloaded",
                "The server holds as much as it may",
            ),
            Kind::Internal => (S::INTERNAL_SERVER_ERROR, "internal", "The server failed"),
        }
    }
}

#[derive(Debug)]
pub struct Problem {
    pub kind: Kind,
    pub detail: String,
    /// JSON Pointer to the part of the body that is not valid.
    pub pointer: Option<String>,
}

impl Problem {
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Problem {
            kind,
            detail: detail.into(),
            pointer: None,
        }
    }

    pub fn parameter(name: &str, what: &str) -> Self {
        Problem::new(Kind::InvalidParameter, format!("{name} {what}"))
    }

    pub fn at(pointer: String, detail: impl Into<String>) -> Self {
        Problem {
            kind: Kind::InvalidEvent,
            detail: detail.into(),
            pointer: Some(pointer),
        }
    }
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Problem::new(Kind::Storage, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, name, title) = self.kind.facts();
        if status.is_server_error() {
            complain(&self.detail);
        }
        let mut json = format!(
            r#"{{"type":"urn:ingest:problem:{name}","title":"{title}","status":{},"detail":{}"#,
            status.as_u16(),
            serde_json::Value::from(self.detail)
        );
        if let Some(pointer) = self.pointer {
            let _ = write!(json, r#","pointer":{}"#, serde_json::Value::from(pointer));
        }
        json.push('}');
        (
            status,
            [(header::CONTENT_TYPE, "application/problem+json")],
            json,
        )
            .into_response()
    }
}
