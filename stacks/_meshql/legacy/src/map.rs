//! A legacy row to the payload of its clean entity. Pure: all that it looks up is in [`Keys`].

use crate::keys::{Keys, Known};
use crate::table::{Codes, Key, Source, Table};
use chrono::{NaiveDate, NaiveTime};
use serde_json::{Map, Value};

/// A row as the connector sends it: column in lower case to value.
pub type Row = Map<String, Value>;

/// Why a row cannot be mapped.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    /// It never can: what is wrong with it.
    Broken(String),
    /// Not yet: the row that it refers to is not there.
    Orphan { table: Table, key: Key },
}

/// The client (`MANDT`) of a row.
pub fn client(row: &Row) -> &str {
    row.get("mandt").and_then(Value::as_str).unwrap_or_default()
}

/// # Errors
/// What is wrong with a key column.
pub fn key(table: Table, row: &Row) -> Result<Key, String> {
    let columns = table.key().iter().map(|(column, _)| text(row, column));
    columns
        .collect::<Result<Key, Refusal>>()
        .map_err(|refusal| match refusal {
            Refusal::Broken(reason) => reason,
            Refusal::Orphan { .. } => unreachable!("a text needs no parent"),
        })
}

/// # Errors
/// What is wrong with the row, or what it waits for.
pub fn payload(table: Table, row: &Row, keys: &Keys) -> Result<Map<String, Value>, Refusal> {
    let mut payload = Map::new();
    for (column, field) in table.key() {
        payload.insert((*field).into(), text(row, column)?.into());
    }
    for (field, source) in table.fields() {
        if let Some(value) = value(row, source, keys)? {
            payload.insert((*field).into(), value);
        }
    }
    Ok(payload)
}

fn value(row: &Row, source: &Source, keys: &Keys) -> Result<Option<Value>, Refusal> {
    Ok(match source {
        Source::Text(column) => Some(text(row, column)?.into()),
        Source::OptionalText(column) => optional_text(row, column)?.map(Value::from),
        Source::Whole(column) => Some(whole(row, column)?.ok_or_else(|| missing(column))?.into()),
        Source::OptionalWhole(column) => whole(row, column)?.map(Value::from),
        Source::Code {
            column,
            codes,
            otherwise,
        } => Some(meaning(optional_text(row, column)?, codes, otherwise).into()),
        Source::Day(column) => day(row, column)?.map(|day| day.to_string().into()),
        Source::Moment { day, time } => Some(moment(row, day, time)?.into()),
        Source::Parent { column, table } => {
            Some(parent(row, column, *table, keys)?.id.clone().into())
        }
        Source::CoopOfHen(column) => parent(row, column, Table::Equi, keys)?
            .coop
            .clone()
            .map(Value::from),
        Source::AnyFarm => {
            let farm = keys.first(Table::Farm);
            let orphan = || Refusal::Orphan {
                table: Table::Farm,
                key: Key::new(),
            };
            Some(farm.ok_or_else(orphan)?.id.clone().into())
        }
    })
}

fn missing(column: &str) -> Refusal {
    Refusal::Broken(format!("{} is missing", column.to_uppercase()))
}

fn wrong(column: &str, value: &Value, must: &str) -> Refusal {
    Refusal::Broken(format!(
        "{} is {value}, must be {must}",
        column.to_uppercase()
    ))
}

fn text(row: &Row, column: &str) -> Result<String, Refusal> {
    optional_text(row, column)?.ok_or_else(|| missing(column))
}

/// Empty text is missing: the legacy system has no other way to say so.
fn optional_text(row: &Row, column: &str) -> Result<Option<String>, Refusal> {
    match row.get(column) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim_end())
            .filter(|text| !text.is_empty())
            .map(String::from)),
        Some(other) => Err(wrong(column, other, "text")),
    }
}

fn whole(row: &Row, column: &str) -> Result<Option<i64>, Refusal> {
    match row.get(column) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_i64();
            number
                .map(Some)
                .ok_or_else(|| wrong(column, value, "a whole number"))
        }
    }
}

fn meaning(code: Option<String>, codes: Codes, otherwise: &'static str) -> &'static str {
    let found = codes
        .iter()
        .find(|(known, _)| Some(*known) == code.as_deref());
    found.map_or(otherwise, |(_, clean)| clean)
}

/// `00000000` is how the legacy system writes that there is no date.
fn day(row: &Row, column: &str) -> Result<Option<NaiveDate>, Refusal> {
    let text = optional_text(row, column)?.filter(|text| text != "00000000");
    let Some(text) = text else { return Ok(None) };
    let parsed = digits(&text, 8).and_then(|()| NaiveDate::parse_from_str(&text, "%Y%m%d").ok());
    let refusal = || wrong(column, &text.as_str().into(), "a date as YYYYMMDD");
    parsed.map(Some).ok_or_else(refusal)
}

fn moment(row: &Row, day_column: &str, time_column: &str) -> Result<String, Refusal> {
    let date = day(row, day_column)?.ok_or_else(|| missing(day_column))?;
    let text = optional_text(row, time_column)?.unwrap_or_else(|| "000000".into());
    let time = digits(&text, 6).and_then(|()| NaiveTime::parse_from_str(&text, "%H%M%S").ok());
    let refusal = || wrong(time_column, &text.as_str().into(), "a time as HHMMSS");
    Ok(format!(
        "{date}T{}Z",
        time.ok_or_else(refusal)?.format("%H:%M:%S")
    ))
}

/// The parser alone would take signs and blanks.
fn digits(text: &str, count: usize) -> Option<()> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
}

fn parent<'k>(row: &Row, column: &str, table: Table, keys: &'k Keys) -> Result<&'k Known, Refusal> {
    let key = vec![text(row, column)?];
    keys.referred(table, &key)
        .ok_or(Refusal::Orphan { table, key })
}

#[cfg(test)]
#[path = "map_tests.rs"]
mod tests;
