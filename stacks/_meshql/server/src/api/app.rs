//! What the handlers share.

use super::answers::Answers;
use super::body::{Bodies, Whole};
use super::failure::Failure;
use crate::entity::{Entity, Model};
use crate::processor::Progress;
use crate::storage::Storage;
use async_graphql::dynamic::Schema;
use axum::extract::{FromRequest, Request};
use std::sync::Arc;

pub struct App {
    pub model: Arc<Model>,
    pub storage: Arc<dyn Storage>,
    pub schemas: Vec<Schema>,
    pub progress: Arc<Progress>,
    pub bodies: Bodies,
    pub answers: Answers,
    /// Printed by `/ready`.
    pub description: serde_json::Value,
}

impl App {
    /// # Errors
    /// There is no such entity.
    pub fn entity(&self, name: &str) -> Result<&Entity, Failure> {
        self.model.entity(name).ok_or(Failure::NotFound)
    }
}

impl FromRequest<Arc<App>> for Whole {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Whole, Failure> {
        app.bodies.read(request.into_body()).await
    }
}
