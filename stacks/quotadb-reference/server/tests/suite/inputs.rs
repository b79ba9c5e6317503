//! Inputs that were chosen, or that once broke something, and random ones: none harms another client.

use crate::client::Reply;
use crate::process::Server;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

const CHOSEN: &[(&str, &[u8])] = &[
    ("a-bare-line-feed", b"*1\n$4\nPING\n"),
    ("a-bulk-beyond-1-mib", b"*2\r\n$3\r\nGET\r\n$1048577\r\nx"),
    ("a-bulk-longer-than-its-length", b"*1\r\n$4\r\nPINGPING\r\n"),
    ("a-bulk-shorter-than-its-length", b"*2\r\n$3\r\nGET\r\n$8\r\nshort\r\n"),
    ("a-bulk-that-contains-line-ends", b"*2\r\n$3\r\nGET\r\n$17\r\na\r\n*1\r\n$4\r\nPING\r\n\r\n"),
    ("a-carriage-return-alone", b"*1\r\r\n$4\r\nPING\r\n"),
    ("a-count-beyond-64-bits", b"*99999999999999999999\r\n$4\r\nPING\r\n"),
    ("a-count-line-that-does-not-end", b"*1111111111111111111111111111111111111111111111111111111111111111"),
    ("a-count-with-a-sign", b"*+1\r\n$4\r\nPING\r\n"),
    ("a-count-with-zeros-before", b"*01\r\n$4\r\nPING\r\n"),
    ("a-null-array", b"*-1\r\n*1\r\n$4\r\nPING\r\n"),
    ("a-null-bulk", b"*2\r\n$3\r\nGET\r\n$-1\r\n"),
    ("a-pipeline", b"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*3\r\n$4\r\nMGET\r\n$1\r\nk\r\n$4\r\nnone\r\n"),
    ("a-tls-hello", b"\x16\x03\x01\0\xc4\x01\0\0\xc0\x03\x03o\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !\"#$%&'()*+,-./0123456789:;<=>?"),
    ("an-array-within-an-array", b"*2\r\n*1\r\n$4\r\nPING\r\n$1\r\nx\r\n"),
    ("an-empty-array", b"*0\r\n*1\r\n$4\r\nPING\r\n"),
    ("an-http-post-with-commands", b"POST / HTTP/1.1\r\nContent-Length: 30\r\n\r\nFLUSHALL\r\nSET evil 1\r\n"),
    ("an-increment-beyond-64-bits", b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$19\r\n9223372036854775807\r\n*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*3\r\n$6\r\nDECRBY\r\n$1\r\nk\r\n$20\r\n-9223372036854775808\r\n"),
    ("empty-arguments", b"*4\r\n$6\r\nEXISTS\r\n$0\r\n\r\n$0\r\n\r\n$0\r\n\r\n"),
    ("hello-3-and-back", b"*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n*2\r\n$3\r\nGET\r\n$4\r\nnone\r\n*4\r\n$5\r\nHELLO\r\n$1\r\n2\r\n$7\r\nSETNAME\r\n$1\r\nx\r\n*1\r\n$5\r\nRESET\r\n"),
    ("more-arguments-than-allowed", b"*1048577\r\n$4\r\nPING\r\n"),
    ("no-text-at-all", b"\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xbb\xbc\xbd\xbe\xbf\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xdb\xdc\xdd\xde\xdf\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff"),
];

/// Sends bytes, closes the sending side and reads until the server closes too.
fn throw(port: u16, bytes: &[u8]) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    // The server may close before everything is sent or read; only hanging is a failure.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let hangs = |error: &std::io::Error| error.kind() == ErrorKind::WouldBlock;
    let read = stream.read_to_end(&mut Vec::new());
    assert!(
        !read.is_err_and(|error| hangs(&error)),
        "the server hangs on {}",
        bytes.escape_ascii()
    );
}

#[test]
fn no_chosen_input_harms_another_client() {
    let server = Server::in_memory();
    let mut bystander = server.client();
    bystander.call("SET kept 1");
    for (name, bytes) in CHOSEN {
        throw(server.port, bytes);
        assert_eq!(bystander.value("kept"), 1, "{name}");
        assert_eq!(bystander.call("EXISTS evil"), Reply::Integer(0), "{name}");
    }
}

#[test]
fn no_random_input_harms_another_client() {
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
