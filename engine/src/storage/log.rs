//! The log: records one after the other, in files of which each checkpoint begins a new one.
//!
//! A commit is written under the right to publish, so records are in the order in which states follow. It is waited for without
//! that: one of those who wait asks the device for all that has been written by then, and the others have it with theirs (group
//! commit). Where the device says that it has lost something, nothing is written any more: what is on it nobody knows then.

use super::disk::{Disk, DiskFile};
use super::record::{Change, MARK, Record};
use super::{Place, could_not};
use crate::{Error, ErrorKind, Result};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What a file of the log begins with; behind it stands its first record's number.
const HEAD: [u8; 8] = *b"MLLOG\0\0\x01";

/// The bytes of that.
const HEAD_BYTES: usize = 16;

/// Bytes that a file has room for ahead, at least and at most: where it need not grow the device has less to write. What is longer
/// grows it.
const ROOM_BYTES: RangeInclusive<u64> = 64 << 10..=1 << 20;

/// The log, to be written. Who holds `writer` may take `synced`, and not the other way round.
#[derive(Debug)]
pub(super) struct Log {
    disk: Arc<dyn Disk>,
    place: Place,
    writer: Mutex<Writer>,
    synced: Mutex<Synced>,
    changed: Condvar,
}

#[derive(Debug)]
struct Writer {
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    /// The number of the file.
    number: u64,
    bytes: u64,
    /// Where the room for more ends.
    reserved: u64,
    /// So many of the bytes are on the device.
    durable: u64,
    /// The next record's number.
    next: u64,
}

#[derive(Debug)]
struct Synced {
    /// The last record that is on the device.
    done: u64,
    is_running: bool,
    failed: Option<Error>,
}

impl Log {
    /// Goes on behind what has been read.
    ///
    /// # Errors
    /// 58030 and 53100 for a file that cannot be made.
    pub(super) fn new(disk: &Arc<dyn Disk>, place: &Place, number: u64, next: u64) -> Result<Self> {
        let writer = begin(&**disk, place, number, next)?;
        let synced = Synced { done: next - 1, is_running: false, failed: None };
        let (writer, synced) = (Mutex::new(writer), Mutex::new(synced));
        Ok(Log { disk: Arc::clone(disk), place: place.clone(), writer, synced, changed: Condvar::new() })
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn synced(&self) -> MutexGuard<'_, Synced> {
        self.synced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error once the device has lost something.
    pub(super) fn check(&self) -> Result<()> {
        self.synced().failed.clone().map_or(Ok(()), Err)
    }

    /// The last record that is on the device.
    pub(super) fn durable(&self) -> u64 {
        self.synced().done
    }

    /// Bytes of the file that is written.
    pub(super) fn bytes(&self) -> u64 {
        self.writer().bytes
    }

    /// Writes a record: its number.
    ///
    /// # Errors
    /// 53100 and 58030, 54000 for one that is too long; then it is as if it had never been.
    pub(super) fn write(&self, change: Change, streams: Vec<u8>) -> Result<u64> {
        let mut writer = self.writer();
        self.check()?;
        let durable = self.durable();
        let number = writer.next;
        let bytes = Record { number, durable, change, streams }.to_bytes()?;
        let length = bytes.len() as u64;
        let room = writer.bytes.clamp(*ROOM_BYTES.start(), *ROOM_BYTES.end());
        let mut written = Ok(());
        if writer.reserved < writer.bytes + length && length < room {
            // Where there is no room ahead there may be enough for it.
            written = writer.file.reserve(room).or_else(|_| writer.file.cut(writer.bytes));
            writer.reserved = writer.bytes + room;
        }
        if let Err(error) = written.and_then(|()| writer.file.write(&bytes)) {
            writer.reserved = writer.bytes;
            let failed = could_not("write", &writer.path, &error);
            // A part of it may be there, behind which nothing may come.
            if let Err(error) = writer.file.cut(writer.bytes) {
                self.lose(could_not("cut", &writer.path, &error));
            }
            return Err(failed);
        }
        writer.bytes += length;
        writer.next += 1;
        Ok(number)
    }

    /// Returns once a record is on the device.
    ///
    /// # Errors
    /// 58030 if the device has lost something: nothing is written any more.
    pub(super) fn wait(&self, number: u64) -> Result<()> {
        let mut synced = self.synced();
        loop {
            if synced.done >= number {
                return Ok(());
            }
            if let Some(failed) = &synced.failed {
                return Err(failed.clone());
            }
            if synced.is_running {
                synced = self.changed.wait(synced).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            synced.is_running = true;
            drop(synced);
            let result = self.sync();
            synced = self.synced();
            synced.is_running = false;
            match result {
                Ok(last) => synced.done = synced.done.max(last),
                Err(error) => drop(synced.failed.get_or_insert(error)),
            }
            self.changed.notify_all();
        }
    }

    /// Asks the device for all that is written: the last record of that.
    fn sync(&self) -> Result<u64> {
        let (file, number, last, bytes) = {
            let writer = self.writer();
            (Arc::clone(&writer.file), writer.number, writer.next - 1, writer.bytes)
        };
        let result = file.sync();
        let mut writer = self.writer();
        match result {
            Ok(()) if writer.number == number => writer.durable = bytes,
            Ok(()) => {}
            Err(error) => {
                let error = could_not("sync", &writer.path, &error);
                self.lose(error.clone());
                // Who is told that it has failed does not find it done when the database is opened again, if that can be.
                let _stays = writer.file.cut(writer.durable);
                return Err(error);
            }
        }
        Ok(last)
    }

    fn lose(&self, error: Error) {
        self.synced().failed.get_or_insert(error);
        self.changed.notify_all();
    }

    /// Returns once all that is written is on the device.
    pub(super) fn wait_all(&self) -> Result<()> {
        let last = self.writer().next - 1;
        self.wait(last)
    }

    /// All that is written is on the device, and what comes is written to a new file: its number, and that of its first record. Nobody
    /// else may write meanwhile.
    pub(super) fn rotate(&self) -> Result<(u64, u64)> {
        self.wait_all()?;
        let mut writer = self.writer();
        // Nothing may seem to be missing behind its last record; and sequences may have moved meanwhile.
        if writer.reserved > writer.bytes || writer.durable < writer.bytes {
            writer
                .file
                .cut(writer.bytes)
                .and_then(|()| writer.file.sync())
                .map_err(|error| could_not("sync", &writer.path, &error))
                .inspect_err(|error| {
                    self.lose(error.clone());
                })?;
            writer.durable = writer.bytes;
            writer.reserved = writer.bytes;
        }
        let number = writer.number + 1;
        let begun = begin(&*self.disk, &self.place, number, writer.next).inspect_err(|_| {
            // What is written goes on where it was, and nothing may seem to come behind that.
            let path = self.place.log(number);
            let removed = self.disk.remove(&path).err();
            if let Some(error) = removed.filter(|error| error.kind() != std::io::ErrorKind::NotFound) {
                self.lose(could_not("remove", &path, &error));
            }
        });
        *writer = begun?;
        self.synced().done = writer.next - 1;
        Ok((number, writer.next))
    }

    /// Drops the files before one, as far as that can be done.
    pub(super) fn drop_before(&self, number: u64) {
        let mut number = number;
        // The oldest are gone already.
        while number > 0 {
            number -= 1;
            if self.disk.remove(&self.place.log(number)).is_err() {
                return;
            }
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // What the device has of it then nobody knows.
        if self.check().is_ok() {
            let writer = self.writer();
            // Who opens it cuts it, if that cannot be done.
            let _left = writer.file.cut(writer.bytes);
        }
    }
}

fn begin(disk: &dyn Disk, place: &Place, number: u64, next: u64) -> Result<Writer> {
    let path = place.log(number);
    let failed = |error: std::io::Error| could_not("write", &path, &error);
    let file = disk.create(&path).map_err(failed)?;
    let mut head = HEAD.to_vec();
    head.extend(next.to_le_bytes());
    file.write(&head).map_err(failed)?;
    file.sync().map_err(failed)?;
    disk.sync_folder(&place.logs()).map_err(failed)?;
    let bytes = HEAD_BYTES as u64;
    Ok(Writer { file, number, bytes, reserved: bytes, durable: bytes, next, path: path.clone() })
}

/// What is read of a file of the log.
#[derive(Debug)]
pub(super) struct Read {
    /// How many records it has.
    pub(super) records: u64,
    /// Where the whole records end, if something is behind them.
    pub(super) torn: Option<u64>,
    pub(super) bytes: u64,
    /// Why it is not read to its end.
    pub(super) damage: Option<Error>,
}

impl Read {
    /// The error of a file that is damaged.
    pub(super) fn whole(self) -> Result<Self> {
        self.damage.map_or(Ok(Read { damage: None, ..self }), Err)
    }
}

/// Takes records, and where in their file they end.
pub(super) type Take<'t> = dyn FnMut(Record, u64) -> Result<()> + 't;

/// Reads a file of the log, whose first record has this number. What stands behind the last whole record was being written when the
/// process ended, unless a later record says that there was more. The records before it are taken one after the other.
///
/// # Errors
/// 58030, and those of who takes them.
pub(super) fn read(disk: &dyn Disk, path: &Path, first: u64, is_last: bool, take: &mut Take<'_>) -> Result<Read> {
    let bytes = disk.read(path).map_err(|error| could_not("read", path, &error))?;
    if bytes.len() < HEAD_BYTES && is_last {
        // It was being made.
        return Ok(Read { records: 0, torn: Some(0), bytes: 0, damage: None });
    }
    if bytes.get(..8) != Some(&HEAD[..]) || bytes.get(8..HEAD_BYTES) != Some(&first.to_le_bytes()[..]) {
        let damage = Some(damaged(path, 0, "it does not begin as a log of this database does"));
        return Ok(Read { records: 0, torn: None, bytes: 0, damage });
    }
    let mut records = 0;
    let mut at = HEAD_BYTES;
    while at < bytes.len() {
        match Record::from_bytes(&bytes[at..]) {
            Some((record, length)) if record.number == first + records => {
                records += 1;
                at += length;
                take(record, at as u64)?;
            }
            _ => {
                let next = first + records;
                let later = later(&bytes[at + 1..]).is_some_and(|later| later.durable >= next);
                let is_damaged = later || !is_last;
                let damage = is_damaged.then(|| damaged(path, at as u64, "a record is damaged"));
                return Ok(Read { records, torn: Some(at as u64), bytes: at as u64, damage });
            }
        }
    }
    Ok(Read { records, torn: None, bytes: bytes.len() as u64, damage: None })
}

/// The last whole record somewhere in some bytes.
fn later(bytes: &[u8]) -> Option<Record> {
    let mut found = None;
    let mut at = 0;
    while let Some(next) = memchr::memmem::find(&bytes[at..], &MARK) {
        at += next;
        match Record::from_bytes(&bytes[at..]) {
            Some((record, length)) => {
                found = Some(record);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// The error for a file that is not what was written.
pub(super) fn damaged(path: &Path, offset: u64, what: &str) -> Error {
    let message = format!("file \"{}\" is damaged at byte {offset}: {what}", path.display());
    Error::new(ErrorKind::DataCorrupted, message)
}
