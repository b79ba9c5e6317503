use crate::harness::{ENTITIES, NOBODY, Server, folder, valid, with};
use crate::on_each_storage;
use serde_json::{Value, json};

on_each_storage! {
    all_forty_two_queries
    all_nineteen_resolvers
    three_levels_from_a_farm
    relations_that_lead_nowhere
    variables_aliases_and_fragments
    mistakes_are_answered_with_errors
    schemas_are_closed
    a_request_that_asks_for_too_much_is_refused
    a_number_that_is_no_int_is_an_error
    a_request_is_an_object
    a_client_that_knows_the_media_type_gets_a_status
    an_answer_has_the_order_of_its_query
    a_field_that_fails_is_null
    every_type_of_a_schema_is_told
}

/// Query, argument and the payload field that it filters on.
const FILTERS: [(&str, &str, &str, &str); 16] = [
    ("farm", "getByZone", "zone", "zone"),
    ("coop", "getByFarm", "id", "farm_id"),
    ("hen", "getByCoop", "id", "coop_id"),
    ("container", "getByZone", "zone", "zone"),
    ("consumer", "getByZone", "zone", "zone"),
    ("lay_report", "getByHen", "id", "hen_id"),
    ("lay_report", "getByFarm", "id", "farm_id"),
    ("storage_deposit", "getByContainer", "id", "container_id"),
    ("storage_withdrawal", "getByContainer", "id", "container_id"),
    (
        "container_transfer",
        "getBySourceContainer",
        "id",
        "source_container_id",
    ),
    (
        "container_transfer",
        "getByDestContainer",
        "id",
        "dest_container_id",
    ),
    ("consumption_report", "getByConsumer", "id", "consumer_id"),
    ("consumption_report", "getByContainer", "id", "container_id"),
    (
        "container_inventory",
        "getByContainer",
        "id",
        "container_id",
    ),
    ("hen_productivity", "getByHen", "id", "hen_id"),
    ("farm_output", "getByFarm", "id", "farm_id"),
];

const MINE: &str = "11111111-1111-4111-8111-111111111111";

fn all_forty_two_queries(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    for entity in ENTITIES {
        let id = server.create(entity, valid(entity));
        let query = format!("{{ getById(id: \"{id}\") {{ id }} getAll {{ id }} }}");
        let expected = json!({"getById": {"id": id}, "getAll": [{"id": id}]});
        assert_eq!(server.data(entity, &query), expected, "{entity}");
        let nobody = server.data(entity, &format!("{{ getById(id: \"{NOBODY}\") {{ id }} }}"));
        assert_eq!(nobody, json!({"getById": null}));
        assert_eq!(
            server.data(entity, "{ getById { id } }"),
            json!({"getById": null})
        );
    }
    for (entity, query, argument, field) in FILTERS {
        let value = if argument == "zone" {
            "far south"
        } else {
            MINE
        };
        let id = server.create(entity, with(entity, json!({ (field): value })));
        let other = if argument == "zone" {
            "nowhere"
        } else {
            "22222222-2222-4222-8222-222222222222"
        };
        let text = format!(
            "{{ {query}({argument}: \"{value}\") {{ id {field} }} none: {query}({argument}: \"{other}\") {{ id }}
               null: {query} {{ id }} }}"
        );
        let expected = json!({ (query): [{"id": id, (field): value}], "none": [], "null": [] });
        assert_eq!(server.data(entity, &text), expected, "{entity}.{query}");
    }
}

/// One of everything, connected.
struct World {
    farm: String,
    coop: String,
    hen: String,
    container: String,
    consumer: String,
}

fn world(server: &Server) -> World {
    let farm = server.create("farm", with("farm", json!({"name": "Farm"})));
    let coop = server.create(
        "coop",
        with("coop", json!({"name": "Coop", "farm_id": farm})),
    );
    let hen = server.create("hen", with("hen", json!({"name": "Hen", "coop_id": coop})));
    let container = server.create("container", with("container", json!({"name": "Box"})));
    let consumer = server.create("consumer", with("consumer", json!({"name": "Cook"})));
    World {
        farm,
        coop,
        hen,
        container,
        consumer,
    }
}

fn all_nineteen_resolvers(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let World {
        farm,
        coop,
        hen,
        container,
        consumer,
    } = world(&server);
    let second = server.create("container", with("container", json!({"name": "Second"})));
    let in_box = json!({"container_id": container, "eggs": 4});
    let create = |entity: &str, change: Value| server.create(entity, with(entity, change));
    let lay = create(
        "lay_report",
        json!({"hen_id": hen, "coop_id": coop, "farm_id": farm, "eggs": 9}),
    );
    let deposit = create("storage_deposit", in_box.clone());
    let withdrawal = create("storage_withdrawal", in_box.clone());
    let transfer = create(
        "container_transfer",
        json!({"source_container_id": container, "dest_container_id": second}),
    );
    let report = create(
        "consumption_report",
        json!({"consumer_id": consumer, "container_id": container}),
    );
    let inventory = create(
        "container_inventory",
        json!({"container_id": container, "current_eggs": 6}),
    );
    let productivity = create(
        "hen_productivity",
        json!({"hen_id": hen, "farm_id": farm, "total_eggs": 9}),
    );
    let output = create("farm_output", json!({"farm_id": farm, "eggs_today": 9}));
    for (entity, id, selection, expected) in [
        (
            "farm",
            &farm,
            "coops { id name }",
            json!([{"id": coop, "name": "Coop"}]),
        ),
        (
            "farm",
            &farm,
            "farmOutput { id eggs_today }",
            json!([{"id": output, "eggs_today": 9}]),
        ),
        (
            "coop",
            &coop,
            "farm { id name zone }",
            json!({"id": farm, "name": "Farm", "zone": "north"}),
        ),
        (
            "coop",
            &coop,
            "hens { id name dob }",
            json!([{"id": hen, "name": "Hen", "dob": null}]),
        ),
        (
            "hen",
            &hen,
            "coop { id capacity }",
            json!({"id": coop, "capacity": 10}),
        ),
        (
            "hen",
            &hen,
            "layReports { id eggs }",
            json!([{"id": lay, "eggs": 9}]),
        ),
        (
            "hen",
            &hen,
            "productivity { id total_eggs }",
            json!([{"id": productivity, "total_eggs": 9}]),
        ),
        (
            "container",
            &container,
            "inventory { id current_eggs }",
            json!([{"id": inventory, "current_eggs": 6}]),
        ),
        (
            "consumer",
            &consumer,
            "consumptionReports { id eggs }",
            json!([{"id": report, "eggs": 1}]),
        ),
        (
            "lay_report",
            &lay,
            "hen { id breed }",
            json!({"id": hen, "breed": "leghorn"}),
        ),
        (
            "storage_deposit",
            &deposit,
            "container { name }",
            json!({"name": "Box"}),
        ),
        (
            "storage_withdrawal",
            &withdrawal,
            "container { name }",
            json!({"name": "Box"}),
        ),
        (
            "container_transfer",
            &transfer,
            "sourceContainer { name }",
            json!({"name": "Box"}),
        ),
        (
            "container_transfer",
            &transfer,
            "destContainer { name }",
            json!({"name": "Second"}),
        ),
        (
            "consumption_report",
            &report,
            "consumer { name }",
            json!({"name": "Cook"}),
        ),
        (
            "consumption_report",
            &report,
            "container { name }",
            json!({"name": "Box"}),
        ),
        (
            "container_inventory",
            &inventory,
            "container { capacity }",
            json!({"capacity": 10}),
        ),
        (
            "hen_productivity",
            &productivity,
            "hen { name }",
            json!({"name": "Hen"}),
        ),
        (
            "farm_output",
            &output,
            "farm { name farm_type }",
            json!({"name": "Farm", "farm_type": "megafarm"}),
        ),
    ] {
        let data = server.data(
            entity,
            &format!("{{ getById(id: \"{id}\") {{ {selection} }} }}"),
        );
        let field = selection.split(' ').next().expect("a field");
        assert_eq!(data["getById"][field], expected, "{entity}.{field}");
    }
}

fn three_levels_from_a_farm(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let mut expected = Vec::new();
    for f in 0..3 {
        let farm = server.create("farm", with("farm", json!({"name": format!("F{f}")})));
        let mut coops = Vec::new();
        for c in 0..f {
            let name = format!("F{f}C{c}");
            let coop = server.create("coop", with("coop", json!({"farm_id": farm, "name": name})));
            let hens: Vec<Value> = (0..c + 1)
                .map(|h| json!({"name": format!("{name}H{h}")}))
                .collect();
            for hen in &hens {
                server.create(
                    "hen",
                    with("hen", json!({"coop_id": coop, "name": hen["name"]})),
                );
            }
            coops.push(json!({"name": name, "hens": hens}));
        }
        expected.push(json!({"name": format!("F{f}"), "coops": coops, "farmOutput": []}));
    }
    let query = "{ getAll { name coops { name hens { name } } farmOutput { eggs_today } } }";
    assert_eq!(server.data("farm", query), json!({ "getAll": expected }));
}

fn relations_that_lead_nowhere(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let hen = server.create("hen", valid("hen"));
    let query =
        format!("{{ getById(id: \"{hen}\") {{ name coop {{ name }} layReports {{ id }} }} }}");
    let expected = json!({"getById": {"name": "H", "coop": null, "layReports": []}});
    assert_eq!(server.data("hen", &query), expected);
    let World { coop, hen, .. } = world(&server);
    server.request("DELETE", &format!("/hen/api/{hen}"), None);
    let query = format!("{{ getById(id: \"{coop}\") {{ hens {{ id }} }} }}");
    assert_eq!(
        server.data("coop", &query),
        json!({"getById": {"hens": []}})
    );
}

fn variables_aliases_and_fragments(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let World { farm, coop, .. } = world(&server);
    let query = "query A { getAll { id } }
        query B($id: ID) { a: getById(id: $id) { ...named coops { name } coops { id hens { name } } }
                           b: getById(id: $id) { __typename farms: coops { ... on Coop { capacity } } } }
        fragment named on Farm { name }";
    let body = json!({"query": query, "operationName": "B", "variables": {"id": farm}});
    let answer = server.post("/farm/graph", &body).body;
    let expected = json!({"data": {
        "a": {"name": "Farm", "coops": [{"name": "Coop", "id": coop, "hens": [{"name": "Hen"}]}]},
        "b": {"__typename": "Farm", "farms": [{"capacity": 10}]},
    }});
    assert_eq!(answer, expected);
}

fn mistakes_are_answered_with_errors(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    for query in [
        "{ getAll { colour } }",
        "{ getAll { id }",
        "{ getBy { id } }",
        "mutation { a }",
        "",
    ] {
        let answer = server.graph("farm", query);
        assert!(
            answer["errors"][0]["message"].is_string(),
            "{query}: {answer}"
        );
        assert_eq!(answer.get("data"), None, "{query}: nothing was executed");
    }
    let unknown = server.graph("farm", "{ getAll { colour } }");
    assert_eq!(
        unknown["errors"][0]["locations"],
        json!([{"line": 1, "column": 12}])
    );
    for (body, status) in [("{}", 200), ("nonsense", 400), ("[1]", 400)] {
        let answer = server.request("POST", "/farm/graph", Some(body));
        assert_eq!(answer.status, status, "{body}");
        assert!(answer.body["errors"][0]["message"].is_string(), "{body}");
        assert_eq!(answer.body.get("data"), None, "{body}");
    }
    // A projection without what its type demands: an error beside the rest.
    server.create("farm_output", json!({"farm_id": NOBODY}));
    let partial = server.graph("farm_output", "{ getAll { id eggs_today } }");
    assert!(partial["errors"][0]["message"].is_string(), "{partial}");
    assert!(partial["data"]["getAll"].is_array(), "{partial}");
}

fn a_request_that_asks_for_too_much_is_refused(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let id = server.create("farm", valid("farm"));
    let doubling: String = (0..30)
        .map(|n| format!(" fragment f{n} on Farm {{ ...f{m} ...f{m} }}", m = n + 1))
        .collect();
    let aliases: String = (0..20_000)
        .map(|n| format!("a{n}: getAll {{ id }} "))
        .collect();
    let nested = "[".repeat(50_000);
    for query in [
        format!("{{ getAll {{ ...f0 }} }}{doubling} fragment f30 on Farm {{ id }}"),
        format!("{{ {aliases} }}"),
        format!("{{ getById(id: {nested}) {{ id }} }}"),
        format!("{}{}", "{ farm ".repeat(60), "}".repeat(60)),
    ] {
        let answer = server.graph("farm", &query);
        let message = answer["errors"][0]["message"].as_str().expect("an error");
        assert!(message.starts_with("the query "), "{message}");
        assert_eq!(answer.get("data"), None);
    }
    // What people ask for passes: all levels, and the longest introspection.
    let levels = "{ getAll { coops { hens { id } } } }";
    assert_eq!(
        server.data("farm", levels),
        json!({"getAll": [{"coops": []}]})
    );
    let of_type = "name kind ofType { ".repeat(9) + "name" + &" }".repeat(9);
    let types =
        format!("{{ __schema {{ types {{ fields {{ args {{ type {{ {of_type} }} }} }} }} }} }}");
    assert!(server.data("farm", &types)["__schema"]["types"].is_array());
    let many: String = (0..500)
        .map(|n| format!("a{n}: getById(id: \"{id}\") {{ id }} "))
        .collect();
    assert_eq!(
        server.data("farm", &format!("{{ {many} }}"))["a499"]["id"],
        json!(id)
    );
}

/// GraphQL's `Int` has 32 bits; a payload may have more.
fn a_number_that_is_no_int_is_an_error(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    for (capacity, fits) in [
        (json!(i32::MAX), true),
        (json!(i64::from(i32::MAX) + 1), false),
        (json!(1_i64 << 53), false),
    ] {
        let payload = with("coop", json!({"capacity": capacity}));
        let id = server.create("coop", payload);
        let query = format!("{{ getById(id: \"{id}\") {{ name capacity }} }}");
        let answer = server.graph("coop", &query);
        if fits {
            assert_eq!(answer["data"]["getById"]["capacity"], capacity);
        } else {
            let message = answer["errors"][0]["message"].to_string();
            assert!(message.contains("Int cannot represent"), "{answer}");
            let found = &answer["data"]["getById"];
            assert_eq!(
                (&found["name"], &found["capacity"]),
                (&json!("C"), &Value::Null)
            );
        }
    }
}

fn a_request_is_an_object(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    for body in [
        "[\"{ __typename }\",null,null]",
        "\"{ __typename }\"",
        "null",
    ] {
        let answer = server.request("POST", "/farm/graph", Some(body));
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.body["errors"][0]["message"].is_string(), "{body}");
    }
}

fn schemas_are_closed(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let types = server.data("coop", "{ __schema { queryType { name } types { name } } }");
    let names: Vec<&str> = types["__schema"]["types"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .filter(|name| !name.starts_with("__"))
        .collect();
    for name in ["Coop", "Farm", "Hen", "Date", "Query"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert!(!names.contains(&"LayReport"));
    // Only the graph of farms reaches a third level.
    for (entity, query) in [
        ("coop", "{ getAll { hens { layReports { id } } } }"),
        ("hen", "{ getAll { coop { farm { id } } } }"),
        ("farm", "{ getAll { coops { hens { coop { id } } } } }"),
        ("farm", "{ getAll { coops { farm_id } } }"),
    ] {
        assert!(
            server.graph(entity, query)["errors"].is_array(),
            "{entity}: {query}"
        );
    }
}

fn a_client_that_knows_the_media_type_gets_a_status(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    server.create("farm_output", json!({"farm_id": NOBODY}));
    let query = |text: &str| json!({"query": text}).to_string();
    for (body, as_json, as_graphql, executed) in [
        (query("{ getAll { id } }"), 200, 200, true),
        (query("{ getAll { id eggs_today } }"), 200, 200, true),
        (query("{ getAll { colour } }"), 200, 400, false),
        (query("{ getAll { id }"), 200, 400, false),
        (query(&"[".repeat(65)), 200, 400, false),
        ("{}".into(), 200, 400, false),
        ("nonsense".into(), 400, 400, false),
    ] {
        for (accept, media, status) in [
            ("*/*", "application/json", as_json),
            ("application/json", "application/json", as_json),
            (
                "application/graphql-response+json, application/json;q=0.9",
                "application/graphql-response+json",
                as_graphql,
            ),
        ] {
            let answer = server.post_accepting(accept, "/farm_output/graph", &body);
            assert_eq!(answer.status, status, "{accept}: {body}");
            assert_eq!(answer.headers["content-type"], media, "{accept}: {body}");
            let has_data = answer.body.get("data").is_some();
            assert_eq!(has_data, executed, "{accept}: {body}: {}", answer.text);
        }
    }
}

fn an_answer_has_the_order_of_its_query(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let id = server.create("farm", valid("farm"));
    for (query, expected) in [
        (
            "{ z: getAll { zone name } a: getById(id: \"ID\") { name zone } getAll { id } }",
            r#"{"data":{"z":[{"zone":"north","name":"F"}],"a":{"name":"F","zone":"north"},"getAll":[{"id":"ID"}]}}"#,
        ),
        (
            "{ getAll { coops { id } name } a: getByZone(zone: \"north\") { id } }",
            r#"{"data":{"getAll":[{"coops":[],"name":"F"}],"a":[{"id":"ID"}]}}"#,
        ),
    ] {
        let query = json!({"query": query.replace("ID", &id)});
        let answer = server.post("/farm/graph", &query);
        assert_eq!(answer.text, expected.replace("ID", &id));
    }
}

fn a_field_that_fails_is_null(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let payload = with("consumer", json!({"weekly_demand": 1_i64 << 40}));
    let id = server.create("consumer", payload);
    let more = vec![valid("consumer"); 2100];
    let created = server.post("/consumer/api/bulk", &more.into());
    assert_eq!(created.status, 201);
    // More values than an answer may have, known before they are read.
    let fields: String = (0..1980).map(|n| format!("f{n}: id ")).collect();
    let query =
        format!("{{ b: getAll {{ {fields} }} a: getById(id: \"{id}\") {{ weekly_demand name }} }}");
    for accept in ["*/*", "application/graphql-response+json"] {
        let body = json!({ "query": query }).to_string();
        let answer = server.post_accepting(accept, "/consumer/graph", &body);
        assert_eq!(answer.status, 200, "{accept}: executed in part");
        let data = r#"{"data":{"b":null,"a":{"weekly_demand":null,"name":"P"}},"#;
        assert!(answer.text.starts_with(data), "{}", answer.text);
        let errors = answer.body["errors"].as_array().expect("errors");
        let mut paths: Vec<String> = errors.iter().map(|e| e["path"].to_string()).collect();
        paths.sort_unstable();
        assert_eq!(paths, [r#"["a","weekly_demand"]"#, r#"["b"]"#]);
    }
}

/// Tools refuse a schema that uses a type and does not have it.
fn every_type_of_a_schema_is_told(storage: &str) {
    let dir = folder();
    let server = Server::start_with(storage, dir.path(), &["--no-processor"]);
    let of = "kind name ofType { kind name ofType { kind name ofType { kind name } } }";
    let query = format!(
        "{{ __schema {{ types {{ kind name fields {{ type {{ {of} }} args {{ type {{ {of} }} }} }} }} }} }}"
    );
    for entity in ENTITIES {
        let answer = server.data(entity, &query);
        let types = answer["__schema"]["types"].as_array().expect("a list");
        let told = |name: &Value| types.iter().find(|one| &one["name"] == name);
        if ["coop", "hen"].contains(&entity) {
            let date = told(&json!("Date")).expect("the type of a birthday");
            assert_eq!(date["kind"], "SCALAR", "{entity}");
        }
        let fields = types.iter().filter_map(|one| one["fields"].as_array());
        let mut used = 0;
        for field in fields.flatten() {
            let arguments = field["args"].as_array().expect("a list");
            for of in [field].into_iter().chain(arguments) {
                let mut named = &of["type"];
                while !named["ofType"].is_null() {
                    named = &named["ofType"];
                }
                let known = told(&named["name"]).map(|one| &one["kind"]);
                assert_eq!(known, Some(&named["kind"]), "{entity}: {field}");
                used += 1;
            }
        }
        assert!(used > 10, "{entity}: {used}");
    }
}
