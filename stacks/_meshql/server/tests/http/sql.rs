use crate::harness::{Server, folder, with};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn ask(dir: &Path, query: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meshql-sql"))
        .args(["--data-dir", dir.to_str().expect("UTF-8"), query])
        .output()
        .expect("it runs")
}

fn rows(dir: &Path, query: &str) -> Vec<Value> {
    let Output {
        status,
        stdout,
        stderr,
    } = ask(dir, query);
    assert!(
        status.success(),
        "{query}: {}",
        String::from_utf8_lossy(&stderr)
    );
    let mut lines: Vec<String> = String::from_utf8_lossy(&stdout)
        .lines()
        .map(Into::into)
        .collect();
    lines.sort();
    lines
        .iter()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn refused(dir: &Path, query: &str) -> String {
    let Output { status, stderr, .. } = ask(dir, query);
    assert_eq!(status.code(), Some(2), "{query}");
    let line = String::from_utf8_lossy(&stderr).trim().to_string();
    assert!(
        line.starts_with("meshql-sql: ") && !line.contains('\n'),
        "{line}"
    );
    line
}

#[test]
fn sql_answers_from_what_is_current() {
    let dir = folder();
    let server = Server::start("embedded", dir.path());
    let farm = |name: &str, zone: &str| {
        server.create("farm", with("farm", json!({"name": name, "zone": zone})))
    };
    let north = farm("A", "north");
    let moved = farm("B", "north");
    let gone = farm("C", "south");
    farm("D", "south");
    server.put(
        &format!("/farm/api/{moved}"),
        &with("farm", json!({"name": "B", "zone": "south"})),
    );
    server.request("DELETE", &format!("/farm/api/{gone}"), None);
    server.create(
        "coop",
        with(
            "coop",
            json!({"name": "N", "farm_id": north, "capacity": 7}),
        ),
    );
    server.kill();

    assert_eq!(
        rows(dir.path(), "SELECT id, name FROM farm WHERE zone = 'north'"),
        [json!({"id": north, "name": "A"})],
        "a farm that moved is not where it was"
    );
    assert_eq!(
        rows(
            dir.path(),
            "SELECT zone, COUNT(*) AS farms FROM farm GROUP BY zone"
        ),
        [
            json!({"farms": 1, "zone": "north"}),
            json!({"farms": 2, "zone": "south"})
        ],
        "neither the version before nor what was deleted is counted"
    );
    assert_eq!(
        rows(
            dir.path(),
            "SELECT name, capacity FROM coop WHERE capacity > 6"
        ),
        [json!({"name": "N", "capacity": 7})]
    );
}

#[test]
fn sql_that_would_be_answered_wrongly_is_refused() {
    let dir = folder();
    Server::start("embedded", dir.path()).kill();
    for (query, what) in [
        ("SELECT name FROM farm ORDER BY name", "ORDER BY"),
        ("SELECT name FROM farm LIMIT 1", "LIMIT"),
        ("SELECT DISTINCT zone FROM farm", "DISTINCT"),
        ("DELETE FROM farm", "only one SELECT"),
        ("SELECT name FROM farms", "farms"),
        ("SELECT name FROM", "Expected"),
    ] {
        assert!(refused(dir.path(), query).contains(what), "{query}");
    }
}

#[test]
fn sql_needs_a_folder_that_an_embedded_server_left() {
    let dir = folder();
    let none = refused(dir.path(), "SELECT name FROM farm");
    assert!(none.contains("keeps no data there"), "{none}");
    let server = Server::start("embedded", dir.path());
    let used = refused(dir.path(), "SELECT name FROM farm");
    assert!(used.contains("another server uses this folder"), "{used}");
    server.kill();
}
