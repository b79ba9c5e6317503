//! The entities as data: `entities/*.json`, one file each, read at the start.

use crate::validate::Schema;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

const FILES: [&str; 13] = [
    include_str!("../entities/farm.json"),
    include_str!("../entities/coop.json"),
    include_str!("../entities/hen.json"),
    include_str!("../entities/container.json"),
    include_str!("../entities/consumer.json"),
    include_str!("../entities/lay_report.json"),
    include_str!("../entities/storage_deposit.json"),
    include_str!("../entities/storage_withdrawal.json"),
    include_str!("../entities/container_transfer.json"),
    include_str!("../entities/consumption_report.json"),
    include_str!("../entities/container_inventory.json"),
    include_str!("../entities/hen_productivity.json"),
    include_str!("../entities/farm_output.json"),
];

/// Position of an entity in [`Model::entities`].
pub type EntityId = usize;

/// Entities of one group share a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    Actors,
    Events,
    Projections,
}

impl Group {
    pub const ALL: [Group; 3] = [Group::Actors, Group::Events, Group::Projections];

    pub fn name(self) -> &'static str {
        match self {
            Group::Actors => "actors",
            Group::Events => "events",
            Group::Projections => "projections",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntityFile {
    name: String,
    group: Group,
    schema: serde_json::Value,
    queries: BTreeMap<String, Filter>,
    graph: BTreeMap<String, BTreeMap<String, String>>,
    resolvers: BTreeMap<String, ResolverFile>,
    /// Optional texts of the tier that is fed from legacy tables: the key of the row that it was made of.
    #[serde(default)]
    legacy: Vec<String>,
}

impl EntityFile {
    fn with_legacy_keys(mut self) -> EntityFile {
        for field in &self.legacy {
            self.schema["properties"][field] = serde_json::json!({"type": "string"});
            let own = self.graph.entry(pascal_case(&self.name)).or_default();
            own.insert(field.clone(), "String".into());
        }
        self
    }
}

/// A list query: entities whose payload field equals the argument.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    pub argument: String,
    pub field: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResolverFile {
    entity: String,
    query: String,
    key: String,
}

#[derive(Debug)]
pub struct Entity {
    pub id: EntityId,
    pub name: String,
    /// Name of its type in GraphQL.
    pub type_name: String,
    pub group: Group,
    pub schema: Schema,
    /// `getBy…` to its filter; `getById` and `getAll` go without saying.
    pub filters: BTreeMap<String, Filter>,
    /// Types of its graph: name to fields, a field's type in GraphQL's notation.
    pub types: BTreeMap<String, BTreeMap<String, String>>,
}

impl Entity {
    /// Payload fields that queries filter on, each once.
    pub fn filter_fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = self.filters.values().map(|f| f.field.as_str()).collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }
}

/// Where a relation of a type leads.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolver {
    pub target: EntityId,
    /// Field of the parent's payload that holds the key; none: its own id.
    pub key: Option<String>,
    /// Field of the target's payload that equals the key; none: the key is the target's id.
    pub field: Option<String>,
}

#[derive(Debug)]
pub struct Model {
    pub entities: Vec<Entity>,
    by_name: HashMap<String, EntityId>,
    resolvers: HashMap<(String, String), Resolver>,
}

impl Model {
    /// Reads the entities that are compiled in.
    ///
    /// # Errors
    /// What is wrong with which entity.
    pub fn load() -> Result<Model, String> {
        Model::of(files()?)
    }

    /// The same entities, which also carry the keys of the legacy rows that they were made of.
    ///
    /// # Errors
    /// What is wrong with which entity.
    pub fn load_with_legacy_keys() -> Result<Model, String> {
        let files = files()?.into_iter().map(EntityFile::with_legacy_keys);
        Model::of(files.collect())
    }

    fn of(files: Vec<EntityFile>) -> Result<Model, String> {
        let by_name: HashMap<_, _> = files
            .iter()
            .enumerate()
            .map(|(id, file)| (file.name.clone(), id))
            .collect();
        let mut resolvers = HashMap::new();
        for file in &files {
            for (field, resolver) in &file.resolvers {
                let resolved = resolve(&files, &by_name, resolver)
                    .map_err(|problem| format!("{}.{field}: {problem}", file.name))?;
                resolvers.insert((pascal_case(&file.name), field.clone()), resolved);
            }
        }
        let entities = files
            .into_iter()
            .enumerate()
            .map(|(id, file)| entity(id, file));
        Ok(Model {
            entities: entities.collect::<Result<_, _>>()?,
            by_name,
            resolvers,
        })
    }

    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.by_name.get(name).map(|&id| &self.entities[id])
    }

    /// # Panics
    /// When there is no such entity: for names that the program itself knows.
    pub fn known(&self, name: &str) -> &Entity {
        self.entity(name)
            .unwrap_or_else(|| panic!("there is no entity \"{name}\""))
    }

    /// The resolver of a type's field, the same in each graph; none for plain fields.
    pub fn resolver(&self, type_name: &str, field: &str) -> Option<&Resolver> {
        self.resolvers
            .get(&(type_name.to_string(), field.to_string()))
    }
}

fn files() -> Result<Vec<EntityFile>, String> {
    let parse = |text: &&str| serde_json::from_str(text);
    let parsed = FILES.iter().map(parse).collect::<Result<_, _>>();
    parsed.map_err(|error| format!("entities: {error}"))
}

fn entity(id: EntityId, file: EntityFile) -> Result<Entity, String> {
    Ok(Entity {
        id,
        type_name: pascal_case(&file.name),
        group: file.group,
        schema: Schema::parse(&file.schema)
            .map_err(|problem| format!("the schema of {}: {problem}", file.name))?,
        filters: file.queries,
        types: file.graph,
        name: file.name,
    })
}

fn resolve(
    files: &[EntityFile],
    by_name: &HashMap<String, EntityId>,
    resolver: &ResolverFile,
) -> Result<Resolver, String> {
    let target = by_name.get(&resolver.entity);
    let target = *target.ok_or_else(|| format!("there is no entity \"{}\"", resolver.entity))?;
    let field = match resolver.query.as_str() {
        "getById" => None,
        query => {
            let filter = files[target].queries.get(query);
            Some(
                filter
                    .ok_or_else(|| format!("there is no query \"{query}\""))?
                    .field
                    .clone(),
            )
        }
    };
    let key = (resolver.key != "id").then(|| resolver.key.clone());
    Ok(Resolver { target, key, field })
}

/// `lay_report` is `LayReport` in GraphQL.
fn pascal_case(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirteen_entities_and_nineteen_resolvers() {
        let model = Model::load().expect("the model");
        assert_eq!(model.entities.len(), 13);
        assert_eq!(model.resolvers.len(), 19);
        let filters: usize = model.entities.iter().map(|e| e.filters.len()).sum();
        assert_eq!(filters + 2 * 13, 42, "queries");
    }

    #[test]
    fn legacy_keys_are_there_where_they_are_asked_for() {
        let mut payload = serde_json::json!({"name": "F", "farm_type": "megafarm", "zone": "north",
            "legacy_werks": "1000"});
        let payload = payload.as_object_mut().expect("an object");
        let plain = Model::load().expect("the model");
        let problem = plain.known("farm").schema.check(payload);
        assert_eq!(problem, Err("\"legacy_werks\" is not a field".into()));
        let legacy = Model::load_with_legacy_keys().expect("the model");
        assert_eq!(legacy.known("farm").schema.check(payload), Ok(()));
        let keyed = legacy.entities.iter().filter(|entity| {
            let own = entity.types[&entity.type_name].keys();
            own.clone().any(|field| field.starts_with("legacy_"))
        });
        assert_eq!(keyed.count(), 10, "actors and events");
    }

    #[test]
    fn resolvers_know_their_key() {
        let model = Model::load().expect("the model");
        let hens = model.resolver("Coop", "hens").expect("coop.hens");
        assert_eq!(
            (hens.key.as_deref(), hens.field.as_deref()),
            (None, Some("coop_id"))
        );
        let source = model
            .resolver("ContainerTransfer", "sourceContainer")
            .expect("a resolver");
        assert_eq!(source.key.as_deref(), Some("source_container_id"));
        assert_eq!(
            (source.field.as_deref(), source.target),
            (None, model.known("container").id)
        );
        assert_eq!(model.resolver("Coop", "name"), None);
    }

    #[test]
    fn each_type_in_a_graph_is_one_of_the_entities() {
        let model = Model::load().expect("the model");
        for entity in &model.entities {
            assert!(entity.types.contains_key(&entity.type_name));
            for name in entity.types.keys() {
                assert!(
                    model.entities.iter().any(|e| &e.type_name == name),
                    "{name}"
                );
            }
        }
    }
}
