//! The MeshQL contract over several storages: 13 entities by REST and GraphQL, each version kept.

pub mod api;
pub mod clock;
pub mod connection;
pub mod descriptors;
pub mod entity;
pub mod flags;
pub mod graph;
pub mod log;
pub mod processor;
pub mod serve;
#[cfg(feature = "sql")]
pub mod sql;
pub mod storage;
pub mod unmoved;
pub mod validate;
