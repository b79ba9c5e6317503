//! One client connection: its buffers and what is known about its socket.

use crate::command::{self, Call};
use crate::engine::Engine;
use crate::parser::{MAX_COMMAND_BYTES, Parser, ProtocolError, Step};
use crate::reply;
use mio::event::Event;
use mio::net::TcpStream;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

/// Size of an idle connection's buffers, in bytes.
const USUAL_BYTES: usize = 16 << 10;
/// No more commands are executed for a connection whose replies have this size, so that pipelined
/// reads of large values cannot fill the memory.
const OUTPUT_BYTES: usize = 1 << 20;
/// A client that takes its replies moves on by this much within the time it has.
const PROGRESS_BYTES: u64 = 16 << 10;

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
    parser: Parser,
    input: Vec<u8>,
    /// Received and not yet executed: `input[start..end]`.
    start: usize,
    end: usize,
    /// Where `start` was before this round; None if it executed nothing.
    round: Option<usize>,
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
    /// Close after the replies so far are sent.
    closing: bool,
    /// The client left, or the socket failed.
    gone: bool,
    /// Commands executed.
    progress: u64,
    sent_bytes: u64,
    /// Since when the client owes us something, and the progress then.
    owed: Option<(Instant, u64)>,
}

impl Connection {
    pub fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            parser: Parser::default(),
            input: vec![0; USUAL_BYTES],
            start: 0,
            end: 0,
            round: None,
            output: Vec::with_capacity(USUAL_BYTES),
            sent: 0,
            readable: false,
            half_closed: false,
            unfinished: false,
            closing: false,
            gone: false,
            progress: 0,
            sent_bytes: 0,
            owed: None,
        }
    }

    /// Notes what the kernel reports of the socket.
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
            // A command that does not fit. The parser refuses it before this is outgrown.
            let length = (self.input.len() * 2).min(MAX_COMMAND_BYTES + USUAL_BYTES);
            self.input.resize(length, 0);
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
                _ => self.gone = true,
            },
        }
    }

    /// Executes every complete command in the buffer.
    pub fn execute(&mut self, engine: &mut Engine) {
        self.round = None;
        if self.gone || self.closing || !self.output.is_empty() {
            return;
        }
        self.round = Some(self.start);
        self.unfinished = false;
        while !self.unfinished && !self.closing {
            let bytes = &self.input[self.start..self.end];
            match self.parser.next(bytes) {
                Ok(Step::Incomplete) => break,
                Ok(Step::Skip(length)) => self.start += length,
                Ok(Step::Command(length)) => {
                    command::execute(&mut Call {
                        args: self.parser.args(bytes),
                        out: &mut self.output,
                        engine,
                    });
                    self.progress += 1;
                    self.start += length;
                    self.unfinished = self.output.len() >= OUTPUT_BYTES;
                }
                Err(error) => self.end_with(error),
            }
        }
    }

    /// As [`Connection::execute`] again, after everything that the round changed was taken back.
    pub fn execute_again(&mut self, engine: &mut Engine) {
        let Some(round) = self.round else {
            return;
        };
        self.start = round;
        self.closing = false;
        self.output.clear();
        self.parser.restart();
        self.execute(engine);
    }

    /// Sends the replies, as far as the socket takes them.
    pub fn send(&mut self) -> After {
        while self.sent < self.output.len() && !self.gone {
            match self.stream.write(&self.output[self.sent..]) {
                Ok(0) => self.gone = true,
                Ok(sent) => {
                    self.sent += sent;
                    self.sent_bytes += sent as u64;
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return After::Wait,
                    ErrorKind::Interrupted => {}
                    _ => self.gone = true,
                },
            }
        }
        if self.gone {
            return After::Close;
        }
        self.output.clear();
        self.sent = 0;
        if self.closing {
            let _ = self.stream.shutdown(Shutdown::Write);
            return After::Close;
        }
        if !self.unfinished {
            self.tidy();
        }
        if self.unfinished || self.readable {
            After::Again
        } else {
            After::Wait
        }
    }

    /// Whether the client has owed the rest of a command, or room for its replies, for longer than
    /// `patience` without a step forward. To be asked while nothing is to be done for it.
    pub fn has_stalled(&mut self, now: Instant, patience: Duration) -> bool {
        if self.start == self.end && self.output.is_empty() {
            self.owed = None;
            return false;
        }
        let progress = self.progress + self.sent_bytes / PROGRESS_BYTES;
        match self.owed {
            Some((since, before)) if before == progress => now - since >= patience,
            _ => {
                self.owed = Some((now, progress));
                false
            }
        }
    }

    /// Tells a client that was too slow so, if it is not in the middle of a reply.
    pub fn give_up(&mut self) {
        if self.output.is_empty() {
            self.end_with("the rest of the request did not come in time".into());
            // It is about to be closed, whether this arrives or not.
            let _ = self.stream.write(&self.output);
        }
    }

    fn end_with(&mut self, error: ProtocolError) {
        reply::error(&mut self.output, &format!("ERR Protocol error: {error}"));
        self.closing = true;
    }

    /// Moves what is left to the front and gives back memory that a large command needed.
    fn tidy(&mut self) {
        if self.start > 0 {
            self.input.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == 0 && self.input.len() > USUAL_BYTES {
            self.input = vec![0; USUAL_BYTES];
        }
        if self.output.capacity() > OUTPUT_BYTES / 4 {
            self.output = Vec::with_capacity(USUAL_BYTES);
        }
    }
}
