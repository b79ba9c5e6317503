//! The files of a segment, as merkql names and fills them.

/// The hash of each record of a segment.
pub const INDEX: &str = "offsets.idx";
/// Of a record in [`INDEX`]: a checksum, and the hash.
pub const ENTRY_BYTES: usize = 4 + 32;
/// The records themselves, and the nodes of their tree.
pub const OBJECTS: &str = "objects.pack";
