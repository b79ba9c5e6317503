//! What one request may cost, known before anything is executed: a short text can ask for very much.

use async_graphql::parser::types::{
    ExecutableDocument, FragmentDefinition, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Longest text of a query, in bytes.
pub const QUERY_BYTES: usize = 256 * 1024;
/// Most brackets that may be open at a time in the text of a query.
pub const NESTING: usize = 64;
/// Most fields of a request, counted wherever its fragments are spread. The longest introspection query
/// has about 300.
pub const FIELDS: u64 = 2000;
/// Most levels of fields.
pub const DEPTH: u64 = 24;
/// Most values of an answer: what is loaded, times the fields asked for.
pub const VALUES: u64 = 4_000_000;
/// How long a request may go on reading.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Refuses a text that would be long to parse: its parser calls itself for each open bracket.
///
/// # Errors
/// What is too much, in one sentence.
pub fn check_text(query: &str) -> Result<(), String> {
    if query.len() > QUERY_BYTES {
        return Err(format!("the query is longer than {QUERY_BYTES} bytes"));
    }
    let (mut open, mut rest) = (0usize, query.as_bytes());
    while let [byte, after @ ..] = rest {
        rest = match byte {
            b'#' => {
                let line = after.iter().position(|b| matches!(b, b'\n' | b'\r'));
                &after[line.unwrap_or(after.len())..]
            }
            b'"' if after.starts_with(b"\"\"") => behind(&after[2..], b"\"\"\""),
            b'"' => behind(after, b"\""),
            _ => after,
        };
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > NESTING {
            return Err(format!("the query nests deeper than {NESTING} brackets"));
        }
    }
    Ok(())
}

/// What follows the first `end`; a backslash takes the byte behind it along.
fn behind<'a>(mut bytes: &'a [u8], end: &[u8]) -> &'a [u8] {
    while !bytes.is_empty() {
        if bytes.starts_with(end) {
            return &bytes[end.len()..];
        }
        let step = if bytes[0] == b'\\' { 2 } else { 1 };
        bytes = bytes.get(step..).unwrap_or_default();
    }
    bytes
}

/// Fields and levels below a selection.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Size {
    fields: u64,
    depth: u64,
}

/// Refuses a request whose fields, with its fragments in their places, are too many or too deep. The work
/// is that of reading the text once.
///
/// # Errors
/// What is too much, in one sentence.
pub fn check_size(document: &ExecutableDocument) -> Result<(), String> {
    let mut measure = Measure {
        fragments: &document.fragments,
        known: HashMap::new(),
    };
    let mut fields = 0u64;
    for (_, operation) in document.operations.iter() {
        let size = measure.set(&operation.node.selection_set.node);
        fields = fields.saturating_add(size.fields);
        if size.depth > DEPTH {
            return Err(format!("the query has more than {DEPTH} levels of fields"));
        }
    }
    if fields > FIELDS {
        return Err(format!("the query has more than {FIELDS} fields"));
    }
    Ok(())
}

struct Measure<'a> {
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    /// Each fragment is measured once. None: it is being measured, so it contains itself, and the
    /// validation says so.
    known: HashMap<&'a str, Option<Size>>,
}

impl<'a> Measure<'a> {
    fn set(&mut self, set: &'a SelectionSet) -> Size {
        let mut total = Size::default();
        for item in &set.items {
            let size = match &item.node {
                Selection::Field(field) => {
                    let below = self.set(&field.node.selection_set.node);
                    Size {
                        fields: below.fields.saturating_add(1),
                        depth: below.depth.saturating_add(1),
                    }
                }
                Selection::InlineFragment(inline) => self.set(&inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => self.fragment(&spread.node.fragment_name.node),
            };
            total.fields = total.fields.saturating_add(size.fields);
            total.depth = total.depth.max(size.depth);
        }
        total
    }

    fn fragment(&mut self, name: &'a Name) -> Size {
        if let Some(known) = self.known.get(name.as_str()) {
            return known.unwrap_or_default();
        }
        let Some(fragment) = self.fragments.get(name) else {
            return Size::default();
        };
        self.known.insert(name.as_str(), None);
        let size = self.set(&fragment.node.selection_set.node);
        self.known.insert(name.as_str(), Some(size));
        size
    }
}

/// What a request being answered has left.
pub struct Allowance {
    values: AtomicU64,
    until: Instant,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance {
            values: AtomicU64::new(VALUES),
            until: Instant::now() + PATIENCE,
        }
    }
}

impl Allowance {
    /// Takes the values of `entities` with `fields` each, before they are read further.
    ///
    /// # Errors
    /// What there is too much of, in one sentence.
    pub fn take(&self, entities: usize, fields: usize) -> Result<(), String> {
        let values = (entities as u64).saturating_mul(fields.max(1) as u64);
        let left = self
            .values
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(values)
            });
        if left.is_err() {
            return Err(format!("the answer has more than {VALUES} values"));
        }
        if Instant::now() > self.until {
            let seconds = PATIENCE.as_secs();
            return Err(format!("the query took longer than {seconds} s"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::parser::parse_query;

    fn size_problem(query: &str) -> Option<String> {
        check_size(&parse_query(query).expect("a query")).err()
    }

    /// Each of 40 fragments spreads the next one twice: 2⁴⁰ fields in 1.2 KB.
    #[test]
    fn doubling_fragments_are_counted_without_being_spread() {
        let mut query = "{ getAll { ...f0 } }".to_string();
        for n in 0..40 {
            query += &format!(" fragment f{n} on Farm {{ ...f{} ...f{} }}", n + 1, n + 1);
        }
        query += " fragment f40 on Farm { id }";
        let problem = size_problem(&query).expect("refused");
        assert!(problem.contains("more than 2000 fields"), "{problem}");
    }

    #[test]
    fn aliases_and_levels_have_a_limit() {
        let aliases = |count: usize| {
            let fields: Vec<String> = (0..count).map(|n| format!("a{n}: id")).collect();
            format!("{{ getAll {{ {} }} }}", fields.join(" "))
        };
        assert_eq!(size_problem(&aliases(1999)), None);
        assert!(size_problem(&aliases(2000)).is_some());
        let deep = |levels: usize| format!("{}{}", "{ a ".repeat(levels), "}".repeat(levels));
        assert_eq!(size_problem(&deep(24)), None);
        assert!(size_problem(&deep(25)).is_some());
    }

    #[test]
    fn a_fragment_that_contains_itself_ends() {
        assert_eq!(
            size_problem(
                "{ ...a } fragment a on Query { getAll { id } ...b } fragment b on Query { ...a }"
            ),
            None
        );
    }

    #[test]
    fn open_brackets_are_counted_outside_of_strings() {
        let brackets = "[".repeat(NESTING + 1);
        assert!(check_text(&brackets).is_err());
        for text in [
            format!("{{ a(b: \"{brackets}\") }}"),
            format!("{{ a(b: \"\\\"{brackets}\") }}"),
            format!("{{ a(b: \"\"\"{brackets} \" \\\"\"\" {brackets}\"\"\") }}"),
            format!("# {brackets}\n{{ a }}"),
            "()".repeat(1000),
        ] {
            assert_eq!(check_text(&text), Ok(()), "{text}");
        }
        assert!(check_text(&" ".repeat(QUERY_BYTES + 1)).is_err());
    }

    #[test]
    fn an_answer_has_a_limit_and_a_request_an_end() {
        let allowance = Allowance::default();
        assert_eq!(allowance.take(1000, 4), Ok(()));
        assert!(allowance.take(usize::MAX, 2).is_err());
        let late = Allowance {
            until: Instant::now() - Duration::from_millis(1),
            ..Allowance::default()
        };
        assert!(late.take(0, 0).is_err());
    }
}
