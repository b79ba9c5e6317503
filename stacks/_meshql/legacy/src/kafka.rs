//! The topics: one with one partition for each legacy table, and one for what cannot be mapped.

use crate::table::Table;
use chrono::Utc;
use rskafka::client::controller::ControllerClient;
use rskafka::client::error::{Error, ProtocolError};
use rskafka::client::partition::{Compression, OffsetAt, PartitionClient, UnknownTopicHandling};
use rskafka::client::{Client, ClientBuilder};
use rskafka::record::Record;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Bytes of records that one answer holds.
const FETCH_BYTES: i32 = 1024 * 1024;

/// How long the broker holds a question for which it has nothing yet.
const WAIT_MS: i32 = 500;

/// Pause after a failure.
const RETRY: Duration = Duration::from_millis(500);

/// How long a broker may take to answer before that is said.
const CONNECT: Duration = Duration::from_secs(5);

const CREATE_TIMEOUT_MS: i32 = 10_000;

/// A record of a table's topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub table: Table,
    pub offset: i64,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
}

/// What one answer held, and how far the topic goes.
#[derive(Debug)]
pub struct Batch {
    pub table: Table,
    pub messages: Vec<Message>,
    /// Offset after the last record that the topic has.
    pub end: i64,
    /// The topic is another one than before: its offsets began anew.
    pub anew: bool,
}

pub struct Kafka {
    client: Client,
    prefix: String,
}

impl Kafka {
    /// Waits until a broker answers. `prefix`: of the tables' topics, with the schema, say `sap.public`.
    pub async fn connect(brokers: &[String], prefix: &str) -> Kafka {
        loop {
            let client = ClientBuilder::new(brokers.to_vec()).client_id("meshql-legacy");
            let problem = match tokio::time::timeout(CONNECT, client.build()).await {
                Ok(Ok(client)) => {
                    let prefix = prefix.into();
                    return Kafka { client, prefix };
                }
                Ok(Err(error)) => error.to_string(),
                Err(_) => "no answer".into(),
            };
            eprintln!(
                "meshql-legacy: kafka at {}: {problem}; tries again",
                brokers.join(",")
            );
            tokio::time::sleep(RETRY).await;
        }
    }

    pub fn topic_of(&self, table: Table) -> String {
        format!("{}.{}", self.prefix, table.name())
    }

    /// The partition of a topic, which is made when it is missing.
    ///
    /// # Errors
    /// What the broker says.
    pub async fn partition(
        &self,
        topic: &str,
        replicas: i16,
    ) -> Result<Arc<PartitionClient>, String> {
        let fail = |error: Error| format!("topic {topic}: {error}");
        let controller = self.client.controller_client().map_err(fail)?;
        create(&controller, topic, replicas).await.map_err(fail)?;
        let partition = self
            .client
            .partition_client(topic, 0, UnknownTopicHandling::Retry)
            .await;
        partition.map(Arc::new).map_err(fail)
    }
}

async fn create(controller: &ControllerClient, topic: &str, replicas: i16) -> Result<(), Error> {
    match controller
        .create_topic(topic, 1, replicas, CREATE_TIMEOUT_MS)
        .await
    {
        Err(Error::ServerError {
            protocol_error: ProtocolError::TopicAlreadyExists,
            ..
        }) => Ok(()),
        created => created,
    }
}

/// # Errors
/// What the broker says.
pub async fn end_of(partition: &PartitionClient) -> Result<i64, String> {
    let end = partition.get_offset(OffsetAt::Latest).await;
    end.map_err(|error| format!("topic {}: {error}", partition.topic()))
}

/// Reads a topic from an offset on, for ever, and hands over what it holds. Ends when `stop` is true or nobody listens.
pub async fn follow(
    table: Table,
    partition: Arc<PartitionClient>,
    mut offset: i64,
    batches: mpsc::Sender<Batch>,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        let fetched = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            fetched = partition.fetch_records(offset, 1..FETCH_BYTES, WAIT_MS) => fetched,
        };
        match fetched {
            Ok((records, end)) => {
                let messages: Vec<Message> = records
                    .into_iter()
                    .map(|found| Message {
                        table,
                        offset: found.offset,
                        key: found.record.key,
                        value: found.record.value,
                    })
                    .collect();
                offset = messages.last().map_or(offset, |last| last.offset + 1);
                if batches
                    .send(Batch {
                        table,
                        messages,
                        end,
                        anew: false,
                    })
                    .await
                    .is_err()
                {
                    return;
                }
            }
            Err(Error::ServerError {
                protocol_error: ProtocolError::OffsetOutOfRange,
                ..
            }) => {
                eprintln!(
                    "meshql-legacy: {}: no offset {offset}, from the beginning",
                    table.name()
                );
                offset = partition.get_offset(OffsetAt::Earliest).await.unwrap_or(0);
                let batch = Batch {
                    table,
                    messages: Vec::new(),
                    end: offset,
                    anew: true,
                };
                if batches.send(batch).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                eprintln!(
                    "meshql-legacy: topic {}: {error}; tries again",
                    table.name()
                );
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Appends records; acknowledged by the broker when this returns.
///
/// # Errors
/// What the broker says.
pub async fn append(
    partition: &PartitionClient,
    records: Vec<(String, String)>,
) -> Result<(), String> {
    let records = records.into_iter().map(|(key, value)| Record {
        key: Some(key.into_bytes()),
        value: Some(value.into_bytes()),
        headers: Default::default(),
        timestamp: Utc::now(),
    });
    let appended = partition
        .produce(records.collect(), Compression::NoCompression)
        .await;
    appended
        .map(|_| ())
        .map_err(|error| format!("topic {}: {error}", partition.topic()))
}

/// Key and value of all records of a topic, up to its end as it is now.
///
/// # Errors
/// What the broker says.
pub async fn all_of(partition: &PartitionClient) -> Result<Vec<(String, String)>, String> {
    let fail = |error: Error| format!("topic {}: {error}", partition.topic());
    let text =
        |bytes: Option<Vec<u8>>| String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    let mut offset = partition
        .get_offset(OffsetAt::Earliest)
        .await
        .map_err(fail)?;
    let end = partition.get_offset(OffsetAt::Latest).await.map_err(fail)?;
    let mut all = Vec::new();
    while offset < end {
        let fetched = partition
            .fetch_records(offset, 1..FETCH_BYTES, WAIT_MS)
            .await;
        let (records, _) = fetched.map_err(fail)?;
        offset = records.last().map_or(end, |last| last.offset + 1);
        all.extend(
            records
                .into_iter()
                .map(|found| (text(found.record.key), text(found.record.value))),
        );
    }
    Ok(all)
}
