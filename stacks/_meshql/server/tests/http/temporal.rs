use crate::harness::{Server, folder, valid, with};
use crate::on_each_storage;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

on_each_storage! {
    every_version_stays_readable
    a_federated_query_is_one_moment
    the_past_survives_a_restart
    the_far_future_is_now
}

/// A moment with room to every write before and after it.
fn moment() -> u64 {
    std::thread::sleep(Duration::from_millis(5));
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_millis() as u64;
    std::thread::sleep(Duration::from_millis(5));
    now
}

fn the_far_future_is_now(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let id = server.create("farm", valid("farm"));
    for at in [
        "253402300799999",
        "9223372036854775807",
        "9223372036854775808",
        "1e300",
    ] {
        let query =
            format!("{{ getById(id: \"{id}\", at: {at}) {{ id }} getAll(at: {at}) {{ id }} }}");
        let expected = json!({"getById": {"id": id}, "getAll": [{"id": id}]});
        assert_eq!(server.data("farm", &query), expected, "at {at}");
    }
}

fn every_version_stays_readable(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let mut moments = vec![moment()];
    let id = server.create("farm", with("farm", json!({"name": "v1", "zone": "north"})));
    moments.push(moment());
    server.put(
        &format!("/farm/api/{id}"),
        &with("farm", json!({"name": "v2", "zone": "south"})),
    );
    moments.push(moment());
    server.request("DELETE", &format!("/farm/api/{id}"), None);
    moments.push(moment());
    let names = |query: &str, at: u64| {
        let query = query.replace("AT", &at.to_string());
        let data = server.data("farm", &query);
        data.as_object()
            .expect("data")
            .values()
            .map(name)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let by_id = format!("{{ getById(id: \"{id}\", at: AT) {{ name }} }}");
    let lists = "{ getAll(at: AT) { name } n: getByZone(zone: \"north\", at: AT) { name }
                   s: getByZone(zone: \"south\", at: AT) { name } }";
    let expected = ["", "v1", "v2", ""];
    for (&at, name) in moments.iter().zip(expected) {
        assert_eq!(names(&by_id, at), name, "by id at {at}");
    }
    for (&at, expected) in moments.iter().zip(["  ", "v1 v1 ", "v2  v2", "  "]) {
        assert_eq!(names(lists, at), expected, "lists at {at}");
    }
    let now = server.data("farm", &format!("{{ getById(id: \"{id}\") {{ name }} }}"));
    assert_eq!(now, json!({"getById": null}));
    // A fraction of a millisecond is no moment of its own.
    let fraction = by_id.replace("AT", &format!("{}.5", moments[1]));
    assert_eq!(server.data("farm", &fraction)["getById"]["name"], "v1");
}

fn name(found: &Value) -> String {
    let first = found.as_array().map_or(Some(found), |list| list.first());
    first
        .and_then(|one| one["name"].as_str())
        .unwrap_or_default()
        .to_string()
}

fn a_federated_query_is_one_moment(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let farm = server.create("farm", with("farm", json!({"name": "farm 1"})));
    let coop = server.create(
        "coop",
        with("coop", json!({"name": "coop 1", "farm_id": farm})),
    );
    let hen = server.create(
        "hen",
        with("hen", json!({"name": "hen 1", "coop_id": coop})),
    );
    let early = moment();
    let other = server.create(
        "coop",
        with("coop", json!({"name": "coop 2", "farm_id": farm})),
    );
    server.put(
        &format!("/hen/api/{hen}"),
        &with("hen", json!({"name": "hen 2", "coop_id": other})),
    );
    let middle = moment();
    server.request("DELETE", &format!("/coop/api/{coop}"), None);
    server.put(
        &format!("/farm/api/{farm}"),
        &with("farm", json!({"name": "farm 2"})),
    );
    let query = |at: &str| {
        let query = format!(
            "{{ getById(id: \"{farm}\"{at}) {{ name coops {{ name hens {{ name }} }} }} }}"
        );
        server.data("farm", &query)["getById"].clone()
    };
    let first =
        json!({"name": "farm 1", "coops": [{"name": "coop 1", "hens": [{"name": "hen 1"}]}]});
    assert_eq!(query(&format!(", at: {early}")), first);
    let second = json!({"name": "farm 1", "coops": [{"name": "coop 1", "hens": []},
        {"name": "coop 2", "hens": [{"name": "hen 2"}]}]});
    assert_eq!(query(&format!(", at: {middle}")), second);
    let now = json!({"name": "farm 2", "coops": [{"name": "coop 2", "hens": [{"name": "hen 2"}]}]});
    assert_eq!(query(""), now);
    // And upwards: the hen's coop as it was.
    let up = format!("{{ getById(id: \"{hen}\", at: {early}) {{ name coop {{ name }} }} }}");
    let expected = json!({"getById": {"name": "hen 1", "coop": {"name": "coop 1"}}});
    assert_eq!(server.data("hen", &up), expected);
}

fn the_past_survives_a_restart(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let id = server.create("farm", with("farm", json!({"name": "old"})));
    let at = moment();
    server.put(
        &format!("/farm/api/{id}"),
        &with("farm", json!({"name": "new"})),
    );
    assert_eq!(server.stop(), Some(0));
    let server = Server::start(storage, dir.path());
    let query = format!(
        "{{ old: getById(id: \"{id}\", at: {at}) {{ name }} new: getById(id: \"{id}\") {{ name }} }}"
    );
    assert_eq!(
        server.data("farm", &query),
        json!({"old": {"name": "old"}, "new": {"name": "new"}})
    );
}
