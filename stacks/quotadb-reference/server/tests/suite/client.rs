//! A minimal blocking client, strict about what it reads.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Simple(String),
    Error(String),
    Integer(i64),
    Bulk(Vec<u8>),
    Null,
    Array(Vec<Reply>),
}

pub struct Client {
    stream: BufReader<TcpStream>,
}

pub fn bulk(text: &str) -> Reply {
    Reply::Bulk(text.into())
}

pub fn ok() -> Reply {
    Reply::Simple("OK".into())
}

impl Client {
    pub fn connect(port: u16) -> Self {
        Self::try_connect(port).expect("the server accepts connections")
    }

    pub fn try_connect(port: u16) -> Option<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        Some(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Sends raw bytes.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// A command given as words, and its reply.
    pub fn call(&mut self, words: &str) -> Reply {
        let words: Vec<&[u8]> = words.split_whitespace().map(str::as_bytes).collect();
        self.call_bytes(&words)
    }

    pub fn call_bytes(&mut self, args: &[&[u8]]) -> Reply {
        self.send(&encode(args)).unwrap();
        self.reply().unwrap()
    }

    /// The message of the error that a command answers.
    pub fn error(&mut self, words: &str) -> String {
        match self.call(words) {
            Reply::Error(message) => message,
            other => panic!("{words}: {other:?}"),
        }
    }

    pub fn integer(&mut self, words: &str) -> i64 {
        match self.call(words) {
            Reply::Integer(value) => value,
            other => panic!("{words}: {other:?}"),
        }
    }

    /// A counter's value by `GET`; 0 if missing.
    pub fn value(&mut self, key: &str) -> i64 {
        match self.call(&format!("GET {key}")) {
            Reply::Bulk(text) => String::from_utf8(text).unwrap().parse().unwrap(),
            Reply::Null => 0,
            other => panic!("GET {key}: {other:?}"),
        }
    }

    pub fn reply(&mut self) -> io::Result<Reply> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line
            .strip_suffix("\r\n")
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        let (kind, rest) = line.split_at(1);
        let count = || rest.parse::<i64>().map_err(io::Error::other);
        Ok(match kind {
            "+" => Reply::Simple(rest.into()),
            "-" => Reply::Error(rest.into()),
            ":" => Reply::Integer(count()?),
            "$" if count()? < 0 => Reply::Null,
            "$" => {
                let mut bytes = vec![0; count()? as usize + 2];
                self.stream.read_exact(&mut bytes)?;
                assert!(bytes.ends_with(b"\r\n"));
                bytes.truncate(bytes.len() - 2);
                Reply::Bulk(bytes)
            }
            "*" if count()? < 0 => Reply::Null,
            "*" => {
                let items: io::Result<_> = (0..count()?).map(|_| self.reply()).collect();
                Reply::Array(items?)
            }
            _ => panic!("not a reply: {line:?}"),
        })
    }
}

pub fn encode(args: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", args.len()).into_bytes();
    for arg in args {
        bytes.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
        bytes.extend_from_slice(arg);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}
