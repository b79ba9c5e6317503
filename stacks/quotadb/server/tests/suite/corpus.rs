//! What became of inputs that were chosen, or that once broke something.

use crate::client::{Client, Reply};
use crate::fuzz::throw;
use crate::inputs::{CLIENT, PEER};
use crate::process::{Server, free_port, wait_until};
use crate::split_invariance::parse_in_pieces;

/// What a client sends; one of them is too long to be written down.
fn from_client() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let long = [b"ECHO ".as_slice(), &b"x".repeat(65_536)].concat();
    let kept = CLIENT.iter().map(|&(name, bytes)| (name, bytes.to_vec()));
    kept.chain([("inline-longer-than-64-kib", long)])
}

#[test]
fn wherever_an_input_is_cut_it_means_the_same() {
    for (name, bytes) in from_client() {
        let whole = parse_in_pieces(&bytes, &[]);
        let every_byte: Vec<usize> = (0..bytes.len().min(1000)).collect();
        assert_eq!(parse_in_pieces(&bytes, &every_byte), whole, "{name}");
        for cut in every_byte {
            assert_eq!(
                parse_in_pieces(&bytes, &[cut]),
                whole,
                "{name} cut at {cut}"
            );
        }
    }
}

#[test]
fn no_input_of_a_client_harms_another() {
    let server = Server::in_memory();
    let mut bystander = server.client();
    bystander.call("SET kept 1");
    for (name, bytes) in from_client() {
        throw(server.port, &bytes);
        assert_eq!(bystander.value("kept"), 1, "{name}");
        assert_eq!(
            bystander.call("EXISTS evil never"),
            Reply::Integer(0),
            "{name}"
        );
    }
}

#[test]
fn no_input_of_a_peer_harms_a_client() {
    let port = free_port();
    let server = Server::start(&["--replication-port", &port.to_string()]);
    wait_until("the port is open", || Client::try_connect(port).is_some());
    let mut client = server.client();
    for (name, bytes) in PEER {
        throw(port, bytes);
        let mut framed = (bytes.len() as u32).to_le_bytes().to_vec();
        framed.extend(crc32fast::hash(bytes).to_le_bytes());
        framed.extend(*bytes);
        throw(port, &framed);
        assert_eq!(client.call("DBSIZE"), Reply::Integer(0), "{name}");
    }
}
