//! However a byte stream is cut into reads, the same commands come out, and nothing panics.

use proptest::prelude::*;
use quotadb::resp::parser::{Parser, Step};

#[derive(Debug, PartialEq, Eq)]
pub struct Parsed {
    commands: Vec<Vec<Vec<u8>>>,
    error: Option<String>,
}

/// Parses a stream that arrives in pieces ending at the given offsets, as a connection does.
pub fn parse_in_pieces(stream: &[u8], cuts: &[usize]) -> Parsed {
    let mut parser = Parser::default();
    let mut pending = Vec::new();
    let mut parsed = Parsed {
        commands: Vec::new(),
        error: None,
    };
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (stream.len() + 1)).collect();
    ends.push(stream.len());
    ends.sort_unstable();
    let mut begin = 0;
    for end in ends {
        pending.extend_from_slice(&stream[begin..end]);
        begin = end;
        loop {
            match parser.next(&mut pending) {
                Ok(Step::Incomplete) => break,
                Ok(Step::Skip(length)) => {
                    assert!(length > 0 && length <= pending.len());
                    pending.drain(..length);
                }
                Ok(Step::Command(length)) => {
                    assert!(length > 0 && length <= pending.len());
                    let args = parser.args(&pending);
                    parsed
                        .commands
                        .push(args.from(0).map(<[u8]>::to_vec).collect());
                    pending.drain(..length);
                }
                Err(error) => {
                    parsed.error = Some(error.to_string());
                    return parsed;
                }
            }
        }
    }
    parsed
}

/// Bytes that look like the protocol more often than random ones do.
fn protocol_soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"*2\r\n".to_vec()),
        Just(b"*1\r\n".to_vec()),
        Just(b"*0\r\n".to_vec()),
        Just(b"$3\r\n".to_vec()),
        Just(b"$12\r\n".to_vec()),
        Just(b"$0\r\n\r\n".to_vec()),
        Just(b"$4\r\nINCR\r\n".to_vec()),
        Just(b"$1\r\nk\r\n".to_vec()),
        Just(b"PING\r\n".to_vec()),
        Just(b"SET k \"a\\x41 b\"\n".to_vec()),
        Just(b"ECHO 'x y'\r\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"$-1\r\n".to_vec()),
        Just(b"*99999999999999999999\r\n".to_vec()),
        prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn cutting_a_stream_changes_nothing(
        stream in protocol_soup(),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let whole = parse_in_pieces(&stream, &[]);
        prop_assert_eq!(&parse_in_pieces(&stream, &cuts), &whole);
        let every_byte: Vec<usize> = (0..stream.len()).collect();
        prop_assert_eq!(&parse_in_pieces(&stream, &every_byte), &whole);
    }

    #[test]
    fn what_was_encoded_comes_out(
        commands in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..6), 0..6),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let mut stream = Vec::new();
        for command in &commands {
            let args: Vec<&[u8]> = command.iter().map(Vec::as_slice).collect();
            stream.extend(crate::client::encode(&args));
        }
        let parsed = parse_in_pieces(&stream, &cuts);
        prop_assert_eq!(parsed, Parsed { commands, error: None });
    }

    #[test]
    fn random_bytes_never_panic(stream: Vec<u8>, cuts in prop::collection::vec(any::<usize>(), 0..8)) {
        let whole = parse_in_pieces(&stream, &[]);
        prop_assert_eq!(parse_in_pieces(&stream, &cuts), whole);
    }
}
