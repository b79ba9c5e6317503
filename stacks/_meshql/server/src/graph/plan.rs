//! Which relations a query follows: known before anything is read.

use crate::entity::{Model, Resolver};
use async_graphql::SelectionField;

/// A relation to load for all entities of a level, and what follows below it.
#[derive(Debug, PartialEq)]
pub struct Step<'a> {
    pub field: String,
    pub resolver: &'a Resolver,
    pub below: Vec<Step<'a>>,
    /// Fields of each entity in the answer, by whatever aliases.
    pub width: usize,
}

/// The relations below one field of a query. A relation that is asked for twice (by aliases or fragments) is
/// loaded once, with all that is asked for below.
pub fn plan<'a>(model: &'a Model, type_name: &str, selected: SelectionField<'_>) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    collect(model, type_name, selected, &mut steps);
    steps
}

/// Fields that are asked for below one, wherever they are written.
pub fn width(selected: SelectionField<'_>) -> usize {
    selected.selection_set().count()
}

fn collect<'a>(
    model: &'a Model,
    type_name: &str,
    selected: SelectionField<'_>,
    steps: &mut Vec<Step<'a>>,
) {
    for field in selected.selection_set() {
        let Some(resolver) = model.resolver(type_name, field.name()) else {
            continue;
        };
        let known = steps.iter().position(|step| step.field == field.name());
        let place = known.unwrap_or_else(|| {
            steps.push(Step {
                field: field.name().to_string(),
                resolver,
                below: Vec::new(),
                width: 0,
            });
            steps.len() - 1
        });
        let target = &model.entities[resolver.target].type_name;
        steps[place].width += width(field);
        collect(model, target, field, &mut steps[place].below);
    }
}
