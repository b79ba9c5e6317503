//! Command-line flags.

use crate::io_threads;
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

/// Reference counter server: Redis protocol, replicated counters, quotas.
#[derive(Clone, Debug, Parser)]
#[command(name = "quotadb", version, about)]
pub struct Flags {
    /// Address to listen on, for clients and for peers
    #[arg(long, default_value = "127.0.0.1")]
    pub bind: String,
    /// Port for clients
    #[arg(long, default_value_t = 6380)]
    pub port: u16,
    /// Data directory: node identity, append log, snapshots
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// Keep an append log and snapshots in the data directory
    #[arg(long, value_enum, default_value = "no")]
    pub appendonly: YesNo,
    /// When the append log is fsynced
    #[arg(long, value_enum, default_value = "everysec")]
    pub appendfsync: FsyncPolicy,
    /// Seconds between snapshots, which replace the log before them; 0 = only when the log outgrows the data
    #[arg(long, default_value_t = 300)]
    pub snapshot_interval_secs: u64,
    /// Name of this node, unique in the cluster [default: the one in the data directory, else random]
    #[arg(long, value_parser = parse_node_id)]
    pub node_id: Option<String>,
    /// Replication addresses of the other nodes, host:port,host:port,…
    #[arg(long, value_delimiter = ',', value_parser = parse_peer)]
    pub peers: Vec<String>,
    /// Port for peers; 0 = accept none
    #[arg(long, default_value_t = 0)]
    pub replication_port: u16,
    /// Threads that serve clients; 0 = half of the processors, at least one
    #[arg(long, default_value_t = 0)]
    pub io_threads: usize,
    /// Most clients at a time; another is refused as Redis does it
    #[arg(long, default_value_t = 20_000)]
    pub max_clients: u64,
    /// Seconds that a client may take to send the rest of a command, or to take its replies
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub client_patience_secs: u64,
    /// Memory of all clients' unfinished commands and replies, in MiB; who needs more is disconnected
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub client_buffers_mib: u64,
    /// How much to say on stderr
    #[arg(long, value_enum, default_value = "info")]
    pub log_level: LogLevel,
}

impl Flags {
    pub fn persistent(&self) -> bool {
        self.appendonly == YesNo::Yes
    }

    pub fn io_thread_count(&self) -> usize {
        match self.io_threads {
            0 => io_threads::default_count(),
            count => count,
        }
    }

    pub fn replicated(&self) -> bool {
        !self.peers.is_empty() || self.replication_port != 0
    }
}

/// Whether a node may have this name: 1 to 64 letters, digits, dots, dashes and underscores.
pub fn is_node_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (1..=64).contains(&text.len()) && text.chars().all(plain)
}

fn parse_node_id(text: &str) -> Result<String, String> {
    if is_node_id(text) {
        Ok(text.to_string())
    } else {
        Err("a node id is 1 to 64 letters, digits, dots, dashes and underscores".into())
    }
}

fn parse_peer(text: &str) -> Result<String, String> {
    let (host, port) = text
        .rsplit_once(':')
        .ok_or_else(|| format!("`{text}` is not host:port"))?;
    if host.is_empty() || port.parse::<u16>().is_err() {
        return Err(format!("`{text}` is not host:port"));
    }
    Ok(text.to_string())
}
