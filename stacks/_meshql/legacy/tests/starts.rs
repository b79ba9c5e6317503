//! The program itself, before there is anything to do.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn program(dir: &TempDir, port: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshql-legacy"));
    command.args(["--kafka", "127.0.0.1:1", "--port", port, "--data-dir"]);
    command.arg(dir.path()).stderr(Stdio::piped());
    command
}

#[test]
fn a_taken_port_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let dir = TempDir::new().expect("a folder");
    let ended = program(&dir, &address.port().to_string())
        .output()
        .expect("runs");
    assert_eq!(ended.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(
        said.starts_with(&format!("meshql-legacy: cannot listen on {address}")),
        "{said}"
    );
}

#[test]
fn it_says_that_the_broker_does_not_answer_and_stops_when_told() {
    let dir = TempDir::new().expect("a folder");
    let mut child = program(&dir, "0").spawn().expect("starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let said = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("tries again")));
    let said = said.expect("a line").expect("text");
    assert!(
        said.starts_with("meshql-legacy: kafka at 127.0.0.1:1: "),
        "{said}"
    );
    let told = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(told.expect("kill runs").success());
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}
