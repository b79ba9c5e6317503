//! Lines for whoever started the server. One that cannot be written is lost: standard output and error may lie on the disk
//! that is full, and the macros of the standard library would end the process there.

use std::fmt::Display;
use std::io::{Write, stderr, stdout};

/// To standard output.
pub fn say(line: impl Display) {
    let _ = writeln!(stdout(), "{line}");
}

/// To standard error.
pub fn complain(line: impl Display) {
    let _ = writeln!(stderr(), "{line}");
}
