use super::*;
use std::io::Write;
use tempfile::TempDir;

fn open(dir: &Path) -> (Log, Vec<(u64, String)>) {
    let mut seen = Vec::new();
    let log = Log::open(dir, "topic", |offset, value| {
        seen.push((offset, value.to_string()));
        Ok(())
    });
    (log.expect("the log opens"), seen)
}

fn entries(range: std::ops::Range<u64>) -> Vec<Entry> {
    range
        .map(|n| (format!("k{n}"), format!("value {n}")))
        .collect()
}

fn expected(range: std::ops::Range<u64>) -> Vec<(u64, String)> {
    range.map(|n| (n, format!("value {n}"))).collect()
}

fn damage(segment: &Path, file: &str, change: impl Fn(&mut Vec<u8>)) {
    let path = segment.join(file);
    let mut bytes = fs::read(&path).expect("the file");
    change(&mut bytes);
    fs::write(&path, bytes).expect("the file");
}

#[test]
fn reads_back_over_segments_and_restarts() {
    let dir = TempDir::new().expect("a folder");
    let (log, seen) = open(dir.path());
    assert_eq!(seen, []);
    for start in (0..1200).step_by(100) {
        assert_eq!(log.append(entries(start..start + 100)), Ok(start));
    }
    assert_eq!(log.read(500, 400).expect("a range"), expected(500..900));
    assert_eq!(log.read(1190, 400).expect("a range"), expected(1190..1200));
    assert_eq!(segments(dir.path()), Ok(vec![0, 600]));
    drop(log);

    let (log, seen) = open(dir.path());
    assert_eq!(seen, expected(0..1200));
    assert_eq!(log.append(entries(1200..1201)), Ok(1200));
    assert_eq!(segments(dir.path()), Ok(vec![0, 600, 1200]));
    assert_eq!(log.read(0, 2000).expect("a range"), expected(0..1201));
    assert_eq!(log.read(1201, 5).expect("a range"), []);
}

#[test]
fn a_segment_that_was_begun_and_never_written_is_forgotten() {
    let dir = TempDir::new().expect("a folder");
    let (log, _) = open(dir.path());
    log.append(entries(0..10)).expect("an append");
    drop(log);
    drop(Segment::open(dir.path(), 10));
    let (log, seen) = open(dir.path());
    assert_eq!(seen.len(), 10);
    assert_eq!(log.append(entries(10..11)), Ok(10));
    assert_eq!(log.read(0, 100).expect("a range"), expected(0..11));
}

/// What a kill in the middle of an append can leave of each file.
#[test]
fn a_torn_tail_is_cut_off() {
    type Damage = fn(&Path);
    // How many records of the last batch of 50 must be left. An object cut in half may be a node of the tree.
    let cases: [(&str, Damage, u64, u64); 4] = [
        (
            "half an index entry",
            |s| damage(s, "offsets.idx", |b| b.truncate(b.len() - 7)),
            49,
            49,
        ),
        (
            "garbage after the index",
            |s| damage(s, "offsets.idx", |b| b.extend([7; 50])),
            50,
            50,
        ),
        (
            "objects cut off",
            |s| damage(s, "objects.pack", |b| b.truncate(b.len() - 900)),
            44,
            49,
        ),
        (
            "no snapshot of the tree",
            |s| fs::remove_file(s.join("tree.snapshot")).expect("gone"),
            50,
            50,
        ),
    ];
    for (name, harm, least, most) in cases {
        let dir = TempDir::new().expect("a folder");
        let (log, _) = open(dir.path());
        log.append(entries(0..600)).expect("an append");
        log.append(entries(600..650)).expect("an append");
        drop(log);
        harm(&dir.path().join("000000000600"));
        let (log, seen) = open(dir.path());
        let end = seen.len() as u64;
        assert!((600 + least..=600 + most).contains(&end), "{name}: {end}");
        assert_eq!(log.append(entries(end..end + 5)), Ok(end), "{name}");
        drop(log);
        assert_eq!(open(dir.path()).1, expected(0..end + 5), "{name}");
    }
}

#[test]
fn a_record_that_cannot_be_read_ends_the_last_segment_only() {
    let flip = |bytes: &mut Vec<u8>| {
        let place = bytes
            .windows(9)
            .rposition(|w| w == b"value 605")
            .or(bytes.windows(7).position(|w| w == b"value 5"));
        bytes[place.expect("the record")] = 0xFF;
    };
    let dir = TempDir::new().expect("a folder");
    let (log, _) = open(dir.path());
    log.append(entries(0..600)).expect("an append");
    log.append(entries(600..650)).expect("an append");
    drop(log);
    damage(&dir.path().join("000000000600"), "objects.pack", flip);
    assert_eq!(open(dir.path()).1, expected(0..605));
    assert_eq!(open(dir.path()).1, expected(0..605), "and again");

    damage(&dir.path().join("000000000000"), "objects.pack", flip);
    let error = Log::open(dir.path(), "topic", |_, _| Ok(()))
        .err()
        .expect("refused");
    assert!(error.contains("record 5 is damaged"), "{error}");
}

#[test]
fn what_the_visitor_refuses_counts_as_damaged() {
    let dir = TempDir::new().expect("a folder");
    let (log, _) = open(dir.path());
    log.append(entries(0..10)).expect("an append");
    drop(log);
    let picky = |offset: u64, _: &str| {
        if offset < 8 {
            Ok(())
        } else {
            Err("no".to_string())
        }
    };
    assert_eq!(
        Log::open(dir.path(), "topic", picky).expect("opens").end(),
        8
    );
}

#[test]
fn readers_follow_a_writer() {
    let dir = TempDir::new().expect("a folder");
    let (log, _) = open(dir.path());
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut at = 0;
            while at < 2000 {
                let found = log.read(at, 100).expect("a range");
                assert_eq!(found, expected(at..at + found.len() as u64));
                at += found.len() as u64;
            }
        });
        for start in (0..2000).step_by(50) {
            log.append(entries(start..start + 50)).expect("an append");
        }
        reader.join().expect("the reader");
    });
    let mut file = fs::File::create(dir.path().join("notes.txt")).expect("a file");
    file.write_all(b"other files are left alone")
        .expect("written");
    assert_eq!(open(dir.path()).1.len(), 2000);
}
