//! Nonsense near what is valid: neither way of reading a body panics, and both read the same.

use crate::event::{self, Event, parse_long};
use crate::inputs::{BODIES, QUERIES};
use crate::plain::{parse_batch, parse_one};
use crate::{parameters, plain, timestamp};
use proptest::prelude::*;

const EVENT: &str = r#"{"id":"0190A5C8-0000-7000-8000-00000000000f","timestamp":"2026-01-01T00:00:00.5Z","source":"web","session":"s/1","type":"click","level":"info","payload":{"a":[1,"\n",{"b":null}]}}"#;

/// What is put somewhere into a valid text: the punctuation of JSON, ends of ranges, and what is longer than a character.
const PIECES: [&str; 26] = [
    "",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\\",
    "\\u0000",
    "\\ud800",
    "\n",
    "\u{feff}",
    "é",
    "🦀",
    "0",
    "-1",
    "1e999",
    "null",
    "\"level\":\"error\",",
    "\"payload\":{},",
    "\"more\":1,",
    "9999-12-31T23:59:60Z",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "+23:59",
    "\0",
];

/// A text in which some characters are replaced by pieces.
fn changed(text: &'static str) -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0..4_usize,
        prop::sample::select(&PIECES[..]),
    );
    prop::collection::vec(change, 0..4).prop_map(move |changes| {
        let mut all: Vec<char> = text.chars().collect();
        for (at, taken, piece) in changes {
            let at = at.index(all.len() + 1);
            let end = (at + taken).min(all.len());
            all.splice(at..end, piece.chars());
        }
        all.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_short_way_reads_what_the_long_way_reads(text in changed(EVENT)) {
        let short = plain::one(&text);
        let long = parse_long(&text);
        if let Some(short) = short {
            let long = long.map_err(|problem| TestCaseError::fail(format!("{problem:?}")))?;
            prop_assert_eq!(short.iter().collect::<Vec<Event>>(), long.iter().collect::<Vec<Event>>());
        }
    }

    #[test]
    fn a_batch_is_its_events_or_a_problem(first in changed(EVENT), second in changed(EVENT)) {
        let batch = parse_batch(format!(r#"{{"events":[{first},{second}]}}"#).as_bytes());
        if let (Ok(first), Ok(second)) = (parse_one(first.as_bytes()), parse_one(second.as_bytes())) {
            let batch = batch.map_err(|problem| TestCaseError::fail(format!("{problem:?}")))?;
            prop_assert_eq!(
                batch.iter().collect::<Vec<Event>>(),
                first.iter().chain(second.iter()).collect::<Vec<Event>>()
            );
        }
    }

    #[test]
    fn what_is_stored_is_one_line_of_json(text in changed(EVENT)) {
        if let Ok(rows) = parse_one(text.as_bytes()) {
            let mut written = String::new();
            event::write_event(&mut written, &rows.iter().next().unwrap(), 7);
            prop_assert!(!written.contains(['\n', '\r']), "{}", written);
            prop_assert!(crate::json::well_formed(&written).is_ok(), "{}", written);
        }
    }

    #[test]
    fn bytes_are_a_body_or_a_problem(body in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_one(&body);
        let _ = parse_batch(&body);
        let _ = parameters::last_event_id(&body);
    }

    #[test]
    fn a_query_is_understood_or_refused(query in changed("source=web&type=a%2Fb&since=1970-01-01T00:00:01Z&limit=7")) {
        let _ = parameters::page_query(Some(&query));
        let _ = parameters::stats_minutes(Some(&query));
    }

    #[test]
    fn a_moment_is_a_moment_or_none(text in changed("2026-02-28T23:59:59.999999+23:59")) {
        if let Some(ms) = timestamp::parse(&text) {
            // The years 0000 to 9999, and what an offset adds to them.
            prop_assert!((-62_167_305_600_000..=253_402_387_200_000).contains(&ms), "{} {}", text, ms);
        }
    }
}

/// Every body that is kept, whole and cut anywhere: both ways of reading agree, and what is an event is one again
/// when it is written.
#[test]
fn bodies_that_are_kept_are_read_in_one_way() {
    for (name, body) in BODIES {
        for cut in 0..=body.len() {
            let part = &body[..cut];
            let _ = parse_batch(part);
            let one = parse_one(part);
            let Ok(text) = std::str::from_utf8(part) else {
                assert!(one.is_err(), "{name} cut at {cut}");
                continue;
            };
            if let Some(short) = plain::one(text) {
                let long = parse_long(text).expect(name);
                assert!(short.iter().eq(long.iter()), "{name} cut at {cut}");
            }
            if let Ok(rows) = one {
                let mut written = String::new();
                event::write_event(&mut written, &rows.iter().next().unwrap(), 7);
                assert!(!written.contains(['\n', '\r']), "{name}: {written}");
                crate::json::well_formed(&written).expect(name);
            }
        }
    }
}

#[test]
fn queries_that_are_kept_are_understood_or_refused() {
    for (name, query) in QUERIES {
        let query = String::from_utf8(query.to_vec()).expect(name);
        let page = parameters::page_query(Some(&query));
        let _ = parameters::stats_minutes(Some(&query));
        let fine = ["all-parameters", "a-cursor"].contains(name);
        assert_eq!(page.is_ok(), fine, "{name}");
    }
}
