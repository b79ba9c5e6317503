//! Clients that send slowly, much, or nothing, over sockets of their own; a good one is answered all the time.

use crate::harness::{Server, folder, valid, with};
use serde_json::json;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A machine that does much else is slow.
const PATIENCE: Duration = Duration::from_secs(60);

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";

fn connect(port: u16) -> TcpStream {
    let socket = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    socket
}

/// Sends what can still be sent.
fn send(mut socket: &TcpStream, text: &str) {
    let _ = socket.write_all(text.as_bytes());
}

/// The next piece that the server says; none: it has closed the connection.
fn next(mut socket: &TcpStream) -> Option<String> {
    let mut piece = [0; 4096];
    match socket.read(&mut piece) {
        Ok(0) => None,
        Ok(count) => Some(String::from_utf8_lossy(&piece[..count]).into()),
        Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
        Err(error) => panic!("neither an answer nor an end: {error}"),
    }
}

/// All that the server says until it closes the connection.
fn rest(socket: &TcpStream) -> String {
    std::iter::from_fn(|| next(socket)).collect()
}

fn post_head(length: usize) -> String {
    format!("POST /farm/api HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n")
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "never {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_head_that_never_ends_is_cut() {
    let dir = folder();
    let server = Server::start_with("embedded", dir.path(), &["--patience-sec", "1"]);
    let slow = connect(server.port());
    slow.set_read_timeout(Some(Duration::from_millis(50)))
        .expect("a timeout");
    send(&slow, "GET /health HTTP/1.1\r\nX: ");
    eventually("cut", || {
        assert_eq!(server.get("/health").status, 200);
        send(&slow, "x");
        let said = (&slow).read(&mut [0; 64]);
        !said.is_err_and(|e| matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    });
}

#[test]
fn a_body_that_drips_is_cut() {
    let dir = folder();
    let server = Server::start_with("embedded", dir.path(), &["--patience-sec", "1"]);
    let slow = connect(server.port());
    send(&slow, &(post_head(1000) + "\r\n{"));
    let mut dripping = slow.try_clone().expect("a second handle");
    std::thread::spawn(move || {
        while dripping.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    server.create("farm", valid("farm"));
    let answer = rest(&slow);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("the body took longer than 1 s"), "{answer}");
    server.create("farm", valid("farm"));
}

#[test]
fn one_connection_too_many_is_closed_at_once() {
    let dir = folder();
    let server = Server::start_with("embedded", dir.path(), &["--connections", "4"]);
    // It keeps its connection.
    assert_eq!(server.get("/health").status, 200);
    let serves = |socket: &TcpStream| {
        send(socket, HEALTH);
        next(socket).is_some_and(|answer| answer.starts_with("HTTP/1.1 200 "))
    };
    let mut idle: Vec<TcpStream> = (0..3).map(|_| connect(server.port())).collect();
    for socket in &idle {
        assert!(serves(socket));
    }
    for _ in 0..3 {
        assert!(!serves(&connect(server.port())), "a fifth connection");
        assert_eq!(server.get("/health").status, 200);
    }
    assert!(idle.iter().all(serves), "who was there stays");
    idle.pop();
    eventually("served after one has left", || {
        serves(&connect(server.port()))
    });
}

#[test]
fn bodies_have_a_bound_in_all() {
    let dir = folder();
    let flags = ["--body-memory-mib", "1", "--patience-sec", "600"];
    let server = Server::start_with("embedded", dir.path(), &flags);
    let large = connect(server.port());
    send(
        &large,
        &(post_head(2 << 20) + "\r\n" + &" ".repeat(900 << 10)),
    );
    let second = " ".repeat(200 << 10);
    let status = || server.request("POST", "/farm/api", Some(&second)).status;
    eventually("refused while the first is there", || {
        // What is small is taken all the time.
        server.create("farm", valid("farm"));
        status() == 503
    });
    server.create("farm", valid("farm"));
    drop(large);
    // Read, and no JSON.
    eventually("read after the first has gone", || status() == 400);
}

/// A list that no socket holds by itself.
fn with_a_large_list(server: &Server) {
    let name = "x".repeat(2 << 20);
    for _ in 0..4 {
        server.create("farm", with("farm", json!({ "name": name })));
    }
}

const LIST: &str = "GET /farm/api HTTP/1.1\r\nHost: x\r\n\r\n";

#[test]
fn answers_have_a_bound_in_all() {
    let dir = folder();
    let flags = ["--answer-memory-mib", "12", "--patience-sec", "600"];
    let server = Server::start_with("sqlite", dir.path(), &flags);
    with_a_large_list(&server);
    let status = || {
        let socket = connect(server.port());
        send(&socket, LIST);
        let answer = next(&socket).unwrap_or_default();
        answer.split(' ').nth(1).map(String::from)
    };
    let unread = connect(server.port());
    send(&unread, LIST);
    eventually("refused while the first is not taken", || {
        // What is small is answered all the time.
        assert_eq!(server.get("/coop/api").status, 200);
        status().as_deref() == Some("503")
    });
    drop(unread);
    eventually("answered after it has gone", || {
        status().as_deref() == Some("200")
    });
}

#[test]
fn who_takes_nothing_is_cut() {
    let dir = folder();
    let server = Server::start_with("sqlite", dir.path(), &["--patience-sec", "1"]);
    with_a_large_list(&server);
    let unread = connect(server.port());
    send(&unread, LIST);
    eventually("cut", || {
        assert_eq!(server.get("/health").status, 200);
        (&unread).write_all(b" ").is_err()
    });
}

#[test]
fn a_body_beyond_the_limit_is_refused() {
    let dir = folder();
    let server = Server::start("embedded", dir.path());
    let socket = connect(server.port());
    send(&socket, &(post_head(17 << 20) + "\r\n"));
    let mut sending = socket.try_clone().expect("a second handle");
    std::thread::spawn(move || {
        let piece = [b' '; 64 << 10];
        while sending.write_all(&piece).is_ok() {}
    });
    let answer = next(&socket).unwrap_or_default();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    server.create("farm", valid("farm"));
}

#[test]
fn a_stop_waits_for_an_open_request() {
    let dir = folder();
    let server = Server::start("embedded", dir.path());
    let port = server.port();
    let (idle, open) = (connect(port), connect(port));
    let body = valid("farm").to_string();
    send(
        &open,
        &(post_head(body.len()) + "Expect: 100-continue\r\n\r\n"),
    );
    let said = next(&open).unwrap_or_default();
    assert!(said.starts_with("HTTP/1.1 100 "), "{said}");
    let stopping = std::thread::spawn(move || server.stop());
    assert_eq!(rest(&idle), "", "what is idle is closed");
    send(&open, &body);
    let answer = rest(&open);
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert_eq!(stopping.join().expect("a thread"), Some(0));
}
