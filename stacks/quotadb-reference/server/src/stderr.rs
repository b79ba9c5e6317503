//! What the server says of itself.

use std::io::Write;

/// One line. Where standard error cannot be written, as on a full disk, the process goes on.
pub fn tell(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}
