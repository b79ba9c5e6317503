//! GraphQL: a schema for each entity, answered from storage level by level.

mod limits;
mod order;
mod plan;
mod schema;
mod tree;

use crate::entity::Model;
use crate::storage::Storage;
use async_graphql::dynamic::Schema;
use async_graphql::{Request, Response};
use limits::Allowance;
use order::RootOrder;
use std::sync::Arc;

pub use limits::VALUES;

/// One schema for each entity, in the order of the model.
///
/// # Errors
/// When a type of an entity's file does not fit.
pub fn schemas(model: &Arc<Model>, storage: &Arc<dyn Storage>) -> Result<Vec<Schema>, String> {
    let one = |entity| schema::build(model, storage, entity);
    model.entities.iter().map(one).collect()
}

/// A request for a schema of [`schemas`], if it does not ask for too much.
///
/// # Errors
/// What is too much, in one sentence. What is no query at all is left to the schema to say.
pub fn request(query: String) -> Result<Request, String> {
    limits::check_text(&query)?;
    let mut request = Request::new(query).data(Allowance::default());
    if let Ok(document) = request.parsed_query() {
        limits::check_size(document)?;
    }
    Ok(request)
}

/// The answer, in the order of the query.
pub async fn execute(schema: &Schema, mut request: Request) -> Response {
    let operation = request.operation_name.clone();
    let order = request
        .parsed_query()
        .map(|document| RootOrder::of(document, operation.as_deref()))
        .unwrap_or_default();
    let mut answer = schema.execute(request).await;
    order.sort(&mut answer.data);
    answer
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod inputs;
#[cfg(test)]
mod tests;
