//! INFO.

use super::Call;
use crate::engine::Engine;
use crate::resp::reply;
use std::fmt::Write;
use std::sync::atomic::Ordering;

type Section = fn(&mut String, &Engine, &Numbers);

const SECTIONS: [(&str, Section); 7] = [
    ("Server", server),
    ("Clients", clients),
    ("Memory", memory),
    ("Persistence", persistence),
    ("Stats", stats),
    ("Replication", replication),
    ("Keyspace", keyspace),
];

/// What must be read under the store's lock.
struct Numbers {
    keys: usize,
    log_end: u64,
}

/// `INFO [section…]`, section names in any case; `all`, `everything` and `default` mean all.
pub fn info(call: &mut Call) {
    let store = call.store.get();
    let numbers = Numbers {
        keys: store.len(),
        log_end: store.journal.end(),
    };
    let everything = call.args.len() == 1
        || call.args.from(1).any(|name| {
            [b"all".as_slice(), b"everything", b"default"]
                .iter()
                .any(|word| name.eq_ignore_ascii_case(word))
        });
    let mut text = String::new();
    for (title, write_section) in SECTIONS {
        let asked = call
            .args
            .from(1)
            .any(|name| name.eq_ignore_ascii_case(title.as_bytes()));
        if everything || asked {
            if !text.is_empty() {
                text.push_str("\r\n");
            }
            let _ = write!(text, "# {title}\r\n");
            write_section(&mut text, call.engine, &numbers);
        }
    }
    reply::bulk(call.out, text.as_bytes());
}

fn line(text: &mut String, name: &str, value: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{name}:{value}\r\n");
}

fn server(text: &mut String, engine: &Engine, _: &Numbers) {
    line(text, "server_name", "quotadb");
    line(text, "origin", "reference");
    line(text, "quotadb_version", env!("CARGO_PKG_VERSION"));
    line(text, "process_id", std::process::id());
    line(text, "tcp_port", engine.flags.port);
    line(
        text,
        "uptime_in_seconds",
        engine.started.elapsed().as_secs(),
    );
    line(text, "node_id", &engine.identity.name);
}

fn clients(text: &mut String, engine: &Engine, _: &Numbers) {
    let connected = engine.counts.connected.load(Ordering::Relaxed);
    line(text, "connected_clients", connected);
    line(text, "maxclients", engine.flags.max_clients);
    line(text, "client_buffers_bytes", engine.buffers.taken());
}

/// Resident memory of the whole process: the allocator is not asked what it handed out.
fn memory(text: &mut String, _: &Engine, _: &Numbers) {
    if let Some(bytes) = resident_bytes() {
        line(text, "used_memory_rss", bytes);
    }
}

fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let resident = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kib: u64 = resident.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn persistence(text: &mut String, engine: &Engine, numbers: &Numbers) {
    line(text, "aof_enabled", u8::from(engine.log.is_some()));
    if let Some(log) = &engine.log {
        line(text, "appendfsync", log.policy().name());
        let status = if log.refuses() { "err" } else { "ok" };
        line(text, "aof_last_write_status", status);
        line(text, "log_bytes_since_start", numbers.log_end);
        line(text, "log_segment_bytes", log.segment_bytes());
    }
}

fn stats(text: &mut String, engine: &Engine, _: &Numbers) {
    let counts = &engine.counts;
    line(
        text,
        "total_connections_received",
        counts.connections.load(Ordering::Relaxed),
    );
    line(
        text,
        "total_commands_processed",
        counts.commands.load(Ordering::Relaxed),
    );
}

fn replication(text: &mut String, engine: &Engine, _: &Numbers) {
    line(text, "role", "master");
    line(text, "replication_port", engine.flags.replication_port);
    line(text, "peers", engine.cluster.peers.len());
    for (index, peer) in engine.cluster.peers.iter().enumerate() {
        line(text, &format!("peer{index}"), peer.describe());
    }
    line(text, "repaired_shards", engine.cluster.repaired_shards());
}

fn keyspace(text: &mut String, _: &Engine, numbers: &Numbers) {
    if numbers.keys > 0 {
        line(text, "db0", format_args!("keys={},expires=0", numbers.keys));
    }
}
