//! Connections from peers, over which their changes come in.

use super::exchange;
use super::frame::{self, FrameReader, invalid};
use super::inbox::Inbox;
use super::message::{Message, PROTOCOL_VERSION};
use crate::engine::Engine;
use crate::log::writer::{Kept, lock};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// A connected peer sends digests every second.
const SILENCE: Duration = Duration::from_secs(10);
/// Most connections at a time; each may take one frame's memory.
const MAX_CONNECTIONS: usize = 64;
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts peers for as long as the runtime lives.
pub async fn serve(listener: TcpListener, engine: Arc<Engine>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let (stream, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("cannot accept a peer: {error}");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            tracing::warn!("too many peers; refused {address}");
            continue;
        };
        let engine = Arc::clone(&engine);
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = converse(&engine, stream).await {
                tracing::info!("connection from peer {address} ended: {error}");
            }
        });
    }
}

async fn converse(engine: &Engine, mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut frames = FrameReader::for_greeting();
    let Message::Hello {
        version,
        node,
        session,
        ..
    } = timeout(SILENCE, frames.next(&mut stream)).await??
    else {
        return Err(invalid("it did not say hello"));
    };
    if version != PROTOCOL_VERSION {
        return Err(invalid("it speaks another protocol version"));
    }
    frames.trust();
    let Some(inbox) = engine.cluster.inbox_of(&node) else {
        return Err(invalid("too many nodes are connected"));
    };
    let welcome = Message::Welcome {
        node: engine.identity.name.clone(),
        actor: engine.identity.actor,
        received: lock(&inbox).resume(session),
    };
    timeout(SILENCE, frame::write(&mut stream, &welcome)).await??;
    loop {
        let message = timeout(SILENCE, frames.next(&mut stream)).await??;
        // It comes back with all that was not acknowledged.
        if let Some(refusal) = engine.refusal() {
            return Err(io::Error::other(refusal));
        }
        let (answer, log_end) = {
            let mut store = lock(&engine.store);
            let answer = exchange::receive(&mut store, &mut lock(&inbox), session, &message)
                .map_err(|_| invalid("it sent an unexpected message"))?;
            (answer, store.journal.end())
        };
        if let Some(answer) = answer {
            if let Message::Pull(shards) = &answer {
                engine.cluster.count_repaired(shards.len());
            }
            // An acknowledgement means as much to a peer as to a client.
            if engine.keep(log_end).await != Kept::Yes {
                // What it noted as received was taken back.
                *lock(&inbox) = Inbox::default();
                return Err(invalid("what it sent could not be kept"));
            }
            timeout(SILENCE, frame::write(&mut stream, &answer)).await??;
        }
    }
}
