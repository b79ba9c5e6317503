//! One client connection: its buffers and what is known about its socket.

use crate::command::{self, Call, Session};
use crate::engine::{BatchStore, Buffers, Engine};
use crate::resp::parser::{MAX_COMMAND_BYTES, Parser, Place, ProtocolError, Step};
use crate::resp::reply::{self, Protocol};
use mio::event::Event;
use mio::net::TcpStream;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Size of an idle connection's read buffer, in bytes.
const INPUT_BYTES: usize = 16 << 10;
/// A batch ends when its replies reach this size, so that pipelined reads of large values cannot
/// fill the memory.
const OUTPUT_BYTES: usize = 1 << 20;
/// A client that takes its replies moves on by this much within the time it has.
const PROGRESS_BYTES: u64 = 16 << 10;
/// Most commands parsed before they are executed.
const AHEAD: usize = 32;
/// Runs of replies that a connection may note for itself; more count as memory of its buffers.
const RUNS: usize = 16;

/// What a connection needs after its replies went out.
pub enum After {
    /// Nothing until the kernel reports something.
    Wait,
    /// Its turn in the next round.
    Again,
    Close,
}

/// Served in turns of [`Connection::receive`], [`Connection::parse`], [`Connection::execute`] and
/// [`Connection::send`].
/// What was executed is sent before more is read, so a client that does not read its replies holds
/// up no one but itself.
pub struct Connection {
    stream: TcpStream,
    session: Session,
    parser: Parser,
    input: Vec<u8>,
    /// Received and not yet parsed: `input[start..end]`.
    start: usize,
    end: usize,
    /// Parsed and not yet executed: offsets in `input`, places in `parser`.
    parsed: VecDeque<(usize, Place)>,
    /// What ends the connection once everything parsed is executed.
    error: Option<ProtocolError>,
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
    /// Bytes of `input` and `output` beyond those of an idle connection, as noted in `buffers`.
    held: usize,
    buffers: Arc<Buffers>,
    /// Commands executed.
    progress: u64,
    sent_bytes: u64,
    /// Since when the client owes us something, and the progress then.
    owed: Option<(Instant, u64)>,
    /// What was last executed read or wrote the store, so its replies depend on the log.
    pub uses_store: bool,
    /// Where in `output` these replies are, if there is a log.
    store_replies: Vec<Run>,
}

/// Replies that follow each other in the output.
struct Run {
    start: usize,
    end: usize,
    count: usize,
}

impl Connection {
    pub fn new(stream: TcpStream, id: u64, buffers: Arc<Buffers>) -> Self {
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
            parsed: VecDeque::with_capacity(AHEAD),
            error: None,
            output: Vec::with_capacity(INPUT_BYTES),
            sent: 0,
            readable: false,
            half_closed: false,
            unfinished: false,
            gone: false,
            held: 0,
            buffers,
            progress: 0,
            sent_bytes: 0,
            owed: None,
            uses_store: false,
            store_replies: Vec::new(),
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
            // A command that does not fit. The parser refuses it before this is outgrown.
            let length = (self.input.len() * 2).min(MAX_COMMAND_BYTES + INPUT_BYTES);
            self.input.resize(length, 0);
            if !self.note_memory() {
                self.error = Some(ProtocolError::NoMemory);
                return;
            }
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

    /// Parses what was received, up to [`AHEAD`] commands, and asks for the memory of their keys:
    /// while one is fetched the others' can be, too.
    #[inline]
    pub fn parse(&mut self, store: &mut BatchStore) {
        if self.gone || !self.parsed.is_empty() || self.error.is_some() {
            return;
        }
        self.parser.forget();
        while self.parsed.len() < AHEAD {
            let bytes = &mut self.input[self.start..self.end];
            match self.parser.next_too(bytes) {
                Ok(Step::Incomplete) => break,
                Ok(Step::Skip(length)) => self.start += length,
                Ok(Step::Command(length)) => {
                    let place = self.parser.last();
                    let args = self.parser.args_at(place, bytes);
                    if args.len() > 1 {
                        store.prefetch(args.get(1));
                    }
                    self.parsed.push_back((self.start, place));
                    self.start += length;
                }
                Err(error) => {
                    self.error = Some(error);
                    break;
                }
            }
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
        self.store_replies.clear();
        while !self.unfinished && !self.session.closing {
            let Some((start, place)) = self.parsed.pop_front() else {
                if let Some(error) = self.error.take() {
                    reply::error(&mut self.output, &error.to_string());
                    self.session.closing = true;
                    break;
                }
                self.parse(store);
                if self.parsed.is_empty() && self.error.is_none() {
                    break;
                }
                continue;
            };
            let reply_start = self.output.len();
            command::execute(&mut Call {
                args: self.parser.args_at(place, &self.input[start..self.end]),
                out: &mut self.output,
                store,
                session: &mut self.session,
                engine,
            });
            executed += 1;
            if store.take_used() {
                self.uses_store = true;
                if engine.log.is_some() {
                    self.note_store_reply(reply_start);
                }
            }
            self.unfinished = self.output.len() >= OUTPUT_BYTES;
        }
        self.progress += executed;
        self.bound_memory();
        executed
    }

    fn bound_memory(&mut self) {
        let large = self.output.capacity() > INPUT_BYTES
            || self.store_replies.capacity() > RUNS
            || self.parser.spare_bytes() > 0;
        if large && !self.note_memory() {
            tracing::warn!(
                "disconnected a client: the commands and replies of all clients take too much memory"
            );
            self.gone = true;
        }
    }

    fn note_store_reply(&mut self, start: usize) {
        let end = self.output.len();
        match self.store_replies.last_mut() {
            Some(run) if run.end == start => {
                run.end = end;
                run.count += 1;
            }
            _ => self.store_replies.push(Run {
                start,
                end,
                count: 1,
            }),
        }
    }

    /// Puts an error in place of each reply that depends on the store: what it says is not kept.
    pub fn refuse_store_replies(&mut self, error: &str) {
        let replies = std::mem::take(&mut self.output);
        let mut rest = 0;
        for run in self.store_replies.drain(..) {
            self.output.extend_from_slice(&replies[rest..run.start]);
            for _ in 0..run.count {
                reply::error(&mut self.output, error);
            }
            rest = run.end;
        }
        self.output.extend_from_slice(&replies[rest..]);
        self.bound_memory();
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

    /// Notes how much memory the buffers take; false where that is too much.
    fn note_memory(&mut self) -> bool {
        let spare = |bytes: usize| bytes.saturating_sub(INPUT_BYTES);
        let runs = self.store_replies.capacity().saturating_sub(RUNS) * size_of::<Run>();
        let now = spare(self.input.len())
            + spare(self.output.capacity())
            + self.parser.spare_bytes()
            + runs;
        let before = std::mem::replace(&mut self.held, now);
        before == now || self.buffers.change(before, now)
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
            reply::error(&mut self.output, &ProtocolError::TooSlow.to_string());
            // It is about to be closed, whether this arrives or not.
            let _ = self.stream.write(&self.output);
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
        }
        self.parser.shrink();
        if self.output.capacity() > OUTPUT_BYTES / 4 {
            self.output = Vec::with_capacity(INPUT_BYTES);
        }
        if self.store_replies.capacity() > RUNS {
            self.store_replies = Vec::new();
        }
        if self.held > 0 {
            self.note_memory();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.buffers.change(self.held, 0);
    }
}
