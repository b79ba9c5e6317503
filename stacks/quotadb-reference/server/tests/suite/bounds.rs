//! What a client may take: time, memory, connections; and what a browser may not do.

use crate::client::{Client, Reply, encode, ok};
use crate::process::{Server, wait_until};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Everything that the server answers to `bytes` until it closes.
fn last_words(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let _ = stream.write_all(bytes);
    let mut words = Vec::new();
    // A reset ends it as well as a close does.
    if let Err(error) = stream.read_to_end(&mut words) {
        assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "it hangs");
    }
    String::from_utf8_lossy(&words).into_owned()
}

#[test]
fn an_http_request_ends_the_connection_and_runs_nothing() {
    let server = Server::in_memory();
    let mut client = server.client();
    client.integer("INCR kept");
    let body = "FLUSHALL\r\nSET evil 1\r\n";
    for request in [
        format!("POST / HTTP/1.1\r\nHost: x\r\n\r\n{body}"),
        format!("post / HTTP/1.1\r\n\r\n{body}"),
        format!("PUT / HTTP/1.1\r\nhost: x\r\n\r\n{body}"),
    ] {
        let answer = last_words(server.port, request.as_bytes());
        assert!(!answer.contains("+OK"), "{answer}");
    }
    assert_eq!(client.value("kept"), 1);
    assert_eq!(client.call("EXISTS evil"), Reply::Integer(0));
}

#[test]
fn a_reply_beyond_the_limit_is_refused() {
    let server = Server::in_memory();
    let mut client = server.client();
    let value = vec![b'x'; 8 << 20];
    assert_eq!(client.call_bytes(&[b"SET", b"big", &value]), ok());
    let nine = encode(&[
        b"MGET", b"big", b"big", b"big", b"big", b"big", b"big", b"big", b"big", b"big",
    ]);
    client.send(&nine).unwrap();
    match client.reply().unwrap() {
        Reply::Error(message) => assert!(message.contains("too big"), "{message}"),
        _ => panic!("72 MiB were sent"),
    }
    assert_eq!(client.call("EXISTS big"), Reply::Integer(1));
}

#[test]
fn one_client_too_many_is_told_so() {
    let server = Server::start(&["--max-clients", "2"]);
    // What asked whether it is up may not have been seen to leave yet.
    wait_until("two are connected", || {
        let (mut one, mut two) = (server.client(), server.client());
        let pong = Reply::Simple("PONG".into());
        let served = |client: &mut Client| {
            client.send(b"PING\r\n").is_ok() && client.reply().is_ok_and(|reply| reply == pong)
        };
        served(&mut one)
            && served(&mut two)
            && last_words(server.port, b"") == "-ERR max number of clients reached\r\n"
    });
    wait_until("their places are free again", || {
        let mut client = server.client();
        client.send(b"PING\r\n").is_ok()
            && client
                .reply()
                .is_ok_and(|r| r == Reply::Simple("PONG".into()))
    });
}

#[test]
fn a_client_that_drips_is_given_up_and_an_idle_one_is_not() {
    let server = Server::start(&["--client-patience-secs", "1"]);
    let mut idle = server.client();
    let mut slow = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    slow.write_all(b"*2\r\n$4\r\nINCR\r\n$100000\r\n").unwrap();
    let mut answer = Vec::new();
    slow.set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    wait_until("it is given up", || {
        let _ = slow.write_all(b"x");
        let mut byte = [0; 256];
        match slow.read(&mut byte) {
            Ok(0) => true,
            Ok(count) => {
                answer.extend_from_slice(&byte[..count]);
                false
            }
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        }
    });
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("did not come in time"), "{answer}");
    assert_eq!(idle.call("PING"), Reply::Simple("PONG".into()));
}

#[test]
fn a_client_that_does_not_read_is_given_up() {
    // Long enough to be seen holding its reply on a machine that stalls.
    let server = Server::start(&["--client-patience-secs", "3"]);
    let mut client = server.client();
    client.call_bytes(&[b"SET", b"big", &vec![b'x'; 8 << 20]]);
    let mut deaf = server.client();
    deaf.send(&encode(&[b"MGET", b"big", b"big", b"big", b"big"]))
        .unwrap();
    wait_until("its reply is held", || buffered(&mut client) > 1 << 20);
    wait_until("it is gone, and its memory", || buffered(&mut client) == 0);
    assert!(deaf.reply().is_err(), "the reply was cut off");
}

/// What `INFO` says that the buffers of all clients take.
fn buffered(client: &mut Client) -> usize {
    let Reply::Bulk(info) = client.call("INFO clients") else {
        panic!("no INFO")
    };
    let info = String::from_utf8(info).unwrap();
    let bytes = info
        .lines()
        .find_map(|line| line.strip_prefix("client_buffers_bytes:"));
    bytes.unwrap().parse().unwrap()
}

#[test]
fn unfinished_commands_share_a_bounded_memory() {
    let server = Server::start(&["--client-buffers-mib", "3"]);
    let mut client = server.client();
    let mut part = b"*2\r\n$4\r\nECHO\r\n$3000000\r\n".to_vec();
    part.extend(vec![b'x'; 2_000_000]);
    let mut first = server.client();
    first.send(&part).unwrap();
    wait_until("it is held", || buffered(&mut client) > 2_000_000);
    let answer = last_words(server.port, &part);
    assert!(
        answer.contains("no memory left") || answer.is_empty(),
        "{answer}"
    );
    assert!(buffered(&mut client) > 2_000_000, "the first one stays");
    drop(first);
    wait_until("all of it is given back", || buffered(&mut client) == 0);
}

#[test]
fn arguments_count_as_memory_and_are_forgotten_with_their_command() {
    let server = Server::in_memory();
    let mut client = server.client();
    let mut many = server.client();
    let mut part = b"*200001\r\n$6\r\nEXISTS\r\n".to_vec();
    part.extend(b"$0\r\n\r\n".repeat(100_000));
    many.send(&part).unwrap();
    // 600 KB of text, in a buffer of 1 MiB, and as many bytes again for where the arguments are.
    wait_until("both are noted", || buffered(&mut client) > 1_800_000);
    many.send(&b"$0\r\n\r\n".repeat(100_000)).unwrap();
    assert_eq!(many.reply().unwrap(), Reply::Integer(0));
    wait_until("nothing is kept", || buffered(&mut client) == 0);
    // This one fits into the usual buffer.
    let mut short = vec![b"EXISTS".as_slice()];
    short.resize(2000, b"");
    assert_eq!(many.call_bytes(&short), Reply::Integer(0));
    wait_until("nothing is kept", || buffered(&mut client) == 0);
}
