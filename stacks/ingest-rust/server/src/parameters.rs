//! Parameters of paths, queries and headers.

use crate::event::{Id, is_name, parse_id};
use crate::limits::{PAGE_DEFAULT, PAGE_EVENTS, STATS_MINUTES, STATS_MINUTES_DEFAULT};
use crate::problem::Problem;
use crate::reader::{Cursor, Query};
use crate::timestamp;

/// The largest integer that every reader of JSON has.
const MAX_SEQUENCE: i64 = 9_007_199_254_740_991;

struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Each parameter once.
    fn take(query: Option<&str>, names: &[&str]) -> Result<Self, Problem> {
        let mut found: Vec<(String, String)> = Vec::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            if !names.contains(&name.as_ref()) {
                return Err(Problem::parameter(&name, "is no parameter of the contract"));
            }
            if found.iter().any(|(n, _)| *n == name) {
                return Err(Problem::parameter(&name, "is given twice"));
            }
            found.push((name.into_owned(), value.into_owned()));
        }
        Ok(Parameters(found))
    }

    fn parsed<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
        what: &str,
    ) -> Result<Option<T>, Problem> {
        let value = self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v);
        value
            .map(|v| parse(v).ok_or_else(|| Problem::parameter(name, what)))
            .transpose()
    }

    fn name(&self, name: &str) -> Result<Option<String>, Problem> {
        let parse = |text: &str| is_name(text).then(|| text.to_owned());
        self.parsed(
            name,
            parse,
            "must be 1 to 128 letters, digits or . _ : / @ -",
        )
    }

    fn time(&self, name: &str) -> Result<Option<i64>, Problem> {
        self.parsed(name, timestamp::parse, "must be an RFC 3339 date and time")
    }

    fn count(&self, name: &str, most: u32, otherwise: u32) -> Result<u32, Problem> {
        let parse = |text: &str| {
            let plain = text.bytes().all(|c| c.is_ascii_digit()) && !text.starts_with('0');
            let count = text.parse().ok().filter(|_| plain)?;
            (1..=most).contains(&count).then_some(count)
        };
        let count = self.parsed(name, parse, &format!("must be 1 to {most}"))?;
        Ok(count.unwrap_or(otherwise))
    }
}

pub fn page_query(query: Option<&str>) -> Result<Query, Problem> {
    let names = [
        "source", "type", "session", "since", "until", "limit", "cursor",
    ];
    let given = Parameters::take(query, &names)?;
    Ok(Query {
        source: given.name("source")?,
        kind: given.name("type")?,
        session: given.name("session")?,
        since: given.time("since")?,
        until: given.time("until")?,
        cursor: given.parsed("cursor", Cursor::parse, "must be the nextCursor of a page")?,
        limit: given.count("limit", PAGE_EVENTS, PAGE_DEFAULT)?,
    })
}

pub fn stats_minutes(query: Option<&str>) -> Result<u32, Problem> {
    Parameters::take(query, &["minutes"])?.count("minutes", STATS_MINUTES, STATS_MINUTES_DEFAULT)
}

pub fn none(query: Option<&str>) -> Result<(), Problem> {
    Parameters::take(query, &[]).map(|_| ())
}

/// `text`: decoded from the path; `None` where it could not be.
pub fn id(text: Option<&str>) -> Result<Id, Problem> {
    text.and_then(parse_id)
        .ok_or_else(|| Problem::parameter("id", "must be a UUID"))
}

/// `header`: its bytes.
pub fn last_event_id(header: &[u8]) -> Result<i64, Problem> {
    let digits = header.len() <= 16 && header.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(header).ok().filter(|_| digits);
    text.and_then(|text| text.parse().ok())
        .filter(|sequence| *sequence <= MAX_SEQUENCE)
        .ok_or_else(|| Problem::parameter("Last-Event-ID", "must be the sequence of an event"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_as_a_whole() {
        let query = page_query(Some("type=a%2Fb&since=1970-01-01T00:00:01Z&limit=7")).unwrap();
        assert_eq!(
            (query.kind.as_deref(), query.since, query.limit),
            (Some("a/b"), Some(1000), 7)
        );
        assert_eq!(page_query(None).unwrap().limit, 100);
    }

    #[test]
    fn a_wrong_parameter_is_named() {
        for (query, name) in [
            ("colour=red", "colour"),
            ("type=a&type=b", "type"),
            ("source=", "source"),
            ("since=2026-01-01", "since"),
            ("limit=0", "limit"),
            ("limit=010", "limit"),
            ("limit=1001", "limit"),
            ("limit=%2B5", "limit"),
            ("cursor=1", "cursor"),
        ] {
            let problem = page_query(Some(query)).unwrap_err();
            assert!(problem.detail.starts_with(name), "{query}: {problem:?}");
        }
        assert!(stats_minutes(Some("minutes=1441")).is_err());
        assert!(last_event_id(b"9007199254740992").is_err());
        assert!(last_event_id(b"-1").is_err() && last_event_id(b"").is_err());
        assert_eq!(last_event_id(b"12").unwrap(), 12);
    }
}
