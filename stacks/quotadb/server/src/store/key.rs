//! A key's bytes.

use std::ops::Deref;

/// Longest key kept without an allocation, in bytes.
const SHORT_BYTES: usize = 22;

/// Keys of usual length live in the entry itself.
#[derive(Clone, Debug)]
pub enum Key {
    Short {
        length: u8,
        bytes: [u8; SHORT_BYTES],
    },
    Long(Box<[u8]>),
}

impl From<&[u8]> for Key {
    fn from(key: &[u8]) -> Self {
        if key.len() > SHORT_BYTES {
            return Self::Long(key.into());
        }
        let mut bytes = [0; SHORT_BYTES];
        bytes[..key.len()].copy_from_slice(key);
        Self::Short {
            length: key.len() as u8,
            bytes,
        }
    }
}

impl Deref for Key {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => &bytes[..usize::from(*length)],
            Self::Long(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_length_keep_their_bytes() {
        for length in [0, 1, SHORT_BYTES, SHORT_BYTES + 1, 1000] {
            let bytes = vec![b'k'; length];
            assert_eq!(*Key::from(bytes.as_slice()), *bytes);
        }
    }
}
