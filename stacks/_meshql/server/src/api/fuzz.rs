//! Nonsense near what is valid: a body is an entity or refused, and no body ends the server. What once was worth a look
//! is kept in `inputs`.

use super::failure::Failure;
use super::inputs::{REFUSED, TAKEN};
use super::rest::{checked, parse};
use crate::entity::Model;
use crate::storage::Payload;
use proptest::prelude::*;
use serde_json::Value;
use std::sync::LazyLock;

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::load().expect("the model"));

const BODY: &str = r#"{"name": "F\u00e9 \ud83d\ude00", "farm_type": "megafarm", "zone": "north", "owner": "\"O\"",
  "id": "00000000-0000-4000-8000-000000000000"}"#;

const PIECES: [&str; 22] = [
    "",
    "\"",
    "\\",
    "\\u",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "1e999",
    "-",
    "0",
    "\0",
    "\n",
    "é",
    "\u{feff}",
    "\"id\": 7,",
    "\"name\": \"G\",",
    "\"x\": {\"a\": [",
];

fn taken(entity: &str, body: &[u8]) -> Result<Payload, Failure> {
    checked(MODEL.known(entity), parse(body)?)
}

fn changed() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        9 => prop::sample::select(PIECES.as_slice()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    let change = (any::<prop::sample::Index>(), 0..4_usize, piece);
    prop::collection::vec(change, 0..4).prop_map(|changes| {
        let mut all = BODY.as_bytes().to_vec();
        for (at, taken, piece) in changes {
            let at = at.index(all.len() + 1);
            let end = (at + taken).min(all.len());
            all.splice(at..end, piece);
        }
        all
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// What is stored can be sent back, and is stored as it is.
    #[test]
    fn a_body_is_an_entity_or_refused(body in changed()) {
        match taken("farm", &body) {
            Ok(payload) => {
                prop_assert!(!payload.contains_key("id"));
                let again = Value::Object(payload.clone()).to_string();
                prop_assert_eq!(taken("farm", again.as_bytes()).expect("taken again"), payload);
            }
            Err(Failure::Invalid(detail)) => prop_assert!(!detail.is_empty()),
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }
}

#[test]
fn what_is_kept_is_taken_or_refused_as_ever() {
    for (name, body) in TAKEN {
        taken("farm", body).expect(name);
    }
    for (name, body) in REFUSED {
        assert!(taken("farm", body).is_err(), "{name}");
    }
}
