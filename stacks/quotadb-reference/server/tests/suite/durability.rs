//! What survives a kill, with real processes and files.

use crate::client::{Reply, ok};
use crate::counter::{Counter, PIPELINE};
use crate::process::{PATIENCE, POLICIES, Server, command, free_port, persistence};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const CLIENTS: usize = 8;

/// Counts on several connections until the server is killed in it.
fn count_until_killed(server: Server) -> Vec<Counter> {
    let mut counters: Vec<Counter> = (0..CLIENTS).map(|i| Counter::new(&server, i)).collect();
    for counter in &mut counters {
        assert_eq!(counter.count().unwrap(), None);
    }
    std::thread::scope(|scope| {
        for counter in &mut counters {
            scope.spawn(|| while counter.count().is_ok() {});
        }
        sleep(Duration::from_millis(150));
        server.kill();
    });
    counters
}

/// A killed process leaves its written data with the kernel; only a power failure could lose it.
#[test]
fn kill_9_loses_no_acknowledged_increment() {
    for fsync in POLICIES {
        let dir = tempfile::tempdir().unwrap();
        for _ in 0..3 {
            let counters = count_until_killed(Server::persistent(dir.path(), fsync));
            let server = Server::persistent(dir.path(), fsync);
            let mut client = server.client();
            for counter in counters {
                let in_doubt = client.value(&counter.key) - counter.acknowledged;
                assert!((0..=PIPELINE).contains(&in_doubt), "{in_doubt}");
            }
            server.kill();
        }
    }
}

#[test]
fn a_graceful_stop_keeps_everything() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::persistent(dir.path(), "no");
    let mut client = server.client();
    client.call("SET gone 1");
    client.call("FLUSHALL");
    client.call("SET text hello");
    client.call("INCRBY n 5");
    client.call("DEL n");
    client.call("INCRBY n 7");
    assert_eq!(server.terminate().code(), Some(0));
    let server = Server::persistent(dir.path(), "no");
    let mut client = server.client();
    assert_eq!(client.call("GET text"), Reply::Bulk(b"hello".to_vec()));
    assert_eq!(client.value("n"), 7);
    assert_eq!(client.integer("DBSIZE"), 2);
}

#[test]
fn a_torn_tail_is_cut_off_and_damage_in_the_middle_refused() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::persistent(dir.path(), "always");
    let mut client = server.client();
    for _ in 0..10 {
        client.integer("INCR n");
    }
    server.kill();
    let log = dir.path().join("counters.log");
    let mut bytes = fs::read(&log).unwrap();
    let whole = bytes.clone();
    bytes.truncate(bytes.len() - 3);
    fs::write(&log, &bytes).unwrap();
    let server = Server::persistent(dir.path(), "always");
    assert_eq!(server.client().value("n"), 9);
    server.kill();

    // The record's checksum, and its length, which says where the next one begins.
    for at in [4, 0] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&log, &damaged).unwrap();
        refuses_damage_at_its_first_byte(dir.path());
        assert_eq!(fs::read(&log).unwrap(), damaged, "it is left as it was");
    }
}

fn refuses_damage_at_its_first_byte(dir: &Path) {
    let message = refusal(dir);
    assert!(message.contains("byte 0 is damaged"), "{message}");
}

/// What a server says that does not start in this directory. It is not waited for without end.
fn refusal(dir: &Path) -> String {
    let mut child = command(free_port(), &persistence(dir, "always"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("it neither starts nor refuses to");
        }
        sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn what_is_no_file_in_the_place_of_the_log_is_refused_and_not_waited_for() {
    for make in [
        |path: &Path| {
            let made = Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        },
        |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        |path: &Path| fs::create_dir(path).unwrap(),
    ] {
        let dir = tempfile::tempdir().unwrap();
        make(&dir.path().join("counters.log"));
        let message = refusal(dir.path());
        assert!(message.contains("counters.log is no file"), "{message}");
    }
}

#[test]
fn a_log_that_is_gone_is_no_first_start() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::persistent(dir.path(), "always");
    assert_eq!(server.client().integer("INCR n"), 1);
    server.kill();
    let log = dir.path().join("counters.log");
    let copy = dir.path().join("copy");
    fs::rename(&log, &copy).unwrap();
    let message = refusal(dir.path());
    assert!(message.contains("counters.log is gone"), "{message}");
    assert!(!log.exists(), "nothing is begun in its place");

    fs::rename(&copy, &log).unwrap();
    let server = Server::persistent(dir.path(), "always");
    assert_eq!(server.client().value("n"), 1);
    server.kill();
    fs::remove_file(&log).unwrap();
    fs::remove_file(dir.path().join("counters.kept")).unwrap();
    let server = Server::persistent(dir.path(), "always");
    assert_eq!(server.client().integer("DBSIZE"), 0);
}

/// The end of a long log that is damaged is looked through before the server refuses to start.
#[test]
fn nobody_is_let_in_before_the_data_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::persistent(dir.path(), "no");
    server.client().integer("INCR n");
    server.kill();
    let log = dir.path().join("counters.log");
    let intact = fs::read(&log).unwrap();
    let between = vec![0xff; 64 << 20];
    fs::write(&log, [&intact[1..], &between, &intact].concat()).unwrap();
    let port = free_port();
    let mut child = command(port, &persistence(dir.path(), "no"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut let_in = 0;
    while child.try_wait().unwrap().is_none() {
        let_in += i32::from(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        sleep(Duration::from_millis(1));
    }
    assert_eq!(let_in, 0, "it was never going to serve them");
}

#[test]
fn two_servers_cannot_share_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::persistent(dir.path(), "no");
    assert_eq!(server.client().call("SET k v"), ok());
    let message = refusal(dir.path());
    assert!(message.contains("another server"), "{message}");
}
