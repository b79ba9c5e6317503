//! What only the tier with MongoDB has: addresses, a server that goes away, and the steps of a commit.

use crate::harness::{Server, command, folder, prefix, valid, with};
use mongodb::bson::{DateTime, Document, doc};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Write as _, copy};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Runs the server with flags that it must refuse; returns what it said.
fn refusal(flags: &[&str]) -> String {
    let dir = folder();
    let ended = command("mongodb", dir.path())
        .args(flags)
        .env_remove("MONGO_URI")
        .output()
        .expect("it runs");
    let message = String::from_utf8_lossy(&ended.stderr).trim().to_string();
    assert_eq!(ended.status.code(), Some(2), "{message}");
    message
}

#[test]
fn a_database_that_cannot_be_had_is_one_line() {
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port");
    let free = nobody.local_addr().expect("an address").port();
    drop(nobody);
    let uri = format!("mongodb://me:secret@127.0.0.1:{free}/?serverSelectionTimeoutMS=500");
    let cases = [
        (
            vec!["--mongo-uri", uri.as_str()],
            format!("MongoDB at 127.0.0.1:{free} (actors): the server cannot be reached"),
        ),
        (
            vec![],
            "--storage mongodb needs --mongo-uri, or --actors-uri for its actors".to_string(),
        ),
        (
            vec!["--mongo-uri", "mongo.example:1"],
            "MongoDB at mongo.example:1 (actors): ".to_string(),
        ),
    ];
    for (flags, expected) in cases {
        let message = refusal(&flags);
        let expected = format!("meshql-server: {expected}");
        assert!(message.starts_with(&expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
    let only = command("sqlite", folder().path())
        .arg("--drop-databases")
        .output()
        .expect("it runs");
    assert_eq!(only.status.code(), Some(2));
}

fn uri() -> String {
    std::env::var("MONGO_TEST_URI").expect("MONGO_TEST_URI")
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("after 1970").as_millis() as u64
}

/// Runs something on a database of a server under test.
fn with_database<T>(
    dir: &Path,
    group: &str,
    run: impl AsyncFnOnce(mongodb::Database) -> mongodb::error::Result<T>,
) -> T {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let name = format!("{}_{group}", prefix(dir));
    runtime
        .block_on(async {
            let client = mongodb::Client::with_uri_str(uri()).await?;
            run(client.database(&name)).await
        })
        .expect("an answer")
}

#[test]
#[ignore = "needs MONGO_TEST_URI: the tests of stacks/meshql-mongodb run it"]
fn each_group_has_a_database_with_an_index_for_every_query() {
    let dir = folder();
    let server = Server::start("mongodb", dir.path());
    server.create("farm", valid("farm"));
    let indexes = |group, collection: &'static str| {
        with_database(
            dir.path(),
            group,
            async move |database: mongodb::Database| {
                database
                    .collection::<Document>(collection)
                    .list_index_names()
                    .await
            },
        )
    };
    let of = |names: Vec<String>| names.into_iter().collect::<BTreeSet<_>>();
    let expected = |more: &[&str]| {
        let all = ["_id_", "id_supersededAt", "supersededAt_createdAt"];
        all.iter()
            .chain(more)
            .map(|name| name.to_string())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(
        of(indexes("actors", "farm")),
        expected(&["payload.zone_supersededAt"])
    );
    assert_eq!(
        of(indexes("events", "lay_report")),
        expected(&[
            "payload.hen_id_supersededAt",
            "payload.farm_id_supersededAt",
            "sequence"
        ])
    );
    assert_eq!(
        of(indexes("projections", "hen_productivity")),
        expected(&["payload.hen_id_supersededAt"])
    );
}

#[test]
#[ignore = "needs MONGO_TEST_URI: the tests of stacks/meshql-mongodb run it"]
fn the_groups_may_be_on_servers_of_their_own() {
    let dir = folder();
    let events = uri().replace("127.0.0.1", "localhost");
    let prefix = format!("{}b", prefix(dir.path()));
    let flags = ["--events-uri", &events, "--mongo-prefix", &prefix];
    let server = Server::start_with("mongodb", dir.path(), &flags);
    let hen = server.create("hen", valid("hen"));
    server.create(
        "lay_report",
        with("lay_report", json!({"hen_id": hen, "eggs": 7})),
    );
    server.settle();
    assert_eq!(server.get("/hen_productivity/api").body[0]["total_eggs"], 7);
}

#[test]
#[ignore = "needs MONGO_TEST_URI: the tests of stacks/meshql-mongodb run it"]
fn dropped_databases_are_empty() {
    let dir = folder();
    let server = Server::start("mongodb", dir.path());
    server.create("farm", valid("farm"));
    assert_eq!(server.stop(), Some(0));
    let dropped = command("mongodb", dir.path())
        .arg("--drop-databases")
        .output();
    assert_eq!(dropped.expect("it runs").status.code(), Some(0));
    let server = Server::start("mongodb", dir.path());
    assert_eq!(server.get("/farm/api").body, json!([]));
}

/// Between the two steps of a change a server may die: an earlier version is there, and is still the current one.
#[test]
#[ignore = "needs MONGO_TEST_URI: the tests of stacks/meshql-mongodb run it"]
fn a_change_that_stopped_half_way_changes_nothing() {
    let dir = folder();
    let server = Server::start("mongodb", dir.path());
    let id = server.create("farm", with("farm", json!({"name": "v1"})));
    std::thread::sleep(Duration::from_millis(5));
    let between = now_ms();
    std::thread::sleep(Duration::from_millis(5));
    let copied = id.clone();
    with_database(
        dir.path(),
        "actors",
        async move |database: mongodb::Database| {
            let farms = database.collection::<Document>("farm");
            let mut version = farms
                .find_one(doc! {"_id": &copied})
                .await?
                .expect("the farm");
            version.insert("_id", format!("{copied}/1"));
            version.insert("supersededAt", DateTime::from_millis(now_ms() as i64));
            farms.insert_one(version).await
        },
    );
    let names = |at: u64| {
        let query =
            format!("{{ getById(id: \"{id}\", at: {at}) {{ name }} getAll(at: {at}) {{ name }} }}");
        server.data("farm", &query)
    };
    let expected = json!({"getById": {"name": "v1"}, "getAll": [{"name": "v1"}]});
    assert_eq!(names(between), expected, "it counts once");
    assert_eq!(
        server.get("/farm/api").body.as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(
        server.get(&format!("/farm/api/{id}%2F1")).status,
        404,
        "a version is no entity"
    );
    let changed = server.put(
        &format!("/farm/api/{id}"),
        &with("farm", json!({"name": "v2"})),
    );
    assert_eq!(changed.status, 200);
    assert_eq!(names(between), expected);
    assert_eq!(names(now_ms() + 1)["getAll"], json!([{"name": "v2"}]));
}

#[test]
#[ignore = "needs MONGO_TEST_URI: the tests of stacks/meshql-mongodb run it"]
fn an_event_log_that_is_lost_is_made_again_from_the_database() {
    let dir = folder();
    let server = Server::start("mongodb", dir.path());
    let hen = server.create("hen", valid("hen"));
    let report = |eggs: u64| server_report(&hen, eggs);
    let mut changed = String::new();
    for eggs in 1..=600 {
        changed = server.create("lay_report", report(eggs));
    }
    // Events count as they were created.
    server.put(&format!("/lay_report/api/{changed}"), &report(1));
    server.settle();
    assert_eq!(server.stop(), Some(0));
    fs::remove_dir_all(dir.path().join("event-log")).expect("removed");
    fs::remove_file(dir.path().join("processor.offset")).expect("removed");
    let server = Server::start("mongodb", dir.path());
    server.create("lay_report", report(1000));
    server.settle();
    assert_eq!(server.get("/ready").body["processor"]["head"], 601);
    let sum: u64 = (1..=600).sum::<u64>() + 1000;
    assert_eq!(
        server.get("/hen_productivity/api").body[0]["total_eggs"],
        sum
    );
}

fn server_report(hen: &str, eggs: u64) -> Value {
    with("lay_report", json!({"hen_id": hen, "eggs": eggs}))
}

/// A way to the database that can be cut.
struct Way {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    cut: bool,
    streams: Vec<TcpStream>,
}

impl Way {
    fn to(target: String) -> Way {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut state = shared.lock().expect("a lock");
                let Ok(far) = TcpStream::connect(&target) else {
                    continue;
                };
                if state.cut {
                    continue;
                }
                for (mut from, mut to) in [
                    (
                        stream.try_clone().expect("a stream"),
                        far.try_clone().expect("a stream"),
                    ),
                    (
                        far.try_clone().expect("a stream"),
                        stream.try_clone().expect("a stream"),
                    ),
                ] {
                    std::thread::spawn(move || {
                        let _ = copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
                state.streams.extend([stream, far]);
            }
        });
        Way { port, state }
    }

    fn cut(&self) {
        let mut state = self.state.lock().expect("a lock");
        state.cut = true;
        for stream in state.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.state.lock().expect("a lock").cut = false;
    }
}

/// A client that leaves in the middle of a large query takes no connection to the database with it.
#[test]
#[ignore = "needs MONGO_TEST_URI: the tests of stacks/meshql-mongodb run it"]
fn clients_that_leave_hang_nobody() {
    let dir = folder();
    let server = Server::start_with("mongodb", dir.path(), &["--no-processor"]);
    for _ in 0..40 {
        let farm = server.create("farm", valid("farm"));
        for _ in 0..3 {
            let coop = server.create("coop", with("coop", json!({"farm_id": farm})));
            let hens: Vec<Value> = (0..3)
                .map(|_| with("hen", json!({"coop_id": coop})))
                .collect();
            assert_eq!(server.post("/hen/api/bulk", &json!(hens)).status, 201);
        }
    }
    let aliases: String = (0..490)
        .map(|n| format!("a{n}: getAll {{ id coops {{ hens {{ id }} }} }} "))
        .collect();
    let body = json!({"query": format!("{{ {aliases} }}")}).to_string();
    for _ in 0..4 {
        let clients: Vec<TcpStream> = (0..4)
            .map(|_| {
                let mut client =
                    TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
                write!(
                    client,
                    "POST /farm/graph HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                )
                .expect("sent");
                client
            })
            .collect();
        std::thread::sleep(Duration::from_millis(700));
        drop(clients);
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    let serves = || {
        let ready = server.try_request("GET", "/ready", None);
        let read = server.try_request("GET", "/farm/api", None);
        ready.is_some_and(|answer| answer.status == 200)
            && read.is_some_and(|answer| answer.status == 200)
    };
    while !serves() {
        assert!(Instant::now() < deadline, "it does not come back");
    }
    server.create("farm", valid("farm"));
}

/// Users create reports all the time while the way to the database is cut twice.
#[test]
#[ignore = "needs MONGO_TEST_URI: the tests of stacks/meshql-mongodb run it"]
fn a_database_that_goes_and_comes_back_loses_nothing() {
    let dir = folder();
    let target = uri()
        .trim_start_matches("mongodb://")
        .trim_end_matches('/')
        .to_string();
    let way = Way::to(target);
    let through = format!(
        "mongodb://127.0.0.1:{}/?serverSelectionTimeoutMS=500&heartbeatFrequencyMS=500",
        way.port
    );
    let prefix = format!("{}w", prefix(dir.path()));
    let flags = ["--mongo-uri", &through, "--mongo-prefix", &prefix];
    let server = Server::start_with("mongodb", dir.path(), &flags);
    let hen = server.create("hen", valid("hen"));
    let acked = Mutex::new(BTreeSet::new());
    let deadline = Instant::now() + Duration::from_secs(6);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while Instant::now() < deadline {
                    let answer = server.post("/lay_report/api", &server_report(&hen, 1));
                    match answer.status {
                        201 => {
                            let id = answer.body["id"].as_str().expect("an id").to_string();
                            acked.lock().expect("a lock").insert(id);
                        }
                        500 => std::thread::sleep(Duration::from_millis(50)),
                        other => panic!("status {other}: {}", answer.body),
                    }
                }
            });
        }
        for _ in 0..2 {
            std::thread::sleep(Duration::from_millis(1000));
            way.cut();
            std::thread::sleep(Duration::from_millis(1000));
            assert_eq!(server.get("/ready").status, 503);
            way.mend();
        }
    });
    let acked = acked.into_inner().expect("a lock");
    assert!(acked.len() > 20, "{} acknowledged", acked.len());
    refuses_at_once_what_it_cannot_send(&server, &way, &hen);
    assert_eq!(server.get("/ready").status, 200);
    server.settle();
    let stored: BTreeSet<String> = server
        .get("/lay_report/api")
        .body
        .as_array()
        .expect("a list")
        .iter()
        .map(|report| report["id"].as_str().expect("an id").to_string())
        .collect();
    assert!(acked.is_subset(&stored), "an acknowledged report is lost");
    let total = &server.get("/hen_productivity/api").body[0]["total_eggs"];
    assert_eq!(
        *total,
        json!(stored.len()),
        "the projections count what is stored"
    );
}

/// Once the driver knows that nobody is there.
fn refuses_at_once_what_it_cannot_send(server: &Server, way: &Way, hen: &str) {
    way.cut();
    std::thread::sleep(Duration::from_millis(2000));
    let start = Instant::now();
    assert_eq!(
        server
            .post("/lay_report/api", &server_report(hen, 1))
            .status,
        500
    );
    assert!(start.elapsed() < Duration::from_secs(5), "it took its time");
    way.mend();
    let deadline = Instant::now() + Duration::from_secs(10);
    while server.get("/ready").status != 200 {
        assert!(Instant::now() < deadline, "it does not come back");
        std::thread::sleep(Duration::from_millis(50));
    }
}
