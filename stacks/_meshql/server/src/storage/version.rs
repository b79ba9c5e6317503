//! Versions of entities, the writes that make them, and what becomes of a write.

use crate::entity::EntityId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

pub type Payload = Map<String, Value>;

/// One version of one entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    pub id: String,
    pub payload: Payload,
    /// Milliseconds since 1970; never less than the version's before.
    pub created_at: i64,
    /// A tombstone: from here on the entity is gone.
    pub deleted: bool,
    /// Projections: offset of the newest event that is in this version or one before.
    pub applied: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Create,
    Replace,
    Delete,
}

#[derive(Debug, Clone)]
pub struct Write {
    pub entity: EntityId,
    pub id: String,
    pub kind: Kind,
    /// Empty for a delete.
    pub payload: Payload,
    /// Makes the write idempotent: no effect when the entity has applied this offset already.
    pub applied: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The new version; for a delete its tombstone.
    Stored(Arc<Envelope>),
    /// The entity had applied the event before: its current version.
    AlreadyApplied(Arc<Envelope>),
    /// Replace or delete of what is not there.
    NotFound,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StorageError(pub String);

impl fmt::Display for StorageError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for StorageError {}

pub type Result<T> = std::result::Result<T, StorageError>;

/// The version after `current` that a write makes, if it makes one.
///
/// # Errors
/// The outcome of a write without effect.
pub(crate) fn next_version(
    write: &Write,
    current: Option<&Arc<Envelope>>,
    now_ms: i64,
) -> std::result::Result<Envelope, Outcome> {
    let living = current.filter(|version| !version.deleted);
    if write.kind != Kind::Create && living.is_none() {
        return Err(Outcome::NotFound);
    }
    let before = current.and_then(|version| version.applied);
    if let (Some(offset), Some(applied), Some(version)) = (write.applied, before, living)
        && offset <= applied
    {
        return Err(Outcome::AlreadyApplied(Arc::clone(version)));
    }
    Ok(Envelope {
        id: write.id.clone(),
        payload: write.payload.clone(),
        created_at: current.map_or(now_ms, |version| version.created_at.max(now_ms)),
        deleted: write.kind == Kind::Delete,
        applied: write.applied.or(before),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(kind: Kind, applied: Option<u64>) -> Write {
        Write {
            entity: 0,
            id: "a".into(),
            kind,
            payload: Payload::new(),
            applied,
        }
    }

    fn version(deleted: bool, applied: Option<u64>) -> Arc<Envelope> {
        let payload = Payload::new();
        Arc::new(Envelope {
            id: "a".into(),
            payload,
            created_at: 100,
            deleted,
            applied,
        })
    }

    #[test]
    fn only_what_lives_is_replaced_or_deleted() {
        for kind in [Kind::Replace, Kind::Delete] {
            assert_eq!(
                next_version(&write(kind, None), None, 1),
                Err(Outcome::NotFound)
            );
            let gone = version(true, None);
            assert_eq!(
                next_version(&write(kind, None), Some(&gone), 1),
                Err(Outcome::NotFound)
            );
        }
    }

    #[test]
    fn an_event_is_applied_once() {
        let current = version(false, Some(7));
        let again = next_version(&write(Kind::Replace, Some(7)), Some(&current), 200);
        assert_eq!(again, Err(Outcome::AlreadyApplied(Arc::clone(&current))));
        let next = next_version(&write(Kind::Replace, Some(8)), Some(&current), 200);
        assert_eq!(next.expect("a version").applied, Some(8));
        let other = next_version(&write(Kind::Replace, None), Some(&current), 200);
        assert_eq!(
            other.expect("a version").applied,
            Some(7),
            "kept by writes of others"
        );
    }

    #[test]
    fn time_never_runs_backwards_for_an_entity() {
        let next = next_version(&write(Kind::Replace, None), Some(&version(false, None)), 50);
        assert_eq!(next.expect("a version").created_at, 100);
    }
}
