//! Starts and stops the server.
//!
//! Exit codes: 0 stopped by a signal, 1 the storage failed, 2 it could not start.

use clap::Parser;
use meshql_server::flags::Flags;
use meshql_server::serve;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

/// Threads for queries that block: more than cores and pooled connections bring nothing.
const BLOCKING_THREADS: usize = 16;

fn main() -> ExitCode {
    let flags = Flags::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build();
    let ran = runtime.map_err(|error| format!("cannot start the runtime: {error}"));
    match ran.and_then(|runtime| runtime.block_on(run(&flags))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("meshql-server: {message}");
            ExitCode::from(2)
        }
    }
}

async fn run(flags: &Flags) -> Result<(), String> {
    if flags.drop_databases {
        return serve::clear(flags).await;
    }
    // Handlers first, so that a signal right after "ready" is not fatal.
    let handler = |kind| signal(kind).map_err(|error| format!("cannot handle signals: {error}"));
    let mut terminate = handler(SignalKind::terminate())?;
    let mut interrupt = handler(SignalKind::interrupt())?;
    let running = serve::start(flags).await?;
    eprintln!("meshql-server: ready on {}:{}", flags.bind, running.port);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    running.stop().await;
    Ok(())
}
