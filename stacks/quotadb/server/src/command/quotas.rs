//! QUOTASET, QUOTAINCR, QUOTAGET, QUOTADEL.

use super::Call;
use crate::clock;
use crate::resp::reply;
use crate::store::StoreError;

/// Longest window in seconds, a century; far below what milliseconds in 64 bits can hold.
const MAX_WINDOW_SECS: i64 = 100 * 366 * 24 * 3600;

/// `QUOTASET key limit window-seconds`
pub fn quotaset(call: &mut Call) {
    let Some(limit) = call.integer_arg(2) else {
        return;
    };
    let Some(window_secs) = call.integer_arg(3) else {
        return;
    };
    if limit < 0 {
        return call.error("ERR limit must not be negative");
    }
    if !(1..=MAX_WINDOW_SECS).contains(&window_secs) {
        return call.error("ERR invalid window");
    }
    let (limit, window_ms) = (limit as u64, window_secs as u64 * 1000);
    match call
        .store
        .get()
        .quota_set(call.args.get(1), limit, window_ms)
    {
        Ok(()) => call.ok(),
        Err(error) => call.refuse(error),
    }
}

/// `QUOTAINCR key amount`: units remaining after taking `amount`, or -1 and nothing taken.
pub fn quotaincr(call: &mut Call) {
    let Some(amount) = call.integer_arg(2) else {
        return;
    };
    let Ok(amount) = u64::try_from(amount) else {
        return call.error("ERR amount must not be negative");
    };
    let now_ms = clock::unix_millis();
    match call
        .store
        .get()
        .quota_take(call.args.get(1), amount, now_ms)
    {
        Ok(Some(remaining)) => reply::integer(call.out, remaining as i64),
        Ok(None) => reply::integer(call.out, -1),
        Err(error) => call.refuse(error),
    }
}

/// `QUOTAGET key`: limit, window in seconds, remaining; null if there is no such quota.
pub fn quotaget(call: &mut Call) {
    let now_ms = clock::unix_millis();
    match call.store.get().quota_get(call.args.get(1), now_ms) {
        Ok(status) => {
            reply::array(call.out, 3);
            reply::integer(call.out, status.quota.limit as i64);
            reply::integer(call.out, (status.quota.window_ms / 1000) as i64);
            reply::integer(call.out, status.remaining as i64);
        }
        Err(StoreError::NoSuchQuota) => call.null(),
        Err(error) => call.refuse(error),
    }
}

/// `QUOTADEL key`: 1 if there was a quota, else 0.
pub fn quotadel(call: &mut Call) {
    match call.store.get().quota_delete(call.args.get(1)) {
        Ok(existed) => reply::integer(call.out, i64::from(existed)),
        Err(error) => call.refuse(error),
    }
}
