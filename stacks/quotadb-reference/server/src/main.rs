//! A small Redis-compatible server for counters, to measure the suite with.
//!
//! From the outside in: [`server`] is the event loop, [`connection`] parses what was read,
//! [`command`] executes it against the [`store`], and [`log`] makes it durable.
//!
//! Exit codes: 0 stopped by a signal, 1 the log failed, 2 it could not start.

mod command;
mod connection;
mod engine;
mod flags;
mod log;
mod number;
mod parser;
mod record;
mod reply;
mod server;
mod stderr;
mod store;

use clap::Parser as _;
use engine::{Counts, Engine};
use flags::{Flags, YesNo};
use log::Log;
use server::Server;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::process::ExitCode;
use std::time::Instant;
use stderr::tell;
use store::Store;

fn main() -> ExitCode {
    let (server, mut engine) = match start(Flags::parse()) {
        Ok(started) => started,
        Err(message) => {
            tell(&message);
            return ExitCode::from(2);
        }
    };
    let served = server
        .run(&mut engine)
        .map_err(|error| format!("cannot wait for clients: {error}"));
    let kept = engine.log.as_ref().map_or(Ok(()), Log::finish);
    match served.and(kept) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            tell(&message);
            ExitCode::from(1)
        }
    }
}

fn start(flags: Flags) -> Result<(Server, Engine), String> {
    let (bind, port) = (&flags.bind, flags.port);
    let mut store = Store::default();
    let log = match flags.appendonly {
        YesNo::Yes => Some(Log::open(&flags.dir, flags.appendfsync, &mut store)?),
        YesNo::No => None,
    };
    // The data first: whoever is let in is served. A second server is kept out by the log's lock.
    let server = Server::bind(bind, port)
        .map_err(|error| format!("cannot listen on {bind}:{port}: {error}"))?;
    stop_on_signals(&server).map_err(|error| format!("cannot handle signals: {error}"))?;
    tell(&format!("ready on {bind}:{port}, {} keys", store.len()));
    let engine = Engine {
        flags,
        store,
        log,
        refusal: None,
        started: Instant::now(),
        counts: Counts::default(),
        buffer_bytes: 0,
    };
    Ok((server, engine))
}

fn stop_on_signals(server: &Server) -> std::io::Result<()> {
    let stopper = server.stopper()?;
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let wait = move || {
        for _ in signals.forever() {
            if let Err(error) = stopper.wake() {
                tell(&format!("cannot stop: {error}"));
            }
        }
    };
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(wait)
        .map(drop)
}
