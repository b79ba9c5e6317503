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

    /// Notes that a batch of a session arrived; returns what to acknowledge. A late batch of an
    /// earlier session counts for nothing: its number means another batch now.
    pub fn note(&mut self, session: u64, number: u64, floor: u64) -> u64 {
        if session != self.session {
            return 0;
        }
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
        assert_eq!(inbox.note(7, 1, 1), 1);
        assert_eq!(inbox.note(7, 3, 1), 1);
        assert_eq!(inbox.note(7, 3, 1), 1);
        assert_eq!(inbox.note(7, 2, 1), 3);
        assert_eq!(inbox.note(7, 9, 8), 7, "the sender gave up 4 to 7");
        assert_eq!(inbox.note(7, 8, 8), 9);
        assert_eq!(inbox.resume(7), 9);
        assert_eq!(inbox.resume(8), 0);
        assert_eq!(inbox.note(7, 1, 1), 0, "a batch of the session before");
        assert_eq!(inbox.note(8, 2, 1), 0);
    }
}
