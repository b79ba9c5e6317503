//! The real server in a folder of its own, and a client for it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A database below is slow where other tests run beside it.
const PATIENCE: Duration = Duration::from_secs(180);

/// A process that is gone when the test ends, however it ends.
pub struct Server {
    child: Child,
    port: u16,
    agent: ureq::Agent,
}

pub struct Answer {
    pub status: u16,
    pub body: Value,
    /// The body as it came.
    pub text: String,
    pub headers: ureq::http::HeaderMap,
}

impl Server {
    pub fn start(storage: &str, dir: &Path) -> Server {
        Server::start_with(storage, dir, &[])
    }

    pub fn start_with(storage: &str, dir: &Path, flags: &[&str]) -> Server {
        let mut command = command(storage, dir);
        command.args(flags);
        Server::run(command)
    }

    /// A server that [`Server::fill_disk`] does not end: without room a write is an error for it, and no signal.
    #[cfg(target_os = "linux")]
    pub fn start_on_a_small_disk(storage: &str, dir: &Path) -> Server {
        let server = command(storage, dir);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
            .arg(server.get_program())
            .args(server.get_args())
            .stderr(Stdio::piped());
        Server::run(shell)
    }

    fn run(mut command: Command) -> Server {
        let mut child = command.spawn().expect("the server starts");
        let errors = BufReader::new(child.stderr.take().expect("piped"));
        let port = follow(errors);
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .timeout_global(Some(Duration::from_secs(20)))
            .build();
        Server {
            child,
            port,
            agent: config.into(),
        }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn request(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        self.try_request(method, path, body).expect("an answer")
    }

    /// None when the connection fails.
    pub fn try_request(&self, method: &str, path: &str, body: Option<&str>) -> Option<Answer> {
        let uri = format!("http://127.0.0.1:{}{path}", self.port);
        let request = ureq::http::Request::builder().method(method).uri(uri);
        let request = request.body(body.unwrap_or_default().to_string());
        self.run_request(request.expect("a request"))
    }

    /// A POST whose answer may have these media types.
    pub fn post_accepting(&self, accept: &str, path: &str, body: &str) -> Answer {
        let uri = format!("http://127.0.0.1:{}{path}", self.port);
        let request = ureq::http::Request::post(uri).header("accept", accept);
        let request = request.body(body.to_string()).expect("a request");
        self.run_request(request).expect("an answer")
    }

    fn run_request(&self, request: ureq::http::Request<String>) -> Option<Answer> {
        let mut response = self.agent.run(request).ok()?;
        let text = response.body_mut().read_to_string().ok()?;
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text.clone()));
        let (head, ()) = response.map(|_| ()).into_parts();
        Some(Answer {
            status: head.status.as_u16(),
            body,
            text,
            headers: head.headers,
        })
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, None)
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path, Some(&body.to_string()))
    }

    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.request("PUT", path, Some(&body.to_string()))
    }

    /// Creates an entity; returns its id.
    pub fn create(&self, entity: &str, payload: Value) -> String {
        let answer = self.post(&format!("/{entity}/api"), &payload);
        assert_eq!(answer.status, 201, "{entity}: {}", answer.body);
        answer.body["id"].as_str().expect("an id").to_string()
    }

    pub fn graph(&self, entity: &str, query: &str) -> Value {
        let answer = self.post(&format!("/{entity}/graph"), &json!({"query": query}));
        assert_eq!(answer.status, 200);
        answer.body
    }

    /// The data of a query that must succeed.
    pub fn data(&self, entity: &str, query: &str) -> Value {
        let body = self.graph(entity, query);
        assert!(body.get("errors").is_none(), "{query}: {body}");
        body["data"].clone()
    }

    /// Waits until the projections contain every acknowledged event.
    pub fn settle(&self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.get("/ready").body["processor"]["lag"] != 0 {
            assert!(Instant::now() < deadline, "the projections never catch up");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// From now on no file takes a byte.
    #[cfg(target_os = "linux")]
    pub fn fill_disk(&self) {
        self.limit_files(Some(0));
    }

    #[cfg(target_os = "linux")]
    pub fn free_disk(&self) {
        self.limit_files(None);
    }

    #[cfg(target_os = "linux")]
    fn limit_files(&self, bytes: Option<u64>) {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let id = Pid::from_raw(self.child.id().try_into().expect("an id"));
        let limit = Rlimit {
            current: bytes,
            maximum: None,
        };
        prlimit(id, Resource::Fsize, limit).expect("a limit");
    }

    pub fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    /// SIGKILL while others still use the client.
    pub fn kill_now(&self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-KILL", &id])
            .status()
            .expect("kill runs");
        assert!(sent.success());
    }

    /// SIGKILL as soon as so many writes are acknowledged, or when nobody waits any longer. Writers end with the server, and
    /// a scope waits for its threads: who panics in it before it is killed waits for ever.
    pub fn kill_after(&self, writes: usize, acked: &AtomicUsize) {
        let start = Instant::now();
        while acked.load(Ordering::Relaxed) < writes && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.kill_now();
    }

    /// The exit code of a server that ends by itself.
    #[cfg(target_os = "linux")]
    pub fn wait(mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(ended) = self.child.try_wait().expect("a child") {
                return ended.code();
            }
            assert!(start.elapsed() < PATIENCE, "the server never ends");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// SIGTERM; returns the exit code.
    pub fn stop(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .expect("kill runs");
        assert!(sent.success());
        self.child.wait().expect("gone").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn command(storage: &str, dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshql-server"));
    command
        .args(["--storage", storage, "--port", "0", "--data-dir"])
        .arg(dir);
    if let (Ok(uri), "mongodb") = (std::env::var("MONGO_TEST_URI"), storage) {
        // By variables, so that flags of a test go before them.
        command
            .env("MONGO_URI", uri)
            .env("MONGO_PREFIX", prefix(dir));
    }
    command.stderr(Stdio::piped());
    command
}

/// Databases of its own for each folder.
pub fn prefix(dir: &Path) -> String {
    let name = dir.file_name().expect("a folder").to_string_lossy();
    name.trim_start_matches('.').to_lowercase()
}

/// The port from the line that says "ready"; later lines go to the test's output.
fn follow(mut errors: BufReader<std::process::ChildStderr>) -> u16 {
    let mut line = String::new();
    while errors.read_line(&mut line).expect("stderr") > 0 {
        if let Some((_, port)) = line.trim().rsplit_once("ready on 127.0.0.1:") {
            let port = port.parse().expect("a port");
            std::thread::spawn(move || {
                errors
                    .lines()
                    .map_while(Result::ok)
                    .for_each(|l| eprintln!("{l}"))
            });
            return port;
        }
        eprint!("{line}");
        line.clear();
    }
    panic!("the server did not start");
}

pub fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

/// An id that nothing has.
pub const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// A valid payload of each entity; foreign keys lead nowhere.
pub fn valid(entity: &str) -> Value {
    let mut payload = match entity {
        "farm" => json!({"name": "F", "farm_type": "megafarm", "zone": "north"}),
        "coop" => json!({"name": "C", "farm_id": NOBODY, "capacity": 10, "coop_type": "barn"}),
        "hen" => json!({"name": "H", "coop_id": NOBODY, "breed": "leghorn"}),
        "container" => {
            json!({"name": "B", "container_type": "fridge", "capacity": 10, "zone": "north"})
        }
        "consumer" => json!({"name": "P", "consumer_type": "bakery", "zone": "north"}),
        "lay_report" => json!({"hen_id": NOBODY, "coop_id": NOBODY, "farm_id": NOBODY, "eggs": 1}),
        "storage_deposit" => {
            json!({"container_id": NOBODY, "source_type": "farm", "source_id": NOBODY, "eggs": 1})
        }
        "storage_withdrawal" => json!({"container_id": NOBODY, "reason": "spoilage", "eggs": 1}),
        "container_transfer" => {
            json!({"source_container_id": NOBODY, "dest_container_id": NOBODY, "eggs": 1})
        }
        "consumption_report" => json!({"consumer_id": NOBODY, "container_id": NOBODY, "eggs": 1}),
        "container_inventory" => {
            json!({"container_id": NOBODY, "current_eggs": 0, "total_deposits": 0,
            "total_withdrawals": 0, "total_transfers_in": 0, "total_transfers_out": 0, "total_consumed": 0})
        }
        "hen_productivity" => json!({"hen_id": NOBODY, "farm_id": NOBODY, "eggs_today": 0,
            "eggs_week": 0, "eggs_month": 0, "avg_per_week": 0, "total_eggs": 0}),
        "farm_output" => {
            json!({"farm_id": NOBODY, "eggs_today": 0, "eggs_week": 0, "eggs_month": 0,
            "active_hens": 0, "total_hens": 0})
        }
        other => panic!("{other}"),
    };
    if EVENTS.contains(&entity) {
        payload["timestamp"] = "2026-01-01T00:00:00Z".into();
    }
    payload
}

pub const ENTITIES: [&str; 13] = [
    "farm",
    "coop",
    "hen",
    "container",
    "consumer",
    "lay_report",
    "storage_deposit",
    "storage_withdrawal",
    "container_transfer",
    "consumption_report",
    "container_inventory",
    "hen_productivity",
    "farm_output",
];

pub const EVENTS: [&str; 5] = [
    "lay_report",
    "storage_deposit",
    "storage_withdrawal",
    "container_transfer",
    "consumption_report",
];

/// A valid payload with some members changed.
pub fn with(entity: &str, changes: Value) -> Value {
    let mut payload = valid(entity);
    let members = changes.as_object().expect("an object").clone();
    payload.as_object_mut().expect("an object").extend(members);
    payload
}
