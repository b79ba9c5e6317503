//! Decimal integers exactly as Redis accepts them.

/// Parses a canonical decimal i64: no sign but `-`, no leading zero, no space, no `-0`.
///
/// Redis stores `012` as text and refuses to increment it, so canonical form decides the type.
pub fn parse_i64(text: &[u8]) -> Option<i64> {
    let value = std::str::from_utf8(text).ok()?.parse().ok()?;
    let canonical = itoa::Buffer::new().format(value).as_bytes() == text;
    canonical.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::parse_i64;

    #[test]
    fn only_canonical_integers_are_numbers() {
        for value in [0, 1, -1, 42, i64::MAX, i64::MIN] {
            assert_eq!(parse_i64(value.to_string().as_bytes()), Some(value));
        }
        for text in [
            "",
            "-",
            "-0",
            "+1",
            "01",
            " 1",
            "1 ",
            "1.0",
            "abc",
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999",
        ] {
            assert_eq!(parse_i64(text.as_bytes()), None, "{text:?}");
        }
    }
}
