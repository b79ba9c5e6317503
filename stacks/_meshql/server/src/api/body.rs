//! Reading a body within what one may have, the time that it may take, and what all of them may have in memory.

use super::failure::Failure;
use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Largest body that is read.
const BODY_BYTES: usize = 16 * 1024 * 1024;

/// What the bodies of all requests share.
pub struct Bodies {
    /// Bytes that may still come into memory.
    free: Arc<Semaphore>,
    /// How long a body may take to come.
    patience: Duration,
}

impl Bodies {
    /// `bytes`: of all bodies in memory at a time.
    pub fn new(bytes: usize, patience: Duration) -> Bodies {
        Bodies {
            free: Arc::new(Semaphore::new(bytes)),
            patience,
        }
    }

    /// # Errors
    /// When it is too large, too slow, broken off, or there is no memory for it now.
    pub async fn read(&self, mut body: Body) -> Result<Whole, Failure> {
        let read = timeout(self.patience, self.read_whole(&mut body)).await;
        if matches!(read, Ok(Err(Failure::TooLarge(_) | Failure::Busy(_)))) {
            let _ = timeout(self.patience, drain(&mut body)).await;
        }
        read.unwrap_or(Err(Failure::TooSlow(self.patience)))
    }

    /// Only what has come is counted: who announces much and sends nothing takes no other client's memory.
    async fn read_whole(&self, body: &mut Body) -> Result<Whole, Failure> {
        let mut whole = Whole::default();
        // Most bodies are one piece, which is not copied.
        let mut joined = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| Failure::Invalid(error.to_string()))?;
            let Ok(piece) = frame.into_data() else {
                continue;
            };
            let read = joined.len().max(whole.bytes.len());
            if read + piece.len() > BODY_BYTES {
                return Err(Failure::TooLarge(format!(
                    "the body has more than {BODY_BYTES} bytes"
                )));
            }
            whole.hold(self.take(piece.len())?);
            if read == 0 {
                whole.bytes = piece;
                continue;
            }
            if joined.is_empty() {
                joined.extend_from_slice(&std::mem::take(&mut whole.bytes));
            }
            joined.extend_from_slice(&piece);
        }
        if !joined.is_empty() {
            whole.bytes = joined.into();
        }
        Ok(whole)
    }

    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Failure> {
        let free = Arc::clone(&self.free);
        // No piece is longer than a body may be.
        free.try_acquire_many_owned(bytes as u32)
            .map_err(|_| Failure::Busy("bodies"))
    }
}

/// Reads on and throws away, so that the client gets to reading why it is refused.
async fn drain(body: &mut Body) {
    let mut drained = 0;
    while drained < BODY_BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        drained += frame.data_ref().map_or(0, Bytes::len);
    }
}

/// A body that has come whole. Its bytes count until it is dropped.
#[derive(Default)]
pub struct Whole {
    bytes: Bytes,
    held: Option<OwnedSemaphorePermit>,
}

impl Whole {
    fn hold(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
    }
}

impl Deref for Whole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use std::convert::Infallible;

    fn pieces(pieces: Vec<&'static str>) -> Body {
        Body::from_stream(stream::iter(pieces.into_iter().map(Ok::<_, Infallible>)))
    }

    #[tokio::test]
    async fn pieces_become_one_body() {
        let bodies = Bodies::new(100, Duration::from_secs(60));
        for (sent, whole) in [
            (vec![], ""),
            (vec!["one"], "one"),
            (vec!["", "one", "", "two", "three"], "onetwothree"),
        ] {
            let read = bodies.read(pieces(sent)).await.expect("a body");
            assert_eq!(&*read, whole.as_bytes());
        }
    }

    #[tokio::test]
    async fn bytes_count_until_a_body_is_dropped() {
        let bodies = Bodies::new(10, Duration::from_secs(60));
        let first = bodies.read(pieces(vec!["1234", "567"])).await;
        let first = first.expect("a body");
        assert!(matches!(
            bodies.read(pieces(vec!["12", "34"])).await,
            Err(Failure::Busy(_))
        ));
        assert_eq!(
            bodies.free.available_permits(),
            3,
            "what was refused is free"
        );
        drop(first);
        assert_eq!(bodies.free.available_permits(), 10);
    }
}
