//! The command line; every flag also by environment variable.

use clap::Parser;
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Flags {
    /// Kafka brokers, `host:port`
    #[arg(
        long,
        env = "KAFKA_BROKER",
        value_delimiter = ',',
        default_value = "127.0.0.1:9092"
    )]
    pub kafka: Vec<String>,

    /// The clean API
    #[arg(long, env = "PLATFORM_URL", default_value = "http://127.0.0.1:5088")]
    pub api: String,

    /// Beginning of the names of the tables' topics
    #[arg(long, env = "TOPIC_PREFIX", default_value = "sap.public")]
    pub topics: String,

    /// Topic for what cannot be mapped
    #[arg(long, env = "DEAD_LETTERS", default_value = "sap.dead-letters")]
    pub dead_letters: String,

    /// Print the dead letters, a line of JSON each, and end
    #[arg(long)]
    pub print_dead_letters: bool,

    /// Copies of each topic that is made
    #[arg(long, env = "TOPIC_REPLICAS", default_value_t = 1)]
    pub replicas: i16,

    /// The legacy client (MANDT) whose rows are taken
    #[arg(long, env = "LEGACY_CLIENT", default_value = "100")]
    pub client: String,

    /// Seconds that a row waits for the row that it refers to
    #[arg(long, env = "PATIENCE_SEC", default_value_t = 60)]
    pub patience_sec: u64,

    /// Folder of the position; made when it is missing
    #[arg(long, env = "DATA_DIR", default_value = "data")]
    pub data_dir: PathBuf,

    /// Address of the status page
    #[arg(long, env = "BIND", default_value = "127.0.0.1")]
    pub bind: String,

    /// Port of the status page
    #[arg(long, env = "PORT", default_value_t = 5087)]
    pub port: u16,
}
