//! A durable, ordered log on `merkql`.
//!
//! A merkql partition rewrites its object index on every append, so that appends slow down as it grows, and its own
//! segments are not repaired after a torn write. So this log is a row of small partitions in the mode that is
//! repaired, each in a folder named after its first offset, and only the last one is written.

mod failure;
mod files;

use files::{ENTRY_BYTES, INDEX, OBJECTS};
use merkql::compression::Compression;
use merkql::hash::Hash;
use merkql::partition::Partition;
use merkql::record::Record;
use merkql::tree::TreeSnapshot;
use merkql::utils::atomic_read;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, RwLock, RwLockReadGuard};

pub use failure::AppendError;

/// Records after which a new segment begins.
const SEGMENT_RECORDS: u64 = 512;

/// Records that are read at once: appends wait meanwhile.
const READ_CHUNK: u64 = 64;

/// A key and a value, as they are appended.
pub type Entry = (String, String);

pub struct Log {
    dir: PathBuf,
    topic: String,
    inner: RwLock<Inner>,
    /// An older segment that a reader is in.
    older: Mutex<Option<Segment>>,
}

struct Inner {
    /// First offset of each segment.
    firsts: Vec<u64>,
    active: Option<Segment>,
    end: u64,
    /// Why nothing more is appended.
    broken: Option<AppendError>,
}

struct Segment {
    first: u64,
    partition: Partition,
    /// Of the objects, after the last append.
    objects_bytes: Option<u64>,
}

impl Log {
    /// Opens or creates the log and reads every record once, in order. What a crash left half-written at the end is
    /// cut off, after a copy was kept: it was never acknowledged.
    ///
    /// # Errors
    /// When a file cannot be read, or a record is damaged that was acknowledged or has an intact one behind it.
    pub fn open(
        dir: &Path,
        topic: &str,
        mut visit: impl FnMut(u64, &str) -> Result<(), String>,
    ) -> Result<Log, String> {
        fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let mut firsts = segments(dir)?;
        let mut end = 0;
        let newest = firsts.last().copied();
        for &first in &firsts {
            let place = folder(dir, first);
            if first != end {
                return Err(format!("{}: offset {end} is missing", place.display()));
            }
            end += replay(&place, first, newest == Some(first), &mut visit)?;
        }
        if newest.is_some_and(|first| first == end) {
            firsts.pop();
            remove(&folder(dir, end))?;
        }
        let inner = RwLock::new(Inner {
            firsts,
            active: None,
            end,
            broken: None,
        });
        Ok(Log {
            dir: dir.into(),
            topic: topic.into(),
            inner,
            older: Mutex::new(None),
        })
    }

    /// The offset that the next record gets.
    pub fn end(&self) -> u64 {
        self.read_lock().end
    }

    /// Appends a batch; all of it is on the disk on return.
    ///
    /// # Errors
    /// When it could not be written: nothing of it is in the log, and whether the log takes more.
    pub fn append(&self, entries: Vec<Entry>) -> Result<u64, AppendError> {
        let mut records: Vec<Record> = entries
            .into_iter()
            .map(|(key, value)| Record {
                key: Some(key),
                value,
                topic: self.topic.clone(),
                partition: 0,
                offset: 0,
                timestamp: std::time::SystemTime::now().into(),
            })
            .collect();
        let mut inner = self.inner.write().expect("no panic under the lock");
        if let Some(broken) = &inner.broken {
            return Err(broken.clone());
        }
        let first = inner.end;
        match inner.append(&self.dir, &mut records) {
            Ok(()) => Ok(first),
            Err(failed) => Err(inner.undo(&self.dir, failed)),
        }
    }

    /// # Errors
    /// Why the log takes nothing more until it is opened again.
    pub fn check(&self) -> Result<(), AppendError> {
        self.read_lock().broken.clone().map_or(Ok(()), Err)
    }

    /// At most `limit` values from an offset on, with their offsets.
    ///
    /// # Errors
    /// When a segment cannot be read.
    pub fn read(&self, from: u64, limit: usize) -> Result<Vec<(u64, String)>, String> {
        let mut found = Vec::new();
        let mut at = from;
        let to = self.end().min(from + limit as u64);
        while at < to {
            let chunk = self.read_chunk(at, to.min(at + READ_CHUNK))?;
            if chunk.is_empty() {
                return Err(format!("{}: offset {at} is missing", self.dir.display()));
            }
            at += chunk.len() as u64;
            found.extend(chunk);
        }
        Ok(found)
    }

    /// What one segment has of a range.
    fn read_chunk(&self, from: u64, to: u64) -> Result<Vec<(u64, String)>, String> {
        let inner = self.read_lock();
        if let Some(active) = inner
            .active
            .as_ref()
            .filter(|segment| segment.first <= from)
        {
            return active.read(from, to);
        }
        let place = inner.firsts.partition_point(|&first| first <= from);
        let first = inner.firsts[place - 1];
        drop(inner);
        let mut older = self.older.lock().expect("no panic under the lock");
        if older.as_ref().is_none_or(|segment| segment.first != first) {
            *older = Some(Segment::open(&self.dir, first)?);
        }
        older
            .as_ref()
            .map_or(Ok(Vec::new()), |segment| segment.read(from, to))
    }

    fn read_lock(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().expect("no panic under the lock")
    }
}

impl Inner {
    fn append(&mut self, dir: &Path, records: &mut [Record]) -> Result<(), AppendError> {
        let segment = self.segment_for_append(dir)?;
        segment
            .partition
            .append_batch(records)
            .map_err(|error| AppendError::of(error.as_ref()))?;
        segment.objects_bytes = objects_bytes(dir, segment.first);
        self.end += records.len() as u64;
        Ok(())
    }

    /// The last segment, or a new one when it is full. What an earlier process wrote is never continued: its Merkle
    /// tree may be behind its records.
    fn segment_for_append(&mut self, dir: &Path) -> Result<&mut Segment, AppendError> {
        let full = |segment: &Segment| segment.partition.next_offset() >= SEGMENT_RECORDS;
        if self.active.as_ref().is_none_or(full) {
            let place = folder(dir, self.end);
            let partition = Partition::open(0, &place, Compression::None)
                .map_err(|error| AppendError::of(error.as_ref()))?;
            sync_folder(dir).map_err(AppendError::Broken)?;
            self.firsts.push(self.end);
            self.active = Some(Segment {
                first: self.end,
                partition,
                objects_bytes: None,
            });
        }
        Ok(self.active.as_mut().expect("set above"))
    }

    /// Ends the log behind its last whole record again, and says whether it can go on.
    fn undo(&mut self, dir: &Path, failed: AppendError) -> AppendError {
        let failed = match self.cut(dir) {
            Ok(()) => failed,
            Err(problem) => AppendError::Broken(format!("{failed}; its end stays: {problem}")),
        };
        if let AppendError::Broken(_) = failed {
            self.broken = Some(failed.clone());
        }
        failed
    }

    /// The segment is never continued: its Merkle tree is ahead of its records.
    fn cut(&mut self, dir: &Path) -> Result<(), String> {
        // It writes what it still holds when it is dropped, so that comes first.
        let objects_bytes = self.active.take().and_then(|segment| segment.objects_bytes);
        if self.firsts.last() == Some(&self.end) {
            self.firsts.pop();
        }
        let begun = folder(dir, self.end);
        if begun.exists() {
            remove(&begun)?;
            return sync_folder(dir);
        }
        let Some(&first) = self.firsts.last() else {
            return Ok(());
        };
        let place = folder(dir, first);
        failure::cut(&place, self.end - first, objects_bytes)
            .map_err(|error| format!("{}: {error}", place.display()))
    }
}

impl Segment {
    fn open(dir: &Path, first: u64) -> Result<Segment, String> {
        Ok(Segment {
            first,
            partition: open_partition(&folder(dir, first))?,
            objects_bytes: None,
        })
    }

    fn read(&self, from: u64, to: u64) -> Result<Vec<(u64, String)>, String> {
        let records = self
            .partition
            .read_range(from - self.first, to - self.first);
        let records = records.map_err(|error| format!("{error:#}"))?;
        Ok(records
            .into_iter()
            .map(|r| (self.first + r.offset, r.value))
            .collect())
    }
}

fn objects_bytes(dir: &Path, first: u64) -> Option<u64> {
    let objects = folder(dir, first).join(OBJECTS);
    fs::metadata(objects).ok().map(|found| found.len())
}

fn open_partition(place: &Path) -> Result<Partition, String> {
    Partition::open(0, place, Compression::None)
        .map_err(|error| format!("{}: {error:#}", place.display()))
}

/// First offsets of the segments of a log, ascending.
fn segments(dir: &Path) -> Result<Vec<u64>, String> {
    let entries = fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut firsts: Vec<u64> = names.filter_map(|name| name.parse().ok()).collect();
    firsts.sort_unstable();
    Ok(firsts)
}

fn folder(dir: &Path, first: u64) -> PathBuf {
    dir.join(format!("{first:012}"))
}

/// Reads a segment; returns how many records it holds.
fn replay(
    place: &Path,
    first: u64,
    newest: bool,
    visit: &mut impl FnMut(u64, &str) -> Result<(), String>,
) -> Result<u64, String> {
    let whole = acknowledged(place);
    let found = [INDEX, OBJECTS].map(|file| (place.join(file), fs::read(place.join(file))));
    let partition = open_partition(place)?;
    let count = partition.next_offset();
    let hashes = fs::read(place.join(INDEX)).unwrap_or_default();
    let lost = |offset: u64, problem: &str| {
        format!(
            "{}: record {offset} is damaged and acknowledged ones are lost with it: {problem}; restore the folder \
             from a copy",
            place.display()
        )
    };
    if count < whole {
        // Opening has cut both, which are as they were for whoever looks into them.
        for (path, bytes) in found
            .iter()
            .filter_map(|(path, read)| Some((path, read.as_ref().ok()?)))
        {
            fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        return Err(lost(count, "its object or its place is gone"));
    }
    for offset in 0..count {
        let good = match partition.read(offset) {
            Ok(Some(record)) if !is_as_written(&record, &hashes, offset) => {
                Err("its content is not what was written".to_string())
            }
            Ok(Some(record)) if record.offset == offset => visit(first + offset, &record.value),
            Ok(_) => Err("the record is not where it belongs".to_string()),
            Err(error) => Err(format!("{error:#}")),
        };
        if let Err(problem) = good {
            let what = format!("{}: record {offset} is damaged: {problem}", place.display());
            if !newest {
                return Err(what);
            }
            let intact = |at| {
                let read = partition.read(at).ok().flatten();
                read.is_some_and(|r| r.offset == at && is_as_written(&r, &hashes, at))
            };
            if offset < whole || (offset + 1..count).any(intact) {
                return Err(lost(offset, &problem));
            }
            eprintln!(
                "meshql-server: {what}; {} records at the end are cut off, and kept in {}",
                count - offset,
                torn(place).display()
            );
            keep_first(place, &partition, offset)?;
            return Ok(offset);
        }
    }
    Ok(count)
}

/// Whether a record has the hash that the index says; reading alone does not look.
fn is_as_written(record: &Record, index: &[u8], offset: u64) -> bool {
    let entry = index.chunks_exact(ENTRY_BYTES).nth(offset as usize);
    entry.is_some_and(|entry| entry[4..] == Hash::digest(&record.serialize()).0)
}

/// How many records the last finished append has left in a segment: all of them were on the disk by then. 0 where
/// that is not known.
fn acknowledged(place: &Path) -> u64 {
    let summary = atomic_read(&place.join("tree.snapshot")).ok().flatten();
    summary
        .and_then(|bytes| bincode::deserialize::<TreeSnapshot>(&bytes).ok())
        .map_or(0, |tree| tree.count)
}

/// Where a segment with an unfinished append is kept. Nothing reads it again.
fn torn(place: &Path) -> PathBuf {
    place.with_extension("torn")
}

/// Replaces a segment by its first records.
fn keep_first(place: &Path, damaged: &Partition, count: u64) -> Result<(), String> {
    let repaired = place.with_extension("repaired");
    if repaired.exists() {
        remove(&repaired)?;
    }
    if count > 0 {
        let mut records = damaged
            .read_range(0, count)
            .map_err(|error| format!("{error:#}"))?;
        let mut partition = open_partition(&repaired)?;
        partition
            .append_batch(&mut records)
            .map_err(|error| format!("{error:#}"))?;
    }
    if torn(place).exists() {
        remove(&torn(place))?;
    }
    fs::rename(place, torn(place)).map_err(|error| format!("{}: {error}", place.display()))?;
    if count > 0 {
        fs::rename(&repaired, place).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    Ok(())
}

fn remove(place: &Path) -> Result<(), String> {
    fs::remove_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))
}

/// A new folder's name is on the disk only when its parent is.
fn sync_folder(dir: &Path) -> Result<(), String> {
    let synced = fs::File::open(dir).and_then(|file| file.sync_all());
    synced.map_err(|error| format!("{}: {error}", dir.display()))
}

#[cfg(test)]
mod tests;
