//! Decimal integers exactly as Redis accepts them.

/// Parses a canonical decimal i64: no sign but `-`, no leading zero, no space, no `-0`.
///
/// Redis stores `012` as text and refuses to increment it, so canonical form decides the type.
pub fn parse_i64(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut magnitude: u64 = 0;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // 19 digits stay below 10^19, which fits u64.
        magnitude = magnitude * 10 + u64::from(digit);
    }
    if negative {
        0i64.checked_sub_unsigned(magnitude)
    } else {
        i64::try_from(magnitude).ok()
    }
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
