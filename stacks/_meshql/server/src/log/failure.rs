//! An append that failed: whether the log can go on, and how its end is found again.

use super::files::{ENTRY_BYTES, INDEX, OBJECTS};
use std::error::Error;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Files of a segment that are written beside the one they replace.
const HALF_WRITTEN: [&str; 2] = ["objects.idx.tmp", "tree.tmp"];

/// Why an append failed. Nothing of it is in the log.
#[derive(Debug, Clone, PartialEq)]
pub enum AppendError {
    /// There is no room; the next append may find some.
    Full(String),
    /// Nobody knows what is on the disk: the log takes nothing more until it is opened again, and is read as before.
    Broken(String),
}

impl fmt::Display for AppendError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (AppendError::Full(problem) | AppendError::Broken(problem)) = self;
        out.write_str(problem)
    }
}

impl AppendError {
    /// `error` with what it was made of.
    pub(super) fn of(error: &(dyn Error + 'static)) -> AppendError {
        let causes: Vec<&(dyn Error + 'static)> =
            std::iter::successors(Some(error), |&error| error.source()).collect();
        let texts: Vec<String> = causes.iter().map(ToString::to_string).collect();
        let no_room = causes
            .iter()
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .any(|cause| {
                matches!(
                    cause.kind(),
                    ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
                )
            });
        // What a sync that failed has left in memory may pass for written in the next one, and is not.
        let syncing = texts.iter().any(|text| text.starts_with("syncing"));
        if no_room && !syncing {
            AppendError::Full(texts.join(": "))
        } else {
            AppendError::Broken(texts.join(": "))
        }
    }
}

/// Cuts a segment back to its first records and to what its objects had then.
pub(super) fn cut(place: &Path, records: u64, objects_bytes: Option<u64>) -> io::Result<()> {
    let truncate = |file: &str, bytes: u64| {
        let file = OpenOptions::new().write(true).open(place.join(file))?;
        if file.metadata()?.len() > bytes {
            file.set_len(bytes)?;
        }
        file.sync_all()
    };
    truncate(INDEX, records * ENTRY_BYTES as u64)?;
    if let Some(bytes) = objects_bytes {
        truncate(OBJECTS, bytes)?;
    }
    // They would only take room.
    for file in HALF_WRITTEN {
        let _ = fs::remove_file(place.join(file));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct While(&'static str, io::Error);

    impl fmt::Display for While {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str(self.0)
        }
    }

    impl Error for While {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.1)
        }
    }

    #[test]
    fn only_a_write_without_room_may_be_tried_again() {
        let of = |what, kind: ErrorKind| AppendError::of(&While(what, kind.into()));
        assert_eq!(
            of("writing data", ErrorKind::StorageFull),
            AppendError::Full("writing data: no storage space".into())
        );
        for (what, kind) in [
            ("writing data", ErrorKind::Other),
            ("syncing pack file", ErrorKind::StorageFull),
            ("syncing index", ErrorKind::Other),
        ] {
            assert!(matches!(of(what, kind), AppendError::Broken(_)), "{what}");
        }
    }
}
