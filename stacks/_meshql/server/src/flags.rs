//! The command line; every flag also by environment variable.

use crate::entity::Group;
use crate::storage::Durability;
use crate::storage::addresses::Addresses;
use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StorageKind {
    /// merkql logs and an index in memory
    Embedded,
    /// Three SQLite files and a merkql event log
    Sqlite,
    /// Three MongoDB databases and a merkql event log
    Mongodb,
}

impl StorageKind {
    pub fn name(self) -> &'static str {
        match self {
            StorageKind::Embedded => "embedded",
            StorageKind::Sqlite => "sqlite",
            StorageKind::Mongodb => "mongodb",
        }
    }
}

/// Its driver takes more than a third of the time to compile.
pub(crate) const WITHOUT_MONGODB: &str =
    "--storage mongodb: this server was built without it; build it with --features mongodb";

#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Flags {
    /// Address to listen on
    #[arg(long, env = "BIND", default_value = "127.0.0.1")]
    pub bind: String,

    /// Port to listen on
    #[arg(long, env = "PORT", default_value_t = 5088)]
    pub port: u16,

    /// Folder of all data; made when it is missing
    #[arg(long, env = "DATA_DIR", default_value = "data")]
    pub data_dir: PathBuf,

    #[arg(long, env = "STORAGE", default_value = "embedded")]
    pub storage: StorageKind,

    /// What an acknowledgement means
    #[arg(long, env = "DURABILITY", default_value = "fsync")]
    pub durability: Durability,

    /// Address of the MongoDB for all groups (mongodb)
    #[arg(long, env = "MONGO_URI", hide_env_values = true)]
    pub mongo_uri: Option<String>,

    /// Another address for the actors
    #[arg(long, env = "ACTORS_MONGO_URI", hide_env_values = true)]
    pub actors_uri: Option<String>,

    /// Another address for the events
    #[arg(long, env = "EVENTS_MONGO_URI", hide_env_values = true)]
    pub events_uri: Option<String>,

    /// Another address for the projections
    #[arg(long, env = "PROJECTIONS_MONGO_URI", hide_env_values = true)]
    pub projections_uri: Option<String>,

    /// The databases are named PREFIX_actors, PREFIX_events, PREFIX_projections
    #[arg(long, env = "MONGO_PREFIX", default_value = "meshql")]
    pub mongo_prefix: String,

    /// Drop the three databases, and exit (mongodb)
    #[arg(long)]
    pub drop_databases: bool,

    /// Let actors and events carry the keys of the legacy rows that they were made of
    #[arg(long, env = "LEGACY_KEYS")]
    pub legacy_keys: bool,

    /// Leave the projections alone
    #[arg(long, env = "NO_PROCESSOR")]
    pub no_processor: bool,

    /// Connections at a time; another is closed at once
    #[arg(long, env = "CONNECTIONS", default_value_t = 20_000, value_parser = at_least_one)]
    pub connections: usize,

    /// Seconds that the head of a request, and then its body, may take, and a client that reads nothing
    #[arg(long, env = "PATIENCE_SEC", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub patience_sec: u64,

    /// MiB of all bodies in memory at a time
    #[arg(long, env = "BODY_MEMORY_MIB", default_value_t = 256, value_parser = at_least_one)]
    pub body_memory_mib: usize,

    /// MiB of all answers that clients have not taken yet
    #[arg(long, env = "ANSWER_MEMORY_MIB", default_value_t = 512, value_parser = at_least_one)]
    pub answer_memory_mib: usize,
}

impl Flags {
    /// # Errors
    /// A combination that no storage offers: what, and what to do.
    pub fn check(&self) -> Result<(), String> {
        match (self.storage, self.durability) {
            (StorageKind::Mongodb, _) if !cfg!(feature = "mongodb") => Err(WITHOUT_MONGODB.into()),
            (StorageKind::Embedded, Durability::Kernel) => Err(
                "--durability kernel: the embedded log always syncs; use fsync or queued".into(),
            ),
            (StorageKind::Sqlite, Durability::Queued) => Err(
                "--durability queued: sqlite acknowledges after its commit; use fsync or kernel"
                    .into(),
            ),
            (StorageKind::Mongodb, Durability::Kernel) => Err(
                "--durability kernel: mongodb has its journal and its memory; use fsync or queued"
                    .into(),
            ),
            (StorageKind::Mongodb, _) => self.addresses().map(|_| ()),
            _ if self.drop_databases => {
                Err("--drop-databases: only --storage mongodb has databases to drop".into())
            }
            _ => Ok(()),
        }
    }

    /// How long the head of a request, and then its body, may take.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.patience_sec)
    }

    /// # Errors
    /// A group without an address.
    pub fn addresses(&self) -> Result<Addresses, String> {
        // A variable that is set to nothing is not set.
        let given = |uri: &'_ Option<String>| uri.clone().filter(|uri| !uri.is_empty());
        let own = [
            (Group::Actors, given(&self.actors_uri)),
            (Group::Events, given(&self.events_uri)),
            (Group::Projections, given(&self.projections_uri)),
        ];
        Addresses::new(given(&self.mongo_uri), own, &self.mongo_prefix)
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=1_000_000) => Ok(number),
        _ => Err("give a whole number from 1 to 1000000".into()),
    }
}
