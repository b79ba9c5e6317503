//! Batches on their way to one peer: numbered, kept until acknowledged.

use super::message::{Entries, Message};
use std::collections::VecDeque;

/// Most unacknowledged bytes kept for one peer. Beyond this the queue is given up and the digests
/// find what is missing: for a peer away that long, comparing is cheaper than replaying.
pub const MAX_BYTES: usize = 8 << 20;

#[derive(Debug)]
pub struct Outbox {
    /// Number of the first batch in the queue, or of the next one if it is empty.
    first: u64,
    queue: VecDeque<Entries>,
    bytes: usize,
    /// Batches at the front of the queue that were sent since the last rewind.
    sent: usize,
}

impl Default for Outbox {
    fn default() -> Self {
        Self {
            first: 1,
            queue: VecDeque::new(),
            bytes: 0,
            sent: 0,
        }
    }
}

impl Outbox {
    /// Adds a batch; false if the queue had to be given up to make room.
    pub fn push(&mut self, entries: Entries) -> bool {
        let fits = self.bytes + entries.len() <= MAX_BYTES;
        if !fits {
            self.first += self.queue.len() as u64;
            self.queue.clear();
            (self.bytes, self.sent) = (0, 0);
        }
        self.bytes += entries.len();
        self.queue.push_back(entries);
        fits
    }

    /// The next batch not sent since the last rewind.
    pub fn next_unsent(&mut self) -> Option<Message> {
        let entries = self.queue.get(self.sent)?.clone();
        let number = self.first + self.sent as u64;
        self.sent += 1;
        Some(Message::Batch {
            number,
            floor: self.first,
            entries,
        })
    }

    /// Drops what the peer has received. True if that was news.
    pub fn acknowledge(&mut self, received: u64) -> bool {
        let mut progress = false;
        while received >= self.first {
            let Some(entries) = self.queue.pop_front() else {
                break;
            };
            self.bytes -= entries.len();
            self.first += 1;
            self.sent = self.sent.saturating_sub(1);
            progress = true;
        }
        progress
    }

    /// Sends everything unacknowledged again.
    pub fn rewind(&mut self) {
        self.sent = 0;
    }

    /// Unacknowledged batches.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(size: usize) -> Entries {
        vec![0; size].into()
    }

    fn number(message: Option<Message>) -> Option<(u64, u64)> {
        match message? {
            Message::Batch { number, floor, .. } => Some((number, floor)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn batches_are_kept_until_acknowledged() {
        let mut outbox = Outbox::default();
        for _ in 0..3 {
            assert!(outbox.push(batch(1)));
        }
        assert_eq!(number(outbox.next_unsent()), Some((1, 1)));
        assert_eq!(number(outbox.next_unsent()), Some((2, 1)));
        assert!(outbox.acknowledge(1));
        assert!(!outbox.acknowledge(1));
        outbox.rewind();
        assert_eq!(number(outbox.next_unsent()), Some((2, 2)));
        assert!(outbox.acknowledge(99), "never beyond what was queued");
        assert!(outbox.is_empty());
        assert!(outbox.push(batch(1)));
        assert_eq!(number(outbox.next_unsent()), Some((4, 4)));
    }

    #[test]
    fn an_overfull_queue_is_given_up_and_says_so() {
        let mut outbox = Outbox::default();
        assert!(outbox.push(batch(MAX_BYTES)));
        assert!(!outbox.push(batch(1)));
        assert_eq!(number(outbox.next_unsent()), Some((2, 2)));
    }
}
