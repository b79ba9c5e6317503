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

/// A log of 650 records, of which the last segment has 50; `unfinished` of them are as an append leaves them that did
/// not come to its end: nothing says yet that they were kept.
fn log_with_an_unfinished_append(dir: &Path, unfinished: u64) -> PathBuf {
    let segment = dir.join("000000000600");
    let (log, _) = open(dir);
    log.append(entries(0..600)).expect("an append");
    log.append(entries(600..650 - unfinished))
        .expect("an append");
    let summary = fs::read(segment.join("tree.snapshot")).expect("a summary");
    if unfinished > 0 {
        log.append(entries(650 - unfinished..650))
            .expect("an append");
    }
    drop(log);
    fs::write(segment.join("tree.snapshot"), summary).expect("as it was");
    segment
}

fn refusal(dir: &Path) -> String {
    let opened = Log::open(dir, "topic", |_, _| Ok(()));
    opened.err().expect("refused")
}

/// The bytes of every file of a segment but its lock, by name.
fn contents(segment: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(segment)
        .expect("the segment")
        .map(|entry| {
            let entry = entry.expect("a file");
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("the file"))
        })
        .filter(|(name, _)| name != "partition.lock")
        .collect();
    files.sort();
    files
}

type Damage = fn(&Path);

/// What a crash in the middle of an append can leave of each file.
#[test]
fn a_torn_tail_is_cut_off() {
    // How many records of the last segment must be left. An object cut in half may be a node of the tree.
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
            "no summary, nothing lost",
            |s| fs::remove_file(s.join("tree.snapshot")).expect("gone"),
            50,
            50,
        ),
    ];
    for (name, harm, least, most) in cases {
        let dir = TempDir::new().expect("a folder");
        harm(&log_with_an_unfinished_append(dir.path(), 10));
        let (log, seen) = open(dir.path());
        let end = seen.len() as u64;
        assert!((600 + least..=600 + most).contains(&end), "{name}: {end}");
        assert_eq!(log.append(entries(end..end + 5)), Ok(end), "{name}");
        drop(log);
        assert_eq!(open(dir.path()).1, expected(0..end + 5), "{name}");
    }
}

#[test]
fn acknowledged_records_that_are_damaged_are_refused_and_left_alone() {
    let cases: [(&str, Damage); 5] = [
        ("half an index entry", |s| {
            damage(s, "offsets.idx", |b| b.truncate(b.len() - 7))
        }),
        ("no index", |s| damage(s, "offsets.idx", Vec::clear)),
        ("no objects", |s| damage(s, "objects.pack", Vec::clear)),
        ("objects cut off", |s| {
            damage(s, "objects.pack", |b| b.truncate(b.len() / 2))
        }),
        ("a flipped bit", |s| {
            damage(s, "objects.pack", |b| {
                let place = b.windows(9).rposition(|w| w == b"value 625");
                b[place.expect("the record")] ^= 1;
            });
        }),
    ];
    for (name, harm) in cases {
        let dir = TempDir::new().expect("a folder");
        let segment = log_with_an_unfinished_append(dir.path(), 0);
        harm(&segment);
        let left = contents(&segment);
        let problem = refusal(dir.path());
        assert!(problem.contains("acknowledged"), "{name}: {problem}");
        assert!(contents(&segment) == left, "{name}: nothing is repaired");
        assert_eq!(refusal(dir.path()), problem, "{name}: and again");
    }
}

fn make_unreadable(segment: &Path, value: &[u8]) {
    damage(segment, "objects.pack", |bytes| {
        let place = bytes.windows(value.len()).rposition(|w| w == value);
        bytes[place.expect("the record")] = 0xFF;
    });
}

#[test]
fn a_record_that_cannot_be_read_is_cut_off_only_at_the_end() {
    let dir = TempDir::new().expect("a folder");
    let segment = log_with_an_unfinished_append(dir.path(), 10);
    make_unreadable(&segment, b"value 649");
    let torn = contents(&segment);
    assert_eq!(open(dir.path()).1, expected(0..649));
    assert_eq!(open(dir.path()).1, expected(0..649), "and again");
    let kept = contents(&dir.path().join("000000000600.torn"));
    assert!(kept == torn, "what was cut off is kept");

    // Without the summary nothing tells what was acknowledged; what lies behind is not given up.
    let dir = TempDir::new().expect("a folder");
    let segment = log_with_an_unfinished_append(dir.path(), 0);
    fs::remove_file(segment.join("tree.snapshot")).expect("gone");
    make_unreadable(&segment, b"value 605");
    assert!(refusal(dir.path()).contains("record 5 is damaged"));

    let dir = TempDir::new().expect("a folder");
    log_with_an_unfinished_append(dir.path(), 10);
    make_unreadable(&dir.path().join("000000000000"), b"value 599");
    assert!(refusal(dir.path()).contains("record 599 is damaged"));
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
    let problem = Log::open(dir.path(), "topic", picky)
        .err()
        .expect("refused");
    assert!(problem.contains("record 8 is damaged"), "{problem}");
}

/// The next append to a segment finds no room in its very last step, when all of it is on the disk.
#[cfg(target_os = "linux")]
fn fill(segment: &Path) {
    fs::create_dir_all(segment).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", segment.join("tree.tmp")).expect("a link");
}

#[test]
#[cfg(target_os = "linux")]
fn an_append_without_room_leaves_nothing_and_the_next_one_goes_on() {
    for before in [0, 10] {
        let dir = TempDir::new().expect("a folder");
        let (log, _) = open(dir.path());
        if before > 0 {
            log.append(entries(0..before)).expect("an append");
        }
        fill(&dir.path().join("000000000000"));
        let refused = log.append(entries(90..99));
        assert!(
            matches!(&refused, Err(AppendError::Full(problem)) if problem.contains("writing CRC")),
            "{refused:?}"
        );
        assert_eq!(log.check(), Ok(()));
        assert_eq!(log.end(), before);
        assert_eq!(log.read(0, 100).expect("a range"), expected(0..before));
        assert_eq!(open(dir.path()).1, expected(0..before), "on the disk, too");

        assert_eq!(log.append(entries(before..before + 5)), Ok(before));
        assert_eq!(log.read(0, 100).expect("a range"), expected(0..before + 5));
        drop(log);
        assert_eq!(open(dir.path()).1, expected(0..before + 5));
    }
}

#[test]
fn an_append_that_fails_otherwise_is_the_last_one() {
    let dir = TempDir::new().expect("a folder");
    let (log, _) = open(dir.path());
    log.append(entries(0..10)).expect("an append");
    let lock = dir.path().join("000000000000/partition.lock");
    fs::remove_file(&lock).expect("gone");
    fs::create_dir(&lock).expect("a folder in its place");
    let refused = log.append(entries(10..15));
    assert!(
        matches!(refused, Err(AppendError::Broken(_))),
        "{refused:?}"
    );
    fs::remove_dir(&lock).expect("gone");
    assert_eq!(log.append(entries(10..15)), refused, "until a restart");
    assert_eq!(log.check(), refused.map(|_| ()));
    assert_eq!(log.read(0, 100).expect("a range"), expected(0..10));
    drop(log);
    let (log, seen) = open(dir.path());
    assert_eq!(seen, expected(0..10));
    assert_eq!(log.append(entries(10..15)), Ok(10));
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
