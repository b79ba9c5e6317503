//! One client connection: its buffers and what is known about its socket.

use crate::command::{self, Call, Session};
use crate::engine::{BatchStore, Engine};
use crate::resp::parser::{Parser, Step};
use crate::resp::reply::{self, Protocol};
use mio::event::Event;
use mio::net::TcpStream;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;

/// Size of an idle connection's read buffer, in bytes.
const INPUT_BYTES: usize = 16 << 10;
/// A batch ends when its replies reach this size, so that pipelined reads of large values cannot
/// fill the memory.
const OUTPUT_BYTES: usize = 1 << 20;

/// What a connection needs after its replies went out.
pub enum After {
    /// Nothing until the kernel reports something.
    Wait,
    /// Its turn in the next round.
    Again,
    Close,
}

/// Served in turns of [`Connection::receive`], [`Connection::execute`] and [`Connection::send`].
/// What was executed is sent before more is read, so a client that does not read its replies holds
/// up no one but itself.
pub struct Connection {
    stream: TcpStream,
    session: Session,
    parser: Parser,
    input: Vec<u8>,
    /// Received and not yet executed: `input[start..end]`.
    start: usize,
    end: usize,
    output: Vec<u8>,
    /// Bytes of `output` already sent.
    sent: usize,
    /// There may be more to read. The kernel reports only changes, so this stays until a read
    /// found the socket empty.
    readable: bool,
    /// The client sends no more: reading goes on until its end is reached.
    half_closed: bool,
    /// Stopped by the size of the replies: there may be more commands in the buffer.
    unfinished: bool,
    /// The client left, or the socket failed.
    gone: bool,
    /// What was last executed read or wrote the store, so its replies depend on the log.
    pub uses_store: bool,
}

impl Connection {
    pub fn new(stream: TcpStream, id: u64) -> Self {
        Self {
            stream,
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
            sent: 0,
            readable: false,
            half_closed: false,
            unfinished: false,
            gone: false,
            uses_store: false,
        }
    }

    /// Notes what the kernel reports of the socket.
    #[inline]
    pub fn note(&mut self, event: &Event) {
        self.half_closed |= event.is_read_closed();
        self.readable |= event.is_readable() || self.half_closed || event.is_error();
    }

    /// Reads once, if everything before is done and sent.
    pub fn receive(&mut self) {
        if !self.readable || self.unfinished || !self.output.is_empty() {
            return;
        }
        if self.end == self.input.len() {
            // A command that does not fit.
            self.input.resize(self.input.len() * 2, 0);
        }
        let room = &mut self.input[self.end..];
        match self.stream.read(room) {
            Ok(0) => self.gone = true,
            Ok(received) => {
                // A read that leaves room found all there was.
                self.readable = received == room.len() || self.half_closed;
                self.end += received;
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock => self.readable = false,
                ErrorKind::Interrupted => {}
                _ => self.fail(&error),
            },
        }
    }

    /// Executes every complete command in the buffer. Returns how many.
    pub fn execute<'e>(&mut self, engine: &'e Engine, store: &mut BatchStore<'e>) -> u64 {
        self.uses_store = false;
        if self.gone || !self.output.is_empty() {
            return 0;
        }
        let mut executed = 0;
        self.unfinished = false;
        loop {
            let bytes = &mut self.input[self.start..self.end];
            match self.parser.next(bytes) {
                Ok(Step::Incomplete) => break,
                Ok(Step::Skip(length)) => self.start += length,
                Ok(Step::Command(length)) => {
                    command::execute(&mut Call {
                        args: self.parser.args(bytes),
                        out: &mut self.output,
                        store,
                        session: &mut self.session,
                        engine,
                    });
                    self.start += length;
                    executed += 1;
                    self.unfinished = self.output.len() >= OUTPUT_BYTES;
                    if self.unfinished || self.session.closing {
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
        self.uses_store = store.take_used();
        executed
    }

    /// Sends the replies, as far as the socket takes them.
    pub fn send(&mut self) -> After {
        while self.sent < self.output.len() && !self.gone {
            match self.stream.write(&self.output[self.sent..]) {
                Ok(0) => self.gone = true,
                Ok(sent) => self.sent += sent,
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return After::Wait,
                    ErrorKind::Interrupted => {}
                    _ => self.fail(&error),
                },
            }
        }
        if self.gone {
            return After::Close;
        }
        self.output.clear();
        self.sent = 0;
        if self.session.closing {
            let _ = self.stream.shutdown(Shutdown::Write);
            return After::Close;
        }
        if self.unfinished {
            return After::Again;
        }
        self.tidy();
        if self.readable {
            After::Again
        } else {
            After::Wait
        }
    }

    fn fail(&mut self, error: &std::io::Error) {
        tracing::debug!("client connection ended: {error}");
        self.gone = true;
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
