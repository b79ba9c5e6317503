//! Server processes for tests.

use crate::client::Client;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub const POLICIES: [&str; 3] = ["always", "everysec", "no"];
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A running server, killed when dropped.
pub struct Server {
    pub port: u16,
    child: Child,
}

impl Server {
    /// Starts a server without persistence.
    pub fn in_memory() -> Self {
        Self::start(&[])
    }

    /// Starts a server that keeps its data in `dir`.
    pub fn persistent(dir: &Path, fsync: &str) -> Self {
        Self::start(&persistence(dir, fsync))
    }

    pub fn start(args: &[&str]) -> Self {
        let port = free_port();
        Self::spawn(port, &mut command(port, args))
    }

    /// Starts a [`command`] that was changed.
    pub fn spawn(port: u16, command: &mut Command) -> Self {
        let child = command.spawn().unwrap();
        let server = Self { port, child };
        wait_until("the server answers", || Client::try_connect(port).is_some());
        server
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn client(&self) -> Client {
        Client::connect(self.port)
    }

    /// SIGKILL: the process gets no chance to do anything.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, and the exit status.
    pub fn terminate(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(&pid).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Flags with which a server keeps its data in `dir`.
pub fn persistence<'a>(dir: &'a Path, fsync: &'a str) -> [&'a str; 6] {
    let dir = dir.to_str().unwrap();
    ["--dir", dir, "--appendonly", "yes", "--appendfsync", fsync]
}

pub fn command(port: u16, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotadb-reference"));
    command
        .args(["--port", &port.to_string()])
        .args(args)
        .stdin(Stdio::null());
    command
}

/// A free port that no other test of this process was given and that the system gives to nobody
/// who asks for any: tests that run beside one another would meet each other's servers.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = u16::try_from(std::process::id() % 40).unwrap() * 500;
    loop {
        let port = 10_000 + (first + NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "waited too long until {what}");
        sleep(Duration::from_millis(10));
    }
}
