//! Names of the files in a data directory, and the steps that make changes to it durable.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

const LOG: &str = "log";
const SNAPSHOT: &str = "snapshot";

pub fn log_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{LOG}-{number:08}.qdb"))
}

pub fn snapshot_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{SNAPSHOT}-{number:08}.qdb"))
}

/// Where the unfinished write that was cut off a segment at `offset` is kept. The server does not
/// read it again.
pub fn torn_path(log: &Path, offset: u64) -> PathBuf {
    log.with_extension(format!("qdb.torn-{offset}"))
}

/// A snapshot being written. There is one name for it, so that a failed one is overwritten.
pub fn unfinished_path(dir: &Path) -> PathBuf {
    dir.join(format!("{SNAPSHOT}.tmp"))
}

/// What a data directory holds, numbers ascending.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub logs: Vec<u64>,
    pub snapshots: Vec<u64>,
}

pub fn list(dir: &Path) -> io::Result<Listing> {
    let mut listing = Listing::default();
    for item in std::fs::read_dir(dir)? {
        let name = item?.file_name();
        let Some((kind, number)) = name.to_str().and_then(parse_name) else {
            continue;
        };
        match kind {
            LOG => listing.logs.push(number),
            _ => listing.snapshots.push(number),
        }
    }
    listing.logs.sort_unstable();
    listing.snapshots.sort_unstable();
    Ok(listing)
}

fn parse_name(name: &str) -> Option<(&str, u64)> {
    let (kind, number) = name.strip_suffix(".qdb")?.split_once('-')?;
    (kind == LOG || kind == SNAPSHOT).then_some((kind, number.parse().ok()?))
}

/// Makes created, renamed and removed names durable.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Removes everything that the snapshot with this number replaces.
pub fn remove_before(dir: &Path, number: u64) -> io::Result<()> {
    let listing = list(dir)?;
    for old in listing.logs.into_iter().filter(|&n| n < number) {
        std::fs::remove_file(log_path(dir, old))?;
    }
    for old in listing.snapshots.into_iter().filter(|&n| n < number) {
        std::fs::remove_file(snapshot_path(dir, old))?;
    }
    sync_dir(dir)
}
