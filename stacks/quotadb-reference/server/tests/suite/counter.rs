//! A client that counts on a key of its own and knows what was acknowledged.

use crate::client::{Client, Reply, encode};
use crate::process::Server;
use std::io;

pub const PIPELINE: i64 = 8;

pub struct Counter {
    client: Client,
    pub key: String,
    pub acknowledged: i64,
}

impl Counter {
    pub fn new(server: &Server, index: usize) -> Self {
        let (mut client, key) = (server.client(), format!("counter:{index}"));
        let acknowledged = client.value(&key);
        Self {
            client,
            key,
            acknowledged,
        }
    }

    /// Sends a pipeline; gives the server's words if it refuses some of it. Each acknowledged value is
    /// one more than the one before: nothing counts on what was refused.
    pub fn count(&mut self) -> io::Result<Option<String>> {
        let increment = encode(&[b"INCR", self.key.as_bytes()]);
        self.client.send(&increment.repeat(PIPELINE as usize))?;
        let mut refusal = None;
        for _ in 0..PIPELINE {
            match self.client.reply()? {
                Reply::Integer(value) => {
                    assert_eq!(value, self.acknowledged + 1);
                    self.acknowledged = value;
                }
                Reply::Error(message) => refusal = Some(message),
                other => panic!("{other:?}"),
            }
        }
        Ok(refusal)
    }
}
