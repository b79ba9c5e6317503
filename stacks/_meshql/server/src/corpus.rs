//! Inputs that are kept in `corpus/`, one a file: `taken-…` are requests, `refused-…` are none.

use std::fs;
use std::path::Path;

pub struct Case {
    pub name: String,
    pub bytes: Vec<u8>,
    pub taken: bool,
}

/// # Panics
/// When a file is named otherwise, or there are none of both kinds.
pub fn cases(kind: &str) -> Vec<Case> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(kind);
    let cases: Vec<Case> = fs::read_dir(dir)
        .expect("the corpus")
        .map(|entry| {
            let path = entry.expect("a file").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let taken = name.starts_with("taken-");
            assert!(taken || name.starts_with("refused-"), "{name}");
            let bytes = fs::read(path).expect("the file");
            Case { name, bytes, taken }
        })
        .collect();
    for kind in [true, false] {
        assert!(cases.iter().filter(|case| case.taken == kind).count() > 5);
    }
    cases
}
