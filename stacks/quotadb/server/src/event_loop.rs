//! The event loop of one thread that serves clients.
//!
//! It works in rounds: everything that arrived on all connections is read, executed under one lock,
//! made durable by one write of the log, and answered. Answering only when all have been executed
//! lets the clients' side work through many replies at a time: a client that is woken for each reply
//! alone costs the server a wake-up each time.

use crate::connection::{After, Connection};
use crate::engine::{BatchStore, Engine};
use crate::log::die;
use crate::log::writer::Kept;
use mio::event::Event;
use mio::{Events, Interest, Poll, Token, Waker};
use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

/// Most events taken from the kernel at once.
const EVENTS: usize = 1024;
/// Most connections served under one lock: it bounds how long the others' threads wait for it, and
/// how long the first reply waits for the last command.
const GROUP: usize = 64;
/// How often a thread looks for clients that keep it waiting, at least.
const LONGEST_LOOK_INTERVAL: Duration = Duration::from_secs(5);
const WAKE: Token = Token(usize::MAX);

pub struct EventLoop {
    engine: Arc<Engine>,
    poll: Poll,
    arrivals: Receiver<TcpStream>,
    clients: Vec<Option<Box<Client>>>,
    /// Unused indices of `clients`.
    free: Vec<usize>,
    /// Clients to be served in the next round, each once.
    due: Vec<usize>,
    /// Clients whose replies wait for the log to be kept up to a position, in that order.
    held: VecDeque<(u64, usize)>,
}

struct Client {
    connection: Connection,
    /// In `due` or in `held`: nothing more may be begun for it.
    listed: bool,
}

impl EventLoop {
    /// A loop for the connections that `arrivals` brings, and what wakes it to look there.
    pub fn new(
        engine: Arc<Engine>,
        arrivals: Receiver<TcpStream>,
    ) -> io::Result<(Self, Arc<Waker>)> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        if let Some(log) = &engine.log {
            log.wake_on_kept(Arc::clone(&waker));
        }
        let event_loop = Self {
            engine,
            poll,
            arrivals,
            clients: Vec::new(),
            free: Vec::new(),
            due: Vec::new(),
            held: VecDeque::new(),
        };
        Ok((event_loop, waker))
    }

    /// Serves until the sender of arrivals is dropped; connections then end between two rounds.
    pub fn run(mut self) {
        let mut events = Events::with_capacity(EVENTS);
        let mut round = Vec::new();
        let patience = Duration::from_secs(self.engine.flags.client_patience_secs);
        let look_interval = (patience / 4).min(LONGEST_LOOK_INTERVAL);
        let mut next_look = Instant::now() + look_interval;
        loop {
            let now = Instant::now();
            if now >= next_look {
                self.end_stalled(now, patience);
                next_look = now + look_interval;
            }
            let timeout = if !self.due.is_empty() {
                Some(Duration::ZERO)
            } else if self.clients.len() > self.free.len() {
                Some(next_look - now)
            } else {
                None
            };
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => die("wait for clients", &error),
                Ok(()) => {}
            }
            for event in &events {
                match event.token() {
                    WAKE if !self.accept_arrivals() => return,
                    WAKE => self.release_kept(),
                    Token(index) => self.note(index, event),
                }
            }
            std::mem::swap(&mut round, &mut self.due);
            for group in round.chunks(GROUP) {
                self.serve(group);
            }
            round.clear();
        }
    }

    /// Takes in new connections; false when there will be no more.
    fn accept_arrivals(&mut self) -> bool {
        loop {
            match self.arrivals.try_recv() {
                Ok(stream) => {
                    if let Err(error) = self.add(stream) {
                        let connected = &self.engine.counts.connected;
                        connected.fetch_sub(1, Ordering::Relaxed);
                        tracing::debug!("client connection ended: {error}");
                    }
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// The stream must not block.
    fn add(&mut self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut stream = mio::net::TcpStream::from_std(stream);
        let index = self.free.pop().unwrap_or(self.clients.len());
        let both = Interest::READABLE | Interest::WRITABLE;
        if let Err(error) = self
            .poll
            .registry()
            .register(&mut stream, Token(index), both)
        {
            if index < self.clients.len() {
                self.free.push(index);
            }
            return Err(error);
        }
        let client = Box::new(Client {
            connection: Connection::new(
                stream,
                self.engine.next_connection_id(),
                Arc::clone(&self.engine.buffers),
            ),
            listed: false,
        });
        if index == self.clients.len() {
            self.clients.push(Some(client));
        } else {
            self.clients[index] = Some(client);
        }
        Ok(())
    }

    fn remove(&mut self, index: usize) {
        // Closing the socket takes it out of the poll.
        self.clients[index] = None;
        self.free.push(index);
        let connected = &self.engine.counts.connected;
        connected.fetch_sub(1, Ordering::Relaxed);
    }

    /// Ends the connections whose clients have kept a command or a reply half-way for too long. Those
    /// that are listed wait for this server, not for their clients.
    fn end_stalled(&mut self, now: Instant, patience: Duration) {
        for index in 0..self.clients.len() {
            if let Some(client) = &mut self.clients[index]
                && !client.listed
                && client.connection.has_stalled(now, patience)
            {
                client.connection.give_up();
                self.remove(index);
            }
        }
    }

    /// Notes what the kernel says of a connection.
    fn note(&mut self, index: usize, event: &Event) {
        let Some(client) = &mut self.clients[index] else {
            return;
        };
        client.connection.note(event);
        if !client.listed {
            client.listed = true;
            self.due.push(index);
        }
    }

    /// Serves a group of listed clients: reads all, parses all, executes all, answers all.
    fn serve(&mut self, group: &[usize]) {
        for &index in group {
            if let Some(client) = &mut self.clients[index] {
                client.connection.receive();
            }
        }
        let mut store = BatchStore::new(&self.engine.store);
        for &index in group {
            if let Some(client) = &mut self.clients[index] {
                client.connection.parse(&mut store);
            }
        }
        let mut executed = 0;
        for &index in group {
            if let Some(client) = &mut self.clients[index] {
                executed += client.connection.execute(&self.engine, &mut store);
            }
        }
        let log_end = store.finish();
        let commands = &self.engine.counts.commands;
        commands.fetch_add(executed, Ordering::Relaxed);
        let kept = self.engine.keep_now(log_end);
        for &index in group {
            match &mut self.clients[index] {
                Some(client) if client.connection.uses_store => match kept {
                    Kept::NotYet => self.held.push_back((log_end, index)),
                    Kept::Yes => self.answer(index),
                    Kept::No => self.refuse(index),
                },
                Some(_) => self.answer(index),
                None => {}
            }
        }
    }

    /// Answers a listed client whose replies show what is not kept.
    fn refuse(&mut self, index: usize) {
        if let (Some(client), Some(log)) = (&mut self.clients[index], &self.engine.log) {
            client.connection.refuse_store_replies(&log.failure());
        }
        self.answer(index);
    }

    /// Sends what a listed client was answered and lists it again if it has more to do.
    fn answer(&mut self, index: usize) {
        let Some(client) = &mut self.clients[index] else {
            return;
        };
        match client.connection.send() {
            After::Wait => client.listed = false,
            After::Again => self.due.push(index),
            After::Close => self.remove(index),
        }
    }

    /// Answers those whose changes, and all that they saw, are kept or lost by now.
    fn release_kept(&mut self) {
        let Some(log) = self.engine.log.clone() else {
            return;
        };
        let kept = log.kept();
        while let Some(&(end, index)) = self.held.front()
            && end <= kept
        {
            self.held.pop_front();
            match log.outcome(end) {
                Kept::No => self.refuse(index),
                _ => self.answer(index),
            }
        }
    }
}
