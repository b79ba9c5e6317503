//! One client connection: read, execute everything that arrived, make it durable, write once.

use crate::command::{self, Call, Session};
use crate::engine::{BatchStore, Engine};
use crate::resp::parser::{Parser, Step};
use crate::resp::reply::{self, Protocol};
use std::io;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Size of an idle connection's read buffer, in bytes.
const INPUT_BYTES: usize = 16 << 10;
/// A batch ends when its replies reach this size, so that pipelined reads of large values cannot
/// fill the memory.
const OUTPUT_BYTES: usize = 1 << 20;

struct Connection {
    session: Session,
    parser: Parser,
    input: Vec<u8>,
    /// Received and not yet executed: `input[start..end]`.
    start: usize,
    end: usize,
    output: Vec<u8>,
}

/// What a batch left to do.
struct Batch {
    /// Log position to wait for before the replies may go.
    log_end: u64,
    /// Stopped by the size of the replies; there may be more commands in the buffer.
    unfinished: bool,
}

/// Serves a client until it leaves, quits or breaks the protocol.
pub async fn serve(mut stream: TcpStream, engine: &Engine) -> io::Result<()> {
    let mut connection = Connection::new(engine.next_connection_id());
    loop {
        let received = stream.read(connection.free_input()).await?;
        if received == 0 {
            return Ok(());
        }
        connection.end += received;
        loop {
            let batch = connection.execute(engine);
            if !connection.output.is_empty() {
                engine.keep(batch.log_end).await;
                stream.write_all(&connection.output).await?;
                connection.output.clear();
            }
            if connection.session.closing {
                return stream.shutdown().await;
            }
            if !batch.unfinished {
                break;
            }
        }
        connection.tidy();
    }
}

impl Connection {
    fn new(id: u64) -> Self {
        Self {
            session: Session {
                id,
                name: Vec::new(),
                protocol: Protocol::default(),
                closing: false,
            },
            parser: Parser::default(),
            input: vec![0; INPUT_BYTES],
            start: 0,
            end: 0,
            output: Vec::with_capacity(INPUT_BYTES),
        }
    }

    /// Executes every complete command in the buffer under one lock.
    fn execute(&mut self, engine: &Engine) -> Batch {
        let mut store = BatchStore::new(&engine.store);
        let mut executed = 0;
        let mut unfinished = false;
        loop {
            let bytes = &mut self.input[self.start..self.end];
            match self.parser.next(bytes) {
                Ok(Step::Incomplete) => break,
                Ok(Step::Skip(length)) => self.start += length,
                Ok(Step::Command(length)) => {
                    command::execute(&mut Call {
                        args: self.parser.args(bytes),
                        out: &mut self.output,
                        store: &mut store,
                        session: &mut self.session,
                        engine,
                    });
                    self.start += length;
                    executed += 1;
                    unfinished = self.output.len() >= OUTPUT_BYTES;
                    if unfinished || self.session.closing {
                        break;
                    }
                }
                Err(error) => {
                    reply::error(&mut self.output, &error.to_string());
                    self.session.closing = true;
                    break;
                }
            }
        }
        engine
            .counts
            .commands
            .fetch_add(executed, Ordering::Relaxed);
        Batch {
            log_end: store.finish(),
            unfinished,
        }
    }

    /// Room to read into, doubled when a command does not fit.
    fn free_input(&mut self) -> &mut [u8] {
        if self.end == self.input.len() {
            self.input.resize(self.input.len() * 2, 0);
        }
        &mut self.input[self.end..]
    }

    /// Moves what is left to the front and gives back memory that a large command needed.
    fn tidy(&mut self) {
        if self.start > 0 {
            self.input.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == 0 && self.input.len() > INPUT_BYTES {
            self.input = vec![0; INPUT_BYTES];
            self.parser.shrink();
        }
        if self.output.capacity() > OUTPUT_BYTES / 4 {
            self.output = Vec::with_capacity(INPUT_BYTES);
        }
    }
}
