//! Command-line flags.

use clap::{Parser, ValueEnum};
use std::path::PathBuf;

/// What an acknowledgement promises when the append log is on; named as in Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FsyncPolicy {
    /// Replies wait until the log is fsynced.
    Always,
    /// Replies wait for the write; an fsync follows within about a second.
    Everysec,
    /// Replies wait for the write; the kernel decides when it reaches the disk.
    No,
}

impl FsyncPolicy {
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Everysec => "everysec",
            Self::No => "no",
        }
    }
}

/// Reference counter server: counters and strings over the Redis protocol.
#[derive(Clone, Debug, Parser)]
#[command(name = "quotadb-reference", version, about)]
pub struct Flags {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub bind: String,
    /// Port for clients
    #[arg(long, default_value_t = 6380)]
    pub port: u16,
    /// Data directory, used with --appendonly yes
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// Keep an append log in the data directory
    #[arg(long, value_parser = ["yes", "no"], default_value = "no")]
    pub appendonly: String,
    /// When the append log is fsynced
    #[arg(long, value_enum, default_value = "everysec")]
    pub appendfsync: FsyncPolicy,
    /// Seconds that a client may take to send the rest of a command, or to take its replies
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub client_patience_secs: u64,
}
