//! INCR, INCRBY, DECR, DECRBY.

use super::Call;
use crate::resp::reply;

pub fn incr(call: &mut Call) {
    add(call, 1);
}

pub fn decr(call: &mut Call) {
    add(call, -1);
}

pub fn incrby(call: &mut Call) {
    if let Some(delta) = call.integer_arg(2) {
        add(call, delta);
    }
}

pub fn decrby(call: &mut Call) {
    let Some(delta) = call.integer_arg(2) else {
        return;
    };
    match delta.checked_neg() {
        Some(negated) => add(call, negated),
        None => call.error("ERR decrement would overflow"),
    }
}

#[inline]
fn add(call: &mut Call, delta: i64) {
    match call.store.get().increment(call.args.get(1), delta) {
        Ok(value) => reply::integer(call.out, value),
        Err(error) => call.refuse(error),
    }
}
