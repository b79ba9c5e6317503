//! Redis-style glob patterns for `KEYS`, `SCAN … MATCH` and `CONFIG GET`.

/// Whether `text` matches `pattern` (`*`, `?`, `[abc]`, `[^a]`, `[a-z]`, `\x`).
///
/// Only the last `*` is ever retried, so the cost is at most pattern × text and a hostile pattern
/// cannot make it exponential.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p + 1, t));
            p += 1;
        } else if let Some(width) = match_one(&pattern[p..], text[t]) {
            p += width;
            t += 1;
        } else if let Some((after_star, from)) = retry {
            retry = Some((after_star, from + 1));
            p = after_star;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

/// Bytes of `pattern` used up if its first element accepts `byte`.
fn match_one(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [] => None,
        [b'?', ..] => Some(1),
        [b'[', set @ ..] => match_set(set, byte),
        [b'\\', literal, ..] => (*literal == byte).then_some(2),
        [literal, ..] => (*literal == byte).then_some(1),
    }
}

/// `set` starts after the `[`; an unclosed set ends with the pattern, as in Redis.
fn match_set(set: &[u8], byte: u8) -> Option<usize> {
    let negated = set.first() == Some(&b'^');
    let mut i = usize::from(negated);
    let mut found = false;
    while i < set.len() && set[i] != b']' {
        if set[i] == b'\\' && i + 1 < set.len() {
            found |= set[i + 1] == byte;
            i += 2;
        } else if i + 2 < set.len() && set[i + 1] == b'-' {
            let (low, high) = (set[i].min(set[i + 2]), set[i].max(set[i + 2]));
            found |= (low..=high).contains(&byte);
            i += 3;
        } else {
            found |= set[i] == byte;
            i += 1;
        }
    }
    let closing = usize::from(i < set.len());
    (found != negated).then_some(1 + i + closing)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_as_in_redis() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*", "anything", true),
            ("h?llo", "hello", true),
            ("h?llo", "hllo", false),
            ("h*llo", "heeeello", true),
            ("h[ae]llo", "hallo", true),
            ("h[ae]llo", "hillo", false),
            ("h[^e]llo", "hello", false),
            ("h[a-c]llo", "hbllo", true),
            ("h[c-a]llo", "hbllo", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("a**b*c", "aXbYc", true),
            ("a[", "a", false),
            ("[ab", "a", true),
            ("counter:*", "counter:000000000001", true),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), text.as_bytes()),
                expected,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn many_stars_stay_cheap() {
        let pattern = "a*".repeat(40) + "b";
        assert!(!matches(pattern.as_bytes(), "a".repeat(2000).as_bytes()));
    }
}
