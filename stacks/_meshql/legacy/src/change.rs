//! What one record of a topic says.

use crate::map::Row;
use chrono::{DateTime, Utc};
use serde::Deserialize;

/// A change of one legacy row.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Created, changed, or read by the snapshot: the row as it now is.
    Upsert(Row),
    /// Gone: the row as it was.
    Delete(Row),
}

/// A change, and when it was committed where it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Committed {
    pub change: Change,
    /// None for rows that the snapshot read: they were committed at any time before.
    pub at: Option<DateTime<Utc>>,
}

impl Committed {
    pub fn row(&self) -> &Row {
        match &self.change {
            Change::Upsert(row) | Change::Delete(row) => row,
        }
    }
}

#[derive(Deserialize)]
struct Envelope {
    op: String,
    #[serde(default)]
    before: Option<Row>,
    #[serde(default)]
    after: Option<Row>,
    #[serde(default)]
    source: Origin,
}

#[derive(Deserialize, Default)]
struct Origin {
    ts_us: Option<i64>,
    ts_ms: Option<i64>,
}

/// None: the record says nothing more than the one before it (the connector writes an empty one after each delete).
///
/// # Errors
/// When it is no change record.
pub fn parse(value: Option<&[u8]>) -> Result<Option<Committed>, String> {
    let Some(value) = value else { return Ok(None) };
    let envelope: Envelope = serde_json::from_slice(value)
        .map_err(|error| format!("this is no change record: {error}"))?;
    let row = |row: Option<Row>, name: &str| {
        row.ok_or_else(|| {
            format!(
                "a change record of kind \"{}\" without \"{name}\"",
                envelope.op
            )
        })
    };
    let change = match envelope.op.as_str() {
        "r" | "c" | "u" => Change::Upsert(row(envelope.after, "after")?),
        "d" => Change::Delete(row(envelope.before, "before")?),
        other => return Err(format!("a change record of unknown kind \"{other}\"")),
    };
    let committed = envelope.source.ts_us;
    let committed = committed.or(envelope.source.ts_ms.map(|ms| ms * 1000));
    let at = committed
        .filter(|_| envelope.op != "r")
        .and_then(DateTime::from_timestamp_micros);
    Ok(Some(Committed { change, at }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(value: serde_json::Value) -> Result<Option<Committed>, String> {
        parse(Some(value.to_string().as_bytes()))
    }

    fn row() -> Row {
        json!({"mandt": "100", "werks": "1000"})
            .as_object()
            .cloned()
            .expect("an object")
    }

    #[test]
    fn created_changed_read_and_deleted() {
        let source = json!({"ts_ms": 1_700_000_000_123_i64, "ts_us": 1_700_000_000_123_456_i64});
        for op in ["c", "u", "r"] {
            let change = json!({"op": op, "before": null, "after": row(), "source": source});
            let committed = parsed(change).expect("parsed").expect("a change");
            assert_eq!(committed.change, Change::Upsert(row()));
            let at = committed.at.map(|at| at.timestamp_micros());
            assert_eq!(at, (op != "r").then_some(1_700_000_000_123_456));
        }
        let gone = json!({"op": "d", "before": row(), "after": null, "source": {"ts_ms": 5}});
        let committed = parsed(gone).expect("parsed").expect("a change");
        assert_eq!(committed.change, Change::Delete(row()));
        assert_eq!(committed.at.map(|at| at.timestamp_micros()), Some(5000));
    }

    #[test]
    fn a_tombstone_says_nothing() {
        assert_eq!(parse(None), Ok(None));
    }

    #[test]
    fn what_is_no_change_record_is_refused() {
        for (text, part) in [
            ("{", "no change record"),
            ("[]", "no change record"),
            (r#"{"op":"u","after":null}"#, "without \"after\""),
            (r#"{"op":"d"}"#, "without \"before\""),
            (r#"{"op":"t"}"#, "unknown kind \"t\""),
        ] {
            let problem = parse(Some(text.as_bytes())).expect_err(text);
            assert!(problem.contains(part), "{problem}");
        }
    }
}
