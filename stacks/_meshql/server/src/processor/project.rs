//! Read, change, write: one projection.

use super::client::Client;
use super::route::{Kind, Target};
use super::rules::{Change, Inventory, Output, Productivity};
use axum::http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;

/// What one batch does to one projection: offset and change, in order.
pub type Changes = Vec<(u64, Change)>;

/// Keys that are looked up in one query.
const LOOKUP: usize = 100;

/// Foreign key to projection id, so that a known projection is read by its id.
#[derive(Default)]
pub struct Keys(HashMap<Target, String>);

impl Keys {
    /// Looks up the projections that are not known yet.
    ///
    /// # Errors
    /// When the API fails.
    pub async fn learn(
        &mut self,
        client: &Client,
        targets: impl Iterator<Item = &Target>,
    ) -> Result<(), String> {
        let mut unknown: HashMap<Kind, Vec<&Target>> = HashMap::new();
        for target in targets.filter(|target| !self.0.contains_key(target)) {
            unknown.entry(target.kind).or_default().push(target);
        }
        let mut found = Vec::new();
        for (kind, targets) in unknown {
            for some in targets.chunks(LOOKUP) {
                found.extend(look_up(client, kind, some).await?);
            }
        }
        self.0.extend(found);
        Ok(())
    }

    pub fn remember(&mut self, written: Vec<(Target, String)>) {
        self.0.extend(written);
    }
}

/// Of several projections of one key the last counts.
async fn look_up(
    client: &Client,
    kind: Kind,
    targets: &[&Target],
) -> Result<Vec<(Target, String)>, String> {
    let fields = targets.iter().enumerate().map(|(place, target)| {
        format!(
            "q{place}: {}(id: {}) {{ id }}",
            kind.query(),
            Value::from(target.key.as_str())
        )
    });
    let query = format!("{{ {} }}", fields.collect::<Vec<_>>().join(" "));
    let data = client.query(kind.entity(), &query).await?;
    let found = targets.iter().enumerate().filter_map(|(place, target)| {
        let id = data[format!("q{place}")].as_array()?.last()?["id"].as_str()?;
        Some(((*target).clone(), id.to_string()))
    });
    Ok(found.collect())
}

/// Brings one projection up to date; returns its id.
///
/// # Errors
/// When the API fails, or refuses what this file made.
pub async fn project(
    client: &Client,
    keys: &Keys,
    target: Target,
    changes: &Changes,
) -> Result<(Target, String), String> {
    let mut id = keys.0.get(&target).cloned();
    // Someone may delete a projection under our hands; it then begins anew.
    for _ in 0..3 {
        let done = match &id {
            Some(id) => update(client, &target, id, changes)
                .await?
                .then(|| id.clone()),
            None => Some(create(client, &target, changes).await?),
        };
        if let Some(id) = done {
            return Ok((target, id));
        }
        id = look_up(client, target.kind, &[&target])
            .await?
            .pop()
            .map(|(_, id)| id);
    }
    Err(format!(
        "{} of {} comes and goes",
        target.kind.entity(),
        target.key
    ))
}

async fn create(client: &Client, target: &Target, changes: &Changes) -> Result<String, String> {
    let start = match target.kind {
        Kind::Inventory => json(&Inventory {
            container_id: target.key.clone(),
            ..Inventory::default()
        }),
        Kind::Productivity => json(&Productivity {
            hen_id: target.key.clone(),
            farm_id: farm_of(changes),
            ..Productivity::default()
        }),
        Kind::Output => json(&Output {
            farm_id: target.key.clone(),
            farm_type: Some(farm_type(client, &target.key).await?),
            active_hens: 1,
            total_hens: 1,
            ..Output::default()
        }),
    };
    let Some((body, newest)) = fold(target.kind, start, changes, None)? else {
        return Err("no changes".into());
    };
    let path = format!("/{}/api", target.kind.entity());
    let answer = client
        .send("POST", &path, Some(&body), Some(newest))
        .await?;
    match answer.body["id"].as_str() {
        Some(id) if answer.status == StatusCode::CREATED => Ok(id.to_string()),
        _ => Err(format!("POST {path}: {}: {}", answer.status, answer.body)),
    }
}

/// False: there is no such projection.
async fn update(
    client: &Client,
    target: &Target,
    id: &str,
    changes: &Changes,
) -> Result<bool, String> {
    let path = format!("/{}/api/{id}", target.kind.entity());
    let read = client.send("GET", &path, None, None).await?;
    if read.status == StatusCode::NOT_FOUND {
        return Ok(false);
    }
    let Some((body, newest)) = fold(target.kind, read.body, changes, read.applied)? else {
        return Ok(true);
    };
    let written = client.send("PUT", &path, Some(&body), Some(newest)).await?;
    match written.status {
        StatusCode::OK => Ok(true),
        StatusCode::NOT_FOUND => Ok(false),
        status => Err(format!("PUT {path}: {status}: {}", written.body)),
    }
}

/// The state after all changes that it does not contain yet, and the newest of them; none if there is none.
fn fold(
    kind: Kind,
    state: Value,
    changes: &Changes,
    applied: Option<u64>,
) -> Result<Option<(Value, u64)>, String> {
    let news = changes
        .iter()
        .filter(|(offset, _)| applied.is_none_or(|applied| *offset > applied));
    let Some(newest) = news.clone().map(|(offset, _)| *offset).max() else {
        return Ok(None);
    };
    let state = match kind {
        Kind::Inventory => {
            let mut inventory: Inventory = parse(state)?;
            for (_, change) in news {
                if let Change::Inventory { movement, eggs } = change {
                    inventory.apply(*movement, *eggs);
                }
            }
            json(&inventory)
        }
        Kind::Productivity => {
            let mut productivity: Productivity = parse(state)?;
            for (_, change) in news {
                if let Change::Productivity { eggs, good, .. } = change {
                    productivity.apply(*eggs, *good);
                }
            }
            json(&productivity)
        }
        Kind::Output => {
            let mut output: Output = parse(state)?;
            for (_, change) in news {
                if let Change::Output { eggs } = change {
                    output.apply(*eggs);
                }
            }
            json(&output)
        }
    };
    Ok(Some((state, newest)))
}

fn farm_of(changes: &Changes) -> String {
    let farms = changes.iter().filter_map(|(_, change)| match change {
        Change::Productivity { farm_id, .. } => Some(farm_id.clone()),
        _ => None,
    });
    farms.into_iter().next().unwrap_or_default()
}

async fn farm_type(client: &Client, farm: &str) -> Result<String, String> {
    let query = format!("{{ getById(id: {}) {{ farm_type }} }}", Value::from(farm));
    let data = client.query("farm", &query).await?;
    Ok(data["getById"]["farm_type"]
        .as_str()
        .unwrap_or("local_farm")
        .to_string())
}

fn parse<T: DeserializeOwned>(state: Value) -> Result<T, String> {
    serde_json::from_value(state).map_err(|error| error.to_string())
}

fn json(state: &impl Serialize) -> Value {
    serde_json::to_value(state).expect("a projection is JSON")
}

#[cfg(test)]
mod tests {
    use super::super::rules::Movement;
    use super::*;
    use serde_json::json;

    fn deposits(offsets: &[u64]) -> Changes {
        let change = |offset: &u64| {
            (
                *offset,
                Change::Inventory {
                    movement: Movement::Deposit,
                    eggs: 10,
                },
            )
        };
        offsets.iter().map(change).collect()
    }

    #[test]
    fn only_news_is_folded() {
        let state =
            json!({"id": "x", "container_id": "c", "total_deposits": 20, "current_eggs": 20});
        let folded = fold(
            Kind::Inventory,
            state.clone(),
            &deposits(&[3, 4, 5]),
            Some(4),
        );
        let (after, newest) = folded.expect("folded").expect("news");
        assert_eq!((after["total_deposits"].as_i64(), newest), (Some(30), 5));
        assert_eq!(after.get("id"), None, "the id is no part of the payload");
        assert_eq!(
            fold(Kind::Inventory, state, &deposits(&[3, 4]), Some(4)),
            Ok(None)
        );
    }
}
