//! Every command over a real socket, with the replies Redis gives.

use crate::client::{Reply, bulk, encode, ok};
use crate::process::{Server, command, free_port};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

#[test]
fn counters() {
    let server = Server::in_memory();
    let mut client = server.client();
    assert_eq!(client.call("GET k"), Reply::Null);
    assert_eq!(client.integer("INCR k"), 1);
    assert_eq!(client.integer("incrby k 41"), 42);
    assert_eq!(client.call("GET k"), bulk("42"));
    assert_eq!(client.integer("DECR k"), 41);
    assert_eq!(client.integer("DECRBY k -9"), 50);
    assert_eq!(client.call("SET k 12"), ok());
    assert_eq!(client.integer("INCR k"), 13);
}

#[test]
fn errors_are_worded_as_in_redis() {
    let server = Server::in_memory();
    let mut client = server.client();
    client.call("SET text hello");
    client.call("SET big 9223372036854775807");
    client.call("SET small -9223372036854775808");
    let not_integer = "ERR value is not an integer or out of range";
    let overflow = "ERR increment or decrement would overflow";
    for (words, expected) in [
        ("INCR text", not_integer),
        ("INCRBY k 1.5", not_integer),
        ("INCRBY k 9223372036854775808", not_integer),
        ("INCR big", overflow),
        ("DECR small", overflow),
        (
            "DECRBY k -9223372036854775808",
            "ERR decrement would overflow",
        ),
        ("GET", "ERR wrong number of arguments for 'get' command"),
        (
            "MSET a 1 b",
            "ERR wrong number of arguments for 'mset' command",
        ),
        ("nope a b", "ERR unknown command 'nope'"),
        (
            "SET k v EX 10",
            "ERR wrong number of arguments for 'set' command",
        ),
        ("HELLO 4", "NOPROTO unsupported protocol version"),
        ("CLIENT NOPE", "ERR unknown subcommand 'NOPE'"),
    ] {
        assert_eq!(client.error(words), expected, "{words}");
    }
    assert_eq!(client.call("EXISTS k"), Reply::Integer(0));
}

#[test]
fn keys_and_strings() {
    let server = Server::in_memory();
    let mut client = server.client();
    assert_eq!(client.call("MSET a 1 b two c:1 3"), ok());
    assert_eq!(
        client.call("MGET a b none"),
        Reply::Array(vec![bulk("1"), bulk("two"), Reply::Null])
    );
    assert_eq!(client.integer("DBSIZE"), 3);
    assert_eq!(client.integer("EXISTS a a none"), 2);
    assert_eq!(client.integer("DEL a a none"), 1);
    assert_eq!(client.call("FLUSHALL"), ok());
    assert_eq!(client.integer("DBSIZE"), 0);
    let binary = [0u8, 255, b'\r', b'\n', b'*'];
    assert_eq!(client.call_bytes(&[b"SET", &binary, &binary]), ok());
    assert_eq!(
        client.call_bytes(&[b"GET", &binary]),
        Reply::Bulk(binary.to_vec())
    );
}

#[test]
fn what_client_libraries_ask_at_start() {
    let server = Server::in_memory();
    let mut client = server.client();
    for (words, proto) in [
        ("HELLO", 2),
        ("HELLO 2", 2),
        ("hello 2 setname me", 2),
        ("HELLO 3", 3),
    ] {
        let Reply::Array(fields) = client.call(words) else {
            panic!()
        };
        assert_eq!(fields[4..], [bulk("proto"), Reply::Integer(proto)]);
    }
    assert_eq!(client.call("GET none"), Reply::Null, "as the product");
    assert_eq!(client.call("CLIENT SETINFO LIB-NAME x"), ok());
    assert_eq!(
        client.call("CONFIG GET appendonly save nothing"),
        Reply::Array(vec![bulk("appendonly"), bulk("no"), bulk("save"), bulk("")])
    );
    let Reply::Bulk(info) = client.call("INFO server") else {
        panic!()
    };
    let info = String::from_utf8(info).unwrap();
    assert!(info.contains("origin:reference\r\n"), "{info}");
}

#[test]
fn pipelined_commands_are_answered_in_order() {
    let server = Server::in_memory();
    let mut client = server.client();
    let mut bytes = b"PING\r\n".to_vec();
    bytes.extend(encode(&[b"SET", b"k", b"a b"]));
    bytes.extend(encode(&[b"GET", b"k"]));
    for _ in 0..5000 {
        bytes.extend(encode(&[b"INCR", b"n"]));
    }
    client.send(&bytes).unwrap();
    assert_eq!(client.reply().unwrap(), Reply::Simple("PONG".into()));
    assert_eq!(client.reply().unwrap(), ok());
    assert_eq!(client.reply().unwrap(), bulk("a b"));
    for i in 1..=5000 {
        assert_eq!(client.reply().unwrap(), Reply::Integer(i));
    }
}

#[test]
fn a_command_may_arrive_byte_by_byte_or_be_large() {
    let server = Server::in_memory();
    let mut client = server.client();
    for byte in encode(&[b"INCR", b"n"]) {
        client.send(&[byte]).unwrap();
        sleep(Duration::from_millis(1));
    }
    assert_eq!(client.reply().unwrap(), Reply::Integer(1));
    let large = vec![b'x'; 1_000_000];
    assert_eq!(client.call_bytes(&[b"SET", b"large", &large]), ok());
    let reads = encode(&[b"GET", b"large"]).repeat(10);
    client.send(&reads).unwrap();
    for _ in 0..10 {
        assert_eq!(client.reply().unwrap(), Reply::Bulk(large.clone()));
    }
}

#[test]
fn what_cannot_start_is_one_line_and_exit_code_2() {
    let server = Server::in_memory();
    let taken = format!("cannot listen on 127.0.0.1:{}", server.port);
    for (port, args, words) in [
        (server.port, ["--appendonly", "no"], taken.as_str()),
        (free_port(), ["--appendfsync", "sometimes"], "sometimes"),
    ] {
        let output = command(port, &args)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        let first = message.lines().next().unwrap();
        assert!(first.contains(words), "{message}");
    }
}
