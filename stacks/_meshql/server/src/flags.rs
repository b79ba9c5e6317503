//! The command line; every flag also by environment variable.

use crate::storage::Durability;
use clap::{Parser, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StorageKind {
    /// merkql logs and an index in memory
    Embedded,
    /// Three SQLite files and a merkql event log
    Sqlite,
}

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

    /// Leave the projections alone
    #[arg(long, env = "NO_PROCESSOR")]
    pub no_processor: bool,
}

impl Flags {
    /// # Errors
    /// A combination that no storage offers: what, and what to do.
    pub fn check(&self) -> Result<(), String> {
        match (self.storage, self.durability) {
            (StorageKind::Embedded, Durability::Kernel) => Err(
                "--durability kernel: the embedded log always syncs; use fsync or queued".into(),
            ),
            (StorageKind::Sqlite, Durability::Queued) => Err(
                "--durability queued: sqlite acknowledges after its commit; use fsync or kernel"
                    .into(),
            ),
            _ => Ok(()),
        }
    }
}
