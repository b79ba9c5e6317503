//! COMMAND, CONFIG, TIME.

use super::{COMMANDS, Call, Command, find, unknown_subcommand, wrong_arity};
use crate::clock;
use crate::flags::YesNo;
use crate::glob;
use crate::resp::reply::{self, Protocol};

pub fn command(call: &mut Call) {
    if call.args.len() == 1 {
        reply::array(call.out, COMMANDS.len());
        for command in &COMMANDS {
            describe(call.out, command);
        }
    } else if call.is_word(1, "COUNT") {
        reply::integer(call.out, COMMANDS.len() as i64);
    } else if call.is_word(1, "INFO") {
        reply::array(call.out, call.args.len() - 2);
        for name in call.args.from(2) {
            match find(name) {
                Some(command) => describe(call.out, command),
                None => match call.session.protocol {
                    Protocol::Resp2 => call.out.extend_from_slice(b"*-1\r\n"),
                    Protocol::Resp3 => reply::null(call.out, Protocol::Resp3),
                },
            }
        }
    } else if call.is_word(1, "DOCS") {
        // Interactive clients ask for help texts at start; there are none.
        call.map(0);
    } else {
        unknown_subcommand(call);
    }
}

fn describe(out: &mut Vec<u8>, command: &Command) {
    reply::array(out, 6);
    reply::bulk(out, command.name.to_ascii_lowercase().as_bytes());
    reply::integer(out, i64::from(command.arity));
    reply::array(out, command.flags.len());
    for flag in command.flags {
        reply::simple(out, flag);
    }
    let (first, last, step) = command.keys;
    for number in [first, last, step] {
        reply::integer(out, number);
    }
}

/// `CONFIG GET pattern…`: the flags under the names Redis gives them.
pub fn config(call: &mut Call) {
    if !call.is_word(1, "GET") {
        return unknown_subcommand(call);
    }
    if call.args.len() < 3 {
        return wrong_arity(call, "config|get");
    }
    let settings = settings(call);
    let wanted: Vec<_> = settings
        .iter()
        .filter(|(name, _)| {
            call.args
                .from(2)
                .any(|pattern| glob::matches(&pattern.to_ascii_lowercase(), name.as_bytes()))
        })
        .collect();
    call.map(wanted.len());
    for (name, value) in wanted {
        reply::bulk(call.out, name.as_bytes());
        reply::bulk(call.out, value.as_bytes());
    }
}

fn settings(call: &Call) -> Vec<(&'static str, String)> {
    let flags = &call.engine.flags;
    let appendonly = match flags.appendonly {
        YesNo::Yes => "yes",
        YesNo::No => "no",
    };
    vec![
        ("appendfsync", flags.appendfsync.name().into()),
        ("appendonly", appendonly.into()),
        ("bind", flags.bind.clone()),
        ("databases", "1".into()),
        ("dir", flags.dir.display().to_string()),
        ("maxmemory", "0".into()),
        ("port", flags.port.to_string()),
        // Redis writes its snapshots by this schedule; ours only follow the log.
        ("save", String::new()),
    ]
}

pub fn time(call: &mut Call) {
    let micros = clock::unix_micros();
    reply::array(call.out, 2);
    reply::bulk_number(call.out, i128::from(micros / 1_000_000));
    reply::bulk_number(call.out, i128::from(micros % 1_000_000));
}
