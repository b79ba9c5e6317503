//! GET, SET and the other commands on whole keys.

use super::{Call, wrong_arity};
use crate::resp::reply;
use crate::store::StoreError;
use crate::store::entry::{Entry, Value};

pub fn get(call: &mut Call) {
    match call.store.get().find(call.args.get(1)).map(Entry::readable) {
        None => call.null(),
        Some(Some(value)) => put_value(call.out, &value),
        Some(None) => call.refuse(StoreError::WrongType),
    }
}

/// Options (`EX`, `NX`, …) are refused rather than ignored.
pub fn set(call: &mut Call) {
    if call.args.len() > 3 {
        return call.error("ERR syntax error");
    }
    call.store.get().set(call.args.get(1), call.args.get(2));
    call.ok();
}

pub fn mget(call: &mut Call) {
    let (args, start) = (call.args, call.out.len());
    reply::array(call.out, args.len() - 1);
    for key in args.from(1) {
        match call.store.get().find(key).and_then(Entry::readable) {
            Some(value) => put_value(call.out, &value),
            None => reply::null(call.out, call.session.protocol),
        }
        if call.too_long(start) {
            return;
        }
    }
}

pub fn mset(call: &mut Call) {
    if call.args.len().is_multiple_of(2) {
        return wrong_arity(call, "mset");
    }
    let store = call.store.get();
    for at in (1..call.args.len()).step_by(2) {
        store.set(call.args.get(at), call.args.get(at + 1));
    }
    call.ok();
}

pub fn del(call: &mut Call) {
    let store = call.store.get();
    let deleted = call.args.from(1).filter(|key| store.delete(key)).count();
    reply::integer(call.out, deleted as i64);
}

/// A key named twice counts twice, as in Redis.
pub fn exists(call: &mut Call) {
    let store = call.store.get();
    let found = call
        .args
        .from(1)
        .filter(|key| store.find(key).is_some())
        .count();
    reply::integer(call.out, found as i64);
}

pub fn strlen(call: &mut Call) {
    let length = match call.store.get().find(call.args.get(1)).map(Entry::readable) {
        None => 0,
        Some(Some(Value::Text(text))) => text.len(),
        Some(Some(Value::Number(number))) => number.to_string().len(),
        Some(None) => return call.refuse(StoreError::WrongType),
    };
    reply::integer(call.out, length as i64);
}

pub fn type_of(call: &mut Call) {
    let name = match call.store.get().find(call.args.get(1)) {
        Some(entry) => entry.type_name(),
        None => "none",
    };
    reply::simple(call.out, name);
}

#[inline]
fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Number(number) => reply::bulk_number(out, *number),
        Value::Text(text) => reply::bulk(out, text),
    }
}
