//! REST: create, read, replace, delete, and lists of them.

use super::app::App;
use super::body::Whole;
use super::failure::{Failure, JsonBody, axum_json};
use crate::entity::Entity;
use crate::graph::VALUES;
use crate::processor::EVENT_OFFSET;
use crate::storage::{Envelope, Kind, Outcome, Payload, Write};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// A payload with its entity's id.
struct Document<'a>(&'a Envelope);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.payload.len() + 1))?;
        map.serialize_entry("id", &self.0.id)?;
        for (name, value) in &self.0.payload {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

pub async fn create(
    State(app): State<Arc<App>>,
    Path(entity): Path<String>,
    headers: HeaderMap,
    body: Whole,
) -> Result<Response, Failure> {
    let entity = app.entity(&entity)?;
    let payload = checked(entity, parse(&body)?)?;
    let write = Write {
        applied: event_offset(&headers)?,
        ..creation(entity, payload)
    };
    let stored = write_one(&app, write).await?;
    Ok((StatusCode::CREATED, document(&stored)).into_response())
}

pub async fn read(
    State(app): State<Arc<App>>,
    Path((entity, id)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let entity = app.entity(&entity)?;
    let found = app
        .storage
        .read(entity.id, &[id], None)
        .await?
        .pop()
        .flatten();
    Ok(document(&*found.ok_or(Failure::NotFound)?).into_response())
}

pub async fn replace(
    State(app): State<Arc<App>>,
    Path((entity, id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Whole,
) -> Result<Response, Failure> {
    let entity = app.entity(&entity)?;
    let payload = checked(entity, parse(&body)?)?;
    let applied = event_offset(&headers)?;
    let write = Write {
        entity: entity.id,
        id,
        kind: Kind::Replace,
        payload,
        applied,
    };
    Ok(document(&*write_one(&app, write).await?).into_response())
}

pub async fn delete(
    State(app): State<Arc<App>>,
    Path((entity, id)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let entity = app.entity(&entity)?;
    let (kind, payload) = (Kind::Delete, Payload::new());
    write_one(
        &app,
        Write {
            entity: entity.id,
            id: id.clone(),
            kind,
            payload,
            applied: None,
        },
    )
    .await?;
    Ok(axum_json(&json!({"id": id, "status": "deleted"})).into_response())
}

pub async fn list(
    State(app): State<Arc<App>>,
    Path(entity): Path<String>,
) -> Result<Response, Failure> {
    let found = app.storage.all(app.entity(&entity)?.id, None).await?;
    bounded(&found, VALUES)?;
    let documents: Vec<Document> = found.iter().map(|envelope| Document(envelope)).collect();
    Ok(axum_json(&documents).into_response())
}

/// A list has at most as many values as an answer of a graph.
fn bounded(found: &[Arc<Envelope>], most: u64) -> Result<(), Failure> {
    let values: usize = found.iter().map(|found| 1 + found.payload.len()).sum();
    if values as u64 > most {
        return Err(Failure::TooLarge(format!(
            "the list has more than {most} values: ask the graph for what you need of them"
        )));
    }
    Ok(())
}

/// All or none: a wrong payload refuses the whole list.
pub async fn create_bulk(
    State(app): State<Arc<App>>,
    Path(entity): Path<String>,
    body: Whole,
) -> Result<Response, Failure> {
    let entity = app.entity(&entity)?;
    let Value::Array(items) = parse(&body)? else {
        return Err(Failure::Invalid("the body must be an array".into()));
    };
    let mut writes = Vec::with_capacity(items.len());
    for (place, item) in items.into_iter().enumerate() {
        let payload = checked(entity, item).map_err(|failure| match failure {
            Failure::Invalid(detail) => Failure::Invalid(format!("item {place}: {detail}")),
            other => other,
        })?;
        writes.push(creation(entity, payload));
    }
    let outcomes = app.storage.write(writes).await?;
    let stored = outcomes.into_iter().filter_map(version);
    let envelopes: Vec<Value> = stored.map(|stored| envelope(&stored)).collect();
    Ok((StatusCode::CREATED, axum_json(&envelopes)).into_response())
}

pub async fn read_bulk(
    State(app): State<Arc<App>>,
    Path(entity): Path<String>,
    Query(arguments): Query<HashMap<String, String>>,
) -> Result<Response, Failure> {
    let entity = app.entity(&entity)?;
    let Some(ids) = arguments.get("ids") else {
        let body = json!({"error": "Missing ids parameter"});
        return Ok((StatusCode::BAD_REQUEST, axum_json(&body)).into_response());
    };
    let ids: Vec<String> = ids
        .split(',')
        .filter(|id| !id.is_empty())
        .map(String::from)
        .collect();
    let found = app.storage.read(entity.id, &ids, None).await?;
    let envelopes: Vec<Value> = found
        .into_iter()
        .flatten()
        .map(|found| envelope(&found))
        .collect();
    Ok(axum_json(&envelopes).into_response())
}

pub(super) fn parse(body: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(body)
        .map_err(|error| Failure::Invalid(format!("the body is no JSON: {error}")))
}

/// A valid payload without the `id` that a client may have sent: the server gives the identity.
pub(super) fn checked(entity: &Entity, body: Value) -> Result<Payload, Failure> {
    let Value::Object(mut payload) = body else {
        return Err(Failure::Invalid("the body must be an object".into()));
    };
    entity
        .schema
        .check(&mut payload)
        .map_err(Failure::Invalid)?;
    payload.remove("id");
    Ok(payload)
}

fn creation(entity: &Entity, payload: Payload) -> Write {
    let id = uuid::Uuid::new_v4().to_string();
    Write {
        entity: entity.id,
        id,
        kind: Kind::Create,
        payload,
        applied: None,
    }
}

async fn write_one(app: &App, write: Write) -> Result<Arc<Envelope>, Failure> {
    let outcome = app.storage.write(vec![write]).await?.pop();
    outcome.and_then(version).ok_or(Failure::NotFound)
}

fn version(outcome: Outcome) -> Option<Arc<Envelope>> {
    match outcome {
        Outcome::Stored(version) | Outcome::AlreadyApplied(version) => Some(version),
        Outcome::NotFound => None,
    }
}

fn document(envelope: &Envelope) -> (HeaderMap, JsonBody) {
    let mut headers = HeaderMap::new();
    if let Some(offset) = envelope.applied {
        headers.insert(EVENT_OFFSET, offset.into());
    }
    (headers, axum_json(&Document(envelope)))
}

fn event_offset(headers: &HeaderMap) -> Result<Option<u64>, Failure> {
    let Some(value) = headers.get(EVENT_OFFSET) else {
        return Ok(None);
    };
    let offset = value.to_str().ok().and_then(|text| text.parse().ok());
    offset
        .map(Some)
        .ok_or_else(|| Failure::Invalid(format!("{EVENT_OFFSET} must be a whole number")))
}

/// `createdAt` in seconds, as the contract has it.
fn envelope(envelope: &Envelope) -> Value {
    json!({
        "id": envelope.id,
        "payload": envelope.payload,
        "createdAt": envelope.created_at as f64 / 1000.0,
        "deleted": envelope.deleted,
        "authorizedTokens": [],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_limit() {
        let payload = json!({"name": "F", "zone": "north"});
        let farm = Arc::new(Envelope {
            id: "a".into(),
            payload: payload.as_object().expect("an object").clone(),
            created_at: 1,
            deleted: false,
            applied: None,
        });
        let list = [Arc::clone(&farm), farm];
        assert!(bounded(&list, 6).is_ok());
        let Err(Failure::TooLarge(detail)) = bounded(&list, 5) else {
            panic!("a list of 6 values is more than 5");
        };
        assert!(detail.contains("more than 5 values"), "{detail}");
    }
}
