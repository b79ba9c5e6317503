//! KEYS, SCAN, DBSIZE and flushing.

use super::Call;
use crate::glob;
use crate::resp::number::parse_i64;
use crate::resp::reply::{self, MAX_REPLY_BYTES};
use crate::store::entry::Entry;
use crate::store::{SHARDS, StoreError};

/// What one command may spend on matching beyond reading its keys once. The one lock is held all
/// the while, so it is a fraction of a second.
const MATCHING_STEPS: u64 = 1 << 25;
const TOO_MUCH_MATCHING: &str = "ERR the pattern takes too much work; use a simpler one";

pub fn dbsize(call: &mut Call) {
    reply::integer(call.out, call.store.get().len() as i64);
}

pub fn keys(call: &mut Call) {
    let (pattern, mut work) = (call.arg(1), MATCHING_STEPS);
    let mut found = Vec::new();
    for entry in call.store.get().live() {
        match glob::matches_within(pattern, &entry.key, &mut work) {
            Some(true) => found.push(entry),
            Some(false) => {}
            None => return reply::error(call.out, TOO_MUCH_MATCHING),
        }
    }
    put_keys(call.out, &found);
}

/// The count comes first, so the keys are found before any is written.
fn put_keys(out: &mut Vec<u8>, found: &[&Entry]) {
    let bytes: usize = found.iter().map(|entry| entry.key.len() + 16).sum();
    if bytes > MAX_REPLY_BYTES {
        return reply::error(
            out,
            "ERR the reply is too big; use SCAN or a narrower pattern",
        );
    }
    reply::array(out, found.len());
    for entry in found {
        reply::bulk(out, &entry.key);
    }
}

/// `ASYNC` and `SYNC` are accepted and make no difference.
pub fn flush(call: &mut Call) {
    let mode_ok = call.args.len() == 1
        || (call.args.len() == 2 && (call.is_word(1, "ASYNC") || call.is_word(1, "SYNC")));
    if !mode_ok {
        return call.error("ERR syntax error");
    }
    call.store.get().flush();
    call.ok();
}

struct ScanOptions<'a> {
    pattern: &'a [u8],
    at_least: usize,
    type_name: Option<&'a [u8]>,
}

/// The cursor is the number of the next shard; whole shards are returned, so COUNT is a minimum.
pub fn scan(call: &mut Call) {
    let Some(cursor) = parse_i64(call.arg(1)).filter(|cursor| *cursor >= 0) else {
        return call.error("ERR invalid cursor");
    };
    let Some(options) = scan_options(call) else {
        return;
    };
    let wanted_type = |name: &str| {
        options
            .type_name
            .is_none_or(|wanted| wanted.eq_ignore_ascii_case(name.as_bytes()))
    };
    let store = call.store.get();
    let mut next = usize::try_from(cursor).unwrap_or(SHARDS).min(SHARDS);
    let (mut seen, mut work) = (0, MATCHING_STEPS);
    let mut found = Vec::new();
    while next < SHARDS && seen < options.at_least {
        for entry in store.live_in_shard(next) {
            seen += 1;
            match glob::matches_within(options.pattern, &entry.key, &mut work) {
                None => return reply::error(call.out, TOO_MUCH_MATCHING),
                Some(true) if wanted_type(entry.type_name()) => found.push(entry),
                Some(_) => {}
            }
        }
        next += 1;
    }
    let start = call.out.len();
    reply::array(call.out, 2);
    reply::bulk_number(call.out, if next < SHARDS { next as i128 } else { 0 });
    let keys = call.out.len();
    put_keys(call.out, &found);
    if call.out[keys] == b'-' {
        // An error stands for the whole reply.
        call.out.drain(start..keys);
    }
}

fn scan_options<'a>(call: &mut Call<'a, '_>) -> Option<ScanOptions<'a>> {
    let mut options = ScanOptions {
        pattern: b"*",
        at_least: 10,
        type_name: None,
    };
    let mut at = 2;
    while at < call.args.len() {
        if at + 1 == call.args.len() {
            call.error("ERR syntax error");
            return None;
        }
        if call.is_word(at, "MATCH") {
            options.pattern = call.arg(at + 1);
        } else if call.is_word(at, "TYPE") {
            options.type_name = Some(call.arg(at + 1));
        } else if call.is_word(at, "COUNT") {
            match usize::try_from(call.integer_arg(at + 1)?) {
                Ok(count) if count > 0 => options.at_least = count,
                Ok(_) => {
                    call.error("ERR syntax error");
                    return None;
                }
                Err(_) => {
                    call.refuse(StoreError::NotInteger);
                    return None;
                }
            }
        } else {
            call.error("ERR syntax error");
            return None;
        }
        at += 2;
    }
    Some(options)
}
