//! Nonsense over real sockets: the server neither dies nor stops answering others.

use crate::client::{Client, Reply, encode};
use crate::process::{Server, free_port, wait_until};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Sends bytes, closes the sending side and reads until the server closes too.
pub fn throw(port: u16, bytes: &[u8]) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    // The server may close before everything is sent or read; only hanging is a failure.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut sink = [0; 4096];
    loop {
        match stream.read(&mut sink) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("the server hangs on {}", bytes.escape_ascii())
            }
            Err(_) => return,
        }
    }
}

#[test]
fn every_command_survives_odd_arguments() {
    let server = Server::in_memory();
    let names = [
        "CLIENT",
        "COMMAND",
        "CONFIG",
        "DBSIZE",
        "DECR",
        "DECRBY",
        "DEL",
        "ECHO",
        "EXISTS",
        "FLUSHALL",
        "GET",
        "HELLO",
        "INCR",
        "INCRBY",
        "INFO",
        "KEYS",
        "MGET",
        "MSET",
        "PING",
        "QUOTADEL",
        "QUOTAGET",
        "QUOTAINCR",
        "QUOTASET",
        "RESET",
        "SCAN",
        "SELECT",
        "SET",
        "STRLEN",
        "TIME",
        "TYPE",
        "XYZ",
        "",
    ];
    let argument = prop_oneof![
        prop::sample::select(vec![
            "k",
            "q",
            "0",
            "1",
            "-1",
            "9223372036854775807",
            "-9223372036854775808",
            "GET",
            "COUNT",
            "MATCH",
            "SETNAME",
            "INFO",
            "*",
            "[",
            "2",
            "3",
            "",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    let commands = prop::collection::vec(
        (
            prop::sample::select(names.to_vec()),
            prop::collection::vec(argument, 0..5),
        ),
        1..40,
    );
    let client = RefCell::new(server.client());
    let mut runner = TestRunner::new(Config::with_cases(200));
    let outcome = runner.run(&commands, |commands| {
        let mut bytes = Vec::new();
        for (name, args) in &commands {
            let mut words = vec![name.as_bytes()];
            words.extend(args.iter().map(Vec::as_slice));
            bytes.extend(encode(&words));
        }
        let mut client = client.borrow_mut();
        client.send(&bytes).unwrap();
        for _ in &commands {
            client.reply().unwrap();
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn nonsense_on_the_client_port_harms_nobody() {
    let server = Server::in_memory();
    let bystander = RefCell::new(server.client());
    let mut runner = TestRunner::new(Config::with_cases(200));
    let outcome = runner.run(&prop::collection::vec(any::<u8>(), 0..400), |mut bytes| {
        throw(server.port, &bytes);
        bytes.splice(0..0, *b"*3\r\n$3\r\nSET\r\n");
        throw(server.port, &bytes);
        assert_eq!(
            bystander.borrow_mut().call("PING"),
            Reply::Simple("PONG".into())
        );
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn nonsense_on_the_replication_port_harms_nobody() {
    let port = free_port();
    let server = Server::start(&["--replication-port", &port.to_string()]);
    wait_until("the port is open", || Client::try_connect(port).is_some());
    let mut runner = TestRunner::new(Config::with_cases(100));
    let outcome = runner.run(&prop::collection::vec(any::<u8>(), 0..200), |bytes| {
        throw(port, &bytes);
        let mut framed = (bytes.len() as u32).to_le_bytes().to_vec();
        framed.extend(crc32fast::hash(&bytes).to_le_bytes());
        framed.extend(&bytes);
        throw(port, &framed);
        Ok(())
    });
    outcome.unwrap();
    let mut client = server.client();
    assert_eq!(client.call("PING"), Reply::Simple("PONG".into()));
}
