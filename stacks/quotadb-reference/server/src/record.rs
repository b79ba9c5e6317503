//! One record of the append log: u32 body length, u32 CRC-32 of the body, body. The first body byte
//! is the kind. A record carries the state reached, not the step taken.

use crate::parser::MAX_COMMAND_BYTES;

const NUMBER: u8 = 1;
const TEXT: u8 = 2;
const GONE: u8 = 3;
const FLUSH: u8 = 4;

pub const HEADER_BYTES: usize = 8;
/// Kind, length of the key, key and text.
const MAX_BODY_BYTES: usize = 1 + 4 + MAX_COMMAND_BYTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    Number(&'a [u8], i64),
    Text(&'a [u8], &'a [u8]),
    Gone(&'a [u8]),
    Flush,
}

impl<'a> Record<'a> {
    #[inline]
    pub fn put(self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; HEADER_BYTES]);
        match self {
            Self::Number(key, value) => {
                out.push(NUMBER);
                out.extend_from_slice(&value.to_le_bytes());
                out.extend_from_slice(key);
            }
            Self::Text(key, text) => {
                out.push(TEXT);
                out.extend_from_slice(&(key.len() as u32).to_le_bytes());
                out.extend_from_slice(key);
                out.extend_from_slice(text);
            }
            Self::Gone(key) => {
                out.push(GONE);
                out.extend_from_slice(key);
            }
            Self::Flush => out.push(FLUSH),
        }
        let body = start + HEADER_BYTES;
        let length = (out.len() - body) as u32;
        let crc = crc32fast::hash(&out[body..]);
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
        out[start + 4..body].copy_from_slice(&crc.to_le_bytes());
    }

    /// A whole body; None if it is none of these.
    pub fn parse(body: &'a [u8]) -> Option<Self> {
        let (&kind, rest) = body.split_first()?;
        match kind {
            NUMBER => {
                let (value, key) = rest.split_first_chunk()?;
                Some(Self::Number(key, i64::from_le_bytes(*value)))
            }
            TEXT => {
                let (length, rest) = rest.split_first_chunk()?;
                let (key, text) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
                Some(Self::Text(key, text))
            }
            GONE => Some(Self::Gone(rest)),
            FLUSH if rest.is_empty() => Some(Self::Flush),
            _ => None,
        }
    }
}

/// What a record's first bytes say of its body: length and checksum. None if no record says so.
pub fn header(bytes: &[u8; HEADER_BYTES]) -> Option<(usize, u32)> {
    let [l0, l1, l2, l3, c0, c1, c2, c3] = *bytes;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    // No record is empty; eight zero bytes (a tail the file system never filled) look like one.
    (1..=MAX_BODY_BYTES)
        .contains(&length)
        .then_some((length, u32::from_le_bytes([c0, c1, c2, c3])))
}

/// Whether `bytes` begin with a whole record.
pub fn is_intact(bytes: &[u8]) -> bool {
    let Some((head, rest)) = bytes.split_first_chunk() else {
        return false;
    };
    let Some((length, crc)) = header(head) else {
        return false;
    };
    // The kind first: a checksum at every byte would take long.
    rest.first()
        .is_some_and(|kind| (NUMBER..=FLUSH).contains(kind))
        && rest
            .get(..length)
            .is_some_and(|body| Record::parse(body).is_some() && crc32fast::hash(body) == crc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back(key: Vec<u8>, text: Vec<u8>, number: i64) {
            for record in [
                Record::Number(&key, number),
                Record::Text(&key, &text),
                Record::Gone(&key),
                Record::Flush,
            ] {
                let mut bytes = Vec::new();
                record.put(&mut bytes);
                prop_assert!(is_intact(&bytes));
                prop_assert_eq!(Record::parse(&bytes[HEADER_BYTES..]), Some(record));
                for cut in 0..bytes.len() {
                    prop_assert!(!is_intact(&bytes[..cut]));
                }
                bytes[HEADER_BYTES] ^= 0x80;
                prop_assert!(!is_intact(&bytes));
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            is_intact(&bytes);
            Record::parse(&bytes);
        }
    }
}
