//! The dead-letter topic: records that cannot be mapped, each once, with the reason and the original.

use crate::kafka::{Message, all_of, append};
use chrono::Utc;
use rskafka::client::partition::PartitionClient;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;

pub struct DeadLetters {
    partition: Arc<PartitionClient>,
    /// Keys of those that are in the topic: records that are delivered again after a crash are no new letters.
    known: HashSet<String>,
}

/// A record, its topic, and why it is here.
pub struct Letter {
    pub topic: String,
    pub message: Message,
    pub reason: String,
}

impl DeadLetters {
    /// # Errors
    /// When the topic cannot be read.
    pub async fn open(partition: Arc<PartitionClient>) -> Result<DeadLetters, String> {
        let known = all_of(&partition)
            .await?
            .into_iter()
            .map(|(key, _)| key)
            .collect();
        Ok(DeadLetters { partition, known })
    }

    pub fn count(&self) -> u64 {
        self.known.len() as u64
    }

    /// Returns how many of them are new, once the broker has them.
    ///
    /// # Errors
    /// What the broker says.
    pub async fn write(&mut self, letters: &[Letter]) -> Result<u64, String> {
        let keyed = letters.iter().map(|letter| (key(letter), value(letter)));
        let new: Vec<(String, String)> =
            keyed.filter(|(key, _)| !self.known.contains(key)).collect();
        if new.is_empty() {
            return Ok(0);
        }
        append(&self.partition, new.clone()).await?;
        let count = new.len() as u64;
        self.known.extend(new.into_iter().map(|(key, _)| key));
        Ok(count)
    }
}

/// Where the record stands: the same for each delivery.
fn key(letter: &Letter) -> String {
    format!("{}/0/{}", letter.topic, letter.message.offset)
}

/// The original as text, so that what is no JSON can be kept, too.
fn value(letter: &Letter) -> String {
    let text = |bytes: &Option<Vec<u8>>| {
        bytes
            .as_ref()
            .map(|b| String::from_utf8_lossy(b).into_owned())
    };
    json!({
        "reason": letter.reason,
        "table": letter.message.table.name(),
        "topic": letter.topic,
        "partition": 0,
        "offset": letter.message.offset,
        "key": text(&letter.message.key),
        "value": text(&letter.message.value),
        "at": Utc::now().to_rfc3339(),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    #[test]
    fn a_letter_holds_reason_place_and_original() {
        let message = Message {
            table: Table::Farm,
            offset: 17,
            key: Some(br#"{"mandt":"100"}"#.to_vec()),
            value: Some(b"{broken".to_vec()),
        };
        let letter = Letter {
            topic: "sap.public.zfarm_mstr".into(),
            message,
            reason: "why".into(),
        };
        assert_eq!(key(&letter), "sap.public.zfarm_mstr/0/17");
        let value: serde_json::Value = serde_json::from_str(&value(&letter)).expect("JSON");
        assert_eq!(value["reason"], "why");
        assert_eq!(
            (&value["table"], &value["offset"]),
            (&json!("zfarm_mstr"), &json!(17))
        );
        assert_eq!(
            (&value["key"], &value["value"]),
            (&json!(r#"{"mandt":"100"}"#), &json!("{broken"))
        );
    }
}
