//! A log that cannot grow: by a limit on the size of files, which anyone can set, and on a file system
//! that is full, where this user may mount one.

use crate::client::{Client, Reply, encode, ok};
use crate::process::{Server, command, free_port, wait_until};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const POLICIES: [&str; 3] = ["always", "everysec", "no"];
const LIMIT_BYTES: u64 = 96 << 10;
const CLIENTS: usize = 4;
const PIPELINE: usize = 8;

fn persistence<'a>(dir: &'a Path, fsync: &'a str) -> [&'a str; 6] {
    let dir = dir.to_str().unwrap();
    ["--dir", dir, "--appendonly", "yes", "--appendfsync", fsync]
}

/// A server whose files cannot grow beyond [`LIMIT_BYTES`]: a write that would is an error.
fn limited(dir: &Path, fsync: &str) -> Server {
    let port = free_port();
    let mut command = command(port, &persistence(dir, fsync));
    // SAFETY: `signal` may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            Ok(())
        });
    }
    let server = Server::spawn(port, command);
    set_limit(&server, LIMIT_BYTES);
    server
}

fn set_limit(server: &Server, bytes: u64) {
    let id = libc::pid_t::try_from(server.id()).unwrap();
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: both pointers are null or to a `rlimit` that lives.
    let outcome = unsafe {
        libc::prlimit(id, libc::RLIMIT_FSIZE, std::ptr::null(), &raw mut limit);
        limit.rlim_cur = bytes.min(limit.rlim_max);
        libc::prlimit(
            id,
            libc::RLIMIT_FSIZE,
            &raw const limit,
            std::ptr::null_mut(),
        )
    };
    assert_eq!(outcome, 0, "{}", std::io::Error::last_os_error());
}

/// A client that counts on a key of its own and knows what was acknowledged.
struct Counter {
    client: Client,
    key: String,
    acknowledged: i64,
}

impl Counter {
    fn new(server: &Server, index: usize) -> Self {
        Self {
            client: server.client(),
            key: format!("counter:{index}"),
            acknowledged: 0,
        }
    }

    /// Counts in pipelines until the server refuses; gives its words. Each acknowledged value is one
    /// more than the one before: nothing counts on what was refused.
    fn until_refused(&mut self) -> String {
        let pipeline = encode(&[b"INCR", self.key.as_bytes()]).repeat(PIPELINE);
        loop {
            self.client.send(&pipeline).unwrap();
            let mut refusal = None;
            for _ in 0..PIPELINE {
                match self.client.reply().unwrap() {
                    Reply::Integer(value) => {
                        assert_eq!(value, self.acknowledged + 1);
                        self.acknowledged = value;
                    }
                    Reply::Error(message) => refusal = Some(message),
                    other => panic!("{other:?}"),
                }
            }
            if let Some(message) = refusal {
                return message;
            }
        }
    }

    fn goes_on(&mut self) -> bool {
        match self.client.call(&format!("INCR {}", self.key)) {
            Reply::Integer(value) => {
                assert_eq!(value, self.acknowledged + 1);
                self.acknowledged = value;
                true
            }
            Reply::Error(message) => {
                assert!(message.starts_with("MISCONF "), "{message}");
                false
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Writes from several connections until all are refused, and what holds then.
fn fill(server: &Server, reason: &str) -> Vec<Counter> {
    let mut counters: Vec<Counter> = (0..CLIENTS).map(|i| Counter::new(server, i)).collect();
    // Once each, first: one of them alone may fill the log before another's thread has run.
    for counter in &mut counters {
        assert!(counter.goes_on());
    }
    std::thread::scope(|scope| {
        for counter in &mut counters {
            scope.spawn(|| {
                let refusal = counter.until_refused();
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
    assert_eq!(write_status(&mut client), "err");
    check(server, &counters);
    counters
}

/// What `INFO` says of the log.
fn write_status(client: &mut Client) -> String {
    let Reply::Bulk(info) = client.call("INFO persistence") else {
        panic!("no INFO")
    };
    let info = String::from_utf8(info).unwrap();
    let status = info
        .lines()
        .find_map(|line| line.strip_prefix("aof_last_write_status:"));
    status.unwrap().into()
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
    let server = Server::persistent(dir, "always", &[]);
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
        for bytes in [2 * LIMIT_BYTES, libc::RLIM_INFINITY] {
            set_limit(&server, bytes);
            for counter in &mut counters {
                wait_until("it counts again", || counter.goes_on());
            }
            if bytes != libc::RLIM_INFINITY {
                for counter in &mut counters {
                    counter.until_refused();
                }
            }
        }
        check(&server, &counters);
        assert_eq!(write_status(&mut server.client()), "ok");
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
        &[b"ECHO", b"between"],
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
                (b"ECHO", reply) => assert_eq!(reply, Reply::Bulk(b"between".to_vec())),
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

/// Options of unshare(1) with which this user may mount, if there are any.
fn may_mount() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    ways.into_iter().find(|way| {
        let mut command = Command::new("unshare");
        command
            .args(*way)
            .args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
        command.stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

#[test]
fn on_a_full_file_system_it_is_the_same() {
    let Some(unshare) = may_mount() else {
        eprintln!("not run: this user may not mount a file system");
        return;
    };
    for fsync in POLICIES {
        let dir = tempfile::tempdir().unwrap();
        let port = free_port();
        let server = command(port, &persistence(dir.path(), fsync));
        let script = "mount -t tmpfs -o size=512k tmpfs \"$1\" && head -c 300000 /dev/zero >\"$1/other\" && exec 2>\"$1/stderr\" && shift && exec \"$@\"";
        let mut mounted = Command::new("unshare");
        mounted
            .args(unshare)
            .args(["sh", "-c", script, "sh"])
            .arg(dir.path())
            .arg(server.get_program())
            .args(server.get_args())
            .stdin(Stdio::null());
        let server = Server::spawn(port, mounted);
        let mut counters = fill(&server, "No space left on device");
        // The folder as the server sees it.
        let seen = PathBuf::from(format!(
            "/proc/{}/root{}",
            server.id(),
            dir.path().display()
        ));
        let copy = tempfile::tempdir().unwrap();
        for item in fs::read_dir(&seen).unwrap() {
            let item = item.unwrap();
            fs::copy(item.path(), copy.path().join(item.file_name())).unwrap();
        }
        check_after_restart(copy.path(), &counters);
        fs::remove_file(seen.join("other")).unwrap();
        for counter in &mut counters {
            wait_until("it counts again", || counter.goes_on());
        }
        check(&server, &counters);
    }
}
