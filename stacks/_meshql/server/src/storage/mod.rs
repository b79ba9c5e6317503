//! Storage behind one trait. Each write appends a version; nothing is overwritten.

pub mod addresses;
pub mod embedded;
pub mod events;
#[cfg(feature = "mongodb")]
pub mod mongodb;
pub mod queue;
pub mod sqlite;
pub mod writer;

mod memory;
mod version;

use crate::entity::EntityId;
use async_trait::async_trait;
use events::EventLog;
use std::sync::Arc;

pub(crate) use version::next_version;
pub use version::{Envelope, Kind, Outcome, Payload, Result, StorageError, Write};

/// A point in time, ms since 1970; none: now.
pub type At = Option<i64>;

#[async_trait]
pub trait Storage: Send + Sync {
    /// Writes of entities of one group, in order and all or none of them durable.
    async fn write(&self, writes: Vec<Write>) -> Result<Vec<Outcome>>;

    /// The versions that were current then; none for what was not there.
    async fn read(
        &self,
        entity: EntityId,
        ids: &[String],
        at: At,
    ) -> Result<Vec<Option<Arc<Envelope>>>>;

    /// For each value the entities whose payload field equals it.
    async fn find(
        &self,
        entity: EntityId,
        field: &str,
        values: &[String],
        at: At,
    ) -> Result<Vec<Vec<Arc<Envelope>>>>;

    async fn all(&self, entity: EntityId, at: At) -> Result<Vec<Arc<Envelope>>>;

    /// Fails when the storage cannot serve.
    async fn check(&self) -> Result<()>;

    /// The events in the order of their acknowledgement.
    fn events(&self) -> Arc<EventLog>;

    /// Writes what was accepted, and stops.
    async fn close(&self);
}

/// What an acknowledgement means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Durability {
    /// On the disk: survives a power loss
    Fsync,
    /// With the operating system: survives a crash of the server, not a power loss (sqlite)
    Kernel,
    /// In memory: the last writes may be lost with the server (embedded), or with MongoDB's
    Queued,
}

impl Durability {
    pub fn name(self) -> &'static str {
        match self {
            Durability::Fsync => "fsync",
            Durability::Kernel => "kernel",
            Durability::Queued => "queued",
        }
    }
}
