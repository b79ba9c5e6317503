//! The limits that the contract states.

pub const EVENT_BYTES: usize = 65_536;
pub const BATCH_BYTES: usize = 4_194_304;
pub const BATCH_EVENTS: usize = 1000;
pub const PAYLOAD_DEPTH: usize = 8;
pub const NAME_CHARACTERS: usize = 128;
pub const PAGE_EVENTS: u32 = 1000;
pub const PAGE_DEFAULT: u32 = 100;
pub const STATS_MINUTES: u32 = 1440;
pub const STATS_MINUTES_DEFAULT: u32 = 60;
pub const STATS_NAMES: u32 = 1000;
pub const STREAM_UNSENT_BYTES: usize = 4_194_304;
/// At a time; another is closed at once.
pub const CONNECTIONS: usize = 20_000;
pub const STREAM_COMMENT_SEC: u64 = 15;
