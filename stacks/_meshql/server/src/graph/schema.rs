//! The GraphQL schema of one entity, made from its file.

use super::limits::Allowance;
use super::plan::{plan, width};
use super::tree::{Node, Related, grow};
use crate::entity::{Entity, Filter, Model};
use crate::storage::{At, Envelope, Result, Storage};
use async_graphql::dynamic::{
    Field, FieldFuture, FieldValue, InputValue, Object, ResolverContext, Scalar, Schema, TypeRef,
};
use async_graphql::{Error, Name, Number, Value};
use std::sync::Arc;

/// Scalars of the contract; every other name in a type is an object.
const DATE: &str = "Date";

/// What a root field answers.
#[derive(Clone)]
enum Query {
    ById,
    All,
    By(Filter),
}

/// # Errors
/// When a type of the entity's file does not fit.
pub fn build(
    model: &Arc<Model>,
    storage: &Arc<dyn Storage>,
    entity: &Entity,
) -> std::result::Result<Schema, String> {
    let mut root = Object::new("Query");
    let by_id = ("getById".to_string(), Query::ById);
    let all = ("getAll".to_string(), Query::All);
    let filters = entity
        .filters
        .iter()
        .map(|(name, filter)| (name.clone(), Query::By(filter.clone())));
    for (name, query) in [by_id, all].into_iter().chain(filters) {
        root = root.field(root_field(model, storage, entity, &name, query));
    }
    let mut schema = Schema::build("Query", None, None)
        .register(root)
        .register(Scalar::new(DATE));
    for (name, fields) in &entity.types {
        let id = Field::new("id", TypeRef::named(TypeRef::ID), |context| {
            FieldFuture::from_value(
                node(&context).map(|node| Value::from(node.envelope.id.as_str())),
            )
        });
        let mut object = Object::new(name).field(id);
        for (field, notation) in fields {
            object = object.field(match model.resolver(name, field) {
                Some(_) => relation(field, parse_type(notation)?),
                None => plain(field, notation, parse_type(notation)?),
            });
        }
        schema = schema.register(object);
    }
    schema
        .finish()
        .map_err(|error| format!("the graph of {}: {error}", entity.name))
}

/// `String!`, `Int`, `[Coop]`, … to a type.
fn parse_type(notation: &str) -> std::result::Result<TypeRef, String> {
    if let Some(inner) = notation
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return Ok(TypeRef::named_list(inner));
    }
    let (name, required) = match notation.strip_suffix('!') {
        Some(name) => (name, true),
        None => (notation, false),
    };
    if !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(format!("cannot read the type \"{notation}\""));
    }
    Ok(if required {
        TypeRef::named_nn(name)
    } else {
        TypeRef::named(name)
    })
}

fn root_field(
    model: &Arc<Model>,
    storage: &Arc<dyn Storage>,
    entity: &Entity,
    name: &str,
    query: Query,
) -> Field {
    let one = matches!(query, Query::ById);
    let answer = if one {
        TypeRef::named(&entity.type_name)
    } else {
        TypeRef::named_list(&entity.type_name)
    };
    let argument = match &query {
        Query::ById => Some("id".to_string()),
        Query::All => None,
        Query::By(filter) => Some(filter.argument.clone()),
    };
    let (id, type_name) = (entity.id, entity.type_name.clone());
    let (model, storage) = (Arc::clone(model), Arc::clone(storage));
    let wanted = argument.clone();
    let mut field = Field::new(name, answer, move |context| {
        let (model, storage) = (Arc::clone(&model), Arc::clone(&storage));
        let (query, type_name, wanted) = (query.clone(), type_name.clone(), wanted.clone());
        FieldFuture::new(async move {
            let answer = async {
                let allowance = context.data::<Allowance>()?;
                // The fields of a request take their turns: what comes too late is not begun.
                allowance.take(0, 0)?;
                let at = time_argument(&context)?;
                let key = wanted.and_then(|name| text_argument(&context, &name));
                let found = fetch(storage.as_ref(), id, &query, key, at).await?;
                allowance.take(found.len(), width(context.field()))?;
                let steps = plan(&model, &type_name, context.field());
                grow(storage.as_ref(), found, &steps, at, allowance)
                    .await
                    .map_err(Error::from)
            };
            let Some(nodes) = or_null(&context, answer.await) else {
                return Ok(None);
            };
            let mut values = nodes.into_iter().map(FieldValue::owned_any);
            Ok(if one {
                values.next()
            } else {
                Some(FieldValue::list(values))
            })
        })
    });
    if let Some(argument) = argument {
        let of = if argument == "id" {
            TypeRef::ID
        } else {
            TypeRef::STRING
        };
        field = field.argument(InputValue::new(argument, TypeRef::named(of)));
    }
    field.argument(InputValue::new("at", TypeRef::named(TypeRef::FLOAT)))
}

/// An error stands beside the null of its field, which would else be missing in the answer.
fn or_null<T>(context: &ResolverContext, value: async_graphql::Result<T>) -> Option<T> {
    value
        .map_err(|error| {
            let error = error.into_server_error(context.item.pos);
            context.add_error(context.set_error_path(error));
        })
        .ok()
}

async fn fetch(
    storage: &dyn Storage,
    entity: usize,
    query: &Query,
    key: Option<String>,
    at: At,
) -> Result<Vec<Arc<Envelope>>> {
    let keys: Vec<String> = key.into_iter().collect();
    match query {
        Query::All => storage.all(entity, at).await,
        _ if keys.is_empty() => Ok(Vec::new()),
        Query::ById => Ok(storage
            .read(entity, &keys, at)
            .await?
            .into_iter()
            .flatten()
            .collect()),
        Query::By(filter) => {
            let found = storage.find(entity, &filter.field, &keys, at).await?;
            Ok(found.into_iter().flatten().collect())
        }
    }
}

/// `at` in whole milliseconds; what is written with a decimal point is rounded down.
fn time_argument(context: &ResolverContext) -> async_graphql::Result<At> {
    match context.args.get("at") {
        Some(value) if !value.is_null() => {
            let time = value.f64()?;
            Ok(Some(time.floor() as i64))
        }
        _ => Ok(None),
    }
}

/// An id may be written as a number in GraphQL.
fn text_argument(context: &ResolverContext, name: &str) -> Option<String> {
    match context.args.get(name)?.as_value() {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn node<'a>(context: &ResolverContext<'a>) -> Option<&'a Arc<Node>> {
    context.parent_value.try_downcast_ref::<Arc<Node>>().ok()
}

/// A field of the payload.
fn plain(name: &str, notation: &str, of: TypeRef) -> Field {
    let key = name.to_string();
    let int = notation.trim_end_matches('!') == TypeRef::INT;
    let required = notation.ends_with('!');
    Field::new(name, of, move |context| {
        let value = node(&context).and_then(|node| node.envelope.payload.get(&key));
        match value {
            Some(serde_json::Value::Number(number)) if int && !fits_int(number) => {
                let problem = Error::new(format!("Int cannot represent {number}: it has 32 bits"));
                if required {
                    return FieldFuture::new(async { Err::<Option<Value>, _>(problem) });
                }
                FieldFuture::from_value(or_null::<Value>(&context, Err(problem)))
            }
            _ => FieldFuture::from_value(value.map(scalar)),
        }
    })
}

/// Whether a number of a payload is one of GraphQL's `Int`.
fn fits_int(number: &Number) -> bool {
    match number.as_i64() {
        Some(whole) => i32::try_from(whole).is_ok(),
        None => number
            .as_f64()
            .is_some_and(|float| float.fract() == 0.0 && float.abs() <= f64::from(i32::MAX)),
    }
}

fn scalar(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::String(text) => Value::String(text.clone()),
        serde_json::Value::Number(number) => Value::Number(Number::clone(number)),
        serde_json::Value::Bool(truth) => Value::Boolean(*truth),
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Array(list) => Value::List(list.iter().map(scalar).collect()),
        serde_json::Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, value)| (Name::new(name), scalar(value)))
                .collect(),
        ),
    }
}

/// A field that leads to other entities: loaded with the root.
fn relation(name: &str, of: TypeRef) -> Field {
    let key = name.to_string();
    Field::new(name, of, move |context| {
        let related = node(&context).and_then(|node| node.related(&key));
        FieldFuture::Value(match related {
            None | Some(Related::One(None)) => None,
            Some(Related::One(Some(node))) => Some(FieldValue::borrowed_any(node)),
            Some(Related::Many(nodes)) => Some(FieldValue::list(
                nodes.iter().map(|node| FieldValue::borrowed_any(node)),
            )),
        })
    })
}
