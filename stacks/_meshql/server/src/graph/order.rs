//! The order of an answer. Root fields are read at once, and come as the storage has them.

use async_graphql::parser::types::{
    ExecutableDocument, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::{Name, Value};
use std::collections::{HashMap, HashSet};

/// The keys of an operation's root fields, and where each stands first.
#[derive(Default)]
pub struct RootOrder(HashMap<Name, usize>);

impl RootOrder {
    /// `operation`: its name, where a request has several.
    pub fn of(document: &ExecutableDocument, operation: Option<&str>) -> RootOrder {
        let mut found = Found {
            document,
            order: RootOrder::default(),
            spread: HashSet::new(),
        };
        if let Some(operation) = named(document, operation) {
            found.set(&operation.selection_set.node);
        }
        found.order
    }

    pub fn sort(&self, data: &mut Value) {
        if let Value::Object(fields) = data
            && fields.len() > 1
        {
            let place = |key: &Name| self.0.get(key).copied().unwrap_or(usize::MAX);
            fields.sort_by(|one, _, other, _| place(one).cmp(&place(other)));
        }
    }
}

fn named<'a>(
    document: &'a ExecutableDocument,
    wanted: Option<&str>,
) -> Option<&'a OperationDefinition> {
    let mut operations = document.operations.iter();
    let found = operations.find(|(name, _)| match (wanted, name) {
        (Some(wanted), Some(name)) => name.as_str() == wanted,
        (None, _) => true,
        (Some(_), None) => false,
    });
    found.map(|(_, operation)| &operation.node)
}

struct Found<'a> {
    document: &'a ExecutableDocument,
    order: RootOrder,
    /// Fragments that were in the way already.
    spread: HashSet<&'a str>,
}

impl<'a> Found<'a> {
    fn set(&mut self, set: &'a SelectionSet) {
        for item in &set.items {
            match &item.node {
                Selection::Field(field) => {
                    let place = self.order.0.len();
                    let key = &field.node.response_key().node;
                    self.order.0.entry(key.clone()).or_insert(place);
                }
                Selection::InlineFragment(inline) => self.set(&inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => {
                    let name = spread.node.fragment_name.node.as_str();
                    if let Some(fragment) = self.document.fragments.get(name)
                        && self.spread.insert(name)
                    {
                        self.set(&fragment.node.selection_set.node);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::parser::parse_query;
    use async_graphql::value;

    #[test]
    fn keys_stand_as_in_the_operation() {
        let query = "query A { x }
            query B { c: x ...f ... on Query { a } c: x { y } b }
            fragment f on Query { d ...f e: a }";
        let document = parse_query(query).expect("a query");
        let order = RootOrder::of(&document, Some("B"));
        let mut data = value!({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5});
        order.sort(&mut data);
        assert_eq!(data.to_string(), "{c: 3, d: 4, e: 5, a: 1, b: 2}");
        let mut data = value!({"x": 1});
        RootOrder::of(&document, Some("C")).sort(&mut data);
        assert_eq!(data, value!({"x": 1}));
    }
}
