//! Who this node is, kept in the data directory.
//!
//! A node has a name, which people use, and an actor id, which labels its rows in counters. The
//! name stays. The actor id may be used again only if this node certainly knows everything it ever
//! counted under it: peers keep the larger of two values of a row, so counting on from an older
//! value would silently lose increments. Hence a new random actor id is drawn unless the last stop
//! was graceful.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

const FILE: &str = "node";
const LOCK_FILE: &str = "lock";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub actor: u64,
    /// This data directory was part of a cluster once, so its tombstones must be kept.
    pub clustered: bool,
}

#[derive(Debug)]
pub enum IdentityError {
    Io(io::Error),
    /// Another process holds the data directory.
    InUse,
    /// The directory belongs to a node of another name.
    OtherNode(String),
    Unreadable,
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::InUse => f.write_str("another server is using this directory"),
            Self::OtherNode(name) => write!(
                f,
                "this directory belongs to node `{name}`; drop --node-id or use another --dir"
            ),
            Self::Unreadable => write!(f, "the file `{FILE}` in it is not readable as an identity"),
        }
    }
}

impl From<io::Error> for IdentityError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Keeps other servers out of a data directory while it lives.
#[derive(Debug)]
pub struct DirLock {
    _file: File,
}

impl Identity {
    /// An identity for a node that keeps nothing.
    pub fn fresh(name: Option<&str>, clustered: bool) -> io::Result<Self> {
        let actor = random_u64()?;
        Ok(Self {
            name: name.map_or_else(|| format!("node-{actor:016x}"), str::to_string),
            actor,
            clustered,
        })
    }

    /// Locks the directory, creating it if needed, and reads or creates the identity in it. Until
    /// [`Identity::save_graceful`] the file says that the stop was not graceful.
    pub fn open(
        dir: &Path,
        name: Option<&str>,
        clustered: bool,
    ) -> Result<(Self, DirLock), IdentityError> {
        fs::create_dir_all(dir)?;
        let lock = File::create(dir.join(LOCK_FILE))?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => IdentityError::InUse,
            fs::TryLockError::Error(error) => IdentityError::Io(error),
        })?;
        let mut identity = Self::fresh(name, clustered)?;
        match fs::read_to_string(dir.join(FILE)) {
            Ok(text) => {
                let (stored, graceful) = parse(&text).ok_or(IdentityError::Unreadable)?;
                if name.is_some_and(|name| name != stored.name) {
                    return Err(IdentityError::OtherNode(stored.name));
                }
                identity.name = stored.name;
                identity.clustered |= stored.clustered;
                if graceful {
                    identity.actor = stored.actor;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        identity.save(dir, false)?;
        Ok((identity, DirLock { _file: lock }))
    }

    /// Records that everything is on disk, so that the next start may keep the actor id.
    pub fn save_graceful(&self, dir: &Path) -> io::Result<()> {
        self.save(dir, true)
    }

    fn save(&self, dir: &Path, graceful: bool) -> io::Result<()> {
        let unfinished = dir.join(format!("{FILE}.tmp"));
        let mut file = File::create(&unfinished)?;
        let yes_no = |flag| if flag { "yes" } else { "no" };
        write!(
            file,
            "name={}\nactor={:016x}\nclustered={}\ngraceful-stop={}\n",
            self.name,
            self.actor,
            yes_no(self.clustered),
            yes_no(graceful)
        )?;
        file.sync_all()?;
        fs::rename(&unfinished, dir.join(FILE))?;
        crate::log::files::sync_dir(dir)
    }
}

fn parse(text: &str) -> Option<(Identity, bool)> {
    let field = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
    };
    let identity = Identity {
        name: field("name")?.to_string(),
        actor: u64::from_str_radix(field("actor")?, 16).ok()?,
        clustered: field("clustered")? == "yes",
    };
    Some((identity, field("graceful-stop")? == "yes"))
}

/// A random number, for ids that must never be drawn twice.
pub fn random_u64() -> io::Result<u64> {
    getrandom::u64().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_stays_and_the_actor_changes_after_a_crash() {
        let dir = tempfile::tempdir().unwrap();
        let (first, lock) = Identity::open(dir.path(), Some("a"), true).unwrap();
        assert!(matches!(
            Identity::open(dir.path(), None, false),
            Err(IdentityError::InUse)
        ));
        drop(lock);
        let (crashed, lock) = Identity::open(dir.path(), None, false).unwrap();
        assert_eq!(crashed.name, "a");
        assert_ne!(crashed.actor, first.actor);
        assert!(crashed.clustered, "once clustered, always clustered");
        crashed.save_graceful(dir.path()).unwrap();
        drop(lock);
        let (stopped, lock) = Identity::open(dir.path(), Some("a"), false).unwrap();
        assert_eq!(stopped.actor, crashed.actor);
        drop(lock);
        assert!(matches!(
            Identity::open(dir.path(), Some("b"), false),
            Err(IdentityError::OtherNode(_))
        ));
    }
}
