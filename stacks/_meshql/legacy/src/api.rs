//! The clean API, by HTTP.

use crate::keys::Known;
use crate::table::{Key, Table};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Clone)]
pub struct Api {
    base: String,
    client: Client<HttpConnector, Full<Bytes>>,
}

/// Why a request was not done.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The same request will be refused again.
    Refused(String),
    /// No such entity.
    Gone,
    /// The server or the way to it failed; it may have been done all the same.
    Unknown(String),
}

impl Api {
    /// `base`: of the form `http://host:port`.
    pub fn new(base: &str) -> Api {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Api {
            base: base.trim_end_matches('/').into(),
            client,
        }
    }

    /// Returns the new entity's id.
    ///
    /// # Errors
    /// Why it was not made.
    pub async fn create(
        &self,
        table: Table,
        payload: &Map<String, Value>,
    ) -> Result<String, Failure> {
        let path = format!("/{}/api", table.entity());
        let body = self.send(Method::POST, &path, Some(payload)).await?;
        let id = body["id"].as_str().map(String::from);
        id.ok_or_else(|| Failure::Unknown(format!("POST {path}: an answer without an id")))
    }

    /// # Errors
    /// Why it was not changed.
    pub async fn replace(
        &self,
        table: Table,
        id: &str,
        payload: &Map<String, Value>,
    ) -> Result<(), Failure> {
        let path = format!("/{}/api/{id}", table.entity());
        self.send(Method::PUT, &path, Some(payload))
            .await
            .map(|_| ())
    }

    /// # Errors
    /// Why it was not deleted.
    pub async fn delete(&self, table: Table, id: &str) -> Result<(), Failure> {
        let path = format!("/{}/api/{id}", table.entity());
        self.send(Method::DELETE, &path, None).await.map(|_| ())
    }

    /// All entities that were made of rows of a table.
    ///
    /// # Errors
    /// When the API fails.
    pub async fn known(&self, table: Table) -> Result<BTreeMap<Key, Known>, Failure> {
        let mut fields: Vec<&str> = table.key().iter().map(|(_, field)| *field).collect();
        if table == Table::Equi {
            fields.push("coop_id");
        }
        let query = json!({"query": format!("{{ getAll {{ id {} }} }}", fields.join(" "))});
        let path = format!("/{}/graph", table.entity());
        let body = self.send(Method::POST, &path, query.as_object()).await?;
        let found = body["data"]["getAll"].as_array();
        let found = found.ok_or_else(|| Failure::Unknown(format!("{path}: {}", body["errors"])))?;
        Ok(found
            .iter()
            .filter_map(|entity| known(table, entity))
            .collect())
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Map<String, Value>>,
    ) -> Result<Value, Failure> {
        let unknown = |problem: &dyn std::fmt::Display| {
            Failure::Unknown(format!("{method} {path}: {problem}"))
        };
        let text = body.map(|body| serde_json::to_string(body).expect("a map is JSON"));
        let request = Request::builder()
            .method(method.clone())
            .uri(format!("{}{path}", self.base))
            .header("content-type", "application/json")
            .body(Full::from(text.unwrap_or_default()))
            .map_err(|error| unknown(&error))?;
        let exchange = async {
            let answer = self
                .client
                .request(request)
                .await
                .map_err(|error| unknown(&error))?;
            let status = answer.status();
            let bytes = answer
                .into_body()
                .collect()
                .await
                .map_err(|error| unknown(&error))?;
            Ok((status, bytes.to_bytes()))
        };
        let (status, bytes) = tokio::time::timeout(TIMEOUT, exchange)
            .await
            .map_err(|_| unknown(&"no answer in time"))??;
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        match status {
            status if status.is_success() => Ok(body),
            StatusCode::NOT_FOUND => Err(Failure::Gone),
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Err(unknown(&status)),
            status if status.is_client_error() => Err(Failure::Refused(format!(
                "the API refuses it with {}: {body}",
                status.as_u16()
            ))),
            status => Err(unknown(&status)),
        }
    }
}

/// None for entities that no legacy row became.
fn known(table: Table, entity: &Value) -> Option<(Key, Known)> {
    let text = |field: &str| entity[field].as_str().map(String::from);
    let key = table
        .key()
        .iter()
        .map(|(_, field)| text(field))
        .collect::<Option<Key>>()?;
    Some((
        key,
        Known {
            id: text("id")?,
            coop: text("coop_id"),
        },
    ))
}
