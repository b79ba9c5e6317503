//! The event loop: one thread that serves all clients.
//!
//! It works in rounds: everything that arrived on all connections is read, executed, made durable by
//! one write of the log, and answered. Answering only when all have been executed lets the clients'
//! side work through many replies at a time: a client that is woken for each reply alone costs the
//! server a wake-up each time.

use crate::connection::{After, Connection};
use crate::engine::Engine;
use crate::flags::FsyncPolicy;
use crate::log::Log;
use crate::stderr::tell;
use mio::event::Event;
use mio::net::{TcpListener, UnixStream};
use mio::{Events, Interest, Poll, Registry, Token};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use slab::Slab;
use std::io::{self, ErrorKind};
use std::net::ToSocketAddrs;
use std::time::{Duration, Instant};

/// Most events taken from the kernel at once.
const EVENTS: usize = 1024;
/// Most connections served at once: it bounds how long the first reply waits for the last command.
const GROUP: usize = 64;
/// How often clients that keep us waiting are looked for, at least.
const LONGEST_LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// Pause after a failed accept, which usually means that file descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const STOP: Token = Token(usize::MAX);
const ARRIVALS: Token = Token(usize::MAX - 1);

pub struct Server {
    poll: Poll,
    /// Readable once a signal asked to stop.
    _stop: UnixStream,
    listener: TcpListener,
    /// There may be more clients to accept.
    arriving: bool,
    clients: Slab<Box<Client>>,
    /// Clients to be served in the next round, each once.
    due: Vec<usize>,
}

struct Client {
    connection: Connection,
    /// In `due`.
    listed: bool,
}

impl Server {
    /// Listens, for clients and for the signals that end [`Server::run`]; nobody is served yet.
    pub fn bind(host: &str, port: u16) -> io::Result<Self> {
        let address = (host, port).to_socket_addrs()?.next();
        let address = address.ok_or_else(|| io::Error::other("there is no such host"))?;
        let mut listener = TcpListener::bind(address)?;
        let poll = Poll::new()?;
        poll.registry()
            .register(&mut listener, ARRIVALS, Interest::READABLE)?;
        let (stop, signalled) = std::os::unix::net::UnixStream::pair()?;
        for signal in [SIGTERM, SIGINT] {
            pipe::register(signal, signalled.try_clone()?)?;
        }
        stop.set_nonblocking(true)?;
        let mut stop = UnixStream::from_std(stop);
        poll.registry()
            .register(&mut stop, STOP, Interest::READABLE)?;
        Ok(Self {
            poll,
            _stop: stop,
            listener,
            arriving: true,
            clients: Slab::new(),
            due: Vec::new(),
        })
    }

    /// Serves until it is stopped; connections then end between two rounds.
    pub fn run(mut self, engine: &mut Engine) -> io::Result<()> {
        let mut events = Events::with_capacity(EVENTS);
        let mut round = Vec::new();
        let patience = Duration::from_secs(engine.flags.client_patience_secs);
        let look_interval = (patience / 4).min(LONGEST_LOOK_INTERVAL);
        let mut next_look = Instant::now() + look_interval;
        // One sync of the log serves all that wait for it.
        let syncs = |log: &Log| log.policy() == FsyncPolicy::Always;
        let group_size = if engine.log.as_ref().is_some_and(syncs) {
            usize::MAX
        } else {
            GROUP
        };
        loop {
            let now = Instant::now();
            if now >= next_look {
                self.end_stalled(now, patience);
                next_look = now + look_interval;
            }
            let pause = if self.arriving {
                ACCEPT_PAUSE
            } else {
                next_look - now
            };
            let timeout = if self.due.is_empty() {
                pause
            } else {
                Duration::ZERO
            };
            match self.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                outcome => outcome?,
            }
            for event in &events {
                match event.token() {
                    STOP => return Ok(()),
                    ARRIVALS => self.arriving = true,
                    Token(index) => self.note(index, event),
                }
            }
            if self.arriving {
                self.accept();
            }
            std::mem::swap(&mut round, &mut self.due);
            for group in round.chunks(group_size) {
                self.serve(engine, group);
            }
            round.clear();
        }
    }

    /// Takes in new connections until there are no more, or none can be taken in for now.
    fn accept(&mut self) {
        loop {
            match self.listener.accept() {
                Ok((mut stream, _)) => {
                    let place = self.clients.vacant_entry();
                    if register(self.poll.registry(), &mut stream, place.key()).is_ok() {
                        place.insert(Box::new(Client {
                            connection: Connection::new(stream),
                            listed: false,
                        }));
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.arriving = false;
                    return;
                }
                Err(error) => {
                    tell(&format!("cannot accept a client: {error}"));
                    return;
                }
            }
        }
    }

    /// Ends the connections whose clients have kept a command or a reply half-way for too long. Those
    /// that are listed wait for this server, not for their clients.
    fn end_stalled(&mut self, now: Instant, patience: Duration) {
        self.clients.retain(|_, client| {
            let stalled = !client.listed && client.connection.has_stalled(now, patience);
            if stalled {
                client.connection.give_up();
            }
            !stalled
        });
    }

    /// Notes what the kernel says of a connection.
    fn note(&mut self, index: usize, event: &Event) {
        let Some(client) = self.clients.get_mut(index) else {
            return;
        };
        client.connection.note(event);
        if !client.listed {
            client.listed = true;
            self.due.push(index);
        }
    }

    /// Serves a group of listed clients: reads all, executes all, logs all, answers all.
    fn serve(&mut self, engine: &mut Engine, group: &[usize]) {
        engine.begin();
        self.each(group, Connection::receive);
        self.each(group, |connection| connection.execute(engine));
        if !engine.commit() {
            self.each(group, |connection| connection.execute_again(engine));
        }
        for &index in group {
            let Some(client) = self.clients.get_mut(index) else {
                continue;
            };
            match client.connection.send() {
                After::Wait => client.listed = false,
                After::Again => self.due.push(index),
                After::Close => drop(self.clients.remove(index)),
            }
        }
    }

    fn each(&mut self, group: &[usize], mut step: impl FnMut(&mut Connection)) {
        for &index in group {
            if let Some(client) = self.clients.get_mut(index) {
                step(&mut client.connection);
            }
        }
    }
}

fn register(registry: &Registry, stream: &mut mio::net::TcpStream, index: usize) -> io::Result<()> {
    stream.set_nodelay(true)?;
    registry.register(
        stream,
        Token(index),
        Interest::READABLE | Interest::WRITABLE,
    )
}
