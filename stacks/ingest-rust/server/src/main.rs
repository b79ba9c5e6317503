//! Event-ingest server: axum and tokio in front, one thread that owns SQLite behind. The contract is `openapi.yaml`.

mod bare_insert;
mod body;
mod checkpoint;
mod connection;
mod database;
mod event;
#[cfg(test)]
mod fuzz;
mod http;
mod impatient;
#[cfg(test)]
mod inputs;
mod json;
mod limits;
mod memory;
mod output;
mod parameters;
mod plain;
mod problem;
mod reader;
mod settings;
mod store;
mod stream;
mod timestamp;
mod writer;

use output::{complain, say};
use settings::Settings;
use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// Of an orderly stop, before connections are cut.
const GRACE: Duration = Duration::from_secs(4);
/// Threads for reads; each also bounds a connection to the store.
const READERS: usize = 4;

fn main() -> ExitCode {
    let settings = match settings::read(std::env::args().skip(1), |name| std::env::var(name).ok()) {
        Ok(settings) => settings,
        Err(message) => {
            complain(format_args!("ingest-rust: {message}"));
            return ExitCode::from(2);
        }
    };
    if settings.version {
        say(concat!("ingest-rust ", env!("CARGO_PKG_VERSION")));
        return ExitCode::SUCCESS;
    }
    match run(&settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format_args!("ingest-rust: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(settings: &Settings) -> Result<(), Box<dyn Error>> {
    database::configure();
    if let Some(bare) = &settings.bare_insert {
        let line = bare_insert::run(&settings.data, settings.synchronous, bare)?;
        say(line);
        return Ok(());
    }
    let _held = database::hold(&settings.data)?;
    let path = database::file(&settings.data);
    let connection = database::open_writer(&path, settings.synchronous)?;
    let mut runtime = match settings.threads {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = runtime
        .worker_threads(settings.threads)
        .max_blocking_threads(READERS)
        .enable_all()
        .build()?;
    let hub = Arc::new(stream::Hub::default());
    let (writer, thread) = writer::start(connection, hub.clone())?;
    let service = http::Service {
        writer,
        readers: Arc::new(reader::Readers::new(path)),
        hub,
        synchronous: settings.synchronous,
        patience: Duration::from_secs(settings.patience_sec as u64),
        memory: memory::Memory::new(settings.buffers_mib << 20),
    };
    runtime.block_on(serve(settings, service))?;
    // Ends what is left of cut connections, and with them the last hold on the writer: it stores what is queued.
    drop(runtime);
    let totals = thread.join().map_err(|_| "the writer failed")??;
    say(format_args!(
        r#"{{"events":{},"transactions":{}}}"#,
        totals.events, totals.transactions
    ));
    Ok(())
}

async fn serve(settings: &Settings, service: http::Service) -> std::io::Result<()> {
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let address = SocketAddr::new(settings.host, settings.port);
    let listener = listen(address)?;
    say(format_args!(
        "listening on http://{}, synchronous={}",
        listener.local_addr()?,
        settings.synchronous
    ));
    let hub = service.hub.clone();
    let (stopped, cut) = tokio::sync::oneshot::channel();
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        hub.close();
        let _ = stopped.send(());
    };
    let patience = service.patience;
    let late = async {
        let _ = cut.await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = connection::serve(listener, http::router(service), patience, stop) => {}
        () = late => {}
    }
    Ok(())
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => tokio::net::TcpSocket::new_v4()?,
        SocketAddr::V6(_) => tokio::net::TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(4096)
}
