//! The commands of the Redis protocol, version 2, and a bare `PING`: an incremental parser that
//! yields positions, so that no argument is copied.

use crate::number::parse_i64;
use std::borrow::Cow;

/// Most arguments in one command, as in Redis.
const MAX_ARGUMENTS: i64 = 1 << 20;
/// Most bytes in one command, all arguments and framing together. Redis allows 512 MB in one argument;
/// a counter server needs less.
pub const MAX_COMMAND_BYTES: usize = 1 << 20;
/// The only command that may come as a line: it asks whether the server lives. With others, a web page
/// could send commands in what it makes a browser say to any port of its machine.
const LINE: &[u8] = b"PING";
/// Longest `*n` or `$n` line in bytes; longer ones cannot be numbers in range.
const MAX_COUNT_LINE_BYTES: usize = 32;
/// Arguments that a parser keeps room for.
const USUAL_SPANS: usize = 256;

/// What a client that broke the protocol is told before its connection is closed.
pub type ProtocolError = Cow<'static, str>;

const ARGUMENT_COUNT: &str = "invalid multibulk length";
const BULK_LENGTH: &str = "invalid bulk length";
const COMMAND_TOO_LONG: &str = "too big request";
const NO_COMMAND: &str = "expected '*', or a line with PING";

/// What became of the bytes offered.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// More bytes are needed; offer the same bytes again with more behind them.
    Incomplete,
    /// A command of this many bytes; its arguments are in [`Parser::args`].
    Command(usize),
    /// This many bytes of nothing: an empty array.
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
    /// Bytes of the current command already understood.
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
            // One unusually long command needed more.
            self.spans.shrink_to(USUAL_SPANS);
        }
        let step = match bytes.first() {
            None => return Ok(Step::Incomplete),
            Some(b'*') => self.next_array(bytes)?,
            Some(_) => self.next_line(bytes)?,
        };
        if step != Step::Incomplete {
            self.cursor = 0;
            self.remaining = None;
        } else if bytes.len() > MAX_COMMAND_BYTES {
            return Err(COMMAND_TOO_LONG.into());
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

    fn next_array(&mut self, bytes: &[u8]) -> Result<Step, ProtocolError> {
        let mut cursor = self.cursor;
        let mut remaining = match self.remaining {
            Some(remaining) => remaining,
            None => match count_line(bytes, 1, ARGUMENT_COUNT)? {
                None => return Ok(Step::Incomplete),
                Some((count, _)) if count > MAX_ARGUMENTS => return Err(ARGUMENT_COUNT.into()),
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

    fn next_line(&mut self, bytes: &[u8]) -> Result<Step, ProtocolError> {
        let end = bytes.iter().position(|&b| b == b'\n');
        let line = &bytes[..end.unwrap_or(bytes.len())];
        let word = line.strip_suffix(b"\r").unwrap_or(line);
        if word.len() > LINE.len() || !word.eq_ignore_ascii_case(&LINE[..word.len()]) {
            return Err(NO_COMMAND.into());
        }
        match end {
            None => Ok(Step::Incomplete),
            Some(end) if word.len() == LINE.len() => {
                let (start, length) = (0, LINE.len() as u32);
                self.spans.push(Span { start, end: length });
                Ok(Step::Command(end + 1))
            }
            Some(_) => Err(NO_COMMAND.into()),
        }
    }
}

/// `$length\r\n…\r\n` at `at`: the span of its bytes and the offset behind it.
#[inline]
fn next_bulk(bytes: &[u8], at: usize) -> Result<Option<(Span, usize)>, ProtocolError> {
    match bytes.get(at) {
        None => return Ok(None),
        Some(b'$') => {}
        Some(got) => return Err(format!("expected '$', got '{}'", got.escape_ascii()).into()),
    }
    let Some((length, start)) = count_line(bytes, at + 1, BULK_LENGTH)? else {
        return Ok(None);
    };
    if length < 0 || length as usize > MAX_COMMAND_BYTES {
        return Err(BULK_LENGTH.into());
    }
    let end = start + length as usize;
    if end > MAX_COMMAND_BYTES {
        return Err(COMMAND_TOO_LONG.into());
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
    error: &'static str,
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
    let length = match window.iter().position(|&b| b == b'\r') {
        Some(length) => length,
        None if window.len() < MAX_COUNT_LINE_BYTES => return Ok(None),
        None => return Err(error.into()),
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
            (b"ping\r\n", &["ping"]),
            (b"*0\r\n*-1\r\nPING\r\n", &["PING"]),
        ] {
            assert_eq!(read(stream), one(words), "{}", stream.escape_ascii());
        }
    }

    #[test]
    fn broken_framing_is_refused_at_once() {
        for (stream, error) in [
            (b"*x\r\n".as_slice(), ARGUMENT_COUNT),
            (b"*+1\r\n", ARGUMENT_COUNT),
            (b"*1048577\r\n", ARGUMENT_COUNT),
            (b"*99999999999999999999\r\n", ARGUMENT_COUNT),
            (&[b'*'; 40], ARGUMENT_COUNT),
            (b"*1\r\n:1\r\n", "expected '$', got ':'"),
            (b"*1\r\n$-1\r\n", BULK_LENGTH),
            (b"*1\r\n$999999999\r\n", BULK_LENGTH),
            (b"PI\r\n", NO_COMMAND),
            (b"PINGS\r\n", NO_COMMAND),
            (b"PING x\r\n", NO_COMMAND),
            (b"GET k\r\n", NO_COMMAND),
            (b"POST / HTTP/1.1\r\n", NO_COMMAND),
            (b"\r\n", NO_COMMAND),
        ] {
            assert_eq!(read(stream), (vec![], Some(error.into())));
        }
    }

    /// Bytes that look like the protocol more often than random ones do.
    fn any_stream() -> impl Strategy<Value = Vec<u8>> {
        let soup = r"(\*[12]|\$(0|4|12|-1)|\r\n|PING|GET k| |\n|[*$]|0|12){0,40}";
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            soup.prop_map(String::into_bytes),
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
