//! How many files and connections the process may have open.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Kept for the storage: without a descriptor it cannot append.
const FOR_FILES: u64 = 256;

/// Lets the process have as many descriptors as it may, and says how many of `wanted` connections that is enough for.
///
/// # Errors
/// When there are not even enough for the storage.
pub fn for_connections(wanted: usize) -> Result<usize, String> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
    let Some(most) = getrlimit(Resource::Nofile).current else {
        return Ok(wanted);
    };
    let left = usize::try_from(most.saturating_sub(FOR_FILES)).unwrap_or(usize::MAX);
    if left == 0 {
        return Err(format!(
            "{most} open files are not enough: raise the limit (ulimit -n)"
        ));
    }
    if left < wanted {
        eprintln!(
            "meshql-server: {left} connections at most, not {wanted}: {most} open files are allowed"
        );
    }
    Ok(left.min(wanted))
}
