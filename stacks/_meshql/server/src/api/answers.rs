//! What the answers that clients have not taken yet may have in memory.

use super::failure::Failure;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// From this size on an answer counts: there are no more of the others than connections.
const COUNTED_BYTES: u64 = 64 * 1024;

/// What the answers to all requests share.
pub struct Answers {
    /// Bytes that may still wait for clients.
    free: Arc<Semaphore>,
}

/// An answer, counted until its last byte is with the operating system.
struct Held {
    bytes: Bytes,
    _place: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Answers {
    /// `bytes`: of all answers in memory at a time.
    pub fn new(bytes: usize) -> Answers {
        Answers {
            free: Arc::new(Semaphore::new(bytes)),
        }
    }

    /// The answer, or why there is no room for it.
    pub async fn hold(&self, response: Response) -> Response {
        let bytes = response.body().size_hint().lower();
        if bytes < COUNTED_BYTES {
            return response;
        }
        let places = u32::try_from(bytes).ok();
        let place = places.and_then(|n| Arc::clone(&self.free).try_acquire_many_owned(n).ok());
        let Some(place) = place else {
            return Failure::Busy("answers").into_response();
        };
        let (head, body) = response.into_parts();
        // It is there in one piece, which is not copied.
        match to_bytes(body, usize::MAX).await {
            Ok(bytes) => {
                let held = Held {
                    bytes,
                    _place: place,
                };
                Response::from_parts(head, Body::from(Bytes::from_owner(held)))
            }
            Err(error) => Failure::Storage(error.to_string()).into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::StatusCode;

    #[tokio::test]
    async fn large_answers_count_until_they_are_taken() {
        let answers = Answers::new(100_000);
        let large = || vec![b'x'; 70_000].into_response();
        let first = answers.hold(large()).await;
        assert_eq!(answers.free.available_permits(), 30_000);
        let second = answers.hold(large()).await;
        assert_eq!(second.status(), StatusCode::SERVICE_UNAVAILABLE);
        let small = answers.hold("small".into_response()).await;
        assert_eq!(small.status(), StatusCode::OK);
        let taken = to_bytes(first.into_body(), usize::MAX)
            .await
            .expect("whole");
        assert_eq!(taken.len(), 70_000);
        assert_eq!(answers.free.available_permits(), 30_000, "still there");
        drop(taken);
        assert_eq!(answers.free.available_permits(), 100_000);
        assert_eq!(answers.hold(large()).await.status(), StatusCode::OK);
    }
}
