//! What all connections share.

use crate::flags::Flags;
use crate::log::Log;
use crate::store::Store;

pub struct Engine {
    pub flags: Flags,
    pub store: Store,
    pub log: Option<Log>,
    /// The error that commands which write are answered in this round, if any.
    pub refusal: Option<String>,
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
}
