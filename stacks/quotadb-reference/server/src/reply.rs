//! Writing replies into the output buffer of a connection.

/// Most bytes in the reply of one command; what would be longer is refused.
pub const MAX_REPLY_BYTES: usize = 64 << 20;
/// Sign, digits, kind and line end.
const LONGEST_NUMBER: usize = 24;

/// What `HELLO` agreed on. All replies but these two are the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    #[default]
    Resp2,
    Resp3,
}

/// `:n`
#[inline]
pub fn integer(out: &mut Vec<u8>, value: i64) {
    out.reserve(LONGEST_NUMBER);
    out.push(b':');
    line(out, itoa::Buffer::new().format(value));
}

/// `$length` and the bytes.
#[inline]
pub fn bulk(out: &mut Vec<u8>, bytes: &[u8]) {
    header(out, b'$', bytes.len());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

/// A number as a bulk string, which is what `GET` of a counter answers.
#[inline]
pub fn bulk_number(out: &mut Vec<u8>, value: i64) {
    bulk(out, itoa::Buffer::new().format(value).as_bytes());
}

/// The missing value, `$-1` or `_`.
pub fn null(out: &mut Vec<u8>, protocol: Protocol) {
    out.extend_from_slice(match protocol {
        Protocol::Resp2 => b"$-1\r\n",
        Protocol::Resp3 => b"_\r\n",
    });
}

/// `%pairs`, or an array of twice as many, to be followed by keys and values in turn.
pub fn map(out: &mut Vec<u8>, protocol: Protocol, pairs: usize) {
    match protocol {
        Protocol::Resp2 => array(out, 2 * pairs),
        Protocol::Resp3 => header(out, b'%', pairs),
    }
}

/// `*count`, to be followed by that many replies.
pub fn array(out: &mut Vec<u8>, count: usize) {
    header(out, b'*', count);
}

/// `+text`
pub fn simple(out: &mut Vec<u8>, text: &str) {
    out.push(b'+');
    line(out, text);
}

/// `-text`; line breaks in `text` become spaces so that it cannot break the framing.
pub fn error(out: &mut Vec<u8>, text: &str) {
    out.push(b'-');
    line(out, &text.replace(['\r', '\n'], " "));
}

#[inline]
fn header(out: &mut Vec<u8>, kind: u8, count: usize) {
    out.push(kind);
    line(out, itoa::Buffer::new().format(count));
}

#[inline]
fn line(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"\r\n");
}
