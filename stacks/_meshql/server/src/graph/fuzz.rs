//! Nonsense near what is valid: no text of a query ends the server.

use super::limits::NESTING;
use super::request;
use proptest::prelude::*;

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
