//! One SQL query about the data of an embedded server that is not running; prints a line of JSON for each row.
//!
//! Exit codes: 0 answered, 2 not.

use clap::Parser;
use meshql_server::sql;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(
    version,
    about = "Answers one SELECT on the data of an embedded server that is not running"
)]
struct Flags {
    /// Folder of the server's data
    #[arg(long, env = "DATA_DIR", default_value = "data")]
    data_dir: PathBuf,

    /// For example: SELECT zone, COUNT(*) AS farms FROM farm GROUP BY zone
    query: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let flags = Flags::parse();
    match sql::answer(&flags.data_dir, &flags.query).await {
        Ok(rows) => {
            for row in rows {
                println!("{}", serde_json::Value::Object(row));
            }
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("meshql-sql: {problem}");
            ExitCode::from(2)
        }
    }
}
