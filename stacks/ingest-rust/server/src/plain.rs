//! The short way for what is valid, in one pass over the body: events whose texts have no escapes. Everything else
//! goes the long way (`event.rs`), which finds out whether, where and why something is wrong.

use crate::event::{self, Event, FIELDS, LEVELS, Rows};
use crate::json;
use crate::limits::BATCH_EVENTS;
use crate::problem::Problem;
use crate::timestamp;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The body of `POST /api/events`.
pub fn parse_one(body: &[u8]) -> Result<Rows, Problem> {
    let text = event::utf8(body)?;
    one(text).map_or_else(|| event::parse_long(text), Ok)
}

/// The body of `POST /api/events/batch`.
pub fn parse_batch(body: &[u8]) -> Result<Rows, Problem> {
    let text = event::utf8(body)?;
    batch(text).map_or_else(|| event::parse_long_batch(text), Ok)
}

/// The rows of `{"events":[…]}`, `None` where the long way is needed.
pub fn batch(text: &str) -> Option<Rows> {
    let mut rows = Rows::with_capacity(64, text.len());
    filled(text, Batch(&mut rows))?;
    (1..=BATCH_EVENTS).contains(&rows.len()).then_some(rows)
}

/// The row of one event, `None` where the long way is needed.
pub fn one(text: &str) -> Option<Rows> {
    let mut rows = Rows::with_capacity(1, text.len());
    filled(text, One(&mut rows))?;
    Some(rows)
}

fn filled<'de>(text: &'de str, seed: impl DeserializeSeed<'de>) -> Option<()> {
    let mut parser = serde_json::Deserializer::from_str(text);
    seed.deserialize(&mut parser).ok()?;
    parser.end().ok()
}

/// What the long way has to look at.
fn unusual<E: Error>() -> E {
    E::custom("not plain")
}

struct Batch<'r>(&'r mut Rows);
struct Events<'r>(&'r mut Rows);
struct One<'r>(&'r mut Rows);

impl<'de> DeserializeSeed<'de> for Batch<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Batch<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a batch")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if map.next_key::<&str>()? != Some("events") {
            return Err(unusual());
        }
        map.next_value_seed(Events(self.0))?;
        match map.next_key::<&str>()? {
            None => Ok(()),
            Some(_) => Err(unusual()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(One(self.0))?.is_some() {
            if self.0.len() > BATCH_EVENTS {
                return Err(unusual());
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for One<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for One<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut texts = [None; FIELDS.len() - 1];
        let mut payload = None;
        while let Some(name) = map.next_key::<&str>()? {
            match FIELDS.iter().position(|field| *field == name) {
                Some(i) if i < texts.len() => texts[i] = Some(map.next_value::<&str>()?),
                Some(_) => payload = Some(map.next_value::<&RawValue>()?.get()),
                None => return Err(unusual()),
            }
        }
        self.0.push(event(texts, payload).ok_or_else(unusual)?);
        Ok(())
    }
}

/// Checked as the long way does it.
fn event<'a>(texts: [Option<&'a str>; 6], payload: Option<&'a str>) -> Option<Event<'a>> {
    let [id, time, source, session, kind, level] = texts;
    let name = |text: Option<&'a str>| text.filter(|text| event::is_name(text));
    let level = level?;
    let payload = payload?;
    if json::payload_fault(payload).is_some() || payload.contains(['\n', '\r']) {
        return None;
    }
    Some(Event {
        id: event::parse_id(id?)?,
        timestamp: timestamp::parse(time?)?,
        source: name(source)?,
        session: name(session)?,
        kind: name(kind)?,
        level: LEVELS.iter().position(|known| *known == level)? as u8,
        payload,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &str = r#"{"id":"0190A5C8-0000-7000-8000-00000000000f","timestamp":"2026-01-01T00:00:00Z","source":"web","session":"s/1","type":"click","level":"info","payload":{"a":[1,"\n"]}}"#;

    #[test]
    fn the_short_way_takes_what_is_plain() {
        let rows = batch(&format!(r#" {{"events":[{EVENT} , {EVENT}]}} "#)).unwrap();
        assert_eq!(rows.len(), 2);
        let event = rows.iter().next().unwrap();
        assert_eq!((event.level, event.payload), (1, r#"{"a":[1,"\n"]}"#));
        assert_eq!(one(EVENT).unwrap().iter().next().unwrap(), event);
    }

    #[test]
    fn what_is_not_plain_goes_the_long_way() {
        for text in [
            EVENT.replace("click", r"cl\u0069ck"),
            EVENT.replace("{\"a\"", "{\n\"a\""),
            EVENT.replace("\"level\"", "\"levels\""),
            EVENT.replace("\"info\"", "1"),
            EVENT.replace("2026", "20x6"),
            EVENT.replace("0190A5C8", "0190A5C"),
            EVENT.replace("{\"a\"", "{\"b\":1e999,\"a\""),
            EVENT.replace("web", ""),
            EVENT.replace(r#""level":"info","#, ""),
            format!("{EVENT} x"),
            EVENT[1..].to_owned(),
            // An array of the values in the right order is no event.
            r#"["0190a5c8-0000-7000-8000-00000000000f","2026-01-01T00:00:00Z","web","s","t","info",{}]"#
                .to_owned(),
        ] {
            assert!(one(&text).is_none(), "{text}");
            assert!(batch(&format!(r#"{{"events":[{text}]}}"#)).is_none(), "{text}");
        }
        for text in [
            r#"{"events":[]}"#.to_owned(),
            "{}".to_owned(),
            format!("[[{EVENT}]]"),
            format!(r#"{{"events":[{EVENT}],"events":[{EVENT}]}}"#),
            format!(r#"{{"more":1,"events":[{EVENT}]}}"#),
            format!(
                r#"{{"events":[{}]}}"#,
                vec![EVENT; BATCH_EVENTS + 1].join(",")
            ),
        ] {
            assert!(batch(&text).is_none(), "{text:.80}");
        }
    }

    #[test]
    fn the_last_of_a_repeated_name_counts() {
        let twice = EVENT.replacen('{', r#"{"level":"no level","#, 1);
        assert_eq!(one(&twice).unwrap().iter().next().unwrap().level, 1);
    }
}
