//! Inputs that were chosen, or that once broke something, each in a file named after what it is. What
//! a random test finds is added here.

use crate::client::{Client, Reply};
use crate::fuzz::throw;
use crate::process::{Server, free_port, wait_until};
use crate::split_invariance::parse_in_pieces;
use std::path::Path;

/// Names and contents of the files of a corpus.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|item| {
            let item = item.unwrap();
            let name = item.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(item.path()).unwrap())
        })
        .collect();
    files.sort();
    assert!(files.len() > 5, "the corpus is there");
    files
}

#[test]
fn wherever_an_input_is_cut_it_means_the_same() {
    for (name, bytes) in corpus("client") {
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
    for (name, bytes) in corpus("client") {
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
    for (name, bytes) in corpus("peer") {
        throw(port, &bytes);
        let mut framed = (bytes.len() as u32).to_le_bytes().to_vec();
        framed.extend(crc32fast::hash(&bytes).to_le_bytes());
        framed.extend(&bytes);
        throw(port, &framed);
        assert_eq!(client.call("DBSIZE"), Reply::Integer(0), "{name}");
    }
}
