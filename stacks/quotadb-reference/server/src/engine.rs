//! What all connections share.

use crate::flags::Flags;
use crate::log::Log;
use crate::store::Store;
use std::time::Instant;

pub struct Engine {
    pub flags: Flags,
    pub store: Store,
    pub log: Option<Log>,
    /// The error that commands which write are answered in this round, if any.
    pub refusal: Option<String>,
    pub started: Instant,
    pub counts: Counts,
    /// Memory that clients' buffers take beyond what every connection has.
    pub buffer_bytes: usize,
}

#[derive(Default)]
pub struct Counts {
    pub commands: u64,
    pub connections: u64,
    pub connected: usize,
}

impl Engine {
    /// Begins a round of commands.
    pub fn begin(&mut self) {
        self.refusal = self.log.as_mut().and_then(Log::refusal);
    }

    /// Logs what a round changed. False if that could not be done: then it is as if no command of the
    /// round had been executed, and those that write are refused.
    pub fn commit(&mut self) -> bool {
        let Some(log) = &mut self.log else {
            return true;
        };
        if self.store.changes().is_empty() {
            return true;
        }
        match log.append(self.store.changes()) {
            Ok(()) => self.store.keep(),
            Err(error) => {
                self.store.take_back();
                self.refusal = Some(error);
            }
        }
        self.refusal.is_none()
    }

    /// Notes that a connection's buffers hold `now` bytes in place of `before`; false where all
    /// connections together then hold too much because of it.
    pub fn hold(&mut self, before: usize, now: usize) -> bool {
        self.buffer_bytes = self.buffer_bytes - before + now;
        let limit = usize::try_from(self.flags.client_buffers_mib << 20).unwrap_or(usize::MAX);
        now <= before || self.buffer_bytes <= limit
    }
}
