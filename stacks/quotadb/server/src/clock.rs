//! Wall-clock time, read in one place.

use std::time::{SystemTime, UNIX_EPOCH};

/// Microseconds since the Unix epoch; 0 if the clock is set before it.
pub fn unix_micros() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_micros() as u64)
}

/// Milliseconds since the Unix epoch.
pub fn unix_millis() -> u64 {
    unix_micros() / 1000
}
