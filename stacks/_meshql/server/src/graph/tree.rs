//! Loads what a query follows: one storage query for each relation of a level, whatever the number of parents.

use super::limits::Allowance;
use super::plan::Step;
use crate::storage::{At, Envelope, Storage};
use futures_util::future::{BoxFuture, FutureExt, try_join_all};
use std::collections::HashMap;
use std::sync::Arc;

/// An entity with the relations that were asked for.
#[derive(Debug)]
pub struct Node {
    pub envelope: Arc<Envelope>,
    relations: Vec<(String, Related)>,
}

#[derive(Debug)]
pub enum Related {
    One(Option<Arc<Node>>),
    Many(Vec<Arc<Node>>),
}

impl Node {
    pub fn related(&self, field: &str) -> Option<&Related> {
        self.relations
            .iter()
            .find(|(name, _)| name == field)
            .map(|(_, related)| related)
    }
}

/// Why a tree could not be grown: what the storage says, or that it is too large.
pub type Result<T> = std::result::Result<T, String>;

/// Makes nodes of entities, with all that the steps lead to.
///
/// # Errors
/// What the storage says, or that the request has nothing left.
pub fn grow<'a>(
    storage: &'a dyn Storage,
    entities: Vec<Arc<Envelope>>,
    steps: &'a [Step<'a>],
    at: At,
    allowance: &'a Allowance,
) -> BoxFuture<'a, Result<Vec<Arc<Node>>>> {
    async move {
        let loads = steps
            .iter()
            .map(|step| load(storage, &entities, step, at, allowance));
        let loaded = try_join_all(loads).await?;
        let mut nodes: Vec<Node> = entities
            .iter()
            .map(|envelope| Node {
                envelope: Arc::clone(envelope),
                relations: Vec::with_capacity(steps.len()),
            })
            .collect();
        for (step, relations) in steps.iter().zip(loaded) {
            for (node, related) in nodes.iter_mut().zip(relations) {
                node.relations.push((step.field.clone(), related));
            }
        }
        Ok(nodes.into_iter().map(Arc::new).collect())
    }
    .boxed()
}

/// One relation of a whole level: what each parent gets, in their order.
async fn load(
    storage: &dyn Storage,
    parents: &[Arc<Envelope>],
    step: &Step<'_>,
    at: At,
    allowance: &Allowance,
) -> Result<Vec<Related>> {
    let keys: Vec<Option<&str>> = parents.iter().map(|parent| key(parent, step)).collect();
    let (distinct, places) = distinct(&keys);
    let place = |key: &Option<&str>| key.map(|key| places[key]);
    if let Some(field) = &step.resolver.field {
        let groups = if distinct.is_empty() {
            Vec::new()
        } else {
            storage
                .find(step.resolver.target, field, &distinct, at)
                .await
                .map_err(|error| error.0)?
        };
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        let answered: usize = keys.iter().filter_map(place).map(|at| sizes[at]).sum();
        allowance.take(answered, step.width)?;
        let children = groups.into_iter().flatten().collect();
        let grown = grow(storage, children, &step.below, at, allowance).await?;
        let mut nodes = grown.into_iter();
        let groups: Vec<Vec<Arc<Node>>> = sizes
            .into_iter()
            .map(|size| nodes.by_ref().take(size).collect())
            .collect();
        let many = |key| Related::Many(place(key).map_or(Vec::new(), |at| groups[at].clone()));
        return Ok(keys.iter().map(many).collect());
    }
    let found = if distinct.is_empty() {
        Vec::new()
    } else {
        let found = storage.read(step.resolver.target, &distinct, at).await;
        found.map_err(|error| error.0)?
    };
    allowance.take(keys.len(), step.width)?;
    let there: Vec<bool> = found.iter().map(Option::is_some).collect();
    let children = found.into_iter().flatten().collect();
    let grown = grow(storage, children, &step.below, at, allowance).await?;
    let mut nodes = grown.into_iter();
    let ones: Vec<Option<Arc<Node>>> = there
        .into_iter()
        .map(|there| if there { nodes.next() } else { None })
        .collect();
    let one = |key| Related::One(place(key).and_then(|at| ones[at].clone()));
    Ok(keys.iter().map(one).collect())
}

fn key<'a>(parent: &'a Envelope, step: &Step<'_>) -> Option<&'a str> {
    match &step.resolver.key {
        None => Some(&parent.id),
        Some(field) => parent.payload.get(field).and_then(|value| value.as_str()),
    }
}

/// Each key once, and where it is.
fn distinct<'a>(keys: &[Option<&'a str>]) -> (Vec<String>, HashMap<&'a str, usize>) {
    let mut list = Vec::new();
    let mut places = HashMap::new();
    for key in keys.iter().flatten() {
        places.entry(*key).or_insert_with(|| {
            list.push(key.to_string());
            list.len() - 1
        });
    }
    (list, places)
}
