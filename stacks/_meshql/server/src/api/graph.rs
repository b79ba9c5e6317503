//! GraphQL over HTTP: always 200 when the body is a JSON object, errors inside.

use super::body::Whole;
use super::{App, Failure, axum_json};
use crate::graph;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

#[derive(Deserialize)]
struct Body {
    query: Option<String>,
    variables: Option<Map<String, Value>>,
    #[serde(rename = "operationName")]
    operation_name: Option<String>,
}

pub async fn query(
    State(app): State<Arc<App>>,
    Path(entity): Path<String>,
    body: Whole,
) -> Result<Response, Failure> {
    let entity = app.entity(&entity)?;
    // An object first: a list of the members' values would do for the structure.
    let body = serde_json::from_slice::<Map<String, Value>>(&body)
        .and_then(|members| Body::deserialize(Value::Object(members)));
    let body = match body {
        Ok(body) => body,
        Err(error) => {
            let message = format!("the body is no GraphQL request: {error}");
            return Ok((StatusCode::BAD_REQUEST, axum_json(&errors(&message))).into_response());
        }
    };
    let Some(query) = body.query else {
        let mut answer = errors("the member \"query\" is missing");
        answer["data"] = Value::Null;
        return Ok(axum_json(&answer).into_response());
    };
    let mut request = match graph::request(query) {
        Ok(request) => request,
        Err(problem) => {
            let mut answer = errors(&problem);
            answer["data"] = Value::Null;
            return Ok(axum_json(&answer).into_response());
        }
    };
    if let Some(variables) = body.variables {
        request = request.variables(async_graphql::Variables::from_json(Value::Object(
            variables,
        )));
    }
    if let Some(name) = body.operation_name {
        request = request.operation_name(name);
    }
    let answer = app.schemas[entity.id].execute(request).await;
    Ok(axum_json(&answer).into_response())
}

fn errors(message: &str) -> Value {
    json!({"errors": [{"message": message}]})
}
