//! Where the databases of a storage are that is a server of its own.

use crate::entity::Group;
use std::collections::HashMap;

/// One address for each group; the databases are named `<prefix>_<group>`.
#[derive(Debug, Clone)]
pub struct Addresses {
    uris: HashMap<Group, String>,
    prefix: String,
}

impl Addresses {
    /// `all`: for the groups that have none of their own.
    ///
    /// # Errors
    /// A group without an address.
    pub fn new(
        all: Option<String>,
        own: [(Group, Option<String>); 3],
        prefix: &str,
    ) -> Result<Addresses, String> {
        let mut uris = HashMap::new();
        for (group, uri) in own {
            let uri = uri.or_else(|| all.clone()).ok_or_else(|| {
                let name = group.name();
                format!("--storage mongodb needs --mongo-uri, or --{name}-uri for its {name}")
            })?;
            uris.insert(group, uri);
        }
        Ok(Addresses {
            uris,
            prefix: prefix.to_string(),
        })
    }

    pub fn uri(&self, group: Group) -> &str {
        &self.uris[&group]
    }

    /// For messages: without a password.
    pub fn describe(&self, group: Group) -> String {
        let uri = self.uri(group);
        let rest = uri.split_once("://").map_or(uri, |(_, rest)| rest);
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let host = host.split(['/', '?']).next().unwrap_or(host);
        format!("MongoDB at {host} ({})", group.name())
    }

    pub fn database_name(&self, group: Group) -> String {
        format!("{}_{}", self.prefix, group.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(all: Option<&str>, events: Option<&str>) -> Result<Addresses, String> {
        let own = [
            (Group::Actors, None),
            (Group::Events, events.map(str::to_string)),
            (Group::Projections, None),
        ];
        Addresses::new(all.map(str::to_string), own, "eggs")
    }

    #[test]
    fn a_group_has_its_own_address_or_the_common_one() {
        let both = addresses(Some("mongodb://a:1"), Some("mongodb://b:2")).expect("addresses");
        assert_eq!(both.uri(Group::Actors), "mongodb://a:1");
        assert_eq!(both.uri(Group::Events), "mongodb://b:2");
        assert_eq!(both.database_name(Group::Events), "eggs_events");
        let problem = addresses(None, Some("mongodb://b:2")).expect_err("no address");
        assert_eq!(
            problem,
            "--storage mongodb needs --mongo-uri, or --actors-uri for its actors"
        );
    }

    #[test]
    fn messages_tell_no_password() {
        let uri = "mongodb://me:p@ss@db.example:27017,other:2/admin?replicaSet=x";
        let text = addresses(Some(uri), None)
            .expect("addresses")
            .describe(Group::Actors);
        assert_eq!(text, "MongoDB at db.example:27017,other:2 (actors)");
    }
}
