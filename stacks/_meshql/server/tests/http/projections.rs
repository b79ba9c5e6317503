use crate::harness::{NOBODY, Server, folder, with};
use crate::on_each_storage;
use serde_json::{Value, json};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

on_each_storage! {
    totals_are_the_sums_of_the_events
    redelivery_changes_nothing
    a_kill_under_load_leaves_the_totals_exact
    changed_and_deleted_events_count_as_created
    a_deleted_projection_begins_anew
    what_others_post_is_kept_up_to_date
}

fn only(server: &Server, entity: &str) -> Value {
    let list = server.get(&format!("/{entity}/api")).body;
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), 1, "{entity}: {list:?}");
    list[0].clone()
}

fn inventory(server: &Server, container: &str) -> Value {
    let query = format!(
        "{{ getByContainer(id: \"{container}\") {{ current_eggs total_deposits total_withdrawals
            total_transfers_in total_transfers_out total_consumed utilization_pct }} }}"
    );
    let found = server.data("container_inventory", &query)["getByContainer"].clone();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    found[0].clone()
}

fn totals_are_the_sums_of_the_events(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let farm = server.create("farm", with("farm", json!({"farm_type": "homestead"})));
    let hen = server.create("hen", with("hen", json!({})));
    let lay = |eggs: i64, quality: &str| {
        let change = json!({"farm_id": farm, "hen_id": hen, "eggs": eggs, "quality": quality});
        server.create("lay_report", with("lay_report", change));
    };
    lay(6, "grade_a");
    lay(3, "cracked");
    lay(3, "double_yolk");
    let first = server.create("container", with("container", json!({})));
    let second = server.create("container", with("container", json!({})));
    let event = |entity: &str, change: Value| {
        server.create(entity, with(entity, change));
    };
    event(
        "storage_deposit",
        json!({"container_id": first, "eggs": 100}),
    );
    event(
        "storage_withdrawal",
        json!({"container_id": first, "eggs": 10}),
    );
    let both = json!({"source_container_id": first, "dest_container_id": second, "eggs": 40});
    event("container_transfer", both);
    event(
        "consumption_report",
        json!({"container_id": second, "eggs": 15}),
    );
    server.settle();

    let expected = json!({"current_eggs": 50, "total_deposits": 100, "total_withdrawals": 10,
        "total_transfers_in": 0, "total_transfers_out": 40, "total_consumed": 0, "utilization_pct": 0.0});
    assert_eq!(inventory(&server, &first), expected);
    let expected = json!({"current_eggs": 25, "total_deposits": 0, "total_withdrawals": 0,
        "total_transfers_in": 40, "total_transfers_out": 0, "total_consumed": 15, "utilization_pct": 0.0});
    assert_eq!(inventory(&server, &second), expected);
    let productivity = only(&server, "hen_productivity");
    for (field, value) in [
        ("eggs_today", 12),
        ("eggs_week", 12),
        ("eggs_month", 12),
        ("total_eggs", 12),
    ] {
        assert_eq!(productivity[field], value, "{field}");
    }
    assert_eq!(
        (&productivity["hen_id"], &productivity["farm_id"]),
        (&json!(hen), &json!(farm))
    );
    assert_eq!(
        (&productivity["quality_rate"], &productivity["avg_per_week"]),
        (&json!(0.75), &json!(12.0))
    );
    let output = only(&server, "farm_output");
    assert_eq!(
        (&output["eggs_month"], &output["farm_type"]),
        (&json!(12), &json!("homestead"))
    );
    assert_eq!(
        (&output["total_hens"], &output["avg_per_hen_per_week"]),
        (&json!(1), &json!(12.0))
    );
    event("lay_report", json!({}));
    server.settle();
    let query = format!("{{ getByFarm(id: \"{NOBODY}\") {{ farm_type eggs_today }} }}");
    let expected = json!({"getByFarm": [{"farm_type": "local_farm", "eggs_today": 1}]});
    assert_eq!(
        server.data("farm_output", &query),
        expected,
        "a farm that nobody knows"
    );
}

fn redelivery_changes_nothing(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let containers: Vec<String> = (0..3)
        .map(|_| server.create("container", with("container", json!({}))))
        .collect();
    for n in 0..60 {
        let (from, to) = (&containers[n % 3], &containers[(n + 1) % 3]);
        server.create(
            "storage_deposit",
            with("storage_deposit", json!({"container_id": from, "eggs": 7})),
        );
        let change = json!({"source_container_id": from, "dest_container_id": to, "eggs": 2});
        server.create("container_transfer", with("container_transfer", change));
    }
    server.settle();
    let before: Vec<Value> = containers.iter().map(|id| inventory(&server, id)).collect();
    assert_eq!(before[0]["total_deposits"], 140);
    assert_eq!(before[0]["total_transfers_in"], 40);
    assert_eq!(server.stop(), Some(0));
    for position in [None, Some("37"), Some("0")] {
        let file = dir.path().join("processor.offset");
        match position {
            None => fs::remove_file(&file).expect("removed"),
            Some(position) => fs::write(&file, position).expect("written"),
        }
        let server = Server::start(storage, dir.path());
        server.settle();
        let after: Vec<Value> = containers.iter().map(|id| inventory(&server, id)).collect();
        assert_eq!(after, before, "delivered again from {position:?}");
        assert_eq!(server.stop(), Some(0));
    }
}

/// Acknowledged events on eight connections, killed twice: each is counted once.
fn a_kill_under_load_leaves_the_totals_exact(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let container = server.create("container", with("container", json!({})));
    let body = with(
        "storage_deposit",
        json!({"container_id": container, "eggs": 3}),
    )
    .to_string();
    server.kill();
    let acked = AtomicUsize::new(0);
    for round in 1..=2 {
        let server = Server::start(storage, dir.path());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while server
                        .try_request("POST", "/storage_deposit/api", Some(&body))
                        .is_some()
                    {
                        acked.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            server.kill_after(400 * round, &acked);
        });
        assert!(acked.load(Ordering::Relaxed) >= 400 * round, "too slow");
    }
    let server = Server::start(storage, dir.path());
    server.settle();
    let stored = server
        .get("/storage_deposit/api")
        .body
        .as_array()
        .map_or(0, Vec::len);
    let acked = acked.load(Ordering::Relaxed);
    assert!(
        acked <= stored && stored <= acked + 16,
        "{acked} acknowledged, {stored} stored"
    );
    assert_eq!(inventory(&server, &container)["total_deposits"], 3 * stored);
}

fn changed_and_deleted_events_count_as_created(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let container = server.create("container", with("container", json!({})));
    let deposit = with(
        "storage_deposit",
        json!({"container_id": container, "eggs": 5}),
    );
    let first = server.create("storage_deposit", deposit.clone());
    let second = server.create("storage_deposit", deposit);
    server.request("DELETE", &format!("/storage_deposit/api/{first}"), None);
    let changed = with(
        "storage_deposit",
        json!({"container_id": container, "eggs": 50}),
    );
    assert_eq!(
        server
            .put(&format!("/storage_deposit/api/{second}"), &changed)
            .status,
        200
    );
    server.settle();
    assert_eq!(inventory(&server, &container)["total_deposits"], 10);
}

fn a_deleted_projection_begins_anew(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let container = server.create("container", with("container", json!({})));
    let deposit = with(
        "storage_deposit",
        json!({"container_id": container, "eggs": 5}),
    );
    server.create("storage_deposit", deposit.clone());
    server.settle();
    let id = only(&server, "container_inventory")["id"]
        .as_str()
        .expect("an id")
        .to_string();
    server.request("DELETE", &format!("/container_inventory/api/{id}"), None);
    server.create("storage_deposit", deposit);
    server.settle();
    assert_eq!(inventory(&server, &container)["total_deposits"], 5);
}

fn what_others_post_is_kept_up_to_date(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let container = server.create("container", with("container", json!({})));
    let posted = with(
        "container_inventory",
        json!({"container_id": container, "total_deposits": 1000}),
    );
    let id = server.create("container_inventory", posted);
    let deposit = with(
        "storage_deposit",
        json!({"container_id": container, "eggs": 5}),
    );
    server.create("storage_deposit", deposit);
    server.settle();
    let found = server.get(&format!("/container_inventory/api/{id}"));
    assert_eq!(found.body["total_deposits"], 1005);
    assert_eq!(found.headers["x-event-offset"], "0");
    assert_eq!(only(&server, "container_inventory")["id"], id);
}
