//! What it means that the log failed: which changes are not kept, and whether more are taken.

use super::writer::lock;
use std::fmt::Display;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[derive(Default)]
pub struct Failure {
    refuses: AtomicBool,
    until_restart: AtomicBool,
    /// The error that clients are answered.
    message: Mutex<String>,
    /// Journal positions of what was not kept: behind the first, up to the second. One more for each
    /// time that the log took writes again and failed again, which is at most once a second.
    lost: Mutex<Vec<(u64, u64)>>,
    losses: AtomicUsize,
}

impl Failure {
    /// Whether commands that write are refused.
    #[inline]
    pub fn refuses(&self) -> bool {
        self.refuses.load(Ordering::Acquire)
    }

    /// Whether nothing but a restart ends it.
    pub fn is_final(&self) -> bool {
        self.until_restart.load(Ordering::Acquire)
    }

    /// The error for what is refused or lost.
    pub fn message(&self) -> String {
        lock(&self.message).clone()
    }

    /// The log could not be written. Nothing of it is there, so it may go on once there is room.
    pub fn begin(&self, error: &impl Display) {
        if !self.is_final() {
            self.refuse(format!("MISCONF Errors writing to the AOF file: {error}"));
        }
    }

    /// Nobody knows what the log holds behind what was kept before.
    pub fn begin_final(&self, action: &str, error: &impl Display) {
        self.until_restart.store(true, Ordering::Release);
        self.refuse(format!(
            "MISCONF Errors {action} the AOF file: {error}; writes are refused until a restart, \
             which may bring back some that were answered with this"
        ));
    }

    fn refuse(&self, message: String) {
        if *lock(&self.message) != message || !self.refuses() {
            tracing::error!("{message}");
        }
        *lock(&self.message) = message;
        self.refuses.store(true, Ordering::Release);
    }

    /// The log can be written again.
    pub fn end(&self) {
        if !self.is_final() {
            self.refuses.store(false, Ordering::Release);
            tracing::info!("the log can be written again");
        }
    }

    /// What was journaled behind `from` and up to `to` is not kept.
    pub fn lose(&self, from: u64, to: u64) {
        if from < to {
            lock(&self.lost).push((from, to));
            self.losses.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether a reply that depends on everything up to this position depends on something lost.
    #[inline]
    pub fn has_lost(&self, position: u64) -> bool {
        self.losses.load(Ordering::Acquire) > 0 && self.is_in_a_loss(position)
    }

    #[cold]
    fn is_in_a_loss(&self, position: u64) -> bool {
        let lost = lock(&self.lost);
        let later = lost.partition_point(|&(_, to)| to < position);
        lost.get(later).is_some_and(|&(from, _)| from < position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_lost_or_not() {
        let failure = Failure::default();
        failure.lose(10, 20);
        failure.lose(21, 21);
        failure.lose(30, 40);
        let lost: Vec<u64> = (0..50).filter(|&at| failure.has_lost(at)).collect();
        assert_eq!(lost, (11..=20).chain(31..=40).collect::<Vec<_>>());
    }

    #[test]
    fn it_ends_unless_it_is_final() {
        let failure = Failure::default();
        assert!(!failure.refuses());
        failure.begin(&"no room");
        assert!(failure.refuses() && failure.message().ends_with("no room"));
        failure.end();
        assert!(!failure.refuses());
        failure.begin_final("syncing", &"bad");
        failure.end();
        failure.begin(&"no room");
        assert!(failure.refuses() && failure.message().contains("bad"));
    }
}
