//! Redis-style glob patterns for `KEYS`, `SCAN … MATCH` and `CONFIG GET`.

/// Steps of [`matches_within`] that each text has free, beside two for each of its bytes.
const FREE_STEPS: u64 = 64;

/// Whether `text` matches `pattern` (`*`, `?`, `[abc]`, `[^a]`, `[a-z]`, `\x`), whatever it costs: only
/// the last `*` is ever retried, so that is at most pattern × text.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let mut left = u64::MAX;
    matches_within(pattern, text, &mut left) == Some(true)
}

/// As [`matches`], but None where it takes more steps than reading the text and `left` together.
/// What was spent of `left` is taken from it, so that one allowance serves for many texts.
pub fn matches_within(pattern: &[u8], text: &[u8], left: &mut u64) -> Option<bool> {
    let free = FREE_STEPS + 2 * text.len() as u64;
    let allowed = free.saturating_add(*left);
    let mut steps = 0;
    let matched = match_counting(pattern, text, allowed, &mut steps);
    *left -= steps.saturating_sub(free).min(*left);
    matched
}

fn match_counting(pattern: &[u8], text: &[u8], allowed: u64, steps: &mut u64) -> Option<bool> {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            p += 1;
            if p == pattern.len() {
                return Some(true);
            }
            retry = Some((p, t));
            *steps += 1;
            if *steps > allowed {
                return None;
            }
        } else {
            let (matched, width) = match_one(&pattern[p..], text[t]);
            *steps += 1 + width as u64;
            if *steps > allowed {
                return None;
            }
            if matched {
                p += width;
                t += 1;
            } else if let Some((after_star, from)) = retry {
                retry = Some((after_star, from + 1));
                p = after_star;
                t = from + 1;
            } else {
                return Some(false);
            }
        }
    }
    *steps += (pattern.len() - p) as u64;
    (*steps <= allowed).then(|| pattern[p..].iter().all(|&byte| byte == b'*'))
}

/// Whether the first element of `pattern` accepts `byte`, and how many bytes of it were looked at.
fn match_one(pattern: &[u8], byte: u8) -> (bool, usize) {
    match pattern {
        [] => (false, 0),
        [b'?', ..] => (true, 1),
        [b'[', set @ ..] => match_set(set, byte),
        [b'\\', literal, ..] => (*literal == byte, 2),
        [literal, ..] => (*literal == byte, 1),
    }
}

/// `set` starts after the `[`; an unclosed set ends with the pattern, as in Redis.
fn match_set(set: &[u8], byte: u8) -> (bool, usize) {
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
    (found != negated, 1 + i + closing)
}

#[cfg(test)]
mod tests {
    use super::{matches, matches_within};
    use proptest::prelude::*;

    /// The meaning of a pattern without sets and escapes, by trying everything.
    fn slow_match(pattern: &[u8], text: &[u8]) -> bool {
        match pattern {
            [] => text.is_empty(),
            [b'*', rest @ ..] => (0..=text.len()).any(|at| slow_match(rest, &text[at..])),
            [b'?', rest @ ..] => !text.is_empty() && slow_match(rest, &text[1..]),
            [byte, rest @ ..] => text.first() == Some(byte) && slow_match(rest, &text[1..]),
        }
    }

    proptest! {
        #[test]
        fn patterns_mean_what_trying_everything_finds(pattern in "[ab?*]{0,8}", text in "[ab]{0,10}") {
            let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
            prop_assert_eq!(matches(pattern, text), slow_match(pattern, text));
        }

        #[test]
        fn any_pattern_ends_and_spends_what_it_has_at_most(pattern: Vec<u8>, text: Vec<u8>, left in 0u64..1000) {
            let mut spent = left;
            let within = matches_within(&pattern, &text, &mut spent);
            prop_assert!(spent <= left);
            prop_assert!(within.is_none() || within == Some(matches(&pattern, &text)));
        }
    }

    #[test]
    fn a_hostile_pattern_is_given_up() {
        let pattern = [b"*".as_slice(), &b"a".repeat(10_000), b"b"].concat();
        let (text, mut left) = (b"a".repeat(1 << 20), 1 << 20);
        assert_eq!(matches_within(&pattern, &text, &mut left), None);
        assert_eq!(left, 0, "and what comes after has nothing left");
        let set = [b"[".as_slice(), &b"x".repeat(1 << 20), b"]"].concat();
        assert_eq!(matches_within(&set, b"a", &mut 1000), None);
        // Reading a text once is always allowed.
        assert_eq!(matches_within(b"a*b*", &text, &mut 0), Some(false));
        assert_eq!(
            matches_within(b"counter:*", b"counter:1", &mut 0),
            Some(true)
        );
    }

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
