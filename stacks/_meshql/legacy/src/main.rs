//! Starts and stops the processor.
//!
//! Exit codes: 0 stopped by a signal, 2 it could not start.

use clap::Parser;
use meshql_legacy::flags::Flags;
use meshql_legacy::progress::Progress;
use meshql_legacy::{run, status};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

#[tokio::main]
async fn main() -> ExitCode {
    match start(&Flags::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("meshql-legacy: {message}");
            ExitCode::from(2)
        }
    }
}

async fn start(flags: &Flags) -> Result<(), String> {
    if flags.print_dead_letters {
        return run::print_dead_letters(flags).await;
    }
    let handler = |kind| signal(kind).map_err(|error| format!("cannot handle signals: {error}"));
    let mut terminate = handler(SignalKind::terminate())?;
    let mut interrupt = handler(SignalKind::interrupt())?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        let _ = stop.send(true);
        // The channel must outlive all that watches it.
        std::future::pending::<()>().await;
    });
    let address = format!("{}:{}", flags.bind, flags.port);
    let listener = TcpListener::bind(&address).await;
    let listener = listener.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let progress = Arc::new(Progress::default());
    tokio::spawn(status::serve(listener, Arc::clone(&progress)));
    eprintln!("meshql-legacy: status on {address}");
    run::run(flags, progress, stopped).await
}
