//! What the reducers refuse. Plain functions, so that they can be tested without a server.

/// Longest body of a message, bytes.
pub const MAX_BODY: usize = 16 * 1024;

/// The new value of a counter.
///
/// # Errors
/// An increment by 0 changes nothing and is a mistake; an overflow would lose counts.
pub fn sum(value: u64, by: u64) -> Result<u64, String> {
    if by == 0 {
        return Err("by must be at least 1".into());
    }
    value
        .checked_add(by)
        .ok_or_else(|| "the counter would overflow".into())
}

/// # Errors
/// An empty body, or one of more than [`MAX_BODY`] bytes.
pub fn check_body(body: &str) -> Result<(), String> {
    match body.len() {
        0 => Err("body must not be empty".into()),
        1..=MAX_BODY => Ok(()),
        bytes => Err(format!(
            "body must be at most {MAX_BODY} bytes, got {bytes}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_add_up() {
        assert_eq!(sum(41, 1), Ok(42));
        assert_eq!(sum(0, u64::MAX), Ok(u64::MAX));
    }

    #[test]
    fn increments_that_lose_counts_are_refused() {
        assert!(sum(1, 0).unwrap_err().contains("at least 1"));
        assert!(sum(1, u64::MAX).unwrap_err().contains("overflow"));
    }

    #[test]
    fn bodies_have_limits() {
        assert_eq!(check_body("x"), Ok(()));
        assert_eq!(check_body(&"x".repeat(MAX_BODY)), Ok(()));
        assert!(check_body("").unwrap_err().contains("empty"));
        assert!(check_body(&"x".repeat(MAX_BODY + 1))
            .unwrap_err()
            .contains("at most"));
    }
}
