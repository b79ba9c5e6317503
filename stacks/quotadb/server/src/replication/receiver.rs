//! Connections from peers, over which their changes come in.

use super::exchange;
use super::frame::{self, FrameReader, invalid};
use super::message::{Message, PROTOCOL_VERSION};
use crate::engine::Engine;
use crate::log::writer::lock;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// A connected peer sends digests every second.
const SILENCE: Duration = Duration::from_secs(10);
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts peers for as long as the runtime lives.
pub async fn serve(listener: TcpListener, engine: Arc<Engine>) {
    loop {
        let (stream, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("cannot accept a peer: {error}");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let engine = Arc::clone(&engine);
        tokio::spawn(async move {
            if let Err(error) = converse(&engine, stream).await {
                tracing::info!("connection from peer {address} ended: {error}");
            }
        });
    }
}

async fn converse(engine: &Engine, mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut frames = FrameReader::default();
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
    let inbox = engine.cluster.inbox_of(&node);
    let welcome = Message::Welcome {
        node: engine.identity.name.clone(),
        actor: engine.identity.actor,
        received: lock(&inbox).resume(session),
    };
    frame::write(&mut stream, &welcome).await?;
    loop {
        let message = timeout(SILENCE, frames.next(&mut stream)).await??;
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
            engine.keep(log_end).await;
            frame::write(&mut stream, &answer).await?;
        }
    }
}
