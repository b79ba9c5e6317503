//! Rows whose parent is not there yet.

use crate::change::Committed;
use crate::kafka::Message;
use crate::keys::Keys;
use crate::table::{Key, Table};
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// A change of one row, with the record that brought it.
#[derive(Debug, Clone)]
pub struct Job {
    pub message: Message,
    pub key: Key,
    pub committed: Committed,
}

/// Which row a row waits for; an empty key stands for any of the table.
pub type Parent = (Table, Key);

struct Waiter {
    job: Job,
    parent: Parent,
    since: Instant,
}

/// Of each row only the newest change waits.
#[derive(Default)]
pub struct Waiting(HashMap<(Table, Key), Waiter>);

impl Waiting {
    pub fn add(&mut self, job: Job, parent: Parent) {
        let row = (job.message.table, job.key.clone());
        // One that came again after another parent was missing waits on, from when it first came.
        let since = self
            .0
            .get(&row)
            .filter(|old| old.job.message.offset == job.message.offset);
        let since = since.map_or_else(Instant::now, |old| old.since);
        self.0.insert(row, Waiter { job, parent, since });
    }

    /// A newer change of the row is there, or it is done.
    pub fn remove(&mut self, table: Table, key: &Key) {
        self.0.remove(&(table, key.clone()));
    }

    /// Those whose parent came; they stay until they are done.
    pub fn resolved(&self, keys: &Keys) -> Vec<Job> {
        let there = |(table, key): &Parent| match key.is_empty() {
            true => keys.first(*table).is_some(),
            false => keys.referred(*table, key).is_some(),
        };
        let resolved = self.0.values().filter(|waiter| there(&waiter.parent));
        resolved.map(|waiter| waiter.job.clone()).collect()
    }

    /// Takes out those that have waited for too long.
    pub fn expired(&mut self, patience: Duration) -> Vec<(Job, Parent)> {
        let expired = self
            .0
            .extract_if(|_, waiter| waiter.since.elapsed() >= patience);
        expired
            .map(|(_, waiter)| (waiter.job, waiter.parent))
            .collect()
    }

    /// Records of a table that are not done.
    pub fn offsets(&self, table: Table) -> BTreeSet<i64> {
        let own = self.0.values().map(|waiter| &waiter.job.message);
        own.filter(|message| message.table == table)
            .map(|message| message.offset)
            .collect()
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Change;
    use crate::keys::Known;

    fn job(key: &str, offset: i64) -> Job {
        let message = Message {
            table: Table::Stall,
            offset,
            key: None,
            value: None,
        };
        let committed = Committed {
            change: Change::Upsert(Default::default()),
            at: None,
        };
        Job {
            message,
            key: vec![key.into()],
            committed,
        }
    }

    fn farm(key: &str) -> Parent {
        (Table::Farm, vec![key.into()])
    }

    fn know(keys: &mut Keys, werks: &str) {
        keys.insert(
            Table::Farm,
            vec![werks.into()],
            Known {
                id: "id".into(),
                coop: None,
            },
        );
    }

    #[test]
    fn a_row_waits_until_its_parent_is_there() {
        let (mut waiting, mut keys) = (Waiting::default(), Keys::default());
        waiting.add(job("S1", 4), farm("1000"));
        waiting.add(job("S2", 7), (Table::Farm, Key::new()));
        assert!(waiting.resolved(&keys).is_empty());
        know(&mut keys, "2000");
        let any: Vec<_> = waiting
            .resolved(&keys)
            .into_iter()
            .map(|job| job.key)
            .collect();
        assert_eq!(any, [vec!["S2".to_string()]]);
        know(&mut keys, "1000");
        assert_eq!(waiting.resolved(&keys).len(), 2);
    }

    #[test]
    fn only_the_newest_change_of_a_row_waits() {
        let mut waiting = Waiting::default();
        waiting.add(job("S1", 4), farm("1000"));
        waiting.add(job("S1", 9), farm("1000"));
        assert_eq!(waiting.offsets(Table::Stall), BTreeSet::from([9]));
        waiting.remove(Table::Stall, &vec!["S1".into()]);
        assert_eq!(waiting.count(), 0);
    }

    #[test]
    fn patience_ends() {
        let mut waiting = Waiting::default();
        waiting.add(job("S1", 4), farm("1000"));
        assert!(waiting.expired(Duration::from_secs(60)).is_empty());
        std::thread::sleep(Duration::from_millis(20));
        // To meet the next missing parent is not to begin anew.
        waiting.add(job("S1", 4), farm("2000"));
        let expired = waiting.expired(Duration::from_millis(20));
        assert_eq!(expired.len(), 1);
        assert_eq!(expired[0].1, farm("2000"));
        assert_eq!(waiting.count(), 0);
    }
}
