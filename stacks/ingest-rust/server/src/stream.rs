//! The clients of `GET /api/stream`. What a client has not read is bounded: above the bound it is disconnected, and
//! the writer never waits for it.

use crate::connection::Cut;
use crate::event::{Event, write_event};
use crate::limits::{STREAM_COMMENT_SEC, STREAM_UNSENT_BYTES};
use crate::memory::Memory;
use crate::reader::{Reader, Readers, write_message};
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;

/// Read from the store at a time.
const PAGE_BYTES: usize = 262_144;

/// The messages of one transaction, shared by all clients.
#[derive(Clone)]
struct Chunk {
    last: i64,
    text: Bytes,
}

struct Client {
    queue: mpsc::UnboundedSender<Chunk>,
    unsent_bytes: Arc<AtomicUsize>,
    cut: Cut,
}

/// All live clients.
#[derive(Default)]
pub struct Hub {
    clients: Mutex<Vec<Client>>,
    count: AtomicUsize,
}

impl Hub {
    fn with_clients<T>(&self, act: impl FnOnce(&mut Vec<Client>) -> T) -> T {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = act(&mut clients);
        self.count.store(clients.len(), Ordering::Release);
        outcome
    }

    /// Whether stored events need to be published.
    pub fn is_wanted(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// Takes the events of one transaction, in the order of their sequence.
    pub fn publish<'a>(&self, events: impl Iterator<Item = (i64, Event<'a>)>) {
        let mut text = String::new();
        let mut last = 0;
        for (sequence, event) in events {
            last = sequence;
            write_message(&mut text, sequence, |out| {
                write_event(out, &event, sequence)
            });
        }
        let chunk = Chunk {
            last,
            text: text.into(),
        };
        let bytes = chunk.text.len();
        self.with_clients(|clients| {
            clients.retain(|client| {
                let unsent = client.unsent_bytes.fetch_add(bytes, Ordering::AcqRel) + bytes;
                if unsent > STREAM_UNSENT_BYTES {
                    client.cut.now();
                    return false;
                }
                client.queue.send(chunk.clone()).is_ok()
            });
        });
    }

    /// Ends every stream.
    pub fn close(&self) {
        self.with_clients(Vec::clear);
    }

    fn join(&self, cut: Cut) -> Subscription {
        let (sender, queue) = mpsc::unbounded_channel();
        let unsent_bytes = Arc::new(AtomicUsize::new(0));
        let client = Client {
            queue: sender,
            unsent_bytes: unsent_bytes.clone(),
            cut,
        };
        self.with_clients(|clients| clients.push(client));
        Subscription {
            queue,
            unsent_bytes,
        }
    }
}

struct Subscription {
    queue: mpsc::UnboundedReceiver<Chunk>,
    unsent_bytes: Arc<AtomicUsize>,
}

/// One stream's body: what its task sends. The channel holds one piece, so that the task goes at the client's pace.
struct StreamBody(mpsc::Receiver<Bytes>);

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        self.0
            .poll_recv(context)
            .map(|text| text.map(|text| Ok(hyper::body::Frame::data(text))))
    }
}

/// `after`: the sequence whose successors come first; without it the stream begins with the next event.
pub fn open(
    hub: Arc<Hub>,
    readers: Arc<Readers>,
    memory: Memory,
    cut: Cut,
    after: Option<i64>,
) -> Body {
    let (pieces, body) = mpsc::channel(1);
    // Joined here, so that whoever has the head of the answer gets everything stored from then on.
    let joined = after.is_none().then(|| hub.join(cut.clone()));
    tokio::spawn(async move {
        // An error is a client that has gone, or a store that fails: the stream ends, and the client comes back.
        let _ = feed(
            &hub,
            &Stored { readers, memory },
            cut,
            after,
            joined,
            &pieces,
        )
        .await;
    });
    Body::new(StreamBody(body))
}

/// Why a stream ends.
struct Ended;

/// Where a stream reads what it sends, and the memory that this takes.
struct Stored {
    readers: Arc<Readers>,
    memory: Memory,
}

async fn feed(
    hub: &Hub,
    stored: &Stored,
    cut: Cut,
    after: Option<i64>,
    joined: Option<Subscription>,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<(), Ended> {
    let mut position = 0;
    if let Some(after) = after {
        // A sequence that is still to come, say of another store, must not hide what comes before it.
        let last = stored.readers.read(Reader::last_sequence).await;
        position = after.min(last.map_err(|_| Ended)?);
    }
    let subscription = match joined {
        Some(subscription) => subscription,
        None => {
            catch_up(stored, &mut position, pieces).await?;
            // Joined before the last look into the store: what is stored between the two comes from both, once.
            let subscription = hub.join(cut);
            catch_up(stored, &mut position, pieces).await?;
            subscription
        }
    };
    follow(subscription, position, pieces).await
}

/// Sends what is stored after `position`, and moves it on.
async fn catch_up(
    stored: &Stored,
    position: &mut i64,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<(), Ended> {
    loop {
        let from = *position;
        let page = stored
            .readers
            .read(move |reader| reader.messages_after(from, PAGE_BYTES))
            .await;
        let page = page.map_err(|_| Ended)?;
        if let Some(last) = page.last {
            *position = last;
            let text = stored.memory.hold(page.text).map_err(|_| Ended)?;
            pieces.send(text).await.map_err(|_| Ended)?;
        }
        if !page.more {
            return Ok(());
        }
    }
}

/// Sends what is stored from now on; `position` has been sent already.
async fn follow(
    mut subscription: Subscription,
    position: i64,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<(), Ended> {
    let silence = Duration::from_secs(STREAM_COMMENT_SEC);
    loop {
        let text = tokio::select! {
            chunk = subscription.queue.recv() => {
                let chunk = chunk.ok_or(Ended)?;
                subscription.unsent_bytes.fetch_sub(chunk.text.len(), Ordering::AcqRel);
                if chunk.last <= position {
                    continue;
                }
                chunk.text
            }
            () = pieces.closed() => return Err(Ended),
            () = tokio::time::sleep(silence) => Bytes::from_static(b": still here\n\n"),
        };
        pieces.send(text).await.map_err(|_| Ended)?;
    }
}
