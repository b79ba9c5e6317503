//! The anti-corruption layer between ten legacy tables and the clean API: change records in, REST requests out.

pub mod api;
pub mod change;
pub mod dead;
pub mod flags;
pub mod kafka;
pub mod keys;
pub mod lane;
pub mod map;
pub mod offsets;
pub mod processor;
pub mod progress;
pub mod run;
pub mod status;
pub mod table;
pub mod waiting;
