//! The commands: their table, and finding and running one.

mod connection;
mod counters;
mod info;
mod keys;
mod quotas;
mod server;
mod strings;

use crate::engine::{BatchStore, Engine};
use crate::resp::number::parse_i64;
use crate::resp::parser::Args;
use crate::resp::reply::{self, MAX_REPLY_BYTES, Protocol};
use crate::store::StoreError;

/// State of one client connection that commands can see.
pub struct Session {
    pub id: u64,
    pub name: Vec<u8>,
    pub protocol: Protocol,
    /// Close after the replies so far are sent.
    pub closing: bool,
}

/// One command being executed: what it was given and where its reply goes.
pub struct Call<'a, 'e> {
    pub args: Args<'a>,
    pub out: &'a mut Vec<u8>,
    pub store: &'a mut BatchStore<'e>,
    pub session: &'a mut Session,
    pub engine: &'e Engine,
}

/// A command as `COMMAND` describes it.
struct Command {
    /// In upper case.
    name: &'static str,
    /// Number of arguments with the name, or minus the least number.
    arity: i32,
    flags: &'static [&'static str],
    /// First key, last key (from the end if negative), step.
    keys: (i64, i64, i64),
    run: fn(&mut Call),
}

impl Command {
    fn writes(&self) -> bool {
        self.flags.contains(&"write")
    }
}

const READ: &[&str] = &["readonly", "fast"];
const WALK: &[&str] = &["readonly"];
const WRITE: &[&str] = &["write", "denyoom", "fast"];
const REMOVE: &[&str] = &["write"];
const ADMIN: &[&str] = &["admin", "noscript", "loading", "stale"];
const TALK: &[&str] = &["fast", "loading", "stale"];
const NO_KEYS: (i64, i64, i64) = (0, 0, 0);
const ONE_KEY: (i64, i64, i64) = (1, 1, 1);
const ALL_KEYS: (i64, i64, i64) = (1, -1, 1);

const fn command(
    name: &'static str,
    arity: i32,
    flags: &'static [&'static str],
    keys: (i64, i64, i64),
    run: fn(&mut Call),
) -> Command {
    Command {
        name,
        arity,
        flags,
        keys,
        run,
    }
}

/// Sorted by name, for the binary search.
static COMMANDS: [Command; 33] = [
    command("CLIENT", -2, ADMIN, NO_KEYS, connection::client),
    command("COMMAND", -1, TALK, NO_KEYS, server::command),
    command("CONFIG", -2, ADMIN, NO_KEYS, server::config),
    command("DBSIZE", 1, READ, NO_KEYS, keys::dbsize),
    command("DECR", 2, WRITE, ONE_KEY, counters::decr),
    command("DECRBY", 3, WRITE, ONE_KEY, counters::decrby),
    command("DEL", -2, REMOVE, ALL_KEYS, strings::del),
    command("ECHO", 2, TALK, NO_KEYS, connection::echo),
    command("EXISTS", -2, READ, ALL_KEYS, strings::exists),
    command("FLUSHALL", -1, REMOVE, NO_KEYS, keys::flush),
    command("FLUSHDB", -1, REMOVE, NO_KEYS, keys::flush),
    command("GET", 2, READ, ONE_KEY, strings::get),
    command("HELLO", -1, TALK, NO_KEYS, connection::hello),
    command("INCR", 2, WRITE, ONE_KEY, counters::incr),
    command("INCRBY", 3, WRITE, ONE_KEY, counters::incrby),
    command("INFO", -1, ADMIN, NO_KEYS, info::info),
    command("KEYS", 2, WALK, NO_KEYS, keys::keys),
    command("MGET", -2, READ, ALL_KEYS, strings::mget),
    command("MSET", -3, WRITE, (1, -1, 2), strings::mset),
    command("PING", -1, TALK, NO_KEYS, connection::ping),
    command("QUIT", -1, TALK, NO_KEYS, connection::quit),
    command("QUOTADEL", 2, REMOVE, ONE_KEY, quotas::quotadel),
    command("QUOTAGET", 2, READ, ONE_KEY, quotas::quotaget),
    command("QUOTAINCR", 3, WRITE, ONE_KEY, quotas::quotaincr),
    command("QUOTASET", 4, WRITE, ONE_KEY, quotas::quotaset),
    command("RESET", 1, TALK, NO_KEYS, connection::reset),
    command("SCAN", -2, WALK, NO_KEYS, keys::scan),
    command("SELECT", 2, TALK, NO_KEYS, connection::select),
    command("SET", -3, WRITE, ONE_KEY, strings::set),
    command("STRLEN", 2, READ, ONE_KEY, strings::strlen),
    command("TIME", 1, TALK, NO_KEYS, server::time),
    command("TYPE", 2, READ, ONE_KEY, strings::type_of),
    command("UNLINK", -2, REMOVE, ALL_KEYS, strings::del),
];

/// Names packed into integers, so that a lookup compares no strings.
static PACKED_NAMES: [u128; COMMANDS.len()] = {
    let mut packed = [0; COMMANDS.len()];
    let mut i = 0;
    while i < packed.len() {
        packed[i] = pack(COMMANDS[i].name.as_bytes());
        i += 1;
    }
    packed
};

/// A name of up to 16 bytes in upper case, first byte highest; 0 for longer ones.
#[inline]
const fn pack(name: &[u8]) -> u128 {
    if name.len() > 16 {
        return 0;
    }
    let mut packed = 0;
    let mut i = 0;
    while i < name.len() {
        packed |= (name[i].to_ascii_uppercase() as u128) << (120 - 8 * i);
        i += 1;
    }
    packed
}

#[inline]
fn find(name: &[u8]) -> Option<&'static Command> {
    let index = PACKED_NAMES.binary_search(&pack(name)).ok()?;
    Some(&COMMANDS[index])
}

/// Executes one command and appends its reply.
#[inline]
pub fn execute(call: &mut Call) {
    let count = call.args.len() as i32;
    match find(call.args.get(0)) {
        Some(command)
            if count == command.arity || (command.arity < 0 && count >= -command.arity) =>
        {
            match call.engine.refusal().filter(|_| command.writes()) {
                Some(refusal) => call.error(&refusal),
                None => (command.run)(call),
            }
        }
        Some(command) => wrong_arity(call, &command.name.to_ascii_lowercase()),
        None if is_http(call.args.get(0)) => call.session.closing = true,
        None => unknown_command(call),
    }
}

/// Words that begin lines of an HTTP request and no command. A web page can make a browser send one
/// to any port of its machine, with commands in its body, so it ends the connection unanswered, as
/// in Redis.
fn is_http(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"POST") || name.eq_ignore_ascii_case(b"Host:")
}

/// Longest part of a client's input that an error message repeats, in bytes.
const QUOTED_BYTES: usize = 128;

fn unknown_command(call: &mut Call) {
    let quote =
        |text: &[u8]| String::from_utf8_lossy(&text[..text.len().min(QUOTED_BYTES)]).into_owned();
    let mut listed = String::new();
    for arg in call.args.from(1) {
        if listed.len() >= QUOTED_BYTES {
            break;
        }
        listed.push_str(&format!("'{}' ", quote(arg)));
    }
    let name = quote(call.args.get(0));
    call.error(&format!(
        "ERR unknown command '{name}', with args beginning with: {listed}"
    ));
}

fn wrong_arity(call: &mut Call, name: &str) {
    call.error(&format!(
        "ERR wrong number of arguments for '{name}' command"
    ));
}

fn unknown_subcommand(call: &mut Call) {
    let given = String::from_utf8_lossy(call.args.get(1)).into_owned();
    let shown: String = given.chars().take(QUOTED_BYTES).collect();
    call.error(&format!("ERR unknown subcommand '{shown}'"));
}

impl<'a> Call<'a, '_> {
    fn arg(&self, index: usize) -> &'a [u8] {
        self.args.get(index)
    }

    /// Whether argument `index` exists and is this word, in any case.
    fn is_word(&self, index: usize, word: &str) -> bool {
        index < self.args.len() && self.arg(index).eq_ignore_ascii_case(word.as_bytes())
    }

    /// Argument `index` as an integer; otherwise the error is replied and None returned.
    fn integer_arg(&mut self, index: usize) -> Option<i64> {
        let number = parse_i64(self.arg(index));
        if number.is_none() {
            self.refuse(StoreError::NotInteger);
        }
        number
    }

    fn null(&mut self) {
        reply::null(self.out, self.session.protocol);
    }

    /// The head of a map, to be followed by keys and values in turn.
    fn map(&mut self, pairs: usize) {
        reply::map(self.out, self.session.protocol, pairs);
    }

    fn ok(&mut self) {
        reply::simple(self.out, "OK");
    }

    fn error(&mut self, message: &str) {
        reply::error(self.out, message);
    }

    /// Takes back a reply, begun at `start`, that grows beyond what one may take; whether it did.
    fn too_long(&mut self, start: usize) -> bool {
        let too_long = self.out.len() - start > MAX_REPLY_BYTES;
        if too_long {
            self.out.truncate(start);
            self.error("ERR the reply is too big; ask for less at a time");
        }
        too_long
    }

    fn refuse(&mut self, error: StoreError) {
        self.error(error.message());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_found_in_any_case() {
        assert!(PACKED_NAMES.is_sorted_by(|a, b| a < b));
        for command in &COMMANDS {
            let lower = command.name.to_ascii_lowercase();
            assert_eq!(find(lower.as_bytes()).unwrap().name, command.name);
        }
        assert!(find(b"").is_none());
        assert!(find(b"INC").is_none());
        assert!(find(b"A-NAME-LONGER-THAN-16-BYTES").is_none());
    }
}
