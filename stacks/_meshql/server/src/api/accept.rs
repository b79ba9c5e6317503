//! Which of two media types a client would rather have.

use axum::http::{HeaderMap, header};

/// Whether `Accept` names the media type `special`, and wants `usual` by its name no more than it. Who takes anything
/// is content with what is usual.
pub fn prefers(headers: &HeaderMap, special: &str, usual: &str) -> bool {
    let wanted = quality(headers, special);
    wanted > 0.0 && wanted >= quality(headers, usual)
}

/// How much a media type is wanted, from 0 to 1; 0 where it is not named.
fn quality(headers: &HeaderMap, media: &str) -> f32 {
    let values = headers.get_all(header::ACCEPT).iter();
    let ranges = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    ranges
        .filter_map(|range| {
            let (name, parameters) = range.split_once(';').unwrap_or((range, ""));
            name.trim()
                .eq_ignore_ascii_case(media)
                .then(|| weight(parameters))
        })
        .fold(0.0, f32::max)
}

/// The parameter `q`. One that is no number is as if the range were not there.
fn weight(parameters: &str) -> f32 {
    parameters
        .split(';')
        .filter_map(|parameter| parameter.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
        .map_or(1.0, |(_, value)| value.trim().parse().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_special_one_is_named_and_wanted_no_less() {
        for (accept, expected) in [
            ("a/special", true),
            ("A/Special; charset=utf-8, a/usual; charset=utf-8", true),
            ("a/usual;q=0.9, a/special", true),
            ("text/html, a/special ; Q=0.5, */*", true),
            ("a/usual, a/special;q=0.9", false),
            ("a/special;q=0", false),
            ("a/special;q=much", false),
            ("a/usual", false),
            ("*/*", false),
            ("a/*", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().expect("a header"));
            let found = prefers(&headers, "a/special", "a/usual");
            assert_eq!(found, expected, "{accept}");
        }
        assert!(!prefers(&HeaderMap::new(), "a/special", "a/usual"));
    }

    #[test]
    fn several_headers_are_one() {
        let mut headers = HeaderMap::new();
        headers.append(header::ACCEPT, "a/usual;q=0.5".parse().expect("a header"));
        headers.append(header::ACCEPT, "a/special".parse().expect("a header"));
        assert!(prefers(&headers, "a/special", "a/usual"));
    }
}
