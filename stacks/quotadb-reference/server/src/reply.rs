//! Writing replies into the output buffer of a connection.

/// Most bytes in the reply of one command; what would be longer is refused.
pub const MAX_REPLY_BYTES: usize = 8 << 20;
/// Sign, digits, kind and line end.
const LONGEST_NUMBER: usize = 24;

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

/// The missing value.
pub fn null(out: &mut Vec<u8>) {
    out.extend_from_slice(b"$-1\r\n");
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
