//! GraphQL: a schema for each entity, answered from storage level by level.

mod plan;
mod schema;
mod tree;

use crate::entity::Model;
use crate::storage::Storage;
use async_graphql::dynamic::Schema;
use std::sync::Arc;

/// One schema for each entity, in the order of the model.
///
/// # Errors
/// When a type of an entity's file does not fit.
pub fn schemas(model: &Arc<Model>, storage: &Arc<dyn Storage>) -> Result<Vec<Schema>, String> {
    let one = |entity| schema::build(model, storage, entity);
    model.entities.iter().map(one).collect()
}

#[cfg(test)]
mod tests;
