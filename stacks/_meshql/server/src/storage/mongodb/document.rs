//! A version as a document, and back.
//!
//! The current version of an entity is the document whose `_id` is the entity's id: a new version replaces it in one
//! step. The versions before it are documents of their own, `<id>/<version>`. Each is valid from `createdAt` until
//! `supersededAt`, so that a read at any time is one search in an index and costs the same however many there are.

use crate::storage::{Envelope, Payload, Result, StorageError};
use mongodb::bson::{Bson, DateTime, Document, RawBsonRef, RawDocument, doc};
use serde_json::{Number, Value};
use std::sync::Arc;

pub const FIELD_ID: &str = "id";
pub const FIELD_CREATED: &str = "createdAt";
pub const FIELD_SUPERSEDED: &str = "supersededAt";
/// Position among all events, in the order of their acknowledgement; only a first version has one.
pub const FIELD_SEQUENCE: &str = "sequence";

/// `supersededAt` of a current version: the last moment of the year 9999, ms.
pub const NEVER: i64 = 253_402_300_799_999;

/// A version and what only the database knows of it.
#[derive(Debug, Clone)]
pub struct Stored {
    pub version: i32,
    pub sequence: Option<i64>,
    /// When the entity was created, ms: lists are in this order.
    pub born_at: i64,
    pub envelope: Arc<Envelope>,
}

/// Times beyond what a document can hold are the end of time.
pub fn time(ms: i64) -> DateTime {
    DateTime::from_millis(ms.min(NEVER))
}

impl Stored {
    /// As the current version.
    pub fn current(&self) -> Document {
        self.document(self.envelope.id.clone(), NEVER)
    }

    /// As an earlier version.
    pub fn earlier(&self, superseded_at: i64) -> Document {
        let id = format!("{}/{}", self.envelope.id, self.version);
        self.document(id, superseded_at)
    }

    fn document(&self, id: String, superseded_at: i64) -> Document {
        let Envelope {
            payload,
            created_at,
            deleted,
            applied,
            ..
        } = &*self.envelope;
        let mut document = doc! {
            "_id": id,
            FIELD_ID: &self.envelope.id,
            "payload": bson_of_payload(payload),
            "bornAt": time(self.born_at),
            FIELD_CREATED: time(*created_at),
            FIELD_SUPERSEDED: time(superseded_at),
            "version": self.version,
            "deleted": *deleted,
            "authorizedTokens": [],
        };
        if let Some(applied) = applied {
            document.insert("applied", *applied as i64);
        }
        if let Some(sequence) = self.sequence {
            document.insert(FIELD_SEQUENCE, sequence);
        }
        document
    }

    /// # Errors
    /// A document that no server of ours has written.
    pub fn read(document: &RawDocument) -> Result<Stored> {
        let mut stored = Stored {
            version: 0,
            sequence: None,
            born_at: 0,
            envelope: Arc::new(Envelope {
                id: String::new(),
                payload: Payload::new(),
                created_at: 0,
                deleted: false,
                applied: None,
            }),
        };
        let envelope = Arc::get_mut(&mut stored.envelope).expect("just made");
        for element in document {
            let (key, value) = element.map_err(|error| StorageError(error.to_string()))?;
            match (key.as_str(), value) {
                (FIELD_ID, RawBsonRef::String(id)) => envelope.id = id.to_string(),
                ("payload", RawBsonRef::Document(payload)) => {
                    envelope.payload = payload_of(payload)?
                }
                ("bornAt", RawBsonRef::DateTime(at)) => stored.born_at = at.timestamp_millis(),
                (FIELD_CREATED, RawBsonRef::DateTime(at)) => {
                    envelope.created_at = at.timestamp_millis();
                }
                ("deleted", RawBsonRef::Boolean(deleted)) => envelope.deleted = deleted,
                ("applied", value) => envelope.applied = integer(value).map(|n| n as u64),
                ("version", value) => stored.version = integer(value).unwrap_or(0) as i32,
                (FIELD_SEQUENCE, value) => stored.sequence = integer(value),
                _ => {}
            }
        }
        if stored.version == 0 || envelope.id.is_empty() {
            return Err(StorageError(
                "a document that is no version of an entity".into(),
            ));
        }
        Ok(stored)
    }
}

fn integer(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int32(n) => Some(n.into()),
        RawBsonRef::Int64(n) => Some(n),
        _ => None,
    }
}

fn bson_of_payload(payload: &Payload) -> Document {
    payload
        .iter()
        .map(|(key, value)| (key.clone(), bson_of(value)))
        .collect()
}

fn bson_of(value: &Value) -> Bson {
    match value {
        Value::Null => Bson::Null,
        Value::Bool(flag) => Bson::Boolean(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Bson::Int64(integer),
            None => Bson::Double(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Bson::String(text.clone()),
        Value::Array(list) => Bson::Array(list.iter().map(bson_of).collect()),
        Value::Object(object) => Bson::Document(bson_of_payload(object)),
    }
}

fn payload_of(document: &RawDocument) -> Result<Payload> {
    let mut payload = Payload::new();
    for element in document {
        let (key, value) = element.map_err(|error| StorageError(error.to_string()))?;
        payload.insert(key.as_str().to_string(), json_of(value)?);
    }
    Ok(payload)
}

fn json_of(value: RawBsonRef<'_>) -> Result<Value> {
    Ok(match value {
        RawBsonRef::Null => Value::Null,
        RawBsonRef::Boolean(flag) => flag.into(),
        RawBsonRef::Int32(n) => n.into(),
        RawBsonRef::Int64(n) => n.into(),
        RawBsonRef::Double(n) => Number::from_f64(n).map_or(Value::Null, Value::Number),
        RawBsonRef::String(text) => text.into(),
        RawBsonRef::Document(object) => Value::Object(payload_of(object)?),
        RawBsonRef::Array(list) => {
            let mut values = Vec::new();
            for value in list {
                let value = value.map_err(|error| StorageError(error.to_string()))?;
                values.push(json_of(value)?);
            }
            Value::Array(values)
        }
        other => {
            let kind = other.element_type();
            return Err(StorageError(format!(
                "a payload with a value of type {kind:?}"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mongodb::bson::RawDocumentBuf;
    use serde_json::json;

    fn stored(payload: &Value) -> Stored {
        Stored {
            version: 3,
            sequence: Some(7),
            born_at: 1_600_000_000_000,
            envelope: Arc::new(Envelope {
                id: "a".into(),
                payload: payload.as_object().expect("an object").clone(),
                created_at: 1_700_000_000_123,
                deleted: false,
                applied: Some(9),
            }),
        }
    }

    fn raw(document: &Document) -> RawDocumentBuf {
        RawDocumentBuf::try_from(document).expect("a document")
    }

    #[test]
    fn a_version_comes_back_as_it_was() {
        let payload = json!({
            "whole": 5, "decimal": 5.0, "half": 0.5, "big": 9_007_199_254_740_993_i64, "text": "nul \u{0} é",
            "none": null, "yes": true, "list": [1, {"a": "b"}], "object": {"deep": [[]]}
        });
        let before = stored(&payload);
        for document in [before.current(), before.earlier(1_800_000_000_000)] {
            let after = Stored::read(&raw(&document)).expect("a version");
            assert_eq!(after.envelope, before.envelope);
            assert_eq!((after.version, after.sequence), (3, Some(7)));
            assert_eq!(after.born_at, before.born_at);
        }
    }

    #[test]
    fn only_the_current_version_has_the_id_of_its_entity() {
        let version = stored(&json!({}));
        assert_eq!(version.current().get_str("_id").ok(), Some("a"));
        assert_eq!(version.earlier(5).get_str("_id").ok(), Some("a/3"));
        assert_eq!(
            version.earlier(5).get_datetime(FIELD_SUPERSEDED).ok(),
            Some(&DateTime::from_millis(5))
        );
    }

    #[test]
    fn what_others_wrote_is_refused() {
        for document in [
            doc! {"_id": 1},
            doc! {"id": "a", "version": 1, "payload": {"x": time(1)}},
        ] {
            assert!(Stored::read(&raw(&document)).is_err(), "{document}");
        }
    }
}
