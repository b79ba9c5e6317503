//! What a client may take: time, and memory for one reply.

use crate::client::{Reply, encode, ok};
use crate::process::{Server, wait_until};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn a_reply_beyond_the_limit_is_refused() {
    let server = Server::in_memory();
    let mut client = server.client();
    let value = vec![b'x'; 1_000_000];
    assert_eq!(client.call_bytes(&[b"SET", b"big", &value]), ok());
    let nine = encode(&[
        b"MGET", b"big", b"big", b"big", b"big", b"big", b"big", b"big", b"big", b"big",
    ]);
    client.send(&nine).unwrap();
    match client.reply().unwrap() {
        Reply::Error(message) => assert!(message.contains("too big"), "{message}"),
        _ => panic!("9 MB were sent"),
    }
    assert_eq!(client.call("EXISTS big"), Reply::Integer(1));
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
    let server = Server::start(&["--client-patience-secs", "1"]);
    let mut client = server.client();
    client.call_bytes(&[b"SET", b"big", &vec![b'x'; 1_000_000]]);
    let mut deaf = server.client();
    // More than what the system holds for both ends.
    deaf.send(&encode(&[b"GET", b"big"]).repeat(64)).unwrap();
    wait_until("it is gone", || deaf.send(b"*").is_err());
    let whole = (0..64).take_while(|_| deaf.reply().is_ok()).count();
    assert!(whole < 64, "the replies were cut off");
    assert_eq!(client.call("EXISTS big"), Reply::Integer(1));
}
