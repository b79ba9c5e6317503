//! The module beside it for the interface of 2.x: the workload `realtime` as reducers: counters that are incremented, and messages that are stored.

use spacetimedb::{reducer, table, ReducerContext, Table};

#[path = "../../module/src/rules.rs"]
mod rules;

/// One counter. `updated_us` is the moment of the transaction that set it, microseconds since the Unix epoch: who
/// subscribes to a counter knows by it how old the news is. It comes second, so that it stands at a known place of a row.
#[table(accessor = counter, public)]
pub struct Counter {
    #[primary_key]
    id: u32,
    updated_us: i64,
    value: u64,
}

/// One message.
#[table(accessor = message, public)]
pub struct Message {
    #[primary_key]
    #[auto_inc]
    id: u64,
    author: u32,
    body: String,
}

/// Adds to a counter; the first increment makes it.
#[reducer]
pub fn increment(ctx: &ReducerContext, id: u32, by: u64) -> Result<(), String> {
    let updated_us = ctx.timestamp.to_micros_since_unix_epoch();
    let counters = ctx.db.counter();
    match counters.id().find(id) {
        Some(found) => {
            let value = rules::sum(found.value, by)?;
            counters.id().update(Counter {
                value,
                updated_us,
                ..found
            });
        }
        None => {
            let value = rules::sum(0, by)?;
            counters.insert(Counter {
                id,
                updated_us,
                value,
            });
        }
    }
    Ok(())
}

/// Stores a message.
#[reducer]
pub fn create_message(ctx: &ReducerContext, author: u32, body: String) -> Result<(), String> {
    rules::check_body(&body)?;
    ctx.db.message().insert(Message {
        id: 0,
        author,
        body,
    });
    Ok(())
}
