//! Ad-hoc SQL over the embedded tier's data, by merksql. Off the request path: it needs a folder that no server has open.

use crate::entity::{Entity, Group, Model};
use crate::serve::lock_folder;
use crate::storage::embedded::Embedded;
use crate::storage::{Durability, Envelope, Storage};
use chrono::DateTime;
use merkql_of_merksql::broker::{Broker, BrokerConfig, BrokerRef};
use merkql_of_merksql::record::Record;
use merksql::{Column, DataType, ExecuteResult, MerkSql, Schema, Value as Cell};
use serde_json::{Map, Value};
use sqlparser::ast::{Distinct, Query, SetExpr, Statement};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};
use std::path::Path;
use std::sync::Arc;

/// Answers one `SELECT` on the current entities: a table for each entity that it names, with `id` and the fields of its
/// payload. merksql reads a whole table for each query.
///
/// # Errors
/// In one line: the folder is in use or cannot be read, or the query is one that merksql would answer wrongly or not
/// at all.
pub async fn answer(data_dir: &Path, sql: &str) -> Result<Vec<Map<String, Value>>, String> {
    check(sql)?;
    if !data_dir.join(Group::Actors.name()).is_dir() {
        return Err(format!(
            "{}: an embedded server keeps no data there",
            data_dir.display()
        ));
    }
    let _lock = lock_folder(data_dir)?;
    let model = Arc::new(Model::load()?);
    let data = Embedded::open(&model, data_dir, Durability::Fsync)?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let broker =
        Broker::open(BrokerConfig::new(scratch.path())).map_err(|error| error.to_string())?;
    let mut engine = MerkSql::new(Arc::clone(&broker));
    for entity in named(&model, sql)? {
        let rows = data.all(entity.id, None).await;
        fill(&broker, entity, &rows.map_err(|error| error.to_string())?)?;
        engine
            .schemas
            .register_table(&entity.name, schema_of(entity), &entity.name, "id")
            .map_err(|error| error.to_string())?;
    }
    data.close().await;
    match engine.execute(sql).map_err(|error| error.to_string())? {
        ExecuteResult::Rows { rows, schema } => Ok(rows
            .iter()
            .map(|row| {
                let columns = schema.columns.iter().enumerate();
                columns
                    .map(|(n, column)| (column.name.clone(), json_of(row.get(n))))
                    .collect()
            })
            .collect()),
        _ => Err("only SELECT is answered".into()),
    }
}

/// merksql takes these and ignores them: an answer that looks right and is not.
fn check(sql: &str) -> Result<(), String> {
    let statements =
        Parser::parse_sql(&GenericDialect {}, sql).map_err(|error| error.to_string())?;
    let [Statement::Query(query)] = statements.as_slice() else {
        return Err("only one SELECT is answered".into());
    };
    let ignored = ignored_by_merksql(query);
    match ignored.first() {
        Some(what) => Err(format!(
            "{what} is ignored by merksql: leave it out, and pass the lines on to a program that does it"
        )),
        None => Ok(()),
    }
}

fn ignored_by_merksql(query: &Query) -> Vec<&'static str> {
    let select = match query.body.as_ref() {
        SetExpr::Select(select) => Some(select),
        _ => None,
    };
    let distinct =
        select.is_some_and(|s| matches!(s.distinct, Some(Distinct::Distinct | Distinct::On(_))));
    [
        (query.order_by.is_some(), "ORDER BY"),
        (query.limit_clause.is_some(), "LIMIT"),
        (query.fetch.is_some(), "FETCH"),
        (query.with.is_some(), "WITH"),
        (distinct, "DISTINCT"),
    ]
    .into_iter()
    .filter_map(|(there, what)| there.then_some(what))
    .collect()
}

/// The entities whose names stand in the query.
fn named<'a>(model: &'a Model, sql: &str) -> Result<Vec<&'a Entity>, String> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize();
    let tokens = tokens.map_err(|error| error.to_string())?;
    let names = |entity: &&Entity| {
        tokens
            .iter()
            .any(|token| matches!(token, Token::Word(word) if word.value == entity.name))
    };
    Ok(model.entities.iter().filter(names).collect())
}

fn fill(broker: &BrokerRef, entity: &Entity, rows: &[Arc<Envelope>]) -> Result<(), String> {
    let mut records: Vec<Record> = rows.iter().map(|row| record_of(entity, row)).collect();
    let written = broker.create_topic(&entity.name, 1).and_then(|()| {
        let topic = broker.topic(&entity.name);
        let partition = topic.and_then(|topic| topic.partition(0));
        let partition = partition.expect("a topic that was just made");
        let mut partition = partition.write().expect("no panic under the lock");
        partition.append_batch(&mut records)
    });
    written
        .map(|_| ())
        .map_err(|error| format!("{}: {error}", entity.name))
}

fn record_of(entity: &Entity, row: &Envelope) -> Record {
    let mut value = row.payload.clone();
    value.insert("id".into(), Value::String(row.id.clone()));
    Record {
        key: Some(row.id.clone()),
        value: Value::Object(value).to_string(),
        topic: entity.name.clone(),
        partition: 0,
        offset: 0,
        timestamp: DateTime::from_timestamp_millis(row.created_at).unwrap_or_default(),
    }
}

/// The fields of its own graph type that are no relations.
fn schema_of(entity: &Entity) -> Schema {
    let fields = &entity.types[&entity.type_name];
    let id = ("id".to_string(), "ID".to_string());
    let own = fields.iter().filter(|(name, _)| *name != "id");
    let columns = std::iter::once((&id.0, &id.1))
        .chain(own)
        .filter_map(|(name, graph_type)| {
            let data_type = match graph_type.trim_end_matches('!') {
                "ID" | "String" | "Date" => DataType::String,
                "Int" => DataType::Integer,
                "Float" => DataType::Double,
                "Boolean" => DataType::Boolean,
                _ => return None,
            };
            Some(Column::new(name, data_type))
        });
    Schema::new(columns.collect())
}

fn json_of(cell: &Cell) -> Value {
    match cell {
        Cell::Boolean(value) => (*value).into(),
        Cell::Integer(value) => (*value).into(),
        Cell::Double(value) => (*value).into(),
        Cell::String(value) => value.as_str().into(),
        Cell::Timestamp(value) => value.to_rfc3339().into(),
        Cell::Array(list) => list.iter().map(json_of).collect(),
        Cell::Map(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), json_of(value)))
            .collect(),
        Cell::Null => Value::Null,
    }
}
