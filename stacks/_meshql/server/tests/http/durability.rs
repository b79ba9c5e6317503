use crate::harness::{Server, command, folder, valid, with};
use crate::on_each_storage;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

on_each_storage! {
    a_restart_changes_nothing
    a_kill_loses_no_acknowledged_write
    a_folder_has_one_server
}

mod torn {
    use super::a_torn_end_is_cut_off;
    crate::on_each_file_storage! { a_torn_end_is_cut_off }
}

/// All documents of some entities.
pub fn state(server: &Server) -> Vec<(String, BTreeSet<String>)> {
    let documents = |entity: &str| {
        let list = server.get(&format!("/{entity}/api")).body;
        let list = list
            .as_array()
            .expect("a list")
            .iter()
            .map(Value::to_string)
            .collect();
        (entity.to_string(), list)
    };
    [
        "farm",
        "coop",
        "lay_report",
        "hen_productivity",
        "farm_output",
    ]
    .map(documents)
    .into()
}

fn a_restart_changes_nothing(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    for n in 0..20 {
        let farm = server.create("farm", with("farm", json!({"name": format!("{n}")})));
        server.create(
            "lay_report",
            with("lay_report", json!({"farm_id": farm, "eggs": n})),
        );
        if n % 3 == 0 {
            server.put(
                &format!("/farm/api/{farm}"),
                &with("farm", json!({"owner": "Al"})),
            );
        }
        if n % 5 == 0 {
            server.request("DELETE", &format!("/farm/api/{farm}"), None);
        }
    }
    server.settle();
    let before = state(&server);
    assert_eq!(before[0].1.len(), 16);
    assert_eq!(server.stop(), Some(0), "a graceful stop");
    let server = Server::start(storage, dir.path());
    assert_eq!(state(&server), before);
    server.settle();
    assert_eq!(state(&server), before);
    server.kill();
    assert_eq!(state(&Server::start(storage, dir.path())), before);
}

/// Writers on eight connections; the server is killed under them, twice.
fn a_kill_loses_no_acknowledged_write(storage: &str) {
    let dir = folder();
    let acked = Mutex::new(Vec::new());
    for round in 1..=2 {
        let server = Server::start(storage, dir.path());
        let count = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| write_until_it_dies(&server, &acked, &count));
            }
            server.kill_after(300, &count);
        });
        drop(server);
        let server = Server::start(storage, dir.path());
        let acked = acked.lock().expect("a lock");
        let stored: BTreeSet<(String, String)> = server
            .get("/farm/api")
            .body
            .as_array()
            .expect("a list")
            .iter()
            .map(|farm| (text(&farm["id"]), text(&farm["name"])))
            .collect();
        let lost: Vec<_> = acked.iter().filter(|one| !stored.contains(one)).collect();
        assert!(
            lost.is_empty(),
            "round {round}: {} of {} lost",
            lost.len(),
            acked.len()
        );
        assert!(acked.len() >= 300 * round);
        assert!(
            stored.len() - acked.len() <= 8 * 2 * round,
            "no more than what was under way"
        );
    }
}

fn write_until_it_dies(server: &Server, acked: &Mutex<Vec<(String, String)>>, count: &AtomicUsize) {
    loop {
        let body = valid("farm").to_string();
        let Some(created) = server.try_request("POST", "/farm/api", Some(&body)) else {
            return;
        };
        let id = text(&created.body["id"]);
        let body = with("farm", json!({"name": "renamed"})).to_string();
        let renamed = server.try_request("PUT", &format!("/farm/api/{id}"), Some(&body));
        if renamed.is_none() {
            // Whether it was renamed is unknown.
            return;
        }
        acked
            .lock()
            .expect("a lock")
            .push((id, "renamed".to_string()));
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

/// The file that grows when a farm is written.
fn tail(storage: &str, dir: &Path) -> PathBuf {
    if storage == "sqlite" {
        return dir.join("actors.db-wal");
    }
    let logs = fs::read_dir(dir.join("actors")).expect("a folder");
    let newest = logs
        .map(|entry| entry.expect("an entry").path())
        .max()
        .expect("a segment");
    newest.join("offsets.idx")
}

fn a_torn_end_is_cut_off(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let ids: Vec<String> = (0..30)
        .map(|_| server.create("farm", valid("farm")))
        .collect();
    server.kill();
    let torn = tail(storage, dir.path());
    let mut garbage = [0; 53];
    fs::File::open(&torn)
        .expect("the tail")
        .read_exact(&mut garbage)
        .expect("bytes");
    let mut file = OpenOptions::new()
        .append(true)
        .open(&torn)
        .expect("the tail");
    file.write_all(&garbage).expect("written");
    drop(file);
    for round in 0..2 {
        let server = Server::start(storage, dir.path());
        let list = server.get("/farm/api").body;
        assert_eq!(
            list.as_array().map(Vec::len),
            Some(30 + round),
            "round {round}"
        );
        for id in &ids {
            assert_eq!(server.get(&format!("/farm/api/{id}")).status, 200);
        }
        server.create("farm", valid("farm"));
        server.kill();
    }
}

fn a_folder_has_one_server(storage: &str) {
    let dir = folder();
    let first = Server::start(storage, dir.path());
    let second = command(storage, dir.path()).output().expect("it runs");
    assert_eq!(second.status.code(), Some(2));
    let message = String::from_utf8_lossy(&second.stderr).to_string();
    assert!(
        message.contains("another server uses this folder"),
        "{message}"
    );
    assert_eq!(first.get("/ready").status, 200);
}

#[test]
fn a_pipe_in_the_place_of_the_lock_is_refused_and_not_waited_for() {
    let dir = folder();
    let made = Command::new("mkfifo").arg(dir.path().join("lock")).status();
    assert!(made.expect("it runs").success());
    let mut server = command("embedded", dir.path());
    let mut child = server.stderr(Stdio::piped()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(10);
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > deadline {
            child.kill().expect("killed");
            panic!("it waits for whoever opens the pipe");
        }
        thread::sleep(Duration::from_millis(10));
    }
    let refused = child.wait_with_output().expect("its output");
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr).to_string();
    assert!(message.contains("\"lock\" is no file"), "{message}");
}

/// Whoever connects while data are read would be let in and then cut off: so what is wrong with the data comes before what is
/// wrong with the port.
#[test]
fn the_data_are_read_before_the_port_is_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    for (storage, data) in [("embedded", "actors"), ("sqlite", "actors.db")] {
        let dir = folder();
        let started = || {
            let mut server = Command::new(env!("CARGO_BIN_EXE_meshql-server"));
            server.args(["--storage", storage, "--port", port.as_str(), "--data-dir"]);
            let ended = server.arg(dir.path()).output().expect("it runs");
            assert_eq!(ended.status.code(), Some(2), "{storage}");
            String::from_utf8_lossy(&ended.stderr).to_string()
        };
        let message = started();
        assert!(message.contains("cannot listen on"), "{storage}: {message}");
        let path = dir.path().join(data);
        if path.is_dir() {
            fs::remove_dir_all(&path).expect("removed");
            fs::write(&path, "no folder").expect("written");
        } else {
            fs::remove_file(&path).expect("removed");
            fs::create_dir(&path).expect("made");
        }
        let message = started();
        assert!(
            !message.contains("cannot listen on"),
            "{storage}: {message}"
        );
    }
}

#[test]
fn a_durability_that_the_storage_lacks_is_refused() {
    for (storage, durability) in [
        ("embedded", "kernel"),
        ("sqlite", "queued"),
        ("mongodb", "kernel"),
    ] {
        let dir = folder();
        let refused = command(storage, dir.path())
            .args(["--durability", durability])
            .output();
        let refused = refused.expect("it runs");
        assert_eq!(refused.status.code(), Some(2));
        let message = String::from_utf8_lossy(&refused.stderr).to_string();
        assert!(
            message.contains(&format!("--durability {durability}: ")),
            "{message}"
        );
    }
}

/// The weaker promises hold for a graceful stop; `kernel` holds for a kill too.
#[test]
fn weaker_durability_keeps_its_promise() {
    for (storage, durability) in [("embedded", "queued"), ("sqlite", "kernel")] {
        let dir = folder();
        let flags = ["--durability", durability];
        let server = Server::start_with(storage, dir.path(), &flags);
        for _ in 0..50 {
            server.create("farm", valid("farm"));
        }
        assert_eq!(server.get("/ready").body["durability"], durability);
        if durability == "kernel" {
            server.kill();
        } else {
            assert_eq!(server.stop(), Some(0));
        }
        let server = Server::start_with(storage, dir.path(), &flags);
        assert_eq!(
            server.get("/farm/api").body.as_array().map(Vec::len),
            Some(50)
        );
    }
}
