//! Three real nodes on real sockets.

use crate::client::{Client, Reply, bulk};
use crate::process::{Server, free_port, wait_until};
use std::path::{Path, PathBuf};

/// One node's fixed parts: they stay over restarts.
struct Place {
    port: u16,
    replication_port: u16,
    peers: String,
    dir: PathBuf,
}

impl Place {
    fn start(&self) -> Server {
        let replication_port = self.replication_port.to_string();
        let args = [
            "--dir",
            self.dir.to_str().unwrap(),
            "--appendonly",
            "yes",
            "--replication-port",
            &replication_port,
            "--peers",
            &self.peers,
        ];
        Server::start_on(self.port, &args)
    }
}

fn three_places(root: &Path) -> Vec<Place> {
    let replication_ports = [free_port(), free_port(), free_port()];
    (0..3)
        .map(|index| Place {
            port: free_port(),
            replication_port: replication_ports[index],
            peers: (0..3)
                .filter(|&other| other != index)
                .map(|other| format!("127.0.0.1:{}", replication_ports[other]))
                .collect::<Vec<_>>()
                .join(","),
            dir: root.join(index.to_string()),
        })
        .collect()
}

fn everywhere(clients: &mut [Client], command: &str, expected: &Reply) {
    wait_until(&format!("{command} is {expected:?} everywhere"), || {
        clients.iter_mut().all(|c| c.call(command) == *expected)
    });
}

#[test]
fn three_nodes_agree_after_writes_everywhere_and_a_kill() {
    let root = tempfile::tempdir().unwrap();
    let places = three_places(root.path());
    let mut servers: Vec<Server> = places.iter().map(Place::start).collect();
    let mut clients: Vec<Client> = servers.iter().map(Server::client).collect();
    for (index, client) in clients.iter_mut().enumerate() {
        for _ in 0..100 {
            client.integer("INCR shared");
        }
        client.call(&format!("SET own:{index} {index}"));
    }
    everywhere(&mut clients, "GET shared", &bulk("300"));
    for index in 0..3 {
        everywhere(
            &mut clients,
            &format!("GET own:{index}"),
            &bulk(&index.to_string()),
        );
    }

    servers.remove(2).kill();
    clients.truncate(2);
    clients[0].integer("INCRBY shared 10");
    clients[1].integer("DECRBY shared 1");
    clients[1].call("DEL own:2");
    let revived = places[2].start();
    clients.push(revived.client());
    clients[2].integer("INCRBY shared 1000");
    everywhere(&mut clients, "GET shared", &bulk("1309"));
    everywhere(&mut clients, "GET own:2", &Reply::Null);

    clients[0].call("QUOTASET q 10 31536000");
    everywhere(&mut clients, "EXISTS q", &Reply::Integer(1));
    assert_eq!(clients[0].integer("QUOTAINCR q 4"), 6);
    everywhere(&mut clients, "QUOTAINCR q 0", &Reply::Integer(6));
    assert_eq!(clients[2].integer("QUOTAINCR q 7"), -1);
}

#[test]
fn a_node_that_joins_empty_is_filled_by_comparing_digests() {
    let root = tempfile::tempdir().unwrap();
    let places = three_places(root.path());
    let first = places[0].start();
    let mut client = first.client();
    for i in 0..2000 {
        client.integer(&format!("INCRBY key:{i} {i}"));
    }
    // A restart empties the queue of changes, so only the digests can carry them now.
    first.kill();
    let first = places[0].start();
    let second = places[1].start();
    let mut clients = [first.client(), second.client()];
    everywhere(&mut clients, "DBSIZE", &Reply::Integer(2000));
    assert_eq!(clients[1].value("key:1999"), 1999);
}
