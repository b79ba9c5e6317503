//! JSON taken apart without building values: members and items are slices of the body.

use crate::limits::PAYLOAD_DEPTH;
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The members of an object, in their order; a name may occur twice.
pub type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(7);
        while let Some(name) = map.next_key::<Name>()? {
            members.push((name.0, map.next_value()?));
        }
        Ok(members)
    }
}

/// A name, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Whether the text is one JSON value, whatever it says.
pub fn well_formed(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text).map(|_| ())
}

/// `None`: not an object, or (only where `well_formed` has not been asked before) not JSON.
pub fn members(text: &str) -> Option<Members<'_>> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let members = (&mut parser).deserialize_map(MembersVisitor).ok()?;
    parser.end().ok()?;
    Some(members)
}

/// `None` where the value is not an array.
pub fn items(value: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(value.get()).ok()
}

/// `None` where the value is not a string of well-formed Unicode.
pub fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    let raw = value.get();
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw).ok().map(Cow::Owned)
}

/// What is wrong with a payload (well-formed JSON), if anything. One pass over its bytes; only what looks unusual
/// (escapes of surrogates, exponents, very long numbers) is parsed.
pub fn payload_fault(raw: &str) -> Option<String> {
    if !raw.starts_with('{') {
        return Some("must be an object".to_owned());
    }
    let bytes = raw.as_bytes();
    let (mut depth, mut at, mut unusual) = (0_usize, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while bytes[at] != b'"' {
                    if bytes[at] == b'\\' {
                        at += 1;
                        unusual |= bytes[at] == b'u' && matches!(bytes[at + 1], b'd' | b'D');
                    }
                    at += 1;
                }
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > PAYLOAD_DEPTH {
                    return Some(format!("is deeper than {PAYLOAD_DEPTH} levels"));
                }
            }
            b'}' | b']' => depth -= 1,
            b'0'..=b'9' => {
                let start = at;
                while at + 1 < bytes.len()
                    && matches!(
                        bytes[at + 1],
                        b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'
                    )
                {
                    at += 1;
                    unusual |= matches!(bytes[at], b'e' | b'E');
                }
                unusual |= at - start > 300;
            }
            _ => {}
        }
        at += 1;
    }
    if unusual && let Err(error) = serde_json::from_str::<serde_json::Value>(raw) {
        let number = error.to_string().contains("number out of range");
        let fault = if number {
            "holds a number out of range"
        } else {
            "holds a lone surrogate"
        };
        return Some(fault.to_owned());
    }
    None
}

/// On one line: line breaks between tokens become spaces. Inside strings JSON allows none.
pub fn one_line(raw: &str) -> Cow<'_, str> {
    if raw.bytes().any(|c| c == b'\n' || c == b'\r') {
        Cow::Owned(raw.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!(
            r#"{{"a":{}{}}}"#,
            "[".repeat(levels - 1),
            "]".repeat(levels - 1)
        )
    }

    #[test]
    fn depth_counts_containers_and_not_text() {
        assert_eq!(payload_fault(&nested(8)), None);
        assert!(payload_fault(&nested(9)).unwrap().contains("deeper"));
        assert_eq!(payload_fault(r#"{"a":"[[[[[[[[[[{\"[["}"#), None);
        assert_eq!(payload_fault(r#"{"a":[],"b":[],"c":{"d":[{}]}}"#), None);
    }

    #[test]
    fn numbers_and_surrogates_are_checked() {
        assert!(payload_fault(r#"{"a":1e400}"#).unwrap().contains("number"));
        assert!(
            payload_fault(&format!(r#"{{"a":{}}}"#, "9".repeat(400)))
                .unwrap()
                .contains("number")
        );
        assert!(
            payload_fault(r#"{"a":"\ud800"}"#)
                .unwrap()
                .contains("surrogate")
        );
        assert!(
            payload_fault(r#"{"\uDC00":1}"#)
                .unwrap()
                .contains("surrogate")
        );
        assert_eq!(
            payload_fault(r#"{"a":"\ud83d\ude00","b":-1.5e-400,"c":"\\ud800"}"#),
            None
        );
    }

    #[test]
    fn members_keep_order_and_repetitions() {
        let text = r#" {"a" : 1, "b":[2 ,3], "a":"x"} "#;
        let found: Vec<_> = members(text)
            .unwrap()
            .into_iter()
            .map(|(n, v)| (n, v.get()))
            .collect();
        assert_eq!(
            found,
            [
                ("a".into(), "1"),
                ("b".into(), "[2 ,3]"),
                ("a".into(), r#""x""#)
            ]
        );
        assert!(members("[1]").is_none() && members("{} x").is_none());
    }
}
