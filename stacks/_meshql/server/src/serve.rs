//! Puts the parts together and serves until it is told to stop.

use crate::api::{Answers, App, Bodies, router};
use crate::connection::{self, Bounds};
use crate::descriptors;
use crate::entity::Model;
#[cfg(not(feature = "mongodb"))]
use crate::flags::WITHOUT_MONGODB;
use crate::flags::{Flags, StorageKind};
use crate::graph;
use crate::processor::{Processor, Progress};
use crate::storage::Storage;
use crate::storage::embedded::Embedded;
#[cfg(feature = "mongodb")]
use crate::storage::mongodb::{Mongo, drop_databases};
use crate::storage::sqlite::Sqlite;
use axum::Router;
use serde_json::json;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How long open requests may take after a stop was asked for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that is up.
pub struct Running {
    pub port: u16,
    storage: Arc<dyn Storage>,
    stop: watch::Sender<bool>,
    listening: JoinHandle<()>,
    processing: Option<JoinHandle<()>>,
    _lock: File,
}

/// Opens the storage and listens.
///
/// # Errors
/// Why it cannot start, in one line.
pub async fn start(flags: &Flags) -> Result<Running, String> {
    flags.check()?;
    let lock = lock_folder(&flags.data_dir)?;
    let model = if flags.legacy_keys {
        Model::load_with_legacy_keys()
    } else {
        Model::load()
    };
    let model = Arc::new(model?);
    let storage = open_storage(&model, flags).await?;
    // The data first: whoever is let in is served. A second server is kept out by the folder's lock.
    let address = format!("{}:{}", flags.bind, flags.port);
    let listener = TcpListener::bind(&address)
        .await
        .map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let port = listener
        .local_addr()
        .map_err(|error| error.to_string())?
        .port();
    let (stop, mut stopped) = watch::channel(false);
    let (app, progress) = assemble(&model, &storage, flags)?;
    let processing = if flags.no_processor {
        None
    } else {
        let events = storage.events();
        let processor = Processor::open(model, events, progress, app.clone(), &flags.data_dir)?;
        Some(tokio::spawn(processor.run(stopped.clone())))
    };
    let bounds = Bounds {
        connections: descriptors::for_connections(flags.connections)?,
        patience: flags.patience(),
    };
    let listening = tokio::spawn(connection::serve(listener, app, bounds, async move {
        let _ = stopped.wait_for(|stop| *stop).await;
    }));
    Ok(Running {
        port,
        storage,
        stop,
        listening,
        processing,
        _lock: lock,
    })
}

/// Empties the databases of the storage.
///
/// # Errors
/// Why it could not, in one line.
pub async fn clear(flags: &Flags) -> Result<(), String> {
    flags.check()?;
    #[cfg(feature = "mongodb")]
    {
        drop_databases(&flags.addresses()?).await
    }
    #[cfg(not(feature = "mongodb"))]
    {
        Err(WITHOUT_MONGODB.into())
    }
}

impl Running {
    /// Ends open requests, finishes the batch of the processor, and puts everything on the disk.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = tokio::time::timeout(PATIENCE, self.listening).await;
        if let Some(processing) = self.processing {
            let _ = tokio::time::timeout(PATIENCE, processing).await;
        }
        self.storage.close().await;
    }
}

fn assemble(
    model: &Arc<Model>,
    storage: &Arc<dyn Storage>,
    flags: &Flags,
) -> Result<(Router, Arc<Progress>), String> {
    let progress = Arc::new(Progress::default());
    let app = App {
        model: Arc::clone(model),
        storage: Arc::clone(storage),
        schemas: graph::schemas(model, storage)?,
        progress: Arc::clone(&progress),
        bodies: Bodies::new(flags.body_memory_mib << 20, flags.patience()),
        answers: Answers::new(flags.answer_memory_mib << 20),
        description: json!({
            "storage": flags.storage.name(),
            "durability": flags.durability.name(),
        }),
    };
    Ok((router(Arc::new(app)), progress))
}

async fn open_storage(model: &Arc<Model>, flags: &Flags) -> Result<Arc<dyn Storage>, String> {
    let (dir, durability) = (&flags.data_dir, flags.durability);
    Ok(match flags.storage {
        StorageKind::Embedded => Arc::new(Embedded::open(model, dir, durability)?),
        StorageKind::Sqlite => Arc::new(Sqlite::open(model, dir, durability)?),
        #[cfg(feature = "mongodb")]
        StorageKind::Mongodb => {
            Arc::new(Mongo::open(model, &flags.addresses()?, dir, durability).await?)
        }
        #[cfg(not(feature = "mongodb"))]
        StorageKind::Mongodb => return Err(WITHOUT_MONGODB.into()),
    })
}

/// Held as long as the server runs, so that two servers never share a folder.
pub(crate) fn lock_folder(dir: &Path) -> Result<File, String> {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", dir.display());
    fs::create_dir_all(dir).map_err(|error| fail(&error))?;
    let path = dir.join("lock");
    // A pipe would be waited for without end.
    if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        return Err(fail(&"\"lock\" is no file"));
    }
    let lock = File::create(path).map_err(|error| fail(&error))?;
    lock.try_lock()
        .map_err(|_| fail(&"another server uses this folder"))?;
    Ok(lock)
}
