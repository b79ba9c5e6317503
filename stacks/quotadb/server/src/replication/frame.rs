//! Messages on a byte stream: u32 length, u32 CRC-32, body.

use super::message::Message;
use crate::resp::parser::MAX_BULK_BYTES;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const HEADER_BYTES: usize = 8;
/// Largest body accepted: a batch that was closed by an entry of the longest key and value.
const MAX_BODY_BYTES: usize = 2 * MAX_BULK_BYTES + (1 << 20);

/// Largest greeting accepted: its longest name is 64 bytes.
const MAX_GREETING_BYTES: usize = 256;

pub async fn write(stream: &mut (impl AsyncWrite + Unpin), message: &Message) -> io::Result<()> {
    let mut bytes = vec![0; HEADER_BYTES];
    message.encode(&mut bytes);
    let length = (bytes.len() - HEADER_BYTES) as u32;
    let crc = crc32fast::hash(&bytes[HEADER_BYTES..]);
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4..HEADER_BYTES].copy_from_slice(&crc.to_le_bytes());
    stream.write_all(&bytes).await
}

/// Reads frames. A read that is abandoned half-way (in a `select!`) loses nothing.
pub struct FrameReader {
    buffer: Vec<u8>,
    max_body_bytes: usize,
}

impl Default for FrameReader {
    fn default() -> Self {
        Self {
            buffer: Vec::new(),
            max_body_bytes: MAX_BODY_BYTES,
        }
    }
}

impl FrameReader {
    /// For a stream that has not said who it is: it has no room for more until [`Self::trust`].
    pub fn for_greeting() -> Self {
        Self {
            max_body_bytes: MAX_GREETING_BYTES,
            ..Self::default()
        }
    }

    pub fn trust(&mut self) {
        self.max_body_bytes = MAX_BODY_BYTES;
    }

    pub async fn next(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Message> {
        loop {
            if let Some(message) = self.take()? {
                return Ok(message);
            }
            if stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn take(&mut self) -> io::Result<Option<Message>> {
        let Some((header, rest)) = self.buffer.split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let [l0, l1, l2, l3, c0, c1, c2, c3] = *header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if length > self.max_body_bytes {
            return Err(invalid("a frame is too long"));
        }
        let Some(body) = rest.get(..length) else {
            return Ok(None);
        };
        if crc32fast::hash(body) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Err(invalid("a frame is damaged"));
        }
        let message = Message::decode(body).map_err(|_| invalid("a frame is not a message"))?;
        self.buffer.drain(..HEADER_BYTES + length);
        Ok(Some(message))
    }
}

pub fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
