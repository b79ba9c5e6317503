//! GraphQL over HTTP. A client that accepts GraphQL's own media type gets the status that its specification says; any
//! other gets JSON, and 200 when the body is a JSON object, with errors inside.

use super::accept::prefers;
use super::app::App;
use super::body::Whole;
use super::failure::Failure;
use crate::graph;
use async_graphql::{Request, Variables};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const JSON: &str = "application/json";
const GRAPHQL: &str = "application/graphql-response+json";

#[derive(Deserialize)]
struct Body {
    query: Option<String>,
    variables: Option<Map<String, Value>>,
    #[serde(rename = "operationName")]
    operation_name: Option<String>,
}

/// A request that is not executed: its answer has no `data`.
struct Refusal {
    errors: Value,
    /// For a client that does not accept GraphQL's media type.
    status: StatusCode,
}

impl Refusal {
    fn new(status: StatusCode, message: &str) -> Refusal {
        let errors = json!([{"message": message}]);
        Refusal { errors, status }
    }
}

pub async fn query(
    State(app): State<Arc<App>>,
    Path(entity): Path<String>,
    headers: HeaderMap,
    body: Whole,
) -> Result<Response, Failure> {
    let entity = app.entity(&entity)?;
    let media = if prefers(&headers, GRAPHQL, JSON) {
        GRAPHQL
    } else {
        JSON
    };
    let request = match request(&body) {
        Ok(request) => request,
        Err(refusal) => return Ok(refused(media, &refusal)),
    };
    let answer = graph::execute(&app.schemas[entity.id], request).await;
    // A root field that fails is null: only what is not executed has no fields at all.
    if answer.is_err() && answer.data == async_graphql::Value::Null {
        let errors = serde_json::to_value(&answer.errors).expect("errors are JSON");
        let status = StatusCode::OK;
        return Ok(refused(media, &Refusal { errors, status }));
    }
    Ok(respond(media, StatusCode::OK, &answer))
}

fn request(body: &[u8]) -> Result<Request, Refusal> {
    // An object first: a list of the members' values would do for the structure.
    let body = serde_json::from_slice::<Map<String, Value>>(body)
        .and_then(|members| Body::deserialize(Value::Object(members)))
        .map_err(|error| {
            let message = format!("the body is no GraphQL request: {error}");
            Refusal::new(StatusCode::BAD_REQUEST, &message)
        })?;
    let refuse = |message: &str| Refusal::new(StatusCode::OK, message);
    let query = body
        .query
        .ok_or_else(|| refuse("the member \"query\" is missing"))?;
    let mut request = graph::request(query).map_err(|problem| refuse(&problem))?;
    if let Some(variables) = body.variables {
        request = request.variables(Variables::from_json(Value::Object(variables)));
    }
    if let Some(name) = body.operation_name {
        request = request.operation_name(name);
    }
    Ok(request)
}

fn refused(media: &'static str, refusal: &Refusal) -> Response {
    let status = if media == GRAPHQL {
        StatusCode::BAD_REQUEST
    } else {
        refusal.status
    };
    respond(media, status, &json!({"errors": refusal.errors}))
}

fn respond(media: &'static str, status: StatusCode, body: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(body).expect("an answer is JSON");
    (status, [(header::CONTENT_TYPE, media)], bytes).into_response()
}
