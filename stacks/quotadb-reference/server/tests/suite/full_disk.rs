//! A log that cannot grow, by a limit on the size of files, which anyone can set. That a full file system
//! is the same to it, the fault of the suite tries: `full-disk.test.js`.

use crate::client::{Reply, encode, ok};
use crate::counter::Counter;
use crate::process::{POLICIES, Server, command, free_port, persistence, wait_until};
use std::fs;
use std::path::Path;
use std::process::Command;

const LIMIT_BYTES: u64 = 96 << 10;
const CLIENTS: usize = 4;

/// A server whose files cannot grow beyond [`LIMIT_BYTES`]: a write that would is an error.
fn limited(dir: &Path, fsync: &str) -> Server {
    let port = free_port();
    let server = command(port, &persistence(dir, fsync));
    let mut shell = Command::new("sh");
    // The signal of the limit would end it.
    shell.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    shell.arg(server.get_program()).args(server.get_args());
    let server = Server::spawn(port, &mut shell);
    set_limit(&server, &LIMIT_BYTES.to_string());
    server
}

/// `bytes`: a number, or `unlimited`.
fn set_limit(server: &Server, bytes: &str) {
    let (id, limit) = (server.id().to_string(), format!("--fsize={bytes}:"));
    let set = Command::new("prlimit")
        .args(["--pid", &id, &limit])
        .status();
    assert!(set.unwrap().success());
}

/// Counts until the server refuses; gives its words.
fn until_refused(counter: &mut Counter) -> String {
    loop {
        if let Some(message) = counter.count().unwrap() {
            return message;
        }
    }
}

fn goes_on(counter: &mut Counter) -> bool {
    let refusal = counter.count().unwrap();
    let message = refusal.as_deref().unwrap_or("MISCONF ");
    assert!(message.starts_with("MISCONF "), "{message}");
    refusal.is_none()
}

/// Writes from several connections until all are refused, and what holds then.
fn fill(server: &Server, reason: &str) -> Vec<Counter> {
    let mut counters: Vec<Counter> = (0..CLIENTS).map(|i| Counter::new(server, i)).collect();
    // Once each, first: one of them alone may fill the log before another's thread has run.
    for counter in &mut counters {
        assert!(goes_on(counter));
    }
    std::thread::scope(|scope| {
        for counter in &mut counters {
            scope.spawn(|| {
                let refusal = until_refused(counter);
                let wanted = "MISCONF Errors writing to the AOF file: ";
                assert!(refusal.starts_with(wanted), "{refusal}");
                assert!(refusal.contains(reason), "{refusal}");
            });
        }
    });
    let acknowledged: i64 = counters.iter().map(|counter| counter.acknowledged).sum();
    assert!(acknowledged > CLIENTS as i64, "{acknowledged}");
    let mut client = server.client();
    for write in [
        "INCR n",
        "SET text x",
        "MSET text x",
        "DEL counter:0",
        "FLUSHALL",
    ] {
        let refusal = client.error(write);
        assert!(refusal.starts_with("MISCONF "), "{write}: {refusal}");
    }
    assert_eq!(client.integer("DBSIZE"), CLIENTS as i64);
    assert_eq!(client.call("PING"), Reply::Simple("PONG".into()));
    check(server, &counters);
    counters
}

fn check(server: &Server, counters: &[Counter]) {
    let mut client = server.client();
    for counter in counters {
        assert_eq!(client.value(&counter.key), counter.acknowledged);
    }
}

/// A server on this directory holds exactly what was acknowledged, and cut nothing off the log.
fn check_after_restart(dir: &Path, counters: &[Counter]) {
    let log = dir.join("counters.log");
    let length = fs::metadata(&log).unwrap().len();
    let server = Server::persistent(dir, "always");
    check(&server, counters);
    assert_eq!(server.client().integer("DBSIZE"), counters.len() as i64);
    assert_eq!(fs::metadata(&log).unwrap().len(), length);
}

#[test]
fn what_the_log_cannot_take_is_refused_and_not_there_after_a_kill() {
    for fsync in POLICIES {
        let dir = tempfile::tempdir().unwrap();
        let server = limited(dir.path(), fsync);
        let counters = fill(&server, "File too large");
        server.kill();
        check_after_restart(dir.path(), &counters);
    }
}

#[test]
fn writes_go_on_when_there_is_room_again() {
    for fsync in POLICIES {
        let dir = tempfile::tempdir().unwrap();
        let server = limited(dir.path(), fsync);
        let mut counters = fill(&server, "File too large");
        for bytes in [(2 * LIMIT_BYTES).to_string(), "unlimited".into()] {
            set_limit(&server, &bytes);
            for counter in &mut counters {
                wait_until("it counts again", || goes_on(counter));
            }
            if bytes != "unlimited" {
                for counter in &mut counters {
                    until_refused(counter);
                }
            }
        }
        check(&server, &counters);
        server.kill();
        check_after_restart(dir.path(), &counters);
    }
}

#[test]
fn a_stop_while_the_disk_is_full_keeps_what_was_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let server = limited(dir.path(), "everysec");
    let counters = fill(&server, "File too large");
    assert_eq!(server.terminate().code(), Some(0));
    check_after_restart(dir.path(), &counters);
}

#[test]
fn only_replies_about_data_become_errors() {
    let dir = tempfile::tempdir().unwrap();
    let server = limited(dir.path(), "always");
    let mut client = server.client();
    assert_eq!(client.call("SET text kept"), ok());
    let commands: [&[&[u8]]; 5] = [
        &[b"PING"],
        &[b"INCR", b"n"],
        &[b"DBSIZE"],
        &[b"INCR", b"n"],
        &[b"GET", b"text"],
    ];
    let pipeline: Vec<u8> = commands.iter().flat_map(|args| encode(args)).collect();
    let (mut acknowledged, mut refused) = (0, 0);
    while refused == 0 {
        client.send(&pipeline).unwrap();
        for command in commands {
            match (command[0], client.reply().unwrap()) {
                (b"PING", reply) => assert_eq!(reply, Reply::Simple("PONG".into())),
                (b"DBSIZE", Reply::Integer(count)) => assert!(count <= 2),
                (b"INCR", Reply::Integer(value)) => {
                    acknowledged += 1;
                    assert_eq!(value, acknowledged);
                }
                (b"GET", Reply::Bulk(value)) => assert_eq!(value, b"kept"),
                (_, Reply::Error(message)) => {
                    assert!(message.starts_with("MISCONF "), "{message}");
                    refused += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    // From now on what only reads is answered beside what is refused.
    client.send(&pipeline).unwrap();
    let replies: Vec<Reply> = commands.map(|_| client.reply().unwrap()).into();
    assert!(matches!(replies[1], Reply::Error(_)), "{replies:?}");
    assert_eq!(replies[4], Reply::Bulk(b"kept".to_vec()));
    assert_eq!(client.value("n"), acknowledged);
}
