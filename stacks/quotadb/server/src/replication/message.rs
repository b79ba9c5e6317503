//! What nodes say to each other.

use crate::codec::{self, DecodeError, Reader};
use crate::flags::is_node_id;
use crate::store::{SHARDS, ShardDigest};
use std::sync::Arc;

/// Changes with every incompatible change of the messages or the state encoding.
pub const PROTOCOL_VERSION: u16 = 1;

const HELLO: u8 = 1;
const WELCOME: u8 = 2;
const BATCH: u8 = 3;
const ACK: u8 = 4;
const DIGEST: u8 = 5;
const PULL: u8 = 6;
const REPAIR: u8 = 7;

/// Entries in the form of [`codec::put_entry`], one after the other; shared by all peers' queues.
pub type Entries = Arc<[u8]>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// First message of the dialling node.
    Hello {
        version: u16,
        node: String,
        actor: u64,
        /// Drawn at every start; batch numbers belong to it.
        session: u64,
    },
    /// Answer to `Hello`: the batches of this session up to here have arrived.
    Welcome {
        node: String,
        actor: u64,
        received: u64,
    },
    /// Changes. Batches below `floor` will not come any more.
    Batch {
        number: u64,
        floor: u64,
        entries: Entries,
    },
    /// All batches up to this one have arrived.
    Ack { received: u64 },
    /// Digests of the sender's shards.
    Digest(Vec<ShardDigest>),
    /// Answer to `Digest`: send these shards; none if they agree.
    Pull(Vec<u16>),
    /// Everything in some shard, or part of it.
    Repair(Entries),
}

impl Message {
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Hello {
                version,
                node,
                actor,
                session,
            } => {
                out.push(HELLO);
                out.extend_from_slice(&version.to_le_bytes());
                codec::put_bytes(out, node.as_bytes());
                codec::put_u64(out, *actor);
                codec::put_u64(out, *session);
            }
            Self::Welcome {
                node,
                actor,
                received,
            } => {
                out.push(WELCOME);
                codec::put_bytes(out, node.as_bytes());
                codec::put_u64(out, *actor);
                codec::put_u64(out, *received);
            }
            Self::Batch {
                number,
                floor,
                entries,
            } => {
                out.push(BATCH);
                codec::put_u64(out, *number);
                codec::put_u64(out, *floor);
                out.extend_from_slice(entries);
            }
            Self::Ack { received } => {
                out.push(ACK);
                codec::put_u64(out, *received);
            }
            Self::Digest(digests) => {
                out.push(DIGEST);
                for digest in digests {
                    out.extend_from_slice(&digest.shard.to_le_bytes());
                    out.push(u8::from(digest.forced));
                    codec::put_u64(out, digest.digest);
                }
            }
            Self::Pull(shards) => {
                out.push(PULL);
                for shard in shards {
                    out.extend_from_slice(&shard.to_le_bytes());
                }
            }
            Self::Repair(entries) => {
                out.push(REPAIR);
                out.extend_from_slice(entries);
            }
        }
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let message = match reader.u8()? {
            HELLO => Self::Hello {
                version: reader.u16()?,
                node: name(&mut reader)?,
                actor: reader.u64()?,
                session: reader.u64()?,
            },
            WELCOME => Self::Welcome {
                node: name(&mut reader)?,
                actor: reader.u64()?,
                received: reader.u64()?,
            },
            BATCH => Self::Batch {
                number: reader.u64()?,
                floor: reader.u64()?,
                entries: reader.rest().into(),
            },
            ACK => Self::Ack {
                received: reader.u64()?,
            },
            DIGEST => {
                let mut digests = Vec::new();
                while !reader.is_empty() && digests.len() < SHARDS {
                    digests.push(ShardDigest {
                        shard: reader.u16()?,
                        forced: reader.u8()? != 0,
                        digest: reader.u64()?,
                    });
                }
                Self::Digest(digests)
            }
            PULL => {
                let mut shards = Vec::new();
                while !reader.is_empty() && shards.len() < SHARDS {
                    shards.push(shard_number(&mut reader)?);
                }
                Self::Pull(shards)
            }
            REPAIR => Self::Repair(reader.rest().into()),
            _ => return Err(DecodeError),
        };
        if reader.is_empty() {
            Ok(message)
        } else {
            Err(DecodeError)
        }
    }
}

fn name(reader: &mut Reader) -> Result<String, DecodeError> {
    let name = std::str::from_utf8(reader.bytes()?).map_err(|_| DecodeError)?;
    is_node_id(name)
        .then(|| name.to_string())
        .ok_or(DecodeError)
}

fn shard_number(reader: &mut Reader) -> Result<u16, DecodeError> {
    let shard = reader.u16()?;
    if usize::from(shard) < SHARDS {
        Ok(shard)
    } else {
        Err(DecodeError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_message_is_read_back() {
        let entries: Entries = [1, 2, 3].as_slice().into();
        for message in [
            Message::Hello {
                version: 1,
                node: "a".into(),
                actor: 2,
                session: 3,
            },
            Message::Welcome {
                node: "b".into(),
                actor: 4,
                received: 5,
            },
            Message::Batch {
                number: 6,
                floor: 5,
                entries: entries.clone(),
            },
            Message::Ack { received: 7 },
            Message::Digest(vec![ShardDigest {
                shard: 255,
                forced: true,
                digest: 8,
            }]),
            Message::Pull(vec![0, 255]),
            Message::Repair(entries),
        ] {
            let mut bytes = Vec::new();
            message.encode(&mut bytes);
            assert_eq!(Message::decode(&bytes), Ok(message));
        }
    }

    #[test]
    fn a_node_has_a_plain_name_and_each_shard_is_named_once() {
        for node in ["", "a b", &"x".repeat(65)] {
            let mut bytes = Vec::new();
            let message = Message::Welcome {
                node: node.into(),
                actor: 1,
                received: 1,
            };
            message.encode(&mut bytes);
            assert_eq!(Message::decode(&bytes), Err(DecodeError), "{node:?}");
        }
        let mut bytes = Vec::new();
        Message::Pull(vec![0; SHARDS + 1]).encode(&mut bytes);
        assert_eq!(Message::decode(&bytes), Err(DecodeError));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = Message::decode(&bytes);
        }
    }
}
