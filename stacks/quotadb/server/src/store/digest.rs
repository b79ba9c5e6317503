//! Digests that tell whether two nodes hold the same entries.

use super::shard::Shard;
use super::{SHARDS, Store};
use crate::codec;
use xxhash_rust::xxh3::xxh3_64;

/// Busy shards compared in every round, in turn: all of them within 64 rounds.
const FORCED_PER_ROUND: usize = 4;

/// The digest of one shard as sent to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardDigest {
    pub shard: u16,
    /// Compare even if the receiver's shard is changing.
    pub forced: bool,
    pub digest: u64,
}

impl Store {
    /// Begins the next anti-entropy round.
    pub fn next_round(&mut self) {
        self.round += 1;
    }

    /// Digests to compare with a peer. A shard that is being written to differs all the time while
    /// its changes are under way, so it is left out except for its turn; `all` lists every shard.
    pub fn digests(&mut self, all: bool) -> Vec<ShardDigest> {
        let turn = self.round as usize % (SHARDS / FORCED_PER_ROUND);
        (0..SHARDS)
            .filter_map(|index| {
                let forced = all || index / FORCED_PER_ROUND == turn;
                (forced || self.is_quiet(index)).then(|| ShardDigest {
                    shard: index as u16,
                    forced,
                    digest: self.digest_of(index),
                })
            })
            .collect()
    }

    /// Shards whose digests differ from a peer's and are worth fetching now.
    pub fn differing(&mut self, theirs: &[ShardDigest]) -> Vec<u16> {
        theirs
            .iter()
            .filter(|other| {
                let index = usize::from(other.shard);
                index < SHARDS
                    && (other.forced || self.is_quiet(index))
                    && self.digest_of(index) != other.digest
            })
            .map(|other| other.shard)
            .collect()
    }

    /// Whether a shard has not changed in this round or the one before.
    fn is_quiet(&self, index: usize) -> bool {
        self.shards[index].changed_round + 1 < self.round
    }

    fn digest_of(&mut self, index: usize) -> u64 {
        let shard = &mut self.shards[index];
        match shard.digest {
            Some(digest) => digest,
            None => {
                let digest = compute(shard);
                shard.digest = Some(digest);
                digest
            }
        }
    }
}

/// Sum of the hashes of all entries: independent of their order.
fn compute(shard: &Shard) -> u64 {
    let mut scratch = Vec::new();
    shard.entries().fold(0, |sum: u64, entry| {
        scratch.clear();
        codec::put_entry(&mut scratch, &entry.key, &entry.state());
        sum.wrapping_add(xxh3_64(&scratch))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::clustered;

    #[test]
    fn digests_differ_exactly_where_the_data_differs() {
        let (mut one, mut two) = (clustered(1), clustered(2));
        one.increment(b"a", 1).unwrap();
        let differing = two.differing(&one.digests(true));
        assert_eq!(differing.len(), 1);
        let index = usize::from(differing[0]);
        let entries: Vec<_> = one
            .entries_in_shard(index)
            .map(|entry| (entry.key.clone(), entry.state().into_owned()))
            .collect();
        for (key, state) in entries {
            two.merge(&key, &state);
        }
        assert!(two.differing(&one.digests(true)).is_empty());
    }

    #[test]
    fn a_shard_being_written_to_is_compared_only_in_its_turn() {
        let mut store = clustered(1);
        for i in 0..5000 {
            store.increment(format!("key:{i}").as_bytes(), 1).unwrap();
        }
        assert_eq!(store.digests(false).len(), 4);
        store.next_round();
        store.next_round();
        assert_eq!(store.digests(false).len(), 256);
    }
}
