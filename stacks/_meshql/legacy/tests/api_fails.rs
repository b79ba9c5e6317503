//! An API that does what it is asked and fails to say so.

use axum::Router;
use axum::extract::State;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use meshql_legacy::api::Api;
use meshql_legacy::change::{Change, Committed};
use meshql_legacy::kafka::Message;
use meshql_legacy::keys::Keys;
use meshql_legacy::lane::{self, Context, Outcome};
use meshql_legacy::progress::Progress;
use meshql_legacy::table::Table;
use meshql_legacy::waiting::Job;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// What was asked, and how many answers are left to be spoilt.
#[derive(Default)]
struct Spoilt {
    asked: Vec<String>,
    stored: usize,
    failures: usize,
}

type Shared = Arc<Mutex<Spoilt>>;

async fn answer(State(shared): State<Shared>, method: Method, uri: axum::http::Uri) -> Response {
    let mut state = shared.lock().expect("the state");
    state.asked.push(format!("{method} {}", uri.path()));
    let body = match (method, uri.path()) {
        (Method::POST, "/farm/graph") => {
            let farm = json!({"id": "id-1", "legacy_werks": "1000"});
            let all = vec![farm; state.stored];
            json!({"data": {"getAll": all}})
        }
        (Method::POST, _) => {
            state.stored += 1;
            json!({"id": format!("id-{}", state.stored)})
        }
        _ => json!({}),
    };
    if state.failures > 0 {
        state.failures -= 1;
        return StatusCode::BAD_GATEWAY.into_response();
    }
    body.to_string().into_response()
}

/// Applies one change of farm 1000; returns what became of it and what was asked.
async fn apply(
    change: impl Fn(meshql_legacy::map::Row) -> Change,
    failures: usize,
) -> (Outcome, Vec<String>) {
    let shared = Shared::default();
    shared.lock().expect("the state").failures = failures;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new()
        .fallback(answer)
        .with_state(Arc::clone(&shared));
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let row = json!({"mandt": "100", "werks": "1000", "farm_nm": "Hof", "zone_cd": "north"});
    let row = row.as_object().cloned().expect("an object");
    let job = Job {
        message: Message {
            table: Table::Farm,
            offset: 0,
            key: None,
            value: None,
        },
        key: vec!["1000".into()],
        committed: Committed {
            change: change(row),
            at: None,
        },
    };
    let (api, keys, progress) = (Api::new(&url), Keys::default(), Progress::default());
    let context = Context {
        api: &api,
        keys: &keys,
        progress: &progress,
    };
    let outcome = lane::run(&context, vec![job]).await;
    serving.abort();
    let asked = std::mem::take(&mut shared.lock().expect("the state").asked);
    (outcome, asked)
}

#[tokio::test]
async fn a_creation_without_an_answer_is_looked_up_and_not_repeated() {
    let (outcome, asked) = apply(Change::Upsert, 1).await;
    assert_eq!(
        asked,
        ["POST /farm/api", "POST /farm/graph", "PUT /farm/api/id-1"]
    );
    assert_eq!(outcome.known.map(|known| known.id), Some("id-1".into()));
    assert!(outcome.refused.is_empty());
}

#[tokio::test]
async fn the_look_up_is_repeated_until_it_is_answered() {
    let (outcome, asked) = apply(Change::Upsert, 3).await;
    let expected = [
        "POST /farm/api",
        "POST /farm/graph",
        "POST /farm/graph",
        "POST /farm/graph",
        "PUT /farm/api/id-1",
    ];
    assert_eq!(asked, expected);
    assert_eq!(outcome.known.map(|known| known.id), Some("id-1".into()));
}

#[tokio::test]
async fn an_unknown_row_that_is_deleted_asks_for_nothing() {
    let (outcome, asked) = apply(Change::Delete, 0).await;
    assert_eq!(asked, Vec::<String>::new());
    assert_eq!(outcome.known, None);
}
