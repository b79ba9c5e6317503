//! Starts and stops the server.
//!
//! Exit codes: 0 stopped by a signal, 1 the log failed, 2 it could not start.

use clap::Parser;
use quotadb::engine::{Buffers, Counts, Engine};
use quotadb::flags::{Flags, LogLevel};
use quotadb::identity::{DirLock, Identity, random_u64};
use quotadb::io_threads::IoThreads;
use quotadb::log::writer::LogWriter;
use quotadb::log::{die, recovery, snapshot};
use quotadb::replication::cluster::{self, Cluster};
use quotadb::replication::{receiver, sender};
use quotadb::server;
use quotadb::store::{Membership, Store};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

/// The runtime of [`run`] accepts clients and talks to peers; clients are served elsewhere.
const RUNTIME_THREADS: usize = 2;
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let flags = Flags::parse();
    start_logging(flags.log_level);
    match run(flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            tracing::error!("{message}");
            ExitCode::from(2)
        }
    }
}

/// The whole life of the process; an error means that it could not start.
fn run(flags: Flags) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(RUNTIME_THREADS)
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start the runtime: {error}"))?;
    // Ports first: a second server must not touch the first one's directory.
    let clients = listen(&runtime, &flags.bind, flags.port)?;
    let peers = match flags.replication_port {
        0 => None,
        port => Some(listen(&runtime, &flags.bind, port)?),
    };
    let (identity, _lock) = open_identity(&flags)?;
    let engine = open_engine(flags, identity)?;
    let threads = IoThreads::start(engine.flags.io_thread_count(), &engine)
        .map_err(|error| format!("cannot start the threads that serve clients: {error}"))?;
    runtime.block_on(serve(&engine, &threads, clients, peers));
    // What connections executed is journaled, and written when all of them have ended.
    threads.stop();
    runtime.shutdown_timeout(SHUTDOWN_PATIENCE);
    finish(&engine);
    Ok(())
}

fn listen(runtime: &Runtime, host: &str, port: u16) -> Result<TcpListener, String> {
    runtime
        .block_on(TcpListener::bind((host, port)))
        .map_err(|error| format!("cannot listen on {host}:{port}: {error}"))
}

fn open_identity(flags: &Flags) -> Result<(Identity, Option<DirLock>), String> {
    let name = flags.node_id.as_deref();
    let clustered = flags.replicated();
    if !flags.persistent() {
        return Identity::fresh(name, clustered)
            .map(|identity| (identity, None))
            .map_err(|error| format!("cannot draw a node identity: {error}"));
    }
    Identity::open(&flags.dir, name, clustered)
        .map(|(identity, lock)| (identity, Some(lock)))
        .map_err(|error| format!("cannot use data directory {}: {error}", flags.dir.display()))
}

/// Loads the data and starts the log.
fn open_engine(flags: Flags, identity: Identity) -> Result<Arc<Engine>, String> {
    let mut store = Store::new(Membership {
        actor: identity.actor,
        keep_tombstones: identity.clustered,
        collect_changes: !flags.peers.is_empty(),
    });
    let mut next_log = 0;
    if flags.persistent() {
        let recovered =
            recovery::recover(&flags.dir, &mut store).map_err(|error| error.to_string())?;
        tracing::info!("read {} records, {} keys", recovered.records, store.len());
        next_log = recovered.next_log;
        store.journal.enable();
    }
    let store = Arc::new(Mutex::new(store));
    let log = flags
        .persistent()
        .then(|| start_log(&flags, next_log, &store))
        .transpose()
        .map_err(|error| format!("cannot start the log in {}: {error}", flags.dir.display()))?;
    let session = random_u64().map_err(|error| format!("cannot draw a session id: {error}"))?;
    let buffers = usize::try_from(flags.client_buffers_mib << 20).unwrap_or(usize::MAX);
    Ok(Arc::new(Engine {
        buffers: Arc::new(Buffers::new(buffers)),
        cluster: Arc::new(Cluster::new(session, &flags.peers)),
        flags,
        identity,
        store,
        log,
        started: Instant::now(),
        counts: Counts::default(),
    }))
}

fn start_log(
    flags: &Flags,
    number: u64,
    store: &Arc<Mutex<Store>>,
) -> std::io::Result<Arc<LogWriter>> {
    let log = LogWriter::start(&flags.dir, number, flags.appendfsync, Arc::clone(store))?;
    let interval = Duration::from_secs(flags.snapshot_interval_secs);
    snapshot::start(&flags.dir, interval, Arc::clone(store), Arc::clone(&log))?;
    Ok(log)
}

/// Serves until SIGTERM or SIGINT.
async fn serve(
    engine: &Arc<Engine>,
    threads: &IoThreads,
    clients: TcpListener,
    peers: Option<TcpListener>,
) {
    // Handlers first, so that a signal right after "ready" is not fatal.
    let (mut terminate, mut interrupt) = match (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) {
        (Ok(terminate), Ok(interrupt)) => (terminate, interrupt),
        (Err(error), _) | (_, Err(error)) => die("handle signals", &error),
    };
    start_replication(engine, peers);
    tracing::info!(
        "node {} ready on {}:{}",
        engine.identity.name,
        engine.flags.bind,
        engine.flags.port
    );
    tokio::select! {
        () = server::accept(&clients, threads, engine) => {}
        _ = terminate.recv() => tracing::info!("stopping on SIGTERM"),
        _ = interrupt.recv() => tracing::info!("stopping on SIGINT"),
    }
}

fn start_replication(engine: &Arc<Engine>, peers: Option<TcpListener>) {
    if !engine.flags.replicated() {
        return;
    }
    tokio::spawn(cluster::count_rounds(Arc::clone(engine)));
    tokio::spawn(cluster::collect_changes(Arc::clone(engine)));
    if let Some(listener) = peers {
        tokio::spawn(receiver::serve(listener, Arc::clone(engine)));
    }
    for peer in &engine.cluster.peers {
        tokio::spawn(sender::run(Arc::clone(engine), Arc::clone(peer)));
    }
}

/// Puts everything on disk and notes that this was a graceful stop.
fn finish(engine: &Engine) {
    let Some(log) = &engine.log else {
        return;
    };
    if let Err(failure) = log.finish() {
        tracing::error!("{failure}");
        std::process::exit(1);
    }
    // Without the note the next start draws a new actor id, as after a crash.
    if let Err(error) = engine.identity.save_graceful(&engine.flags.dir) {
        tracing::warn!("cannot note that this is a graceful stop: {error}");
    }
}

fn start_logging(level: LogLevel) {
    let level = match level {
        LogLevel::Error => tracing::Level::ERROR,
        LogLevel::Warn => tracing::Level::WARN,
        LogLevel::Info => tracing::Level::INFO,
        LogLevel::Debug => tracing::Level::DEBUG,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .with_ansi(false)
        // It would panic where standard error cannot be written: a full disk must not end the process.
        .log_internal_errors(false)
        .with_writer(std::io::stderr)
        .init();
}
