//! What bodies and answers may take in memory in all, however many clients there are.

use crate::problem::{Kind, Problem};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone)]
pub struct Memory(Arc<Pool>);

struct Pool {
    taken: AtomicUsize,
    limit: usize,
}

/// Bytes taken of it, given back when this is dropped.
pub struct Share {
    pool: Arc<Pool>,
    bytes: usize,
}

impl Memory {
    pub fn new(limit: usize) -> Self {
        Memory(Arc::new(Pool {
            taken: AtomicUsize::new(0),
            limit,
        }))
    }

    /// Nothing yet.
    pub fn share(&self) -> Share {
        Share {
            pool: self.0.clone(),
            bytes: 0,
        }
    }

    /// An answer, which takes its share until the last byte is sent. 503 where there is no room.
    pub fn hold(&self, text: String) -> Result<Bytes, Problem> {
        let mut share = self.share();
        share.grow(text.len())?;
        Ok(Bytes::from_owner(Held {
            text,
            _share: share,
        }))
    }
}

struct Held {
    text: String,
    _share: Share,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl Share {
    /// Takes more. 503 where there is no room.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Problem> {
        let Pool { taken, limit } = &*self.pool;
        self.bytes += bytes;
        if taken.fetch_add(bytes, Ordering::Relaxed) + bytes <= *limit {
            return Ok(());
        }
        let mib = limit >> 20;
        Err(Problem::new(
            Kind::Overloaded,
            format!("all bodies and answers together may take {mib} MiB"),
        ))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.pool.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_back_with_its_last_holder() {
        let memory = Memory::new(100);
        let mut share = memory.share();
        share.grow(60).unwrap();
        assert_eq!(
            memory.hold("x".repeat(41)).unwrap_err().kind,
            Kind::Overloaded
        );
        let answer = memory.hold("x".repeat(40)).unwrap();
        let copy = answer.clone();
        drop(answer);
        assert!(share.grow(1).is_err());
        drop((copy, share));
        assert_eq!(memory.hold("x".repeat(100)).unwrap(), "x".repeat(100));
    }
}
