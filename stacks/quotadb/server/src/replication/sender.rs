//! The connection to one peer, over which this node's changes go out.

use super::cluster::{Peer, ROUND_INTERVAL};
use super::exchange;
use super::frame::{self, FrameReader, invalid};
use super::message::{Message, PROTOCOL_VERSION};
use crate::engine::Engine;
use crate::log::writer::{Kept, lock};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::time::{Instant, sleep, timeout};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const FIRST_RETRY: Duration = Duration::from_millis(100);
const LAST_RETRY: Duration = Duration::from_secs(2);
/// A peer answers every digest, so one that is silent for several rounds is gone.
const SILENCE: Duration = Duration::from_secs(5);

/// Keeps a connection to the peer for as long as the runtime lives.
pub async fn run(engine: Arc<Engine>, peer: Arc<Peer>) {
    let mut retry = FIRST_RETRY;
    loop {
        match connect(&engine, &peer).await {
            Ok((stream, node)) => {
                tracing::info!("connected to peer {node} at {}", peer.address);
                retry = FIRST_RETRY;
                peer.connected.store(true, Ordering::Relaxed);
                let ended = converse(&engine, &peer, stream).await;
                peer.connected.store(false, Ordering::Relaxed);
                if let Err(error) = ended {
                    tracing::warn!("lost peer {node} at {}: {error}", peer.address);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                tracing::warn!("peer {} is dropped: {error}", peer.address);
                return;
            }
            Err(error) => tracing::debug!("peer {}: {error}", peer.address),
        }
        sleep(retry).await;
        retry = (retry * 2).min(LAST_RETRY);
    }
}

/// Dials and exchanges greetings; gives the peer's name.
async fn connect(engine: &Engine, peer: &Peer) -> io::Result<(TcpStream, String)> {
    let mut stream = timeout(CONNECT_TIMEOUT, TcpStream::connect(&peer.address)).await??;
    stream.set_nodelay(true)?;
    let hello = Message::Hello {
        version: PROTOCOL_VERSION,
        node: engine.identity.name.clone(),
        actor: engine.identity.actor,
        session: engine.cluster.session,
    };
    frame::write(&mut stream, &hello).await?;
    let answer = timeout(SILENCE, FrameReader::for_greeting().next(&mut stream)).await??;
    let Message::Welcome {
        node,
        actor,
        received,
    } = answer
    else {
        return Err(invalid("the peer did not welcome us"));
    };
    if actor == engine.identity.actor {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is this node itself",
        ));
    }
    let mut outbox = lock(&peer.outbox);
    outbox.acknowledge(received);
    outbox.rewind();
    drop(outbox);
    Ok((stream, node))
}

/// Sends batches and digests, and hears acknowledgements and requests, until the connection ends.
async fn converse(engine: &Engine, peer: &Peer, stream: TcpStream) -> io::Result<()> {
    let (mut reading, mut writing) = stream.into_split();
    let mut frames = FrameReader::default();
    let mut rounds = tokio::time::interval(ROUND_INTERVAL);
    let mut heard = Instant::now();
    // What this node changed while it was not connected may have been given up.
    peer.compare_all.store(true, Ordering::Relaxed);
    loop {
        send_batches(peer, &mut writing).await?;
        tokio::select! {
            () = peer.wake.notified() => {}
            _ = rounds.tick() => {
                if heard.elapsed() > SILENCE {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                send_digests(engine, peer, &mut writing).await?;
            }
            message = frames.next(&mut reading) => {
                heard = Instant::now();
                answer(engine, peer, &message?, &mut writing).await?;
            }
        }
    }
}

async fn send_batches(peer: &Peer, writing: &mut OwnedWriteHalf) -> io::Result<()> {
    loop {
        let batch = lock(&peer.outbox).next_unsent();
        match batch {
            Some(batch) => send(writing, &batch).await?,
            None => return Ok(()),
        }
    }
}

async fn send_digests(
    engine: &Engine,
    peer: &Peer,
    writing: &mut OwnedWriteHalf,
) -> io::Result<()> {
    let all = peer.compare_all.swap(false, Ordering::Relaxed);
    let digests = lock(&engine.store).digests(all);
    send(writing, &Message::Digest(digests)).await
}

async fn answer(
    engine: &Engine,
    peer: &Peer,
    message: &Message,
    writing: &mut OwnedWriteHalf,
) -> io::Result<()> {
    match message {
        Message::Ack { received } => {
            lock(&peer.outbox).acknowledge(*received);
        }
        Message::Pull(shards) => {
            for &shard in shards {
                let (messages, log_end) = {
                    let store = lock(&engine.store);
                    (exchange::repair(&store, shard), store.journal.end())
                };
                // The peer asks again for what it still lacks.
                if engine.keep(log_end).await != Kept::Yes {
                    continue;
                }
                for message in messages {
                    send(writing, &message).await?;
                }
            }
        }
        _ => return Err(invalid("the peer sent an unexpected message")),
    }
    Ok(())
}

/// A peer that stops reading must not hold this task for ever.
async fn send(writing: &mut OwnedWriteHalf, message: &Message) -> io::Result<()> {
    timeout(SILENCE, frame::write(writing, message)).await?
}
