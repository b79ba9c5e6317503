//! The state of one key as nodes exchange it, and the rules by which two copies merge.
//!
//! A state is a last-writer-wins base value plus per-node contributions on top of it, all belonging
//! to one epoch. A higher epoch replaces everything below it. Merging is commutative, associative
//! and idempotent, so messages may be lost, repeated and reordered.

use super::StoreError;
use smallvec::{SmallVec, smallvec};

/// Orders writes to the base of one epoch: later time wins, then the higher actor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    pub micros: u64,
    pub actor: u64,
}

/// What was last written by `SET`, `DEL` or `QUOTASET`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base {
    /// Nothing, or deleted.
    #[default]
    Absent,
    /// A value in canonical decimal form: a counter's starting point.
    Number(i64),
    Text(Box<[u8]>),
    Quota(Quota),
}

/// A fixed-window quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quota {
    /// Units per window.
    pub limit: u64,
    /// Length of a window in milliseconds; windows start at multiples of it since the Unix epoch.
    pub window_ms: u64,
}

/// One node's share of a counter. Both fields only grow within an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountRow {
    pub actor: u64,
    pub added: u64,
    pub subtracted: u64,
}

impl CountRow {
    pub fn new(actor: u64) -> Self {
        Self {
            actor,
            added: 0,
            subtracted: 0,
        }
    }

    #[inline]
    pub fn value(&self) -> i128 {
        i128::from(self.added) - i128::from(self.subtracted)
    }

    /// A row holds 2^64 - 1 each way per epoch. Beyond that the increment is refused rather than
    /// wrapped.
    #[inline]
    pub fn add(&mut self, delta: i64) -> Result<(), StoreError> {
        let side = if delta < 0 {
            &mut self.subtracted
        } else {
            &mut self.added
        };
        *side = side
            .checked_add(delta.unsigned_abs())
            .ok_or(StoreError::Overflow)?;
        Ok(())
    }
}

/// One node's use of a quota. A later window replaces an earlier one; within a window `used` grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UseRow {
    pub actor: u64,
    pub window_start_ms: u64,
    pub used: u64,
}

/// Most keys are counted by one node, so one row is kept without an allocation.
pub type CountRows = SmallVec<[CountRow; 1]>;

/// The exchanged state of one key. Rows are sorted by actor, so equal states encode equally.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub counts: CountRows,
    pub base: Base,
    /// Generation of the key: raised whenever a write discards counted rows.
    pub epoch: u64,
    pub stamp: Stamp,
    pub uses: Vec<UseRow>,
}

/// A key that was only ever counted, and by one node.
impl From<CountRow> for State {
    fn from(row: CountRow) -> Self {
        Self {
            counts: smallvec![row],
            ..Self::default()
        }
    }
}

impl State {
    /// The row of a state that is nothing but one row, the inverse of `from`.
    pub fn only_row(&self) -> Option<CountRow> {
        match self.counts.as_slice() {
            [row]
                if self.epoch == 0
                    && self.stamp == Stamp::default()
                    && self.base == Base::Absent
                    && self.uses.is_empty() =>
            {
                Some(*row)
            }
            _ => None,
        }
    }

    /// Whether the key exists: something was set, or something was counted since the last delete.
    #[inline]
    pub fn is_live(&self) -> bool {
        self.base != Base::Absent || !self.counts.is_empty()
    }

    /// Whether rows would be discarded by a write to the base.
    pub fn has_rows(&self) -> bool {
        !self.counts.is_empty() || !self.uses.is_empty()
    }

    /// The counter's value. Nodes check their own increments against i64, but concurrent ones may
    /// add up to more, hence the wider type.
    pub fn value(&self) -> i128 {
        let base = match self.base {
            Base::Number(number) => i128::from(number),
            _ => 0,
        };
        self.counts.iter().fold(base, |sum, row| sum + row.value())
    }

    /// This actor's row, created empty if missing.
    #[inline]
    pub fn count_row(&mut self, actor: u64) -> &mut CountRow {
        let at = match self.counts.iter().position(|row| row.actor >= actor) {
            Some(at) if self.counts[at].actor == actor => at,
            found => {
                let at = found.unwrap_or(self.counts.len());
                self.counts.insert(at, CountRow::new(actor));
                at
            }
        };
        &mut self.counts[at]
    }

    /// This actor's use row, created for window 0 if missing.
    pub fn use_row(&mut self, actor: u64) -> &mut UseRow {
        let at = match self.uses.binary_search_by_key(&actor, |row| row.actor) {
            Ok(at) => at,
            Err(at) => {
                let row = UseRow {
                    actor,
                    window_start_ms: 0,
                    used: 0,
                };
                self.uses.insert(at, row);
                at
            }
        };
        &mut self.uses[at]
    }

    /// Takes over everything `other` knows. True if that changed anything.
    pub fn merge(&mut self, other: &Self) -> bool {
        if other.epoch != self.epoch {
            let newer = other.epoch > self.epoch;
            if newer {
                *self = other.clone();
            }
            return newer;
        }
        let mut changed = false;
        // Comparing the base as well makes the result the same on all nodes even if one actor ever
        // issued the same stamp twice.
        if (other.stamp, &other.base) > (self.stamp, &self.base) {
            self.stamp = other.stamp;
            self.base = other.base.clone();
            changed = true;
        }
        for theirs in &other.counts {
            changed |= self.merge_count(*theirs);
        }
        for theirs in &other.uses {
            changed |= self.merge_use(*theirs);
        }
        changed
    }

    fn merge_count(&mut self, theirs: CountRow) -> bool {
        let rows_before = self.counts.len();
        let mine = self.count_row(theirs.actor);
        let merged = CountRow {
            actor: theirs.actor,
            added: mine.added.max(theirs.added),
            subtracted: mine.subtracted.max(theirs.subtracted),
        };
        let changed = *mine != merged;
        *mine = merged;
        // A row of zeros (INCRBY 0) carries the key's existence.
        changed || self.counts.len() != rows_before
    }

    fn merge_use(&mut self, theirs: UseRow) -> bool {
        let rows_before = self.uses.len();
        let mine = self.use_row(theirs.actor);
        let later = (theirs.window_start_ms, theirs.used) > (mine.window_start_ms, mine.used);
        if later {
            *mine = theirs;
        }
        later || self.uses.len() != rows_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(epoch: u64, actor: u64, added: u64, subtracted: u64) -> State {
        let mut state = State {
            epoch,
            ..State::default()
        };
        let row = state.count_row(actor);
        (row.added, row.subtracted) = (added, subtracted);
        state
    }

    #[test]
    fn rows_merge_to_the_larger_of_each_side() {
        let mut state = counted(0, 7, 10, 1);
        assert!(state.merge(&counted(0, 3, 5, 0)));
        assert!(state.merge(&counted(0, 7, 8, 4)));
        assert!(!state.merge(&counted(0, 7, 9, 4)));
        assert_eq!(state.value(), 10 + 5 - 4);
        let actors: Vec<u64> = state.counts.iter().map(|row| row.actor).collect();
        assert_eq!(actors, [3, 7]);
    }

    #[test]
    fn a_higher_epoch_replaces_and_a_lower_one_is_ignored() {
        let mut state = counted(1, 7, 10, 0);
        assert!(!state.merge(&counted(0, 7, 99, 0)));
        assert!(state.merge(&counted(2, 8, 1, 0)));
        assert_eq!(state.value(), 1);
    }

    #[test]
    fn a_later_window_replaces_the_use_of_an_earlier_one() {
        let mut state = State::default();
        state.merge_use(UseRow {
            actor: 1,
            window_start_ms: 1000,
            used: 9,
        });
        state.merge_use(UseRow {
            actor: 1,
            window_start_ms: 2000,
            used: 1,
        });
        state.merge_use(UseRow {
            actor: 1,
            window_start_ms: 1000,
            used: 50,
        });
        assert_eq!(state.uses[0].used, 1);
    }

    #[test]
    fn the_sum_may_exceed_64_bits() {
        let mut state = counted(0, 1, i64::MAX as u64, 0);
        state.merge(&counted(0, 2, i64::MAX as u64, 0));
        assert_eq!(state.value(), 2 * i128::from(i64::MAX));
    }
}
