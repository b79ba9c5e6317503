//! One record: u32 body length, u32 CRC-32 of the body, body. The first body byte is the kind.

use crate::codec::{self, DecodeError, Reader};
use crate::resp::parser::MAX_BULK_BYTES;
use crate::store::Store;
use crate::store::state::{CountRow, State};

const COUNT_ROW: u8 = 1;
const ENTRY: u8 = 2;
const FLUSH: u8 = 3;
/// Last record of a complete snapshot, with the number of records before it.
const END: u8 = 4;

const HEADER_BYTES: usize = 8;
/// A row's record without its key: kind, epoch, actor, added, subtracted.
const COUNT_ROW_BYTES: usize = 1 + 8 + 3 * 8;

/// What applying a record did.
#[derive(Debug, PartialEq, Eq)]
pub enum Applied {
    Change,
    /// The snapshot's end mark, carrying the count it promises.
    End(u64),
}

/// One node's row of a counter: what an increment leaves behind.
#[inline]
pub fn put_count_row(out: &mut Vec<u8>, key: &[u8], epoch: u64, row: CountRow) {
    framed(out, |out| {
        out.push(COUNT_ROW);
        codec::put_u64(out, epoch);
        codec::put_count_row(out, row);
        out.extend_from_slice(key);
    });
}

/// A key's whole state.
pub fn put_entry(out: &mut Vec<u8>, key: &[u8], state: &State) {
    framed(out, |out| {
        out.push(ENTRY);
        codec::put_entry(out, key, state);
    });
}

/// All keys dropped.
pub fn put_flush(out: &mut Vec<u8>) {
    framed(out, |out| out.push(FLUSH));
}

/// End of a snapshot of `records` records.
pub fn put_end(out: &mut Vec<u8>, records: u64) {
    framed(out, |out| {
        out.push(END);
        codec::put_u64(out, records);
    });
}

#[inline]
fn framed(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    write(out);
    let body = start + HEADER_BYTES;
    let length = (out.len() - body) as u32;
    let crc = crc32fast::hash(&out[body..]);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4..body].copy_from_slice(&crc.to_le_bytes());
}

/// The body of the record at the front of `bytes` and the record's whole length; None if it is cut
/// short, damaged or empty.
pub fn next_body(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let mut reader = Reader::new(bytes);
    let length = reader.u32().ok()? as usize;
    let crc = reader.u32().ok()?;
    let body = reader.take(length).ok()?;
    // No record is empty; eight zero bytes (a tail the file system never filled) look like one.
    (length > 0 && crc32fast::hash(body) == crc).then_some((body, HEADER_BYTES + length))
}

/// Whether `bytes` begin with a whole record that could be applied. Made for being asked at every
/// byte: whatever is no record is told by its first bytes, without a checksum of what follows.
pub fn is_intact(bytes: &[u8]) -> bool {
    let Some((&[l0, l1, l2, l3, _, _, _, _, kind], _)) = bytes.split_first_chunk() else {
        return false;
    };
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let plausible = match kind {
        COUNT_ROW => (COUNT_ROW_BYTES..=COUNT_ROW_BYTES + MAX_BULK_BYTES).contains(&length),
        ENTRY => length > 1,
        FLUSH => length == 1,
        END => length == 9,
        _ => false,
    };
    let body = bytes.get(HEADER_BYTES..HEADER_BYTES + length);
    match body {
        Some([ENTRY, entry @ ..]) if plausible => {
            let mut reader = Reader::new(entry);
            reader.entry().is_ok() && reader.is_empty() && next_body(bytes).is_some()
        }
        Some(_) if plausible => next_body(bytes).is_some(),
        _ => false,
    }
}

/// Applies a record's body to a store.
pub fn apply(body: &[u8], store: &mut Store) -> Result<Applied, DecodeError> {
    let mut reader = Reader::new(body);
    match reader.u8()? {
        COUNT_ROW => {
            let epoch = reader.u64()?;
            let row = reader.count_row()?;
            let state = State {
                epoch,
                ..State::from(row)
            };
            store.merge(reader.rest(), &state);
        }
        ENTRY => {
            let (key, state) = reader.entry()?;
            store.merge(key, &state);
        }
        FLUSH => store.replay_flush(),
        END => return Ok(Applied::End(reader.u64()?)),
        _ => return Err(DecodeError),
    }
    if reader.is_empty() {
        Ok(Applied::Change)
    } else {
        Err(DecodeError)
    }
}
