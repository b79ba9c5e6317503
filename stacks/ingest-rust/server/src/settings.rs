//! Settings from the command line, else from the environment, else their defaults.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// When the log is flushed: at each commit, or at checkpoints only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronous {
    Full,
    Normal,
}

impl fmt::Display for Synchronous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Synchronous::Full => "FULL",
            Synchronous::Normal => "NORMAL",
        })
    }
}

#[derive(Debug, PartialEq)]
pub struct BareInsert {
    /// Stored on a fresh file, for each size of a transaction.
    pub events: usize,
    pub per_transaction: Vec<usize>,
    /// Events in the grown table, 0 for none.
    pub grown: usize,
}

#[derive(Debug, PartialEq)]
pub struct Settings {
    pub host: IpAddr,
    pub port: u16,
    /// Folder of the database file.
    pub data: PathBuf,
    pub synchronous: Synchronous,
    /// Threads that serve requests, beside the one that writes.
    pub threads: usize,
    /// Seconds that a client may take to send a request.
    pub patience_sec: usize,
    /// What bodies and answers may take in memory in all.
    pub buffers_mib: usize,
    /// Instead of serving: insert events without the service around, for the ceiling.
    pub bare_insert: Option<BareInsert>,
    pub version: bool,
}

struct Raw {
    values: Vec<(String, String)>,
    switches: Vec<String>,
}

const VALUES: [&str; 10] = [
    "host",
    "port",
    "data",
    "synchronous",
    "threads",
    "patience",
    "buffers",
    "events",
    "batch",
    "grown",
];
const SWITCHES: [&str; 2] = ["bare-insert", "version"];

fn split(arguments: impl Iterator<Item = String>) -> Result<Raw, String> {
    let mut raw = Raw {
        values: Vec::new(),
        switches: Vec::new(),
    };
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let name = argument.strip_prefix("--").unwrap_or_default();
        let (name, inline) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (name, None),
        };
        if SWITCHES.contains(&name) && inline.is_none() {
            raw.switches.push(name.to_owned());
        } else if VALUES.contains(&name) {
            let value = inline.or_else(|| arguments.next());
            raw.values.push((
                name.to_owned(),
                value.ok_or(format!("--{name} needs a value"))?,
            ));
        } else {
            return Err(format!("unknown argument {argument}"));
        }
    }
    Ok(raw)
}

/// One message for the user where something cannot be used. `environment` answers INGEST_HOST, INGEST_PORT,
/// INGEST_DATA, INGEST_SYNCHRONOUS, INGEST_THREADS, INGEST_PATIENCE, INGEST_BUFFERS.
pub fn read(
    arguments: impl Iterator<Item = String>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Settings, String> {
    let raw = split(arguments)?;
    let text = |name: &str, default: &str| {
        let given = raw
            .values
            .iter()
            .rev()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.clone());
        let variable = || environment(&format!("INGEST_{}", name.to_uppercase()));
        given
            .or_else(variable)
            .unwrap_or_else(|| default.to_owned())
    };
    fn parsed<T: FromStr>(name: &str, text: String, what: &str) -> Result<T, String> {
        text.parse()
            .map_err(|_| format!("--{name} {text}: must be {what}"))
    }
    fn whole(name: &str, text: String) -> Result<usize, String> {
        match parsed(name, text, "a whole number above 0")? {
            0 => Err(format!("--{name} 0: must be a whole number above 0")),
            value => Ok(value),
        }
    }
    let count = |name: &str, default: &str| whole(name, text(name, default));
    let synchronous = match text("synchronous", "FULL").to_uppercase().as_str() {
        "FULL" => Synchronous::Full,
        "NORMAL" => Synchronous::Normal,
        other => return Err(format!("--synchronous {other}: must be FULL or NORMAL")),
    };
    let is_on = |name: &str| raw.switches.iter().any(|s| s == name);
    Ok(Settings {
        host: parsed("host", text("host", "127.0.0.1"), "an IP address")?,
        port: parsed("port", text("port", "8080"), "a port from 0 to 65535")?,
        data: PathBuf::from(text("data", ".")),
        synchronous,
        threads: count("threads", "1")?,
        patience_sec: count("patience", "60")?,
        buffers_mib: parsed::<u32>("buffers", text("buffers", "256"), "a number of MiB")? as usize,
        bare_insert: if is_on("bare-insert") {
            Some(BareInsert {
                events: count("events", "20000")?,
                per_transaction: text("batch", "50")
                    .split(',')
                    .map(|size| whole("batch", size.to_owned()))
                    .collect::<Result<_, _>>()?,
                grown: parsed("grown", text("grown", "0"), "a whole number")?,
            })
        } else {
            None
        },
        version: is_on("version"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Settings, String> {
        read(arguments.iter().map(|a| a.to_string()), |name| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.to_string())
        })
    }

    #[test]
    fn the_command_line_outweighs_the_environment() {
        let variables = [("INGEST_SYNCHRONOUS", "normal"), ("INGEST_PORT", "9")];
        let settings = of(&["--port", "0", "--data=x"], &variables).unwrap();
        assert_eq!(
            (settings.port, settings.synchronous),
            (0, Synchronous::Normal)
        );
        assert_eq!(settings.data, PathBuf::from("x"));
        assert_eq!(of(&[], &[]).unwrap().synchronous, Synchronous::Full);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (arguments, part) in [
            (vec!["--port", "70000"], "--port 70000"),
            (vec!["--port"], "needs a value"),
            (vec!["--synchronous", "off"], "FULL or NORMAL"),
            (vec!["--colour"], "--colour"),
            (vec!["--bare-insert", "--batch", "50,0"], "--batch 0"),
            (vec!["serve"], "serve"),
        ] {
            let message = of(&arguments, &[]).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }
}
