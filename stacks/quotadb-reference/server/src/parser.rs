//! The commands of the Redis protocol, version 2, and its inline form: an incremental parser that
//! yields positions, so that no argument is copied.

use crate::number::parse_i64;
use std::fmt;

/// Longest string a client may send, in bytes. Redis allows 512 MB; a counter server needs less.
pub const MAX_BULK_BYTES: usize = 8 << 20;
/// Most arguments in one command, as in Redis.
const MAX_ARGUMENTS: i64 = 1 << 20;
/// Most bytes in one command, all arguments and framing together.
pub const MAX_COMMAND_BYTES: usize = 64 << 20;
/// Longest inline command in bytes, as in Redis.
const MAX_INLINE_BYTES: usize = 64 << 10;
/// Longest `*n` or `$n` line in bytes; longer ones cannot be numbers in range.
const MAX_COUNT_LINE_BYTES: usize = 32;
/// Arguments that a parser keeps room for.
const USUAL_SPANS: usize = 256;

/// What a client that broke the protocol is told before its connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    Because(&'static str),
    ExpectedBulk(u8),
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Because(reason) => f.write_str(reason),
            Self::ExpectedBulk(got) => write!(f, "expected '$', got '{}'", got.escape_ascii()),
        }
    }
}

const ARGUMENT_COUNT: ProtocolError = ProtocolError::Because("invalid multibulk length");
const BULK_LENGTH: ProtocolError = ProtocolError::Because("invalid bulk length");
const INLINE_TOO_LONG: ProtocolError = ProtocolError::Because("too big inline request");
const COMMAND_TOO_LONG: ProtocolError = ProtocolError::Because("too big request");
const UNBALANCED_QUOTES: ProtocolError = ProtocolError::Because("unbalanced quotes in request");

/// What became of the bytes offered.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// More bytes are needed; offer the same bytes again with more behind them.
    Incomplete,
    /// A command of this many bytes; its arguments are in [`Parser::args`].
    Command(usize),
    /// This many bytes of nothing (an empty line or an empty array).
    Skip(usize),
}

/// Byte offsets from the start of the command.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

/// Remembers how far the current command was read, so that a command arriving byte by byte costs
/// no more than one arriving at once.
#[derive(Default)]
pub struct Parser {
    spans: Vec<Span>,
    /// Bytes of the current command already understood (or searched, for an inline one).
    cursor: usize,
    /// Arguments still to come; None before the `*n` line.
    remaining: Option<i64>,
}

/// The arguments of one command, name first.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    bytes: &'a [u8],
    spans: &'a [Span],
}

impl<'a> Args<'a> {
    #[inline]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Argument `index`; 0 is the command's name.
    #[inline]
    pub fn get(&self, index: usize) -> &'a [u8] {
        let span = self.spans[index];
        &self.bytes[span.start as usize..span.end as usize]
    }

    /// All arguments from `index` on.
    pub fn from(&self, index: usize) -> impl Iterator<Item = &'a [u8]> + '_ {
        (index..self.len()).map(|i| self.get(i))
    }
}

impl Parser {
    /// Reads one command from the front of `bytes`.
    pub fn next(&mut self, bytes: &[u8]) -> Result<Step, ProtocolError> {
        if self.cursor == 0 {
            self.spans.clear();
        }
        let step = match bytes.first() {
            None => return Ok(Step::Incomplete),
            Some(b'*') => self.next_array(bytes)?,
            Some(_) => self.next_inline(bytes)?,
        };
        if step != Step::Incomplete {
            self.cursor = 0;
            self.remaining = None;
        } else if bytes.len() > MAX_COMMAND_BYTES {
            return Err(COMMAND_TOO_LONG);
        }
        Ok(step)
    }

    /// The arguments of the command last returned; `bytes` as given to [`Parser::next`].
    #[inline]
    pub fn args<'a>(&'a self, bytes: &'a [u8]) -> Args<'a> {
        Args {
            bytes,
            spans: &self.spans,
        }
    }

    /// Begins again at the first byte of a command.
    pub fn restart(&mut self) {
        self.cursor = 0;
        self.remaining = None;
    }

    /// Gives back memory that one unusually long command needed.
    pub fn shrink(&mut self) {
        if self.cursor == 0 && self.spans.capacity() > USUAL_SPANS {
            self.spans = Vec::new();
        }
    }

    /// Memory that a command with many arguments took.
    pub fn spare_bytes(&self) -> usize {
        self.spans.capacity().saturating_sub(USUAL_SPANS) * size_of::<Span>()
    }

    fn next_array(&mut self, bytes: &[u8]) -> Result<Step, ProtocolError> {
        let mut cursor = self.cursor;
        let mut remaining = match self.remaining {
            Some(remaining) => remaining,
            None => match count_line(bytes, 1, ARGUMENT_COUNT)? {
                None => return Ok(Step::Incomplete),
                Some((count, _)) if count > MAX_ARGUMENTS => return Err(ARGUMENT_COUNT),
                Some((count, next)) if count <= 0 => return Ok(Step::Skip(next)),
                Some((count, next)) => {
                    cursor = next;
                    count
                }
            },
        };
        while remaining > 0 {
            let Some((span, next)) = next_bulk(bytes, cursor)? else {
                self.cursor = cursor;
                self.remaining = Some(remaining);
                return Ok(Step::Incomplete);
            };
            self.spans.push(span);
            cursor = next;
            remaining -= 1;
        }
        Ok(Step::Command(cursor))
    }

    fn next_inline(&mut self, bytes: &[u8]) -> Result<Step, ProtocolError> {
        let found = bytes[self.cursor..].iter().position(|&b| b == b'\n');
        let newline = found.map(|at| self.cursor + at);
        if newline.unwrap_or(bytes.len()) > MAX_INLINE_BYTES {
            return Err(INLINE_TOO_LONG);
        }
        let Some(newline) = newline else {
            // What was searched; there is at least one byte, so it is not 0, which is "none begun".
            self.cursor = bytes.len();
            return Ok(Step::Incomplete);
        };
        self.split(&bytes[..newline])?;
        Ok(if self.spans.is_empty() {
            Step::Skip(newline + 1)
        } else {
            Step::Command(newline + 1)
        })
    }

    /// The words of a line. One in quotes ends at the same quote; there are no escapes in it.
    fn split(&mut self, line: &[u8]) -> Result<(), ProtocolError> {
        let mut at = 0;
        while at < line.len() {
            let first = line[at];
            if is_space(first) {
                at += 1;
                continue;
            }
            let quoted = first == b'"' || first == b'\'';
            let start = at + usize::from(quoted);
            let ends = |b: &u8| if quoted { *b == first } else { is_space(*b) };
            let found = line[start..].iter().position(ends);
            let end = start + found.unwrap_or(line.len() - start);
            at = end + usize::from(quoted);
            // A closing quote must be followed by a space or the end.
            if quoted && (found.is_none() || line.get(at).is_some_and(|b| !is_space(*b))) {
                return Err(UNBALANCED_QUOTES);
            }
            self.spans.push(Span {
                start: start as u32,
                end: end as u32,
            });
        }
        Ok(())
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0 || byte == 0x0b
}

/// `$length\r\n…\r\n` at `at`: the span of its bytes and the offset behind it.
#[inline]
fn next_bulk(bytes: &[u8], at: usize) -> Result<Option<(Span, usize)>, ProtocolError> {
    match bytes.get(at) {
        None => return Ok(None),
        Some(b'$') => {}
        Some(&other) => return Err(ProtocolError::ExpectedBulk(other)),
    }
    let Some((length, start)) = count_line(bytes, at + 1, BULK_LENGTH)? else {
        return Ok(None);
    };
    if length < 0 || length as usize > MAX_BULK_BYTES {
        return Err(BULK_LENGTH);
    }
    let end = start + length as usize;
    if end > MAX_COMMAND_BYTES {
        return Err(COMMAND_TOO_LONG);
    }
    // The two bytes after the string are skipped unread, as Redis does.
    if bytes.len() < end + 2 {
        return Ok(None);
    }
    let span = Span {
        start: start as u32,
        end: end as u32,
    };
    Ok(Some((span, end + 2)))
}

/// A decimal number and CRLF at `at`: the number and the offset behind the line.
#[inline]
fn count_line(
    bytes: &[u8],
    at: usize,
    error: ProtocolError,
) -> Result<Option<(i64, usize)>, ProtocolError> {
    // Nearly every count is one or two digits; those need no search for the line end.
    if let [tens @ b'0'..=b'9', rest @ ..] = &bytes[at..] {
        let tens = i64::from(tens - b'0');
        match rest {
            [b'\r', _, ..] => return Ok(Some((tens, at + 3))),
            [ones @ b'0'..=b'9', b'\r', _, ..] if tens > 0 => {
                return Ok(Some((tens * 10 + i64::from(ones - b'0'), at + 4)));
            }
            _ => {}
        }
    }
    let window = &bytes[at..bytes.len().min(at + MAX_COUNT_LINE_BYTES)];
    let Some(length) = window.iter().position(|&b| b == b'\r') else {
        return if window.len() == MAX_COUNT_LINE_BYTES {
            Err(error)
        } else {
            Ok(None)
        };
    };
    let number = parse_i64(&window[..length]).ok_or(error)?;
    // The line feed must have arrived too, or the next argument would start with it.
    Ok((bytes.len() >= at + length + 2).then_some((number, at + length + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Read = (Vec<Vec<Vec<u8>>>, Option<ProtocolError>);

    /// All commands of a stream that arrives in pieces of `piece` bytes.
    fn read_in_pieces(stream: &[u8], piece: usize) -> Read {
        let (mut parser, mut commands) = (Parser::default(), Vec::new());
        let (mut buffer, mut start) = (Vec::new(), 0);
        for arrived in stream.chunks(piece) {
            buffer.extend_from_slice(arrived);
            loop {
                match parser.next(&buffer[start..]) {
                    Ok(Step::Incomplete) => break,
                    Ok(Step::Skip(length)) => start += length,
                    Ok(Step::Command(length)) => {
                        let args = parser.args(&buffer[start..]);
                        commands.push(args.from(0).map(<[u8]>::to_vec).collect());
                        start += length;
                    }
                    Err(error) => return (commands, Some(error)),
                }
            }
        }
        (commands, None)
    }

    fn read(stream: &[u8]) -> Read {
        read_in_pieces(stream, stream.len().max(1))
    }

    fn one(words: &[&str]) -> Read {
        let command = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        (vec![command], None)
    }

    #[test]
    fn arrays_and_lines_give_their_words() {
        for (stream, words) in [
            (
                b"*2\r\n$4\r\nINCR\r\n$12\r\ncounter:0001\r\n".as_slice(),
                &["INCR", "counter:0001"] as &[&str],
            ),
            (b"*1\r\n$0\r\n\r\n", &[""]),
            (b"PING\r\n", &["PING"]),
            (b"PING\n", &["PING"]),
            (b"  SET k \"a b\" \r\n", &["SET", "k", "a b"]),
            (b"ECHO 'a b'\r\n", &["ECHO", "a b"]),
            (b"ECHO \"\"\r\n", &["ECHO", ""]),
            (b"ECHO a\"b\r\n", &["ECHO", "a\"b"]),
            (b"\r\n*0\r\n*-1\r\n   \nPING\r\n", &["PING"]),
        ] {
            assert_eq!(read(stream), one(words), "{}", stream.escape_ascii());
        }
    }

    #[test]
    fn broken_framing_is_refused_at_once() {
        let long_line = vec![b'a'; MAX_INLINE_BYTES + 1];
        for (stream, error) in [
            (b"*x\r\n".as_slice(), ARGUMENT_COUNT),
            (b"*+1\r\n", ARGUMENT_COUNT),
            (b"*1048577\r\n", ARGUMENT_COUNT),
            (b"*99999999999999999999\r\n", ARGUMENT_COUNT),
            (&[b'*'; 40], ARGUMENT_COUNT),
            (b"*1\r\n:1\r\n", ProtocolError::ExpectedBulk(b':')),
            (b"*1\r\n$-1\r\n", BULK_LENGTH),
            (b"*1\r\n$999999999\r\n", BULK_LENGTH),
            (b"ECHO \"open\r\n", UNBALANCED_QUOTES),
            (b"ECHO \"a\"b\r\n", UNBALANCED_QUOTES),
            (&long_line, INLINE_TOO_LONG),
        ] {
            assert_eq!(read(stream), (vec![], Some(error)));
        }
    }

    /// Bytes that look like the protocol more often than random ones do.
    fn any_stream() -> impl Strategy<Value = Vec<u8>> {
        let words = vec![
            "*1\r\n",
            "*2\r\n",
            "$4\r\n",
            "$0\r\n",
            "$-1\r\n",
            "\r\n",
            "PING",
            "INCR",
            "GET k\r\n",
            "\"",
            "'",
            "$12\r\n",
            " ",
            "\n",
            "*",
            "$",
            "0",
            "12",
        ];
        let soup = prop::collection::vec(prop::sample::select(words), 0..40);
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            soup.prop_map(|words| words.concat().into_bytes()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn it_does_not_matter_in_what_pieces_anything_arrives(stream in any_stream(), piece in 1usize..20) {
            prop_assert_eq!(read_in_pieces(&stream, piece), read(&stream));
        }

        #[test]
        fn commands_come_back_as_they_were_sent(
            commands in prop::collection::vec(
                prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30), 1..5), 0..6),
            piece in 1usize..20,
        ) {
            let mut stream = Vec::new();
            for command in &commands {
                stream.extend_from_slice(format!("*{}\r\n", command.len()).as_bytes());
                for argument in command {
                    stream.extend_from_slice(format!("${}\r\n", argument.len()).as_bytes());
                    stream.extend_from_slice(argument);
                    stream.extend_from_slice(b"\r\n");
                }
            }
            prop_assert_eq!(read_in_pieces(&stream, piece), (commands, None));
        }
    }
}
