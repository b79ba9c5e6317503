//! Every command over a real socket, with the replies Redis gives.

use crate::client::{Reply, bulk, encode, ok};
use crate::process::{PATIENCE, Server, command, free_port};
use std::collections::BTreeSet;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

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
    assert_eq!(client.call("TYPE k"), Reply::Simple("string".into()));
    assert_eq!(client.call("SET k 12"), ok());
    assert_eq!(client.integer("INCR k"), 13);
    assert_eq!(client.integer("STRLEN k"), 2);
}

#[test]
fn errors_are_worded_as_in_redis() {
    let server = Server::in_memory();
    let mut client = server.client();
    client.call("SET text hello");
    client.call("SET big 9223372036854775807");
    client.call("SET small -9223372036854775808");
    client.call("QUOTASET quota 1 1");
    let not_integer = "ERR value is not an integer or out of range";
    let overflow = "ERR increment or decrement would overflow";
    let wrong_type = "WRONGTYPE Operation against a key holding the wrong kind of value";
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
        ("INCR quota", wrong_type),
        ("GET quota", wrong_type),
        ("QUOTAINCR text 1", wrong_type),
        ("GET", "ERR wrong number of arguments for 'get' command"),
        (
            "MSET a 1 b",
            "ERR wrong number of arguments for 'mset' command",
        ),
        (
            "nope a b",
            "ERR unknown command 'nope', with args beginning with: 'a' 'b' ",
        ),
        ("SET k v EX 10", "ERR syntax error"),
        ("SELECT 1", "ERR DB index is out of range"),
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
    client.call("QUOTASET q 5 60");
    assert_eq!(
        client.call("MGET a b none q"),
        Reply::Array(vec![bulk("1"), bulk("two"), Reply::Null, Reply::Null])
    );
    assert_eq!(client.integer("DBSIZE"), 4);
    assert_eq!(client.integer("EXISTS a a none"), 2);
    assert_eq!(client.call("KEYS c*"), Reply::Array(vec![bulk("c:1")]));
    assert_eq!(client.integer("DEL a a none"), 1);
    assert_eq!(client.integer("UNLINK b"), 1);
    assert_eq!(client.call("TYPE q"), Reply::Simple("quota".into()));
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
fn a_scan_sees_every_key_once() {
    let server = Server::in_memory();
    let mut client = server.client();
    for i in 0..500 {
        client.call(&format!("INCR key:{i}"));
    }
    let mut seen = BTreeSet::new();
    let mut cursor = "0".to_string();
    loop {
        let Reply::Array(parts) = client.call(&format!("SCAN {cursor} MATCH key:* COUNT 20"))
        else {
            panic!()
        };
        let [Reply::Bulk(next), Reply::Array(keys)] = parts.as_slice() else {
            panic!("{parts:?}")
        };
        for key in keys {
            assert!(seen.insert(format!("{key:?}")), "{key:?} twice");
        }
        cursor = String::from_utf8(next.clone()).unwrap();
        if cursor == "0" {
            break;
        }
    }
    assert_eq!(seen.len(), 500);
}

#[test]
fn quotas() {
    let server = Server::in_memory();
    let mut client = server.client();
    assert_eq!(client.error("QUOTAINCR q 1"), "ERR no such quota");
    assert_eq!(client.call("QUOTAGET q"), Reply::Null);
    // A window of a year does not end during the test, but for one moment a year.
    assert_eq!(client.call("QUOTASET q 5 31536000"), ok());
    assert_eq!(client.integer("QUOTAINCR q 3"), 2);
    assert_eq!(client.integer("QUOTAINCR q 3"), -1);
    assert_eq!(client.integer("QUOTAINCR q 0"), 2);
    let numbers = [5, 31_536_000, 2].map(Reply::Integer).to_vec();
    assert_eq!(client.call("QUOTAGET q"), Reply::Array(numbers));
    assert_eq!(client.integer("QUOTADEL q"), 1);
    assert_eq!(client.integer("QUOTADEL q"), 0);
    assert_eq!(client.error("QUOTASET q 5 0"), "ERR invalid window");
}

#[test]
fn what_client_libraries_ask_at_start() {
    let server = Server::in_memory();
    let mut client = server.client();
    for words in ["HELLO", "HELLO 2", "hello 2 setname me"] {
        let Reply::Array(fields) = client.call(words) else {
            panic!()
        };
        assert_eq!(fields.len(), 14);
        assert_eq!(fields[4..6], [bulk("proto"), Reply::Integer(2)]);
    }
    assert_eq!(client.call("CLIENT GETNAME"), bulk("me"));
    assert_eq!(client.call("CLIENT SETINFO LIB-NAME x"), ok());
    assert_eq!(
        client.call("CONFIG GET appendonly"),
        Reply::Array(vec![bulk("appendonly"), bulk("no")])
    );
    assert_eq!(
        client.call("CONFIG GET save"),
        Reply::Array(vec![bulk("save"), bulk("")])
    );
    let Reply::Array(table) = client.call("COMMAND") else {
        panic!()
    };
    assert_eq!(client.integer("COMMAND COUNT"), table.len() as i64);
    assert_eq!(client.call("COMMAND DOCS"), Reply::Array(vec![]));
    assert_eq!(client.call("SELECT 0"), ok());
    assert_eq!(client.call("RESET"), Reply::Simple("RESET".into()));
    assert_eq!(client.call("ECHO hi"), bulk("hi"));
    assert_eq!(client.call("PING hi"), bulk("hi"));
    let Reply::Bulk(info) = client.call("INFO server") else {
        panic!()
    };
    let info = String::from_utf8(info).unwrap();
    assert!(info.contains("origin:reference\r\n"), "{info}");
    assert!(!info.contains("# Keyspace"));
    assert_eq!(client.call("QUIT"), ok());
    assert!(client.reply().is_err(), "closed after QUIT");
}

#[test]
fn resp3_has_its_own_null_and_maps() {
    let server = Server::in_memory();
    let mut client = server.client();
    let Reply::Map(fields) = client.call("HELLO 3") else {
        panic!()
    };
    assert_eq!(fields.len(), 14);
    assert_eq!(fields[4..6], [bulk("proto"), Reply::Integer(3)]);
    assert_eq!(client.call("GET none"), Reply::Null3);
    assert_eq!(client.call("QUOTAGET none"), Reply::Null3);
    assert_eq!(client.integer("INCR n"), 1);
    assert_eq!(
        client.call("MGET n none"),
        Reply::Array(vec![bulk("1"), Reply::Null3])
    );
    assert_eq!(
        client.call("CONFIG GET appendonly"),
        Reply::Map(vec![bulk("appendonly"), bulk("no")])
    );
    assert_eq!(client.call("COMMAND DOCS"), Reply::Map(vec![]));
    assert!(matches!(client.call("HELLO"), Reply::Map(_)), "it stays");
    assert_eq!(client.call("RESET"), Reply::Simple("RESET".into()));
    assert_eq!(client.call("GET none"), Reply::Null);
}

#[test]
fn inline_and_pipelined_commands_are_answered_in_order() {
    let server = Server::in_memory();
    let mut client = server.client();
    let mut bytes = b"PING\r\nSET k \"a b\"\r\n".to_vec();
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
    let large = vec![b'x'; 3 << 20];
    assert_eq!(client.call_bytes(&[b"SET", b"large", &large]), ok());
    let mut reads = Vec::new();
    for _ in 0..10 {
        reads.extend(encode(&[b"GET", b"large"]));
    }
    client.send(&reads).unwrap();
    for _ in 0..10 {
        assert_eq!(client.reply().unwrap(), Reply::Bulk(large.clone()));
    }
}

#[test]
fn a_protocol_error_is_answered_and_the_connection_closed() {
    let server = Server::in_memory();
    for (bytes, expected) in [
        (
            b"*1\r\n:1\r\n".as_slice(),
            "ERR Protocol error: expected '$', got ':'",
        ),
        (
            b"*9999999\r\n",
            "ERR Protocol error: invalid multibulk length",
        ),
        (
            b"GET \"x\r\n",
            "ERR Protocol error: unbalanced quotes in request",
        ),
    ] {
        let mut client = server.client();
        client.send(bytes).unwrap();
        assert_eq!(client.reply().unwrap(), Reply::Error(expected.into()));
        assert!(client.reply().is_err());
    }
}

#[test]
fn concurrent_increments_add_up() {
    let server = Server::in_memory();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut client = server.client();
                for _ in 0..500 {
                    client.integer("INCR shared");
                }
            });
        }
    });
    assert_eq!(server.client().value("shared"), 4000);
}

#[test]
fn a_taken_port_is_one_line_and_exit_code_2() {
    let server = Server::in_memory();
    let output = command(server.port, &[])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains(&format!("cannot listen on 127.0.0.1:{}", server.port)));
}

#[test]
fn wrong_flags_exit_with_code_2() {
    for args in [
        ["--appendfsync", "sometimes"],
        ["--peers", "nowhere"],
        ["--node-id", "a b"],
    ] {
        let output = command(free_port(), &args)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn sigterm_stops_with_code_0_even_with_clients_connected() {
    let server = Server::in_memory();
    let mut client = server.client();
    client.call("PING");
    let begun = Instant::now();
    assert_eq!(server.terminate().code(), Some(0));
    assert!(begun.elapsed() < PATIENCE);
}
