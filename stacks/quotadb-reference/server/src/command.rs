//! The commands: finding and running one.

use crate::engine::Engine;
use crate::number::parse_i64;
use crate::parser::Args;
use crate::reply::{self, MAX_REPLY_BYTES};
use crate::store::{NOT_INTEGER, Value};

/// One command being executed: what it was given and where its reply goes.
pub struct Call<'a> {
    pub args: Args<'a>,
    pub out: &'a mut Vec<u8>,
    pub engine: &'a mut Engine,
}

/// A command: number of arguments with the name, or minus the least number; whether it writes.
type Command = (isize, bool, fn(&mut Call));

/// Longest part of a client's input that an error message repeats, in bytes.
const QUOTED_BYTES: usize = 128;
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A name of up to eight bytes in upper case, so that a lookup compares no strings; 0 for longer ones.
#[inline]
const fn pack(name: &[u8]) -> u64 {
    let mut packed = 0;
    let mut at = 0;
    while at < name.len() && name.len() <= 8 {
        packed = packed << 8 | name[at].to_ascii_uppercase() as u64;
        at += 1;
    }
    packed
}

/// By their packed names, those first that are measured.
static COMMANDS: [(u64, Command); 18] = [
    (pack(b"INCR"), (2, true, |call| add(call, 1))),
    (pack(b"GET"), (2, false, get)),
    (
        pack(b"PING"),
        (1, false, |call| reply::simple(call.out, "PONG")),
    ),
    (pack(b"SET"), (3, true, set)),
    (pack(b"DEL"), (-2, true, del)),
    (pack(b"MGET"), (-2, false, mget)),
    (pack(b"INCRBY"), (3, true, incrby)),
    (pack(b"DECR"), (2, true, |call| add(call, -1))),
    (pack(b"DECRBY"), (3, true, decrby)),
    (pack(b"MSET"), (-3, true, mset)),
    (pack(b"EXISTS"), (-2, false, exists)),
    (pack(b"DBSIZE"), (1, false, dbsize)),
    (pack(b"FLUSHALL"), (1, true, flush)),
    (pack(b"FLUSHDB"), (1, true, flush)),
    (pack(b"HELLO"), (-1, false, hello)),
    (pack(b"CLIENT"), (-2, false, client)),
    (pack(b"INFO"), (-1, false, info)),
    (pack(b"CONFIG"), (-2, false, config)),
];

#[inline]
fn find(name: &[u8]) -> Option<Command> {
    let packed = pack(name);
    let found = COMMANDS.iter().find(|(name, _)| *name == packed);
    found.map(|(_, command)| *command)
}

/// Executes one command and appends its reply.
#[inline]
pub fn execute(call: &mut Call) {
    let count = call.args.len() as isize;
    match find(call.arg(0)) {
        Some((arity, ..)) if count != arity && (arity > 0 || count < -arity) => wrong_arity(call),
        Some((_, true, _)) if call.engine.refusal.is_some() => {
            let refusal = call.engine.refusal.as_deref().unwrap_or_default();
            reply::error(call.out, refusal);
        }
        Some((.., run)) => run(call),
        None => unknown(call),
    }
}

fn quote(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(QUOTED_BYTES)]).into_owned()
}

fn unknown(call: &mut Call) {
    let name = quote(call.arg(0));
    call.error(&format!("ERR unknown command '{name}'"));
}

fn unknown_subcommand(call: &mut Call) {
    let given = quote(call.arg(1));
    call.error(&format!("ERR unknown subcommand '{given}'"));
}

fn wrong_arity(call: &mut Call) {
    let name = quote(call.arg(0)).to_ascii_lowercase();
    call.error(&format!(
        "ERR wrong number of arguments for '{name}' command"
    ));
}

impl<'a> Call<'a> {
    #[inline]
    fn arg(&self, index: usize) -> &'a [u8] {
        self.args.get(index)
    }

    /// Whether argument `index` exists and is this word, in any case.
    fn is_word(&self, index: usize, word: &str) -> bool {
        index < self.args.len() && self.arg(index).eq_ignore_ascii_case(word.as_bytes())
    }

    #[inline]
    fn integer(&mut self, value: i64) {
        reply::integer(self.out, value);
    }

    fn ok(&mut self) {
        reply::simple(self.out, "OK");
    }

    fn error(&mut self, message: &str) {
        reply::error(self.out, message);
    }
}

#[inline]
fn add(call: &mut Call, delta: i64) {
    match call.engine.store.add(call.args.get(1), delta) {
        Ok(value) => call.integer(value),
        Err(error) => call.error(error),
    }
}

fn incrby(call: &mut Call) {
    match parse_i64(call.arg(2)) {
        Some(delta) => add(call, delta),
        None => call.error(NOT_INTEGER),
    }
}

fn decrby(call: &mut Call) {
    match parse_i64(call.arg(2)).map(i64::checked_neg) {
        Some(Some(negated)) => add(call, negated),
        Some(None) => call.error("ERR decrement would overflow"),
        None => call.error(NOT_INTEGER),
    }
}

/// A counter is a string to clients, too.
#[inline]
fn put_value(out: &mut Vec<u8>, value: Option<&Value>) {
    match value {
        Some(Value::Number(number)) => {
            reply::bulk(out, itoa::Buffer::new().format(*number).as_bytes())
        }
        Some(Value::Text(text)) => reply::bulk(out, text),
        None => reply::null(out),
    }
}

#[inline]
fn get(call: &mut Call) {
    let value = call.engine.store.get(call.args.get(1));
    put_value(call.out, value);
}

fn mget(call: &mut Call) {
    let (args, start) = (call.args, call.out.len());
    reply::array(call.out, args.len() - 1);
    for key in args.from(1) {
        put_value(call.out, call.engine.store.get(key));
        if call.out.len() - start > MAX_REPLY_BYTES {
            call.out.truncate(start);
            return call.error("ERR the reply is too big; ask for less at a time");
        }
    }
}

fn set(call: &mut Call) {
    call.engine.store.set(call.arg(1), call.arg(2));
    call.ok();
}

fn mset(call: &mut Call) {
    if call.args.len().is_multiple_of(2) {
        return wrong_arity(call);
    }
    for at in (1..call.args.len()).step_by(2) {
        call.engine.store.set(call.arg(at), call.arg(at + 1));
    }
    call.ok();
}

fn del(call: &mut Call) {
    let store = &mut call.engine.store;
    let removed = call.args.from(1).filter(|key| store.remove(key)).count();
    call.integer(removed as i64);
}

/// A key named twice counts twice, as in Redis.
fn exists(call: &mut Call) {
    let store = &call.engine.store;
    let found = call.args.from(1).filter(|key| store.get(key).is_some());
    let found = found.count();
    call.integer(found as i64);
}

fn dbsize(call: &mut Call) {
    call.integer(call.engine.store.len() as i64);
}

fn flush(call: &mut Call) {
    call.engine.store.flush();
    call.ok();
}

/// `HELLO [2|3 [SETNAME name]]`: replies are those of RESP2 for either, as the product gives them, and
/// names are not kept.
fn hello(call: &mut Call) {
    let proto = match (call.args.len() > 1).then(|| call.arg(1)) {
        None | Some(b"2") => 2,
        Some(b"3") => 3,
        Some(_) => return call.error("NOPROTO unsupported protocol version"),
    };
    reply::array(call.out, 6);
    for text in ["server", "quotadb-reference", "version", VERSION, "proto"] {
        reply::bulk(call.out, text.as_bytes());
    }
    call.integer(proto);
}

/// Libraries tell who they are; nobody asks for it here.
fn client(call: &mut Call) {
    if call.is_word(1, "SETINFO") || call.is_word(1, "SETNAME") {
        call.ok();
    } else {
        unknown_subcommand(call);
    }
}

/// `CONFIG GET name…`: flags under the names that Redis gives them.
fn config(call: &mut Call) {
    if !call.is_word(1, "GET") || call.args.len() < 3 {
        return unknown_subcommand(call);
    }
    let flags = &call.engine.flags;
    // Redis writes its snapshots by `save`; there are none here.
    let settings = [
        ("appendonly", flags.appendonly.as_str()),
        ("appendfsync", flags.appendfsync.name()),
        ("save", ""),
    ];
    let asked = |name: &str| {
        call.args
            .from(2)
            .any(|arg| arg.eq_ignore_ascii_case(name.as_bytes()))
    };
    let found: Vec<_> = settings.iter().filter(|(name, _)| asked(name)).collect();
    reply::array(call.out, 2 * found.len());
    for (name, value) in found {
        reply::bulk(call.out, name.as_bytes());
        reply::bulk(call.out, value.as_bytes());
    }
}

/// `INFO [section…]`: everything, whatever is asked for.
fn info(call: &mut Call) {
    let text = format!(
        "server_name:quotadb-reference\r\norigin:reference\r\n\
         quotadb_reference_version:{VERSION}\r\n"
    );
    reply::bulk(call.out, text.as_bytes());
}
