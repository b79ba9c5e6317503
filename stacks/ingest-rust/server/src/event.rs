//! Events: checked against the contract, and held in the form in which they are stored.

use crate::json::{self, Members};
use crate::limits::{BATCH_EVENTS, NAME_CHARACTERS};
use crate::problem::{Kind, Problem};
use crate::timestamp;
use serde_json::value::RawValue;
use std::fmt::Write;

pub type Id = [u8; 16];

pub const LEVELS: [&str; 4] = ["debug", "info", "warning", "error"];
pub const FIELDS: [&str; 7] = [
    "id",
    "timestamp",
    "source",
    "session",
    "type",
    "level",
    "payload",
];

/// One event; its texts are borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    pub id: Id,
    /// ms since 1970-01-01T00:00:00Z.
    pub timestamp: i64,
    pub source: &'a str,
    pub session: &'a str,
    pub kind: &'a str,
    /// Index in `LEVELS`.
    pub level: u8,
    /// JSON object on one line.
    pub payload: &'a str,
}

/// The events of a request. All their texts lie in one allocation.
#[derive(Debug, Default)]
pub struct Rows {
    text: String,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    id: Id,
    timestamp: i64,
    level: u8,
    /// Where source, session, type and payload begin in the text, and where the payload ends.
    bounds: [u32; 5],
}

impl Rows {
    pub fn with_capacity(events: usize, bytes: usize) -> Self {
        Rows {
            text: String::with_capacity(bytes),
            rows: Vec::with_capacity(events),
        }
    }

    pub fn push(&mut self, event: Event<'_>) {
        let mut bounds = [self.text.len() as u32; 5];
        let texts = [event.source, event.session, event.kind, event.payload];
        for (end, text) in bounds[1..].iter_mut().zip(texts) {
            self.text.push_str(text);
            *end = self.text.len() as u32;
        }
        self.rows.push(Row {
            id: event.id,
            timestamp: event.timestamp,
            level: event.level,
            bounds,
        });
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = Event<'_>> {
        self.rows.iter().map(|row| {
            let text = |i: usize| &self.text[row.bounds[i] as usize..row.bounds[i + 1] as usize];
            Event {
                id: row.id,
                timestamp: row.timestamp,
                source: text(0),
                session: text(1),
                kind: text(2),
                level: row.level,
                payload: text(3),
            }
        })
    }
}

pub fn is_name(text: &str) -> bool {
    (1..=NAME_CHARACTERS).contains(&text.len())
        && text
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || b"._:/@-".contains(&c))
}

/// A UUID with hyphens, in upper or lower case.
pub fn parse_id(text: &str) -> Option<Id> {
    let text = text.as_bytes();
    if text.len() != 36 || [8, 13, 18, 23].iter().any(|&at| text[at] != b'-') {
        return None;
    }
    let mut id = [0; 16];
    let mut at = 0;
    for (i, byte) in id.iter_mut().enumerate() {
        // A hyphen anywhere else is no digit.
        at += usize::from(matches!(i, 4 | 6 | 8 | 10));
        let high = char::from(text[at]).to_digit(16)?;
        let low = char::from(text[at + 1]).to_digit(16)?;
        *byte = (high * 16 + low) as u8;
        at += 2;
    }
    Some(id)
}

/// Appends the UUID in lower case.
pub fn write_id(out: &mut String, id: &Id) {
    for (i, byte) in id.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            out.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
}

/// Appends the stored event as JSON. Names and ids need no escapes, and the payload is JSON already.
pub fn write_event(out: &mut String, event: &Event<'_>, sequence: i64) {
    let _ = write!(out, r#"{{"sequence":{sequence},"id":""#);
    write_id(out, &event.id);
    out.push_str(r#"","timestamp":""#);
    timestamp::write(out, event.timestamp);
    for (name, text) in [
        ("source", event.source),
        ("session", event.session),
        ("type", event.kind),
        ("level", LEVELS[usize::from(event.level) % LEVELS.len()]),
    ] {
        for part in [r#"",""#, name, r#"":""#, text] {
            out.push_str(part);
        }
    }
    out.push_str(r#"","payload":"#);
    out.push_str(event.payload);
    out.push('}');
}

/// One segment of a JSON Pointer.
fn segment(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Where in the body an event lies: its pointer is only written when something is wrong.
#[derive(Clone, Copy)]
struct Place(Option<usize>);

impl Place {
    fn pointer(self, field: Option<&str>) -> String {
        let event = self.0.map(|i| format!("/events/{i}")).unwrap_or_default();
        event + &field.map(segment).unwrap_or_default()
    }

    fn problem(self, field: &str, what: &str) -> Problem {
        Problem::at(self.pointer(Some(field)), format!("{field} {what}"))
    }
}

/// The last value of each field, in the order of `FIELDS`.
fn fields<'a>(members: &Members<'a>, place: Place) -> Result<[&'a RawValue; 7], Problem> {
    let mut found = [None; 7];
    for (name, value) in members {
        match FIELDS.iter().position(|field| field == name) {
            Some(i) => found[i] = Some(*value),
            None => return Err(place.problem(name, "is no field of the contract")),
        }
    }
    if let Some(missing) = found.iter().position(Option::is_none) {
        return Err(place.problem(FIELDS[missing], "is missing"));
    }
    Ok(found.map(|value| value.expect("none is missing")))
}

fn push_event(rows: &mut Rows, text: &str, place: Place) -> Result<(), Problem> {
    let Some(members) = json::members(text) else {
        return Err(Problem::at(
            place.pointer(None),
            "an event must be an object",
        ));
    };
    let [id, time, source, session, kind, level, payload] = fields(&members, place)?;
    let name = |field: &str, value| {
        json::string(value)
            .filter(|text| is_name(text))
            .ok_or_else(|| place.problem(field, "must be 1 to 128 letters, digits or . _ : / @ -"))
    };
    let id = json::string(id)
        .and_then(|text| parse_id(&text))
        .ok_or_else(|| place.problem("id", "must be a UUID"))?;
    let timestamp = json::string(time)
        .and_then(|text| timestamp::parse(&text))
        .ok_or_else(|| place.problem("timestamp", "must be an RFC 3339 date and time"))?;
    let (source, session, kind) = (
        name("source", source)?,
        name("session", session)?,
        name("type", kind)?,
    );
    let level = json::string(level)
        .and_then(|text| LEVELS.iter().position(|level| *level == text))
        .ok_or_else(|| place.problem("level", "must be one of debug, info, warning, error"))?;
    if let Some(fault) = json::payload_fault(payload.get()) {
        return Err(place.problem("payload", &fault));
    }
    rows.push(Event {
        id,
        timestamp,
        source: &source,
        session: &session,
        kind: &kind,
        level: level as u8,
        payload: &json::one_line(payload.get()),
    });
    Ok(())
}

pub fn utf8(body: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(body)
        .map_err(|_| Problem::new(Kind::MalformedJson, "the body is not UTF-8"))
}

/// A body that is not JSON is malformed, whatever else is wrong with it.
fn or_malformed<T>(text: &str, outcome: Result<T, Problem>) -> Result<T, Problem> {
    outcome.map_err(|problem| match json::well_formed(text) {
        Ok(()) => problem,
        Err(error) => Problem::new(Kind::MalformedJson, error.to_string()),
    })
}

/// The body of `POST /api/events`, whatever it looks like.
pub fn parse_long(text: &str) -> Result<Rows, Problem> {
    let mut rows = Rows::with_capacity(1, text.len());
    or_malformed(text, push_event(&mut rows, text, Place(None)))?;
    Ok(rows)
}

/// The body of `POST /api/events/batch`, whatever it looks like.
pub fn parse_long_batch(text: &str) -> Result<Rows, Problem> {
    or_malformed(text, batch(text))
}

fn batch(text: &str) -> Result<Rows, Problem> {
    let members = json::members(text)
        .ok_or_else(|| Problem::at(String::new(), "a batch must be an object"))?;
    let mut events = None;
    for (name, value) in members {
        if name != "events" {
            return Err(Problem::at(
                segment(&name),
                format!("{name} is no field of the contract"),
            ));
        }
        events = Some(value);
    }
    let at = |what: &str| Problem::at("/events".to_owned(), what);
    let events = events.ok_or_else(|| at("events is missing"))?;
    let events = json::items(events).ok_or_else(|| at("events must be an array"))?;
    if !(1..=BATCH_EVENTS).contains(&events.len()) {
        return Err(at(&format!("a batch holds 1 to {BATCH_EVENTS} events")));
    }
    let mut rows = Rows::with_capacity(events.len(), text.len());
    for (i, event) in events.iter().enumerate() {
        push_event(&mut rows, event.get(), Place(Some(i)))?;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain::{parse_batch, parse_one};

    const EVENT: &str = r#"{"id":"0190A5C8-0000-7000-8000-00000000000f","timestamp":"2026-01-01T00:00:00Z",
        "source":"web","session":"s/1","type":"cl\u0069ck","level":"info","payload":{"a":
        [1]}}"#;

    #[test]
    fn an_event_is_kept_and_written_as_the_contract_says() {
        let rows = parse_one(EVENT.as_bytes()).unwrap();
        let mut json = String::new();
        write_event(&mut json, &rows.iter().next().unwrap(), 7);
        assert_eq!(
            json,
            concat!(
                r#"{"sequence":7,"id":"0190a5c8-0000-7000-8000-00000000000f","timestamp":"2026-01-01T00:00:00.000Z","#,
                r#""source":"web","session":"s/1","type":"click","level":"info","payload":{"a":         [1]}}"#
            )
        );
    }

    fn pointer_of(body: &str) -> String {
        let problem = parse_batch(body.as_bytes()).unwrap_err();
        assert_eq!(problem.kind, Kind::InvalidEvent, "{problem:?}");
        problem.pointer.unwrap()
    }

    #[test]
    fn a_problem_points_at_its_cause() {
        let batch = |second: &str| format!(r#"{{"events":[{EVENT},{second}]}}"#);
        assert_eq!(pointer_of(&batch("3")), "/events/1");
        assert_eq!(pointer_of(&batch("{}")), "/events/1/id");
        assert_eq!(
            pointer_of(&batch(&EVENT.replace("info", "INFO"))),
            "/events/1/level"
        );
        assert_eq!(
            pointer_of(&batch(&EVENT.replace("\"level\"", "\"a/b~\""))),
            "/events/1/a~1b~0"
        );
        assert_eq!(pointer_of(r#"{"events":[]}"#), "/events");
        assert_eq!(pointer_of(r#"{"events":{}}"#), "/events");
        assert_eq!(pointer_of("[]"), "");
    }

    #[test]
    fn malformed_outweighs_invalid() {
        for body in [
            "",
            "{",
            r#"{"events":[{"x":1}], }"#,
            r#"{"events":[3]"#,
            "[}",
            "{} {}",
            "\u{feff}{}",
        ] {
            let problem = parse_batch(body.as_bytes()).unwrap_err();
            assert_eq!(problem.kind, Kind::MalformedJson, "{body}");
        }
        assert_eq!(
            parse_batch(b"{\"events\":\"\xff\"}").unwrap_err().kind,
            Kind::MalformedJson
        );
        let deep = "[".repeat(100_000);
        assert_eq!(
            parse_batch(deep.as_bytes()).unwrap_err().kind,
            Kind::MalformedJson
        );
    }

    #[test]
    fn the_last_of_a_repeated_name_counts() {
        let twice = EVENT.replacen('{', r#"{"level":"no level","#, 1);
        assert_eq!(
            parse_one(twice.as_bytes())
                .unwrap()
                .iter()
                .next()
                .unwrap()
                .level,
            1
        );
    }

    #[test]
    fn ids_are_uuids() {
        assert!(parse_id("0190a5c8-0000-7000-8000-00000000000f").is_some());
        for text in [
            "",
            "0190a5c8-0000-7000-8000-00000000000",
            "0190a5c800007000800000000000000f0000",
            "0190a5c8-0000-7000-8000-00000000000g",
            "0190a5c8-0000-7000-8000-00-10000000f",
            "0190a5c8-0000-7000-8000--0000000000f",
            "0190a5c8-0000-7000-800-000000000000f",
        ] {
            assert_eq!(parse_id(text), None, "{text}");
        }
    }
}
