//! Which batches of one sender have arrived.

use std::collections::BTreeSet;

/// Batches remembered ahead of a gap; later ones are merged too, but will be sent again.
const MAX_AHEAD: usize = 4096;

#[derive(Debug, Default)]
pub struct Inbox {
    session: u64,
    /// All batches up to this one have arrived or been given up by the sender.
    received: u64,
    ahead: BTreeSet<u64>,
}

impl Inbox {
    /// Continues the sender's session or starts counting a new one. Returns the last batch of it
    /// that arrived.
    pub fn resume(&mut self, session: u64) -> u64 {
        if session != self.session {
            *self = Self {
                session,
                ..Self::default()
            };
        }
        self.received
    }

    /// Notes that a batch arrived; returns what to acknowledge.
    pub fn note(&mut self, number: u64, floor: u64) -> u64 {
        self.received = self.received.max(floor.saturating_sub(1));
        if number > self.received && self.ahead.len() < MAX_AHEAD {
            self.ahead.insert(number);
        }
        while let Some(&next) = self.ahead.first() {
            if next > self.received + 1 {
                break;
            }
            self.received = self.received.max(next);
            self.ahead.pop_first();
        }
        self.received
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unbroken_run_is_acknowledged() {
        let mut inbox = Inbox::default();
        assert_eq!(inbox.resume(7), 0);
        assert_eq!(inbox.note(1, 1), 1);
        assert_eq!(inbox.note(3, 1), 1);
        assert_eq!(inbox.note(3, 1), 1);
        assert_eq!(inbox.note(2, 1), 3);
        assert_eq!(inbox.note(9, 8), 7, "the sender gave up 4 to 7");
        assert_eq!(inbox.note(8, 8), 9);
        assert_eq!(inbox.resume(7), 9);
        assert_eq!(inbox.resume(8), 0);
    }
}
