//! Which projections an event changes, and how.

use super::rules::{Change, Movement, is_good};
use crate::storage::Payload;

/// One projection: its entity and the value of its foreign key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    pub kind: Kind,
    pub key: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Inventory,
    Productivity,
    Output,
}

impl Kind {
    pub fn entity(self) -> &'static str {
        match self {
            Kind::Inventory => "container_inventory",
            Kind::Productivity => "hen_productivity",
            Kind::Output => "farm_output",
        }
    }

    /// The query that finds it by its foreign key.
    pub fn query(self) -> &'static str {
        match self {
            Kind::Inventory => "getByContainer",
            Kind::Productivity => "getByHen",
            Kind::Output => "getByFarm",
        }
    }
}

/// The changes that an event of this entity makes, in order.
///
/// # Errors
/// When the event lacks a field: it can be applied to nothing.
pub fn route(entity: &str, event: &Payload) -> Result<Vec<(Target, Change)>, String> {
    let text = |name: &str| {
        let value = event.get(name).and_then(|value| value.as_str());
        value
            .map(String::from)
            .ok_or_else(|| format!("\"{name}\" is missing"))
    };
    let eggs = event
        .get("eggs")
        .and_then(|value| value.as_i64())
        .ok_or("\"eggs\" is missing")?;
    let inventory = |field: &str, movement: Movement| {
        let target = Target {
            kind: Kind::Inventory,
            key: text(field)?,
        };
        Ok::<_, String>((target, Change::Inventory { movement, eggs }))
    };
    Ok(match entity {
        "lay_report" => {
            let good = is_good(event.get("quality").and_then(|value| value.as_str()));
            let hen = Target {
                kind: Kind::Productivity,
                key: text("hen_id")?,
            };
            let farm = Target {
                kind: Kind::Output,
                key: text("farm_id")?,
            };
            let productivity = Change::Productivity {
                farm_id: text("farm_id")?,
                eggs,
                good,
            };
            vec![(hen, productivity), (farm, Change::Output { eggs })]
        }
        "storage_deposit" => vec![inventory("container_id", Movement::Deposit)?],
        "storage_withdrawal" => vec![inventory("container_id", Movement::Withdrawal)?],
        "consumption_report" => vec![inventory("container_id", Movement::Consumption)?],
        "container_transfer" => vec![
            inventory("source_container_id", Movement::TransferOut)?,
            inventory("dest_container_id", Movement::TransferIn)?,
        ],
        other => return Err(format!("\"{other}\" is no event")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn routed(entity: &str, event: serde_json::Value) -> Vec<(Target, Change)> {
        route(entity, event.as_object().expect("an object")).expect("routed")
    }

    #[test]
    fn a_transfer_changes_the_source_first() {
        let event = json!({"source_container_id": "a", "dest_container_id": "b", "eggs": 3});
        let targets: Vec<String> = routed("container_transfer", event)
            .into_iter()
            .map(|(target, _)| target.key)
            .collect();
        assert_eq!(targets, ["a", "b"]);
    }

    #[test]
    fn a_lay_report_changes_hen_and_farm() {
        let event = json!({"hen_id": "h", "farm_id": "f", "eggs": 3, "quality": "cracked"});
        let changes = routed("lay_report", event);
        assert_eq!(
            changes[0].0,
            Target {
                kind: Kind::Productivity,
                key: "h".into()
            }
        );
        let expected = Change::Productivity {
            farm_id: "f".into(),
            eggs: 3,
            good: false,
        };
        assert_eq!(changes[0].1, expected);
        assert_eq!(
            changes[1].0,
            Target {
                kind: Kind::Output,
                key: "f".into()
            }
        );
    }

    #[test]
    fn what_lacks_a_field_is_refused() {
        let event = json!({"eggs": 3});
        let error = route("storage_deposit", event.as_object().expect("an object"));
        assert_eq!(error, Err("\"container_id\" is missing".to_string()));
    }
}
