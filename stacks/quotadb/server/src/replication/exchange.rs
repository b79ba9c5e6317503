//! What a node does with a message. No I/O: the caller carries the answers.

use super::inbox::Inbox;
use super::message::{Entries, Message};
use crate::codec::{self, DecodeError, Reader};
use crate::store::Store;

/// Bytes after which a batch or repair message is closed; one entry may exceed it.
pub const BATCH_BYTES: usize = 64 << 10;

/// Collects local changes into one batch; None if there are none.
pub fn collect_batch(store: &mut Store) -> Option<Entries> {
    let mut bytes = Vec::new();
    store.take_changes(&mut bytes, BATCH_BYTES);
    (!bytes.is_empty()).then(|| bytes.into())
}

/// The receiving node's side: merges what came on a connection of `session` and gives the answer to
/// send back.
pub fn receive(
    store: &mut Store,
    inbox: &mut Inbox,
    session: u64,
    message: &Message,
) -> Result<Option<Message>, DecodeError> {
    match message {
        Message::Batch {
            number,
            floor,
            entries,
        } => {
            merge_all(store, entries)?;
            let received = inbox.note(session, *number, *floor);
            Ok(Some(Message::Ack { received }))
        }
        Message::Digest(digests) => Ok(Some(Message::Pull(store.differing(digests)))),
        Message::Repair(entries) => {
            merge_all(store, entries)?;
            Ok(None)
        }
        _ => Err(DecodeError),
    }
}

/// The messages that carry one shard whole.
pub fn repair(store: &Store, shard: u16) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut bytes = Vec::new();
    for entry in store.entries_in_shard(usize::from(shard)) {
        codec::put_entry(&mut bytes, &entry.key, &entry.state());
        if bytes.len() >= BATCH_BYTES {
            messages.push(Message::Repair(std::mem::take(&mut bytes).into()));
        }
    }
    if !bytes.is_empty() {
        messages.push(Message::Repair(bytes.into()));
    }
    messages
}

fn merge_all(store: &mut Store, entries: &[u8]) -> Result<(), DecodeError> {
    let mut reader = Reader::new(entries);
    while !reader.is_empty() {
        let (key, state) = reader.entry()?;
        store.merge(key, &state);
    }
    Ok(())
}
