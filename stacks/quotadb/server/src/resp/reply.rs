//! Writing replies into the output buffer of a connection.

/// Most bytes in the reply of one command; what would be longer is refused.
pub const MAX_REPLY_BYTES: usize = 64 << 20;

/// `:n`
#[inline]
pub fn integer(out: &mut Vec<u8>, value: i64) {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(value).as_bytes();
    out.reserve(digits.len() + 3);
    out.push(b':');
    out.extend_from_slice(digits);
    out.extend_from_slice(b"\r\n");
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
pub fn bulk_number(out: &mut Vec<u8>, value: i128) {
    let mut digits = itoa::Buffer::new();
    // The 64-bit path is several times cheaper, and almost every value fits.
    match i64::try_from(value) {
        Ok(small) => bulk(out, digits.format(small).as_bytes()),
        Err(_) => bulk(out, digits.format(value).as_bytes()),
    }
}

/// What `HELLO` agreed on. All other replies are the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    #[default]
    Resp2,
    Resp3,
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
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// `-text`; line breaks in `text` become spaces so that it cannot break the framing.
pub fn error(out: &mut Vec<u8>, text: &str) {
    out.push(b'-');
    out.extend(text.bytes().map(|byte| match byte {
        b'\r' | b'\n' => b' ',
        other => other,
    }));
    out.extend_from_slice(b"\r\n");
}

fn header(out: &mut Vec<u8>, kind: u8, count: usize) {
    let mut digits = itoa::Buffer::new();
    out.push(kind);
    out.extend_from_slice(digits.format(count).as_bytes());
    out.extend_from_slice(b"\r\n");
}
