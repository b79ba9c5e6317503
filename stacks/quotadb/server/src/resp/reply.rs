//! Writing replies into the output buffer of a connection.

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

/// The missing value, `$-1`.
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
