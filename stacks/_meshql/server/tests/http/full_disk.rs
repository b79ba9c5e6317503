//! A disk without room: writes are refused, reads go on, and afterwards everything does.

use crate::durability::state;
use crate::harness::{Server, folder, valid, with};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;

crate::on_each_file_storage! {
    a_full_disk_refuses_writes_until_there_is_room
    projections_are_exact_after_a_full_disk
}

fn a_full_disk_refuses_writes_until_there_is_room(storage: &str) {
    let dir = folder();
    let server = Server::start_on_a_small_disk(storage, dir.path());
    let farm = server.create("farm", valid("farm"));
    let item = format!("/farm/api/{farm}");
    for round in 0..3 {
        let before = state(&server);
        server.fill_disk();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| refused(&server, &item));
            }
        });
        assert_eq!(state(&server), before, "nothing refused is seen");
        assert_eq!(server.get("/ready").status, 200);
        server.free_disk();
        assert_eq!(state(&server), before, "nor comes later");
        server.create("farm", valid("farm"));
        let renamed = with("farm", json!({"name": format!("round {round}")}));
        assert_eq!(server.put(&item, &renamed).status, 200);
    }
    let last = state(&server);
    assert_eq!(last[0].1.len(), 4);
    server.kill();
    let server = Server::start(storage, dir.path());
    assert_eq!(
        state(&server),
        last,
        "and a restart has what was acknowledged"
    );
    server.create("farm", valid("farm"));
}

/// A write of each kind.
fn refused(server: &Server, item: &str) {
    let farm = valid("farm");
    for answer in [
        server.post("/farm/api", &farm),
        server.put(item, &farm),
        server.post("/farm/api/bulk", &json!([farm, farm])),
        server.request("DELETE", item, None),
        server.post("/lay_report/api", &valid("lay_report")),
    ] {
        let expected = (500, &json!({"error": "The storage failed"}));
        assert_eq!((answer.status, &answer.body), expected);
    }
}

/// Filled while the processor has events before it.
fn projections_are_exact_after_a_full_disk(storage: &str) {
    let dir = folder();
    let server = Server::start_on_a_small_disk(storage, dir.path());
    let report = |hen: &str, eggs: u64| {
        let report = with("lay_report", json!({"hen_id": hen, "eggs": eggs}));
        server.post("/lay_report/api", &report).status == 201
    };
    let hens: Vec<String> = (0..20)
        .map(|_| server.create("hen", valid("hen")))
        .collect();
    let mut sums = vec![0; hens.len()];
    for round in 0..4 {
        for (hen, sum) in hens.iter().zip(&mut sums) {
            if report(hen, round + 1) {
                *sum += round + 1;
            }
        }
        server.fill_disk();
        for hen in &hens {
            assert!(!report(hen, 1000), "there is no room");
        }
        server.free_disk();
    }
    server.settle();
    assert_eq!(sums, vec![10; hens.len()]);
    for hen in &hens {
        let query = format!("{{ getByHen(id: \"{hen}\") {{ total_eggs }} }}");
        let expected = json!({"getByHen": [{"total_eggs": 10}]});
        assert_eq!(server.data("hen_productivity", &query), expected);
    }
}

/// Where the events are stored by a database, the log of them waits for room.
#[test]
fn events_reach_a_log_that_had_no_room() {
    let dir = folder();
    let server = Server::start("sqlite", dir.path());
    // The last step of the first append.
    let segment = dir.path().join("event-log/000000000000");
    fs::create_dir_all(&segment).expect("a folder");
    let link = segment.join("tree.tmp");
    symlink("/dev/full", &link).expect("a link");
    let hen = server.create("hen", valid("hen"));
    server.create("lay_report", with("lay_report", json!({"hen_id": hen})));
    server.settle();
    assert!(!link.is_symlink(), "it was in the way");
    let found = server.get("/hen_productivity/api").body;
    assert_eq!(found.as_array().map(Vec::len), Some(1));
}

/// What was acknowledged before it was written is lost: the process must not go on as if it were there.
#[test]
fn an_early_acknowledgement_that_is_lost_ends_the_process() {
    let dir = folder();
    let segment = dir.path().join("actors/000000000000");
    let server = Server::start_with("embedded", dir.path(), &["--durability", "queued"]);
    fs::create_dir_all(&segment).expect("a folder");
    symlink("/dev/full", segment.join("tree.tmp")).expect("a link");
    server.create("farm", valid("farm"));
    assert_eq!(server.wait(), Some(1));
    let server = Server::start("embedded", dir.path());
    assert_eq!(server.get("/farm/api").body, Value::Array(Vec::new()));
}

/// Any failure but a lack of room, here one before the first byte.
#[test]
fn a_log_that_failed_takes_nothing_until_a_restart() {
    let dir = folder();
    let server = Server::start("embedded", dir.path());
    let farm = server.create("farm", valid("farm"));
    let before = state(&server);
    let lock = dir.path().join("actors/000000000000/partition.lock");
    fs::remove_file(&lock).expect("gone");
    fs::create_dir(&lock).expect("a folder in its place");
    assert_eq!(server.post("/farm/api", &valid("farm")).status, 500);
    fs::remove_dir(&lock).expect("gone");
    let item = format!("/farm/api/{farm}");
    assert_eq!(server.put(&item, &valid("farm")).status, 500, "for good");
    let ready = server.get("/ready");
    assert_eq!(
        (ready.status, &ready.body["status"]),
        (503, &json!("unavailable"))
    );
    assert_eq!(state(&server), before, "reads go on");
    // Its own log is whole.
    server.create("lay_report", valid("lay_report"));
    server.settle();
    let last = state(&server);
    assert_eq!(server.stop(), Some(0));
    let server = Server::start("embedded", dir.path());
    assert_eq!(state(&server), last);
    assert_eq!(server.put(&item, &valid("farm")).status, 200);
    assert_eq!(server.get("/ready").status, 200);
}
