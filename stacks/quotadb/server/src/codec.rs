//! The binary form of keys and states, shared by the log, snapshots, replication and digests.
//!
//! Little-endian throughout; byte strings carry a u32 length. Rows are sorted by actor, so equal
//! states have equal bytes.

use crate::store::state::{Base, CountRow, Quota, Stamp, State, UseRow};

const BASE_ABSENT: u8 = 0;
const BASE_NUMBER: u8 = 1;
const BASE_TEXT: u8 = 2;
const BASE_QUOTA: u8 = 3;

/// Bytes that are not a valid encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError;

pub fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u32(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

pub fn put_entry(out: &mut Vec<u8>, key: &[u8], state: &State) {
    put_bytes(out, key);
    put_u64(out, state.epoch);
    put_u64(out, state.stamp.micros);
    put_u64(out, state.stamp.actor);
    match &state.base {
        Base::Absent => out.push(BASE_ABSENT),
        Base::Number(number) => {
            out.push(BASE_NUMBER);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Base::Text(text) => {
            out.push(BASE_TEXT);
            put_bytes(out, text);
        }
        Base::Quota(quota) => {
            out.push(BASE_QUOTA);
            put_u64(out, quota.limit);
            put_u64(out, quota.window_ms);
        }
    }
    put_u32(out, state.counts.len() as u32);
    for row in &state.counts {
        put_count_row(out, *row);
    }
    put_u32(out, state.uses.len() as u32);
    for row in &state.uses {
        put_u64(out, row.actor);
        put_u64(out, row.window_start_ms);
        put_u64(out, row.used);
    }
}

pub fn put_count_row(out: &mut Vec<u8>, row: CountRow) {
    put_u64(out, row.actor);
    put_u64(out, row.added);
    put_u64(out, row.subtracted);
}

/// Reads from the front of a byte slice; every length is checked before it is trusted.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything not yet read.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(DecodeError)?;
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        self.take(N)?.try_into().map_err(|_| DecodeError)
    }

    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = self.u32()?;
        self.take(length as usize)
    }

    pub fn count_row(&mut self) -> Result<CountRow, DecodeError> {
        Ok(CountRow {
            actor: self.u64()?,
            added: self.u64()?,
            subtracted: self.u64()?,
        })
    }

    /// A key and its state.
    pub fn entry(&mut self) -> Result<(&'a [u8], State), DecodeError> {
        let key = self.bytes()?;
        let mut state = State {
            epoch: self.u64()?,
            stamp: Stamp {
                micros: self.u64()?,
                actor: self.u64()?,
            },
            base: self.base()?,
            ..State::default()
        };
        // Rows are pushed one by one: a false count runs out of bytes before it costs memory.
        for _ in 0..self.u32()? {
            let row = self.count_row()?;
            if state
                .counts
                .last()
                .is_some_and(|last| last.actor >= row.actor)
            {
                return Err(DecodeError);
            }
            state.counts.push(row);
        }
        for _ in 0..self.u32()? {
            let row = UseRow {
                actor: self.u64()?,
                window_start_ms: self.u64()?,
                used: self.u64()?,
            };
            if state
                .uses
                .last()
                .is_some_and(|last| last.actor >= row.actor)
            {
                return Err(DecodeError);
            }
            state.uses.push(row);
        }
        Ok((key, state))
    }

    fn base(&mut self) -> Result<Base, DecodeError> {
        Ok(match self.u8()? {
            BASE_ABSENT => Base::Absent,
            BASE_NUMBER => Base::Number(i64::from_le_bytes(self.array()?)),
            BASE_TEXT => Base::Text(self.bytes()?.into()),
            BASE_QUOTA => {
                let quota = Quota {
                    limit: self.u64()?,
                    window_ms: self.u64()?,
                };
                // A window of no length would divide by zero later.
                if quota.window_ms == 0 {
                    return Err(DecodeError);
                }
                Base::Quota(quota)
            }
            _ => return Err(DecodeError),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_base() -> impl Strategy<Value = Base> {
        prop_oneof![
            Just(Base::Absent),
            any::<i64>().prop_map(Base::Number),
            any::<Vec<u8>>().prop_map(|text| Base::Text(text.into())),
            (any::<u64>(), 1..u64::MAX)
                .prop_map(|(limit, window_ms)| Base::Quota(Quota { limit, window_ms })),
        ]
    }

    fn any_state() -> impl Strategy<Value = State> {
        let rows = || prop::collection::btree_map(any::<u64>(), any::<(u64, u64)>(), 0..4);
        (
            any::<u64>(),
            any::<(u64, u64)>(),
            any_base(),
            rows(),
            rows(),
        )
            .prop_map(|(epoch, (micros, actor), base, counts, uses)| State {
                epoch,
                stamp: Stamp { micros, actor },
                base,
                counts: counts
                    .into_iter()
                    .map(|(actor, (added, subtracted))| CountRow {
                        actor,
                        added,
                        subtracted,
                    })
                    .collect(),
                uses: uses
                    .into_iter()
                    .map(|(actor, (window_start_ms, used))| UseRow {
                        actor,
                        window_start_ms,
                        used,
                    })
                    .collect(),
            })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(key: Vec<u8>, state in any_state()) {
            let mut bytes = Vec::new();
            put_entry(&mut bytes, &key, &state);
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.entry(), Ok((key.as_slice(), state)));
            prop_assert!(reader.is_empty());
            for cut in 0..bytes.len() {
                prop_assert_eq!(Reader::new(&bytes[..cut]).entry(), Err(DecodeError));
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = Reader::new(&bytes).entry();
        }

        #[test]
        fn merging_is_commutative_associative_and_idempotent(
            a in any_state(), b in any_state(), c in any_state(), same_epoch: bool
        ) {
            let (a, mut b, mut c) = (a, b, c);
            if same_epoch {
                b.epoch = a.epoch;
                c.epoch = a.epoch;
            }
            let join = |x: &State, y: &State| { let mut z = x.clone(); z.merge(y); z };
            prop_assert_eq!(join(&a, &b), join(&b, &a));
            prop_assert_eq!(join(&join(&a, &b), &c), join(&a, &join(&b, &c)));
            prop_assert_eq!(join(&a, &a), a);
        }
    }
}
