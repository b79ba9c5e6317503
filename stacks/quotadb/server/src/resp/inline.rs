//! Inline commands: words on a line, with quotes and escapes.

use super::parser::{ProtocolError, Span};

/// Splits a line at spaces, honouring `"…"` with escapes and `'…'`, rewriting it in place.
pub fn split(line: &mut [u8], spans: &mut Vec<Span>) -> Result<(), ProtocolError> {
    let mut read = 0;
    loop {
        while read < line.len() && is_space(line[read]) {
            read += 1;
        }
        if read == line.len() {
            return Ok(());
        }
        let start = read;
        let (end, next) = unquote_word(line, start)?;
        spans.push(Span {
            start: start as u32,
            end: end as u32,
        });
        read = next;
    }
}

/// Rewrites the word at `start` without quotes and escapes; returns its new end and where to go on.
fn unquote_word(line: &mut [u8], start: usize) -> Result<(usize, usize), ProtocolError> {
    let (mut read, mut write) = (start, start);
    let mut quote: Option<u8> = None;
    while read < line.len() {
        let byte = line[read];
        let (value, width) = match quote {
            None if is_space(byte) => break,
            None if byte == b'"' || byte == b'\'' => {
                quote = Some(byte);
                read += 1;
                continue;
            }
            Some(open) if byte == open => {
                // A closing quote must be followed by a space or the end.
                if line.get(read + 1).is_some_and(|&next| !is_space(next)) {
                    return Err(ProtocolError::UnbalancedQuotes);
                }
                quote = None;
                read += 1;
                continue;
            }
            Some(open) if byte == b'\\' => unescape(&line[read..], open),
            _ => (byte, 1),
        };
        line[write] = value;
        write += 1;
        read += width;
    }
    if quote.is_some() {
        return Err(ProtocolError::UnbalancedQuotes);
    }
    Ok((write, read))
}

/// The byte an escape sequence stands for, and the sequence's length.
fn unescape(text: &[u8], quote: u8) -> (u8, usize) {
    if quote == b'\'' {
        return match text {
            [b'\\', b'\'', ..] => (b'\'', 2),
            _ => (b'\\', 1),
        };
    }
    match text {
        [_, b'x', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            (hex_digit(*high) << 4 | hex_digit(*low), 4)
        }
        [_, b'n', ..] => (b'\n', 2),
        [_, b'r', ..] => (b'\r', 2),
        [_, b't', ..] => (b'\t', 2),
        [_, b'b', ..] => (0x08, 2),
        [_, b'a', ..] => (0x07, 2),
        [_, other, ..] => (*other, 2),
        _ => (b'\\', 1),
    }
}

fn hex_digit(byte: u8) -> u8 {
    (byte as char).to_digit(16).unwrap_or(0) as u8
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c | 0)
}
