//! Nonsense near what is valid: no text of a query ends the server. What once was worth a look is kept in
//! `inputs`.

use super::inputs::{REFUSED, TAKEN};
use super::limits::NESTING;
use super::{execute, request, schemas};
use crate::entity::Model;
use crate::storage::embedded::Embedded;
use crate::storage::{Durability, Storage};
use async_graphql::Value;
use proptest::prelude::*;
use std::sync::Arc;
use tempfile::TempDir;

const QUERY: &str = r#"query Farms($id: ID = "a\"b", $more: [Int!] = [1, 2]) { # who has what
  getById(id: $id) { name ...own @include(if: true) coops(first: 2, where: {a: "\u0041", b: [1.5e3, null]}) { hens { name } } }
} fragment own on Farm { zone """a block \""" of it""": farm_type }"#;

/// What is put somewhere into a valid text; the long ones are deeper than a stack lets a parser go that calls itself.
fn pieces() -> Vec<String> {
    let deep = |open: &str| open.repeat(20_000);
    let mut all: Vec<String> = [
        "",
        "\"",
        "\"\"\"",
        "\\",
        "\\\"\"\"",
        "#",
        "\r",
        "\n",
        "\r\n",
        "\u{feff}",
        "\u{2028}",
        ",",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "...",
        "... on Farm",
        "$",
        "@",
        "!",
        ":",
        "=",
        "é",
        "\0",
        "mutation",
        "fragment a on A { ...a }",
    ]
    .map(String::from)
    .into();
    all.extend([
        deep("{a"),
        deep("["),
        deep("{a:"),
        deep("(a:["),
        format!("#\r{}", deep("{a")),
    ]);
    all
}

fn changed(text: &'static str) -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0..4_usize,
        prop::sample::select(pieces()),
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
    fn a_text_is_a_request_or_refused(text in changed(QUERY)) {
        let _ = request(text);
    }
}

#[test]
fn a_comment_ends_with_its_line_however_that_ends() {
    let deep = "{a".repeat(NESTING + 1);
    for end in ["\n", "\r", "\r\n"] {
        assert!(
            request(format!("{{ a }} # not so deep{end}{deep}")).is_err(),
            "{end:?}"
        );
    }
    assert!(request(format!("{{ a }} # {deep}")).is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_is_taken_or_refused_as_ever() {
    let dir = TempDir::new().expect("a folder");
    let model = Arc::new(Model::load().expect("the model"));
    let storage = Embedded::open(&model, dir.path(), Durability::Fsync).expect("a storage");
    let storage: Arc<dyn Storage> = Arc::new(storage);
    let schema = &schemas(&model, &storage).expect("schemas")[model.known("farm").id];
    let kept = TAKEN.iter().map(|kept| (kept, true));
    for (&(name, query), taken) in kept.chain(REFUSED.iter().map(|kept| (kept, false))) {
        let text = String::from_utf8(query.to_vec()).expect("a text");
        let problem = match request(text) {
            Err(problem) => Some(problem),
            Ok(request) => {
                let answer = execute(schema, request).await;
                let refused = answer.data == Value::Null;
                refused.then(|| format!("{:?}", answer.errors))
            }
        };
        assert_eq!(problem.is_none(), taken, "{name}: {problem:?}");
    }
}
