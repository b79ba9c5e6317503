use crate::harness::{ENTITIES, NOBODY, Server, folder, valid, with};
use crate::on_each_storage;
use serde_json::{Value, json};

on_each_storage! {
    every_entity_can_be_created_read_replaced_and_deleted
    lists_have_the_newest_versions
    unknown_things_are_not_found
    invalid_payloads_are_refused
    numbers_and_ids_are_the_servers
    doubles_come_back_as_they_were_sent
    bulk_creates_all_or_none
    bulk_reads_what_is_there
    methods_cors_and_health
}

fn every_entity_can_be_created_read_replaced_and_deleted(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    for entity in ENTITIES {
        let payload = valid(entity);
        let created = server.post(&format!("/{entity}/api"), &payload);
        assert_eq!(created.status, 201, "{entity}: {}", created.body);
        assert_eq!(created.headers["content-type"], "application/json");
        let id = created.body["id"].as_str().expect("an id").to_string();
        assert_eq!(id.len(), 36);
        let mut expected = payload.clone();
        expected["id"] = id.clone().into();
        assert_eq!(created.body, expected);
        let item = format!("/{entity}/api/{id}");
        assert_eq!(server.get(&item).body, expected);

        let number = payload
            .as_object()
            .expect("an object")
            .iter()
            .find(|(_, v)| v.is_i64());
        let (field, value) = number.map_or(("name", json!("new")), |(name, _)| {
            (name.as_str(), json!(3))
        });
        let mut changed = payload.clone();
        changed[field] = value;
        let replaced = server.put(&item, &changed);
        changed["id"] = id.clone().into();
        assert_eq!((replaced.status, &replaced.body), (200, &changed));
        assert_eq!(server.get(&item).body, changed);

        let gone = server.request("DELETE", &item, None);
        assert_eq!(
            (gone.status, gone.body),
            (200, json!({"id": id, "status": "deleted"}))
        );
        for method in ["GET", "DELETE"] {
            assert_eq!(
                server.request(method, &item, None).status,
                404,
                "{method} {item}"
            );
        }
        assert_eq!(server.put(&item, &payload).status, 404);
        assert_eq!(server.get(&format!("/{entity}/api")).body, json!([]));
    }
}

fn lists_have_the_newest_versions(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let ids: Vec<String> = (0..5)
        .map(|n| server.create("farm", with("farm", json!({"name": format!("farm {n}")}))))
        .collect();
    server.put(
        &format!("/farm/api/{}", ids[1]),
        &with("farm", json!({"name": "renamed"})),
    );
    server.request("DELETE", &format!("/farm/api/{}", ids[3]), None);
    for path in ["/farm/api", "/farm/api/"] {
        let list = server.get(path).body;
        let mut names: Vec<&str> = list
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|farm| farm["name"].as_str())
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["farm 0", "farm 2", "farm 4", "renamed"]);
    }
    assert_eq!(server.post("/farm/api/", &valid("farm")).status, 201);
}

fn unknown_things_are_not_found(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let item = format!("/farm/api/{NOBODY}");
    for (method, path, body) in [
        ("GET", item.as_str(), None),
        ("DELETE", item.as_str(), None),
        ("PUT", item.as_str(), Some(valid("farm").to_string())),
        ("GET", "/goat/api", None),
        ("POST", "/goat/graph", Some("{}".to_string())),
        ("GET", "/nothing", None),
    ] {
        let answer = server.request(method, path, body.as_deref());
        assert_eq!(answer.status, 404, "{method} {path}");
        assert_eq!(
            answer.body,
            json!({"error": "Resource not found"}),
            "{method} {path}"
        );
    }
}

fn invalid_payloads_are_refused(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let id = server.create("farm", valid("farm"));
    for (entity, change) in [
        ("farm", json!({"farm_type": "zoo"})),
        ("farm", json!({"name": 7})),
        ("farm", json!({"colour": "red"})),
        ("farm", json!({"id": "not a uuid"})),
        ("coop", json!({"capacity": 0})),
        ("coop", json!({"capacity": 1.5})),
        ("coop", json!({"farm_id": "f1"})),
        ("hen", json!({"status": "asleep"})),
        ("hen", json!({"dob": "yesterday"})),
        ("consumer", json!({"weekly_demand": -1})),
        ("lay_report", json!({"eggs": -1})),
        ("lay_report", json!({"quality": "fine"})),
        ("storage_deposit", json!({"eggs": 0})),
        ("storage_withdrawal", json!({"reason": "hunger"})),
        ("container_transfer", json!({"transport_method": "plane"})),
        ("consumption_report", json!({"purpose": null})),
        ("container_inventory", json!({"utilization_pct": 101})),
        ("hen_productivity", json!({"quality_rate": 1.5})),
        ("farm_output", json!({"total_hens": "many"})),
    ] {
        let answer = server.post(&format!("/{entity}/api"), &with(entity, change.clone()));
        assert_eq!(
            (answer.status, &answer.body["error"]),
            (400, &json!("Invalid payload")),
            "{entity} {change}"
        );
    }
    for body in ["{", "[]", "7", "null", "", "{}", "{\"name\":\"only\"}"] {
        assert_eq!(
            server.request("POST", "/farm/api", Some(body)).status,
            400,
            "POST {body}"
        );
        let item = format!("/farm/api/{id}");
        assert_eq!(
            server.request("PUT", &item, Some(body)).status,
            400,
            "PUT {body}"
        );
    }
    assert_eq!(
        server.get(&format!("/farm/api/{id}")).body["name"],
        "F",
        "nothing was stored"
    );
    assert_eq!(server.get("/coop/api").body, json!([]));
}

fn numbers_and_ids_are_the_servers(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let answer = server.post(
        "/coop/api",
        &with("coop", json!({"id": NOBODY, "capacity": 5.0})),
    );
    assert_eq!(answer.status, 201);
    assert_ne!(answer.body["id"], NOBODY, "the server gives the identity");
    assert_eq!(answer.body["capacity"], 5);
    assert_eq!(server.get(&format!("/coop/api/{NOBODY}")).status, 404);
}

fn bulk_creates_all_or_none(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let before = now_sec();
    let answer = server.post(
        "/farm/api/bulk",
        &json!([valid("farm"), with("farm", json!({"name": "G"}))]),
    );
    assert_eq!(answer.status, 201);
    let envelopes = answer.body.as_array().expect("a list");
    assert_eq!(envelopes.len(), 2);
    for (envelope, name) in envelopes.iter().zip(["F", "G"]) {
        assert_eq!(envelope["payload"]["name"], name);
        assert_eq!(
            (&envelope["deleted"], &envelope["authorizedTokens"]),
            (&json!(false), &json!([]))
        );
        let created = envelope["createdAt"].as_f64().expect("seconds");
        assert!(
            created >= before - 1.0 && created <= now_sec() + 1.0,
            "{created}"
        );
    }
    let bad = json!([valid("farm"), with("farm", json!({"zone": 1}))]);
    assert_eq!(server.post("/farm/api/bulk", &bad).status, 400);
    assert_eq!(server.post("/farm/api/bulk", &json!({})).status, 400);
    assert_eq!(
        server.get("/farm/api").body.as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(server.post("/farm/api/bulk", &json!([])).body, json!([]));
}

fn bulk_reads_what_is_there(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    let ids: Vec<String> = (0..3).map(|_| server.create("hen", valid("hen"))).collect();
    server.request("DELETE", &format!("/hen/api/{}", ids[1]), None);
    let answer = server.get(&format!("/hen/api/bulk?ids={},{NOBODY}", ids.join(",")));
    let found: Vec<&Value> = answer
        .body
        .as_array()
        .expect("a list")
        .iter()
        .map(|e| &e["id"])
        .collect();
    assert_eq!(found, [&json!(ids[0]), &json!(ids[2])]);
    let missing = server.get("/hen/api/bulk");
    assert_eq!(
        (missing.status, missing.body),
        (400, json!({"error": "Missing ids parameter"}))
    );
}

fn methods_cors_and_health(storage: &str) {
    let dir = folder();
    let server = Server::start(storage, dir.path());
    for (method, path) in [
        ("PATCH", "/farm/api/x"),
        ("PUT", "/farm/api"),
        ("GET", "/farm/graph"),
        ("POST", "/health"),
    ] {
        let answer = server.request(method, path, None);
        assert_eq!(answer.status, 405, "{method} {path}");
        assert!(answer.headers.contains_key("allow"));
    }
    for path in ["/farm/api", "/farm/graph", "/nothing"] {
        let preflight = server.request("OPTIONS", path, None);
        assert_eq!((preflight.status, preflight.body), (200, json!("")));
        assert_eq!(
            preflight.headers["access-control-allow-methods"],
            "GET, POST, PUT, DELETE, OPTIONS"
        );
        assert_eq!(server.get(path).headers["access-control-allow-origin"], "*");
    }
    assert_eq!(server.get("/health").body, json!({"status": "ok"}));
    let ready = server.get("/ready");
    assert_eq!((ready.status, &ready.body["status"]), (200, &json!("ok")));
    assert_eq!(ready.body["storage"], storage);
    assert_eq!(ready.body["durability"], "fsync");
    assert_eq!(ready.body["processor"]["lag"], 0);
}

fn doubles_come_back_as_they_were_sent(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let mut seed = 7_u64;
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let doubles: Vec<f64> = [52.083158307904796]
        .into_iter()
        .chain((0..200).map(|n| next() * 10_f64.powi(n % 5)))
        .collect();
    let payloads: Vec<Value> = doubles
        .iter()
        .map(|&double| with("hen_productivity", json!({ "avg_per_week": double })))
        .collect();
    for (payload, double) in payloads.iter().zip(&doubles) {
        let created = server.post("/hen_productivity/api", payload);
        assert_eq!(created.status, 201, "{}", created.body);
        let item = format!(
            "/hen_productivity/api/{}",
            created.body["id"].as_str().expect("an id")
        );
        for answer in [&created.body, &server.get(&item).body] {
            assert_eq!(answer["avg_per_week"].as_f64(), Some(*double));
        }
    }
}

fn now_sec() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.expect("after 1970").as_secs_f64()
}
