//! Connections to the databases, and what must be in them.

use super::document::{FIELD_CREATED, FIELD_ID, FIELD_SEQUENCE, FIELD_SUPERSEDED};
use crate::entity::{Entity, Group};
use crate::storage::StorageError;
use crate::storage::addresses::Addresses;
use mongodb::bson::{Document, doc};
use mongodb::error::{Error, ErrorKind};
use mongodb::options::ClientOptions;
use mongodb::{Client, Database};
use std::collections::HashMap;
use std::time::Duration;

/// How long an operation waits for a server that is not there.
const SELECTION: Duration = Duration::from_secs(3);

/// Connections to one server: more than the readers and the writer keep busy bring nothing.
pub const POOL: u32 = 24;

/// Groups at one address share the connections.
///
/// # Errors
/// An address that is none, or a server that does not answer.
pub async fn connect(addresses: &Addresses) -> Result<HashMap<Group, Database>, String> {
    let mut clients: HashMap<&str, Client> = HashMap::new();
    let mut databases = HashMap::new();
    for group in Group::ALL {
        let fail = |error: &Error| format!("{}: {}", addresses.describe(group), short(error));
        let uri = addresses.uri(group);
        let client = match clients.get(uri) {
            Some(client) => client.clone(),
            None => open(uri).await.map_err(|error| fail(&error))?,
        };
        let database = client.database(&addresses.database_name(group));
        database
            .run_command(doc! {"ping": 1})
            .await
            .map_err(|error| fail(&error))?;
        clients.insert(uri, client);
        databases.insert(group, database);
    }
    Ok(databases)
}

async fn open(uri: &str) -> mongodb::error::Result<Client> {
    let mut options = ClientOptions::parse(uri).await?;
    options.app_name = Some("meshql-server".into());
    options.server_selection_timeout.get_or_insert(SELECTION);
    options.connect_timeout.get_or_insert(SELECTION);
    options.max_pool_size.get_or_insert(POOL);
    Client::with_options(options)
}

/// Empties what a server has stored.
///
/// # Errors
/// As [`connect`].
pub async fn drop_databases(addresses: &Addresses) -> Result<(), String> {
    for (group, database) in connect(addresses).await? {
        let dropped = database.drop().await;
        dropped.map_err(|error| format!("{}: {}", addresses.describe(group), short(&error)))?;
    }
    Ok(())
}

/// Every read searches one of these; only "all" walks through one.
///
/// # Errors
/// What the server says.
pub async fn make_indexes(
    database: &Database,
    entities: impl Iterator<Item = &Entity>,
) -> Result<(), StorageError> {
    for entity in entities {
        // One at a time: FerretDB 1.24 ends the connection where two of a command are there already.
        for keys in index_keys(entity) {
            let names: Vec<&str> = keys.keys().map(String::as_str).collect();
            let index = doc! {"name": names.join("_"), "key": keys};
            database
                .run_command(doc! {"createIndexes": &entity.name, "indexes": [index]})
                .await
                .map_err(|error| short(&error))?;
        }
    }
    Ok(())
}

fn index_keys(entity: &Entity) -> Vec<Document> {
    let mut keys = vec![
        doc! {FIELD_ID: 1, FIELD_SUPERSEDED: 1},
        doc! {FIELD_SUPERSEDED: 1, FIELD_CREATED: 1},
    ];
    for field in entity.filter_fields() {
        keys.push(doc! {format!("payload.{field}"): 1, FIELD_SUPERSEDED: 1});
    }
    if entity.group == Group::Events {
        keys.push(doc! {FIELD_SEQUENCE: 1});
    }
    keys
}

/// Runs an operation of the driver in a task of its own, so that it ends even if nobody waits for it any more.
///
/// # Errors
/// What the operation says.
pub async fn to_the_end<T: Send + 'static>(
    operation: impl Future<Output = Result<T, StorageError>> + Send + 'static,
) -> Result<T, StorageError> {
    let ended = tokio::spawn(operation).await;
    ended.unwrap_or_else(|error| Err(StorageError(format!("the operation failed: {error}"))))
}

/// One line of what the driver says at length.
pub fn short(error: &Error) -> StorageError {
    let text = match &*error.kind {
        ErrorKind::ServerSelection { .. } => "the server cannot be reached".to_string(),
        ErrorKind::Io(cause) => format!("the connection failed: {cause}"),
        ErrorKind::Command(command) => command.message.clone(),
        other => other.to_string(),
    };
    StorageError(text.replace('\n', " "))
}

/// How a server failed that may answer the same question later.
pub enum Absence {
    /// It has not seen the question.
    Unsent,
    /// Whether it did what was asked is unknown.
    Unknown,
}

/// None: it has answered, and will answer the same again.
pub fn absence(error: &Error) -> Option<Absence> {
    /// Not primary, shutting down, interrupted: the codes of a server that comes or goes.
    const PASSING: [i32; 9] = [50, 91, 189, 262, 10107, 11600, 11602, 13435, 13436];
    match &*error.kind {
        ErrorKind::ServerSelection { .. } | ErrorKind::ConnectionPoolCleared { .. } => {
            Some(Absence::Unsent)
        }
        ErrorKind::Io(_) => Some(Absence::Unknown),
        ErrorKind::Command(command) => PASSING.contains(&command.code).then_some(Absence::Unknown),
        _ => None,
    }
}
