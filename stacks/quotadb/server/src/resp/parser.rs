//! An incremental parser that yields positions, so that no argument is copied.

use super::inline;
use std::fmt;

/// Longest string a client may send, in bytes. Redis allows 512 MB; a counter server needs less,
/// and the limit keeps one entry within one replication frame.
pub const MAX_BULK_BYTES: usize = 8 << 20;
/// Most arguments in one command, as in Redis.
pub const MAX_ARGUMENTS: i64 = 1 << 20;
/// Most bytes in one command, all arguments and framing together.
pub const MAX_COMMAND_BYTES: usize = 64 << 20;
/// Longest inline command in bytes, as in Redis.
pub const MAX_INLINE_BYTES: usize = 64 << 10;
/// Longest `*n` or `$n` line in bytes; longer ones cannot be numbers in range.
const MAX_COUNT_LINE_BYTES: usize = 32;
/// Arguments that a parser keeps room for.
const USUAL_SPANS: usize = 256;

/// One argument: byte offsets from the start of its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

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

/// The client broke the protocol; the connection is closed after the error is sent.
#[derive(Debug, PartialEq, Eq)]
pub enum ProtocolError {
    ArgumentCount,
    BulkLength,
    ExpectedBulk(u8),
    UnbalancedQuotes,
    InlineTooLong,
    CommandTooLong,
    /// All clients' unfinished commands together take too much.
    NoMemory,
    /// The rest of the command did not come in time.
    TooSlow,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ERR Protocol error: ")?;
        match self {
            Self::ArgumentCount => f.write_str("invalid multibulk length"),
            Self::BulkLength => f.write_str("invalid bulk length"),
            Self::ExpectedBulk(got) => write!(f, "expected '$', got '{}'", got.escape_ascii()),
            Self::UnbalancedQuotes => f.write_str("unbalanced quotes in request"),
            Self::InlineTooLong => f.write_str("too big inline request"),
            Self::CommandTooLong => f.write_str("too big request"),
            Self::NoMemory => f.write_str("no memory left for unfinished requests"),
            Self::TooSlow => f.write_str("the rest of the request did not come in time"),
        }
    }
}

/// Remembers how far the current command was read, so that a command arriving byte by byte costs
/// no more than one arriving at once.
#[derive(Default)]
pub struct Parser {
    spans: Vec<Span>,
    /// Where the current command's arguments begin in `spans`.
    first: usize,
    /// Bytes of the current command already understood (or searched, for an inline one).
    cursor: usize,
    /// Arguments still to come; None before the `*n` line.
    remaining: Option<u32>,
}

/// Which of a parser's arguments belong to one command.
#[derive(Clone, Copy)]
pub struct Place {
    first: usize,
    end: usize,
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

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
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
    /// Reads one command from the front of `bytes`. Inline arguments with escapes are unescaped in
    /// place, hence the mutable borrow. What was parsed before is forgotten.
    pub fn next(&mut self, bytes: &mut [u8]) -> Result<Step, ProtocolError> {
        self.forget();
        self.next_too(bytes)
    }

    /// As [`Parser::next`], but the arguments of the commands before stay.
    pub fn next_too(&mut self, bytes: &mut [u8]) -> Result<Step, ProtocolError> {
        if self.cursor == 0 {
            self.first = self.spans.len();
            if bytes.is_empty() {
                return Ok(Step::Incomplete);
            }
        }
        let step = if bytes[0] == b'*' {
            self.next_array(bytes)?
        } else {
            self.next_inline(bytes)?
        };
        if step == Step::Incomplete {
            if bytes.len() > MAX_COMMAND_BYTES {
                return Err(ProtocolError::CommandTooLong);
            }
        } else {
            self.cursor = 0;
            self.remaining = None;
        }
        Ok(step)
    }

    /// Forgets the arguments of all complete commands.
    pub fn forget(&mut self) {
        if self.cursor == 0 {
            self.spans.clear();
        } else {
            self.spans.drain(..self.first);
        }
        self.first = 0;
    }

    /// The arguments of the command last returned; `bytes` as given to [`Parser::next`].
    #[inline]
    pub fn args<'a>(&'a self, bytes: &'a [u8]) -> Args<'a> {
        self.args_at(self.last(), bytes)
    }

    /// The place of the arguments of the command last returned, until they are forgotten.
    #[inline]
    pub fn last(&self) -> Place {
        Place {
            first: self.first,
            end: self.spans.len(),
        }
    }

    /// The arguments at a place; `bytes` begin with their command.
    #[inline]
    pub fn args_at<'a>(&'a self, place: Place, bytes: &'a [u8]) -> Args<'a> {
        Args {
            bytes,
            spans: &self.spans[place.first..place.end],
        }
    }

    /// Gives back memory that one unusually long command needed.
    pub fn shrink(&mut self) {
        if self.cursor == 0 && self.spans.capacity() > USUAL_SPANS {
            self.spans = Vec::new();
        }
    }

    /// Memory that commands with many arguments took.
    pub fn spare_bytes(&self) -> usize {
        self.spans.capacity().saturating_sub(USUAL_SPANS) * size_of::<Span>()
    }

    fn next_array(&mut self, bytes: &[u8]) -> Result<Step, ProtocolError> {
        let mut cursor = self.cursor;
        let mut remaining = match self.remaining {
            Some(remaining) => remaining,
            None => {
                let Some((count, next)) = count_line(bytes, 1, ProtocolError::ArgumentCount)?
                else {
                    return Ok(Step::Incomplete);
                };
                if count > MAX_ARGUMENTS {
                    return Err(ProtocolError::ArgumentCount);
                }
                if count <= 0 {
                    return Ok(Step::Skip(next));
                }
                cursor = next;
                count as u32
            }
        };
        while remaining > 0 {
            match next_bulk(bytes, cursor)? {
                Some((span, next)) => {
                    self.spans.push(span);
                    cursor = next;
                    remaining -= 1;
                }
                None => {
                    self.cursor = cursor;
                    self.remaining = Some(remaining);
                    return Ok(Step::Incomplete);
                }
            }
        }
        Ok(Step::Command(cursor))
    }

    fn next_inline(&mut self, bytes: &mut [u8]) -> Result<Step, ProtocolError> {
        let Some(found) = bytes[self.cursor..].iter().position(|&b| b == b'\n') else {
            // Remember what was searched, but never 0 bytes: 0 means "no command begun".
            self.cursor = bytes.len();
            return if bytes.len() > MAX_INLINE_BYTES {
                Err(ProtocolError::InlineTooLong)
            } else {
                Ok(Step::Incomplete)
            };
        };
        let newline = self.cursor + found;
        if newline > MAX_INLINE_BYTES {
            return Err(ProtocolError::InlineTooLong);
        }
        let line_end = match newline.checked_sub(1) {
            Some(before) if bytes[before] == b'\r' => before,
            _ => newline,
        };
        inline::split(&mut bytes[..line_end], &mut self.spans)?;
        Ok(if self.spans.len() == self.first {
            Step::Skip(newline + 1)
        } else {
            Step::Command(newline + 1)
        })
    }
}

/// `$length\r\n…\r\n` at `at`: the span of its bytes and the offset behind it.
#[inline]
fn next_bulk(bytes: &[u8], at: usize) -> Result<Option<(Span, usize)>, ProtocolError> {
    match bytes.get(at) {
        None => return Ok(None),
        Some(b'$') => {}
        Some(&other) => return Err(ProtocolError::ExpectedBulk(other)),
    }
    let Some((length, start)) = count_line(bytes, at + 1, ProtocolError::BulkLength)? else {
        return Ok(None);
    };
    if length < 0 || length as usize > MAX_BULK_BYTES {
        return Err(ProtocolError::BulkLength);
    }
    let end = start + length as usize;
    if end > MAX_COMMAND_BYTES {
        return Err(ProtocolError::CommandTooLong);
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
    let number = super::number::parse_i64(&window[..length]).ok_or(error)?;
    // The line feed must have arrived too, or the next argument would start with it.
    Ok((bytes.len() >= at + length + 2).then_some((number, at + length + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &[u8]) -> Result<Vec<Vec<u8>>, ProtocolError> {
        let mut bytes = text.to_vec();
        let mut parser = Parser::default();
        match parser.next(&mut bytes)? {
            Step::Command(consumed) => {
                assert_eq!(consumed, bytes.len());
                Ok(parser.args(&bytes).from(0).map(<[u8]>::to_vec).collect())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arrays_of_bulk_strings() {
        assert_eq!(
            parse(b"*2\r\n$4\r\nINCR\r\n$12\r\ncounter:0001\r\n").unwrap(),
            [b"INCR".to_vec(), b"counter:0001".to_vec()]
        );
        assert_eq!(parse(b"*1\r\n$0\r\n\r\n").unwrap(), [b"".to_vec()]);
        let long = [b"*1\r\n$300\r\n".as_slice(), &[b'x'; 300], b"\r\n"].concat();
        assert_eq!(parse(&long).unwrap(), [vec![b'x'; 300]]);
    }

    #[test]
    fn inline_commands_with_quotes() {
        assert_eq!(parse(b"PING\r\n").unwrap(), [b"PING".to_vec()]);
        assert_eq!(parse(b"PING\n").unwrap(), [b"PING".to_vec()]);
        assert_eq!(
            parse(b"  SET k \"a b\\x41\\n\" \r\n").unwrap(),
            [b"SET".to_vec(), b"k".to_vec(), b"a bA\n".to_vec()]
        );
        assert_eq!(
            parse(b"ECHO 'it\\'s'\r\n").unwrap(),
            [b"ECHO".to_vec(), b"it's".to_vec()]
        );
        assert_eq!(
            parse(b"ECHO \"\"\r\n").unwrap(),
            [b"ECHO".to_vec(), b"".to_vec()]
        );
        assert_eq!(
            parse(b"ECHO \"open\r\n"),
            Err(ProtocolError::UnbalancedQuotes)
        );
        assert_eq!(
            parse(b"ECHO \"a\"b\r\n"),
            Err(ProtocolError::UnbalancedQuotes)
        );
    }

    #[test]
    fn broken_framing_is_refused_at_once() {
        assert_eq!(parse(b"*x\r\n"), Err(ProtocolError::ArgumentCount));
        assert_eq!(parse(b"*1048577\r\n"), Err(ProtocolError::ArgumentCount));
        assert_eq!(
            parse(b"*1\r\n:1\r\n"),
            Err(ProtocolError::ExpectedBulk(b':'))
        );
        assert_eq!(parse(b"*1\r\n$-1\r\n"), Err(ProtocolError::BulkLength));
        assert_eq!(
            parse(b"*1\r\n$999999999\r\n"),
            Err(ProtocolError::BulkLength)
        );
        assert_eq!(parse(&[b'*'; 40]), Err(ProtocolError::ArgumentCount));
        assert_eq!(
            parse(&vec![b'a'; MAX_INLINE_BYTES + 1]),
            Err(ProtocolError::InlineTooLong)
        );
    }

    #[test]
    fn nothing_to_do_is_skipped() {
        for text in [b"\r\n".as_slice(), b"*0\r\n", b"*-1\r\n", b"   \n"] {
            let mut bytes = text.to_vec();
            assert_eq!(
                Parser::default().next(&mut bytes),
                Ok(Step::Skip(text.len()))
            );
        }
    }

    type Commands = (Vec<Vec<Vec<u8>>>, Option<ProtocolError>);

    /// All commands of a stream that arrives in pieces of `piece` bytes.
    fn read_in_pieces(stream: &[u8], piece: usize) -> Commands {
        let (mut parser, mut commands) = (Parser::default(), Vec::new());
        let (mut buffer, mut start) = (Vec::new(), 0);
        for arrived in stream.chunks(piece) {
            buffer.extend_from_slice(arrived);
            loop {
                match parser.next(&mut buffer[start..]) {
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

    proptest! {
        #[test]
        fn it_does_not_matter_in_what_pieces_anything_arrives(
            stream in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..200),
                prop::collection::vec(
                    prop::sample::select(vec![
                        "*1\r\n", "*2\r\n", "$4\r\n", "$0\r\n", "$-1\r\n", "\r\n", "PING", "INCR", "GET k\r\n",
                        "\"", "'", "\\x41", " ", "\n", "*", "$", "0", "12",
                    ]),
                    0..40,
                )
                .prop_map(|words| words.concat().into_bytes()),
            ],
            piece in 1usize..20,
        ) {
            prop_assert_eq!(read_in_pieces(&stream, piece), read_in_pieces(&stream, stream.len().max(1)));
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
