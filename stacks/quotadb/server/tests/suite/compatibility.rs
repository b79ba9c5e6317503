//! Real Redis tools against the server, where they are installed or named by `REDIS_CLI` and
//! `REDIS_BENCHMARK`.

use crate::process::Server;
use std::process::{Command, Stdio};

/// The tool's path; None, with the reason printed, if it cannot be run.
fn tool(variable: &str, default: &str) -> Option<String> {
    let path = std::env::var(variable).unwrap_or_else(|_| default.to_string());
    let runs = Command::new(&path)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !runs {
        println!("skipped: `{path}` cannot be run; install redis-tools or set {variable}");
    }
    runs.then_some(path)
}

fn output(path: &str, port: u16, args: &[&str]) -> String {
    let output = Command::new(path)
        .args(["-p", &port.to_string()])
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn redis_cli() {
    let Some(cli) = tool("REDIS_CLI", "redis-cli") else {
        return;
    };
    let server = Server::in_memory();
    let run = |args: &[&str]| output(&cli, server.port, args).trim().to_string();
    assert_eq!(run(&["PING"]), "PONG");
    assert_eq!(run(&["INCRBY", "n", "5"]), "5");
    assert_eq!(run(&["GET", "n"]), "5");
    assert_eq!(run(&["-2", "GET", "n"]), "5");
    assert_eq!(run(&["SET", "text", "a b"]), "OK");
    assert_eq!(run(&["QUOTASET", "q", "3", "60"]), "OK");
    assert_eq!(run(&["MGET", "n", "text"]), "5\na b");
    assert_eq!(run(&["--scan", "--pattern", "te*"]), "text");
    assert!(run(&["INFO"]).contains("server_name:quotadb"));
    assert!(run(&["COMMAND"]).contains("quotaincr"));
    assert_eq!(run(&["FLUSHALL"]), "OK");
    assert_eq!(run(&["DBSIZE"]), "0");
}

#[test]
fn redis_benchmark() {
    let Some(benchmark) = tool("REDIS_BENCHMARK", "redis-benchmark") else {
        return;
    };
    let server = Server::in_memory();
    for (depth, tests) in [("1", "ping,set,get,incr,mset"), ("16", "ping,set,get,incr")] {
        let args = [
            "-t", tests, "-n", "2000", "-c", "20", "-P", depth, "-r", "100",
        ];
        let text = output(&benchmark, server.port, &[&args[..], &["--csv"]].concat());
        let rows = text
            .lines()
            .filter(|line| !line.contains("\"test\""))
            .count();
        assert_eq!(
            rows,
            tests.split(',').count() + 1,
            "ping is two tests: {text}"
        );
    }
    assert!(server.client().integer("DBSIZE") > 100);
}
