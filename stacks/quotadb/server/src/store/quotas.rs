//! Fixed-window quotas.
//!
//! Windows begin at multiples of their length since the Unix epoch, so all nodes agree on them as
//! far as their clocks do. A node admits against the use it knows of: its own and what peers have
//! told. While nodes cannot talk, each may admit a full limit: nodes × limit per window at worst.

use super::entry::Entry;
use super::state::{Base, Quota, UseRow};
use super::{Store, StoreError};

/// A quota as seen at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaStatus {
    pub quota: Quota,
    /// Units left in the current window.
    pub remaining: u64,
}

impl Store {
    /// Creates or changes a quota. A new limit applies to the current window, whose use is kept; a
    /// new window length starts from no use.
    pub fn quota_set(&mut self, key: &[u8], limit: u64, window_ms: u64) -> Result<(), StoreError> {
        let quota = Quota { limit, window_ms };
        let existing = self.find(key).map(Entry::base);
        match existing {
            Some(Base::Quota(old)) if old.window_ms == window_ms => {
                let stamp = self.next_stamp();
                self.update(key, |state| {
                    state.stamp = stamp.max(super::state::Stamp {
                        micros: state.stamp.micros.saturating_add(1),
                        ..stamp
                    });
                    state.base = Base::Quota(quota);
                });
                Ok(())
            }
            Some(Base::Quota(_)) | None => {
                self.write_base(key, Base::Quota(quota));
                Ok(())
            }
            Some(_) => Err(StoreError::WrongType),
        }
    }

    /// Takes `amount` units at time `now_ms`; None if fewer are left, and then nothing is taken.
    pub fn quota_take(
        &mut self,
        key: &[u8],
        amount: u64,
        now_ms: u64,
    ) -> Result<Option<u64>, StoreError> {
        let actor = self.membership.actor;
        let entry = self.quota_entry(key)?;
        let status = status(entry, actor, now_ms)?;
        let Some(remaining) = status.remaining.checked_sub(amount) else {
            return Ok(None);
        };
        if amount > 0 {
            let window_start_ms = window_start(entry.uses(), status.quota, actor, now_ms);
            self.update(key, |state| {
                let row = state.use_row(actor);
                if row.window_start_ms < window_start_ms {
                    row.window_start_ms = window_start_ms;
                    row.used = 0;
                }
                row.used = row.used.saturating_add(amount);
            });
        }
        Ok(Some(remaining))
    }

    pub fn quota_get(&self, key: &[u8], now_ms: u64) -> Result<QuotaStatus, StoreError> {
        status(self.quota_entry(key)?, self.membership.actor, now_ms)
    }

    /// Deletes a quota; false if there was none.
    pub fn quota_delete(&mut self, key: &[u8]) -> Result<bool, StoreError> {
        match self.quota_entry(key) {
            Ok(_) => Ok(self.delete(key)),
            Err(StoreError::NoSuchQuota) => Ok(false),
            Err(other) => Err(other),
        }
    }

    fn quota_entry(&self, key: &[u8]) -> Result<&Entry, StoreError> {
        let entry = self.find(key).ok_or(StoreError::NoSuchQuota)?;
        match entry.base() {
            Base::Quota(_) => Ok(entry),
            _ => Err(StoreError::WrongType),
        }
    }
}

fn status(entry: &Entry, actor: u64, now_ms: u64) -> Result<QuotaStatus, StoreError> {
    let Base::Quota(quota) = *entry.base() else {
        return Err(StoreError::WrongType);
    };
    let window = window_start(entry.uses(), quota, actor, now_ms);
    let used = entry
        .uses()
        .iter()
        .filter(|row| row.window_start_ms == window)
        .fold(0u64, |sum, row| sum.saturating_add(row.used));
    Ok(QuotaStatus {
        quota,
        remaining: quota.limit.saturating_sub(used),
    })
}

/// Start of the current window. A clock that was set back does not reopen a window this node has
/// already left, or its use would be counted twice.
fn window_start(uses: &[UseRow], quota: Quota, actor: u64, now_ms: u64) -> u64 {
    let own = uses
        .iter()
        .find(|row| row.actor == actor)
        .map_or(0, |row| row.window_start_ms);
    (now_ms - now_ms % quota.window_ms).max(own)
}

#[cfg(test)]
mod tests {
    use super::super::testing::store;
    use super::*;

    #[test]
    fn a_window_admits_its_limit_and_the_next_starts_afresh() {
        let mut store = store(1);
        store.quota_set(b"q", 5, 1000).unwrap();
        assert_eq!(store.quota_take(b"q", 3, 10_100), Ok(Some(2)));
        assert_eq!(store.quota_take(b"q", 3, 10_200), Ok(None));
        assert_eq!(store.quota_take(b"q", 2, 10_999), Ok(Some(0)));
        assert_eq!(store.quota_get(b"q", 10_999).unwrap().remaining, 0);
        assert_eq!(store.quota_take(b"q", 5, 11_000), Ok(Some(0)));
        assert_eq!(
            store.quota_take(b"q", 1, 10_999),
            Ok(None),
            "clock set back"
        );
    }

    #[test]
    fn a_new_limit_keeps_the_use_and_a_new_window_does_not() {
        let mut store = store(1);
        store.quota_set(b"q", 5, 1000).unwrap();
        store.quota_take(b"q", 5, 10_000).unwrap();
        store.quota_set(b"q", 8, 1000).unwrap();
        assert_eq!(store.quota_get(b"q", 10_000).unwrap().remaining, 3);
        store.quota_set(b"q", 8, 60_000).unwrap();
        assert_eq!(store.quota_get(b"q", 10_000).unwrap().remaining, 8);
    }

    #[test]
    fn quotas_and_other_keys_do_not_mix() {
        let mut store = store(1);
        store.increment(b"k", 1).unwrap();
        assert_eq!(store.quota_set(b"k", 1, 1), Err(StoreError::WrongType));
        assert_eq!(store.quota_take(b"k", 1, 1), Err(StoreError::WrongType));
        assert_eq!(
            store.quota_take(b"none", 1, 1),
            Err(StoreError::NoSuchQuota)
        );
        assert_eq!(store.quota_delete(b"none"), Ok(false));
        store.quota_set(b"q", 1, 1).unwrap();
        assert_eq!(store.quota_delete(b"q"), Ok(true));
        assert!(store.find(b"q").is_none());
    }
}
