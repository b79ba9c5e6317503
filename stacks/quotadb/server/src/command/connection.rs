//! Commands about the connection itself.

use super::{Call, unknown_subcommand, wrong_arity};
use crate::resp::number::parse_i64;
use crate::resp::reply::{self, Protocol};

/// Longest name that a client may give its connection.
const MAX_NAME_BYTES: usize = 1024;

pub fn ping(call: &mut Call) {
    match call.args.len() {
        1 => call.out.extend_from_slice(b"+PONG\r\n"),
        2 => reply::bulk(call.out, call.args.get(1)),
        _ => wrong_arity(call, "ping"),
    }
}

pub fn echo(call: &mut Call) {
    reply::bulk(call.out, call.args.get(1));
}

pub fn quit(call: &mut Call) {
    call.session.closing = true;
    call.ok();
}

pub fn reset(call: &mut Call) {
    call.session.name.clear();
    call.session.protocol = Protocol::default();
    reply::simple(call.out, "RESET");
}

/// There is one database.
pub fn select(call: &mut Call) {
    match parse_i64(call.arg(1)) {
        Some(0) => call.ok(),
        Some(_) => call.error("ERR DB index is out of range"),
        None => call.refuse(crate::store::StoreError::NotInteger),
    }
}

/// `HELLO [2|3 [AUTH user password] [SETNAME name]]`; without a version the connection's stays.
pub fn hello(call: &mut Call) {
    let mut protocol = call.session.protocol;
    if call.args.len() > 1 {
        protocol = match parse_i64(call.arg(1)) {
            None => {
                return call.error("ERR Protocol version is not an integer or out of range");
            }
            Some(2) => Protocol::Resp2,
            Some(3) => Protocol::Resp3,
            Some(_) => return call.error("NOPROTO unsupported protocol version"),
        };
    }
    let mut at = 2;
    let mut name = None;
    while at < call.args.len() {
        if call.is_word(at, "AUTH") && at + 2 < call.args.len() {
            return call.error("ERR HELLO AUTH is not supported: this server has no passwords");
        }
        if !call.is_word(at, "SETNAME") || at + 1 >= call.args.len() {
            return call.error("ERR Syntax error in HELLO");
        }
        name = Some(call.arg(at + 1));
        at += 2;
    }
    if let Some(name) = name
        && !set_name(call, name)
    {
        return;
    }
    call.session.protocol = protocol;
    describe_server(call);
}

fn describe_server(call: &mut Call) {
    call.map(7);
    let out = &mut *call.out;
    for text in ["server", "quotadb", "version", env!("CARGO_PKG_VERSION")] {
        reply::bulk(out, text.as_bytes());
    }
    reply::bulk(out, b"proto");
    let version = match call.session.protocol {
        Protocol::Resp2 => 2,
        Protocol::Resp3 => 3,
    };
    reply::integer(out, version);
    reply::bulk(out, b"id");
    reply::integer(out, call.session.id as i64);
    for text in ["mode", "standalone", "role", "master", "modules"] {
        reply::bulk(out, text.as_bytes());
    }
    reply::array(out, 0);
}

pub fn client(call: &mut Call) {
    if call.is_word(1, "SETINFO") && call.args.len() == 4 {
        call.ok();
    } else if call.is_word(1, "SETNAME") && call.args.len() == 3 {
        if set_name(call, call.arg(2)) {
            call.ok();
        }
    } else if call.is_word(1, "GETNAME") && call.args.len() == 2 {
        if call.session.name.is_empty() {
            call.null();
        } else {
            reply::bulk(call.out, &call.session.name);
        }
    } else if call.is_word(1, "ID") && call.args.len() == 2 {
        reply::integer(call.out, call.session.id as i64);
    } else {
        unknown_subcommand(call);
    }
}

/// Takes over a connection name; false if it was refused and the error replied.
fn set_name(call: &mut Call, name: &[u8]) -> bool {
    if name.len() > MAX_NAME_BYTES {
        call.error("ERR the client's name is too long");
        return false;
    }
    if !name.iter().all(|byte| (b'!'..=b'~').contains(byte)) {
        call.error("ERR Client names cannot contain spaces, newlines or special characters.");
        return false;
    }
    call.session.name = name.to_vec();
    true
}
