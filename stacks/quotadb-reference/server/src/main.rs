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
use engine::Engine;
use flags::Flags;
use log::Log;
use server::Server;
use std::process::ExitCode;
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
    let log = match flags.appendonly.as_str() {
        "yes" => Some(Log::open(&flags.dir, flags.appendfsync, &mut store)?),
        _ => None,
    };
    // The data first: whoever is let in is served. A second server is kept out by the log's lock.
    let server = Server::bind(bind, port)
        .map_err(|error| format!("cannot listen on {bind}:{port}: {error}"))?;
    tell(&format!("ready on {bind}:{port}, {} keys", store.len()));
    let engine = Engine {
        flags,
        store,
        log,
        refusal: None,
    };
    Ok((server, engine))
}
