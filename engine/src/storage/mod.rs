//! Data that is kept: a folder with a checkpoint, the log of what was committed since, and files of rows.
//!
//! | name | is |
//! |---|---|
//! | `lock` | held by the process that has the database open |
//! | `checkpoint` | all definitions, and which files have the rows ([`checkpoint`]) |
//! | `log/N.log` | what has been committed since ([`log`], [`record`]) |
//! | `rows/N.arrow` | rows as Arrow files ([`rows`]), of checkpoints, and of commits that brought many |
//!
//! A state is immutable, so a commit is the [`difference`] of two, which is written before anybody sees the second. Each table's
//! part is by rows' numbers; what has been checked once is not checked again when it is [replayed](replay). Who committed hears of
//! it when the log is on the device (group commit: [`log`]). If it cannot be, all see again what is, and nothing can be changed until
//! the database is opened anew.
//!
//! What a program gives of its own (rows of providers, functions) is not kept, nor is what is temporary.

mod backup;
mod checked;
mod checkpoint;
mod current;
mod difference;
mod disk;
mod log;
mod object_disk;
mod part;
mod pending;
mod record;
mod recovery;
mod replay;
mod rows;
mod salvage;
mod statistics;
mod telling;
#[cfg(test)]
mod tests;
mod unread;
mod values;

use crate::catalog::{Entry, Keeper, Object, Qualified, Schemas, StoredSequence, free_oid, object_at};
use crate::turn::Turn;
use crate::{Error, ErrorKind, Result};
pub use checked::Checked;
pub(crate) use checked::check;
use checkpoint::{Segment, Segments};
pub(crate) use current::{Current, Pin, Publishing};
use difference::difference;
use disk::{Disk, Machine};
use log::Log;
use multiloop_exec::column::{CHUNK_ROWS, Chunk, ColumnCache, Table};
use multiloop_exec::workers::context::{Cancellation, Context};
use record::{Kind, Piece, RowChange, Rows, RowsFile};
use recovery::{Recovered, recovered, remove_others};
use salvage::Salvage;
use std::collections::{HashSet, VecDeque};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
pub(crate) use telling::OnRecovery;
pub use telling::Recovery;
use unread::{KeptFiles, Opening};

/// When what is done.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// So many rows, of so many bytes, have a file of their own beside the log; and any of so many bytes.
    file_rows: usize,
    file_bytes: usize,
    record_bytes: usize,
    /// A checkpoint is made once the log has grown by so many bytes.
    log_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { file_rows: CHUNK_ROWS, file_bytes: 4 << 20, record_bytes: 64 << 20, log_bytes: 64 << 20 }
    }
}

/// How long what is committed without waiting may be on no device.
const FLUSH_AFTER: Duration = Duration::from_millis(200);

/// The names in the folder.
#[derive(Clone, Debug)]
struct Place(PathBuf);

impl Place {
    fn folder(&self) -> &Path {
        &self.0
    }

    fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    fn checkpoint(&self) -> PathBuf {
        self.0.join("checkpoint")
    }

    fn new_checkpoint(&self) -> PathBuf {
        self.0.join("checkpoint.new")
    }

    fn logs(&self) -> PathBuf {
        self.0.join("log")
    }

    fn log(&self, number: u64) -> PathBuf {
        self.logs().join(format!("{number:010}.log"))
    }

    fn all_rows(&self) -> PathBuf {
        self.0.join("rows")
    }

    fn rows(&self, number: u64) -> PathBuf {
        self.all_rows().join(format!("{number:010}.arrow"))
    }
}

/// The error for a file that could not be written or read.
fn could_not(what: &str, path: &Path, error: &std::io::Error) -> Error {
    // That of a store says itself what it is.
    if let Some(own) = error.get_ref().and_then(|error| error.downcast_ref::<Error>()) {
        return own.clone();
    }
    let kind = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => ErrorKind::DiskFull,
        _ => ErrorKind::Io,
    };
    Error::new(kind, format!("could not {what} file \"{}\": {error}", path.display()))
}

/// An error (XX001) if there was a checkpoint here: what is left of a database is not taken for nothing.
fn check_new(place: &Place) -> Result<()> {
    let failed = |error: std::io::Error| could_not("open", place.folder(), &error);
    let has_rows = fs::read_dir(place.all_rows()).map_err(failed)?.next().is_some();
    let mut logs = fs::read_dir(place.logs()).map_err(failed)?.flatten();
    // The first file is made before the first checkpoint.
    let has_logs = logs.any(|entry| entry.path() != place.log(1) || entry.metadata().is_ok_and(|of| of.len() > 16));
    if has_rows || has_logs {
        return Err(log::damaged(&place.checkpoint(), 0, "it is missing"));
    }
    Ok(())
}

/// Some chunks of a table.
fn part(of: &Table, chunks: &[Arc<Chunk>]) -> Table {
    Table { chunks: chunks.iter().cloned().collect(), ..of.clone() }
}

fn is_open(folder: &Path) -> Error {
    let message = format!("database \"{}\" is open in another process", folder.display());
    Error::new(ErrorKind::WrongState, message)
}

/// How a folder is opened.
pub(crate) struct Way<'w> {
    /// In whose memory rows are, and who works.
    pub(crate) context: &'w Context,
    /// Keeps columns that have been read.
    pub(crate) cache: &'w Arc<ColumnCache>,
    /// Who is told how far that has come.
    pub(crate) told: Option<&'w OnRecovery>,
}

/// What is whole of a damaged database.
pub(crate) struct Salvaged {
    pub(crate) schemas: Schemas,
    /// Why the rest is left out.
    pub(crate) left_out: Vec<Error>,
    /// Held as long as it is read.
    pub(crate) lock: Option<File>,
}

/// Reads what is whole of a damaged database: all that its checkpoint has, with what the log has done to it before its first damaged
/// record. Nothing in the folder is changed.
///
/// # Errors
/// 55000 if another process has it open, XX001 if the checkpoint itself is damaged, 0A000 for a newer form, 58P01 if there is none.
pub(crate) fn salvaged(folder: &Path, way: &Way<'_>) -> Result<Salvaged> {
    let place = Place(folder.to_owned());
    if !place.checkpoint().exists() {
        return Err(Error::new(ErrorKind::FileNotFound, format!("there is no database in \"{}\"", folder.display())));
    }
    let lock = match disk::locked_to_read(&place.lock()) {
        Ok(None) => return Err(is_open(folder)),
        Ok(Some(lock)) => Some(lock),
        // Who cannot have it is told nothing by it.
        Err(_) => None,
    };
    let disk: Arc<dyn Disk> = Arc::new(Machine);
    let (readers, salvage) = (KeptFiles::default(), Salvage::default());
    let Way { context, cache, told } = *way;
    let opening =
        Opening { disk: &disk, place: &place, files: &readers, cache, context, told, salvage: Some(&salvage) };
    let schemas = recovered(&opening)?.state.schemas;
    Ok(Salvaged { schemas, left_out: salvage.left_out(), lock })
}

/// A folder that keeps what is committed.
#[derive(Debug)]
pub(crate) struct Storage {
    place: Place,
    disk: Arc<dyn Disk>,
    limits: Limits,
    log: Arc<Log>,
    keeper: Arc<dyn Keeper>,
    /// Whose memory it is.
    context: Context,
    /// The next file of rows.
    next_file: AtomicU64,
    /// Files that are read when a query asks for it.
    readers: KeptFiles,
    durable: Mutex<Durable>,
    segments: Mutex<Segments>,
    /// Held by who makes a checkpoint.
    checkpointing: Turn,
    /// Bytes of the log at the last checkpoint's end, and behind it in files before the one that is written, and of files of rows
    /// that it names.
    since: AtomicU64,
    asked: Mutex<Asked>,
    woken: Condvar,
    /// Stops a checkpoint that nobody waits for.
    closing: Cancellation,
    /// The lock, as long as it is open.
    lock: Mutex<Option<File>>,
}

/// States that are published, and not known to be on the device.
#[derive(Debug)]
struct Durable {
    /// The last one that is.
    last: Schemas,
    waiting: VecDeque<(u64, Schemas)>,
}

/// What the worker is to do.
#[derive(Debug, Default)]
struct Asked {
    checkpoint: bool,
    flush: bool,
    ends: bool,
}

/// A checkpoint that is to be written.
pub(crate) struct Begun {
    schemas: Schemas,
    /// The first file of the log that is needed behind it, and its first record.
    log: u64,
    next: u64,
    /// Files of rows from here on are of later commits, or its own.
    first_new: u64,
    known: Segments,
}

/// A commit in the log: the number of its record; none if there was nothing to write.
#[derive(Debug)]
#[must_use = "nothing is kept for sure before the device says so"]
pub(crate) struct Logged(Option<u64>);

impl Logged {
    /// Of what nobody keeps.
    pub(crate) const NOWHERE: Logged = Logged(None);
}

impl Storage {
    /// Opens a folder, or makes one: its state as it was committed last.
    ///
    /// # Errors
    /// 55000 if another process has it open or it is something else, XX001 if a file is damaged, 0A000 for a newer form, 58030 and
    /// 53100.
    pub(crate) fn open(folder: &Path, way: &Way<'_>) -> Result<(Self, Schemas)> {
        Storage::open_on(Arc::new(Machine), Limits::default(), folder, way)
    }

    fn open_on(disk: Arc<dyn Disk>, limits: Limits, folder: &Path, way: &Way<'_>) -> Result<(Self, Schemas)> {
        let context = way.context;
        let place = Place(folder.to_owned());
        let failed = |error: std::io::Error| could_not("open", folder, &error);
        let is_new = !place.checkpoint().exists();
        if is_new && folder.exists() {
            let known = ["lock", "log", "rows", "checkpoint.new"];
            let is_other = |name: std::ffi::OsString| !known.iter().any(|known| name == *known);
            let mut names = fs::read_dir(folder).map_err(failed)?;
            if names.any(|entry| entry.is_ok_and(|entry| is_other(entry.file_name()))) {
                let message = format!("folder \"{}\" is no database", folder.display());
                let error = Error::new(ErrorKind::WrongState, message);
                return Err(error.with_hint("Name an empty folder, or one that there is not yet."));
            }
        }
        for folder in [place.logs(), place.all_rows()] {
            fs::create_dir_all(&folder).map_err(failed)?;
        }
        let lock = disk::locked(&place.lock()).map_err(failed)?;
        let lock = lock.ok_or_else(|| is_open(folder))?;
        if is_new {
            check_new(&place)?;
            let schemas = Current::default().snapshot();
            let (empty, _) = checkpoint::written(
                &schemas,
                (1, 1),
                &Segments::new(),
                &mut |_| Err(Error::internal("rows of an empty state")),
                context,
            )?;
            drop(Log::new(&disk, &place, 1, 1)?);
            checkpoint::replace(&*disk, &place, &empty, &mut || ())?;
        }
        let readers = KeptFiles::default();
        let Way { context, cache, told } = *way;
        let opening = Opening { disk: &disk, place: &place, files: &readers, cache, context, told, salvage: None };
        let Recovered { state, segments, next, log, bytes, files } = recovered(&opening)?;
        let kept: HashSet<u64> = files.iter().copied().collect();
        let next_file = kept.iter().max().map_or(1, |last| last + 1);
        remove_others(&*disk, &place, &kept);
        let durable = Durable { last: Arc::clone(&state.schemas), waiting: VecDeque::new() };
        let log = Arc::new(Log::new(&disk, &place, log, next)?);
        let keeper: Arc<dyn Keeper> = Arc::new(SequenceKeeper(Arc::clone(&log)));
        keep_counters(&state.schemas, &keeper);
        let storage = Storage {
            log,
            keeper,
            place,
            disk,
            limits,
            context: Context::new(Arc::clone(&context.memory)),
            next_file: AtomicU64::new(next_file),
            readers,
            durable: Mutex::new(durable),
            segments: Mutex::new(segments),
            checkpointing: Turn::default(),
            since: AtomicU64::new(bytes),
            asked: Mutex::new(Asked { checkpoint: bytes > limits.log_bytes, ..Asked::default() }),
            woken: Condvar::new(),
            closing: Cancellation::default(),
            lock: Mutex::new(Some(lock)),
        };
        Ok((storage, state.schemas))
    }

    fn durable(&self) -> MutexGuard<'_, Durable> {
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn segments(&self) -> MutexGuard<'_, Segments> {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what a commit changes: who calls has the right to publish, and publishes then.
    ///
    /// # Errors
    /// 53100 and 58030, and nothing has been written; 53200.
    fn write(&self, before: &Schemas, after: &Schemas) -> Result<Logged> {
        self.log.check()?;
        let mut streams = Vec::new();
        let mut files = Vec::new();
        let mut in_files = 0;
        let mut keep = |rows: &Table| {
            let Limits { file_rows, file_bytes, record_bytes, .. } = self.limits;
            if rows.rows() >= file_rows && rows.bytes() >= file_bytes || rows.bytes() >= record_bytes {
                let made = self.write_rows(rows)?;
                files.extend(made.iter().map(|file| file.number));
                in_files += made.iter().map(|file| file.bytes).sum::<u64>();
                return Ok(made.into_iter().map(Rows::File).collect());
            }
            let start = streams.len();
            streams.extend(rows::to_stream(rows, &self.context)?);
            Ok(vec![Rows::Here(start..streams.len())])
        };
        let written = difference(before, after, &mut keep, &self.context).and_then(|change| {
            let segments = self.segments_of(before, after, &change);
            let is_sequence = |of: &&record::ObjectChange| {
                of.definition.as_ref().is_some_and(|of| matches!(of.kind, Kind::Sequence { .. }))
            };
            let sequences: Vec<_> = change.objects.iter().filter(is_sequence).map(|of| of.name.clone()).collect();
            if change.is_empty() {
                return Ok(None);
            }
            let number = self.log.write(change, streams)?;
            Ok(Some((number, segments, sequences)))
        });
        let written = written.inspect_err(|_| {
            files.iter().for_each(|number| drop(self.disk.remove(&self.place.rows(*number))));
        })?;
        let Some((number, segments, sequences)) = written else { return Ok(Logged(None)) };
        for (oid, segment) in segments {
            self.segments().entry(oid).or_default().push(segment);
        }
        for name in &sequences {
            if let Some(Entry::Sequence(sequence)) = object_at(after, name).map(|object| &object.entry) {
                sequence.counter.keep(&self.keeper, &sequence.definition);
            }
        }
        self.durable().waiting.push_back((number, Arc::clone(after)));
        // Until there is a checkpoint rows in files of their own are loaded when the database is opened.
        self.since.fetch_add(in_files, Ordering::Relaxed);
        if self.since.load(Ordering::Relaxed) + self.log.bytes() > self.limits.log_bytes {
            self.ask(|asked| asked.checkpoint = true);
        }
        Ok(Logged(Some(number)))
    }

    /// Rows that a commit has put into files of their own, by tables.
    fn segments_of(&self, before: &Schemas, after: &Schemas, change: &record::Change) -> Vec<(u32, Segment)> {
        let object = |schemas: &Schemas, name: &Qualified| object_at(schemas, name).cloned();
        let mut segments = Vec::new();
        for of in &change.objects {
            let Some(Object { oid, entry: Entry::Table(table), .. }) = object(after, &of.name) else { continue };
            let mut add = |mut start: usize, rows: &mut dyn Iterator<Item = &Rows>| {
                for rows in rows {
                    let Rows::File(file) = rows else { return };
                    let rows = start..start + file.rows;
                    start = rows.end;
                    segments.push((oid, Segment { rows, file: file.clone(), history: table.history.clone() }));
                }
            };
            match &of.rows {
                RowChange::Steps { appended, .. } => {
                    let old = object(before, of.was.as_ref().unwrap_or(&of.name));
                    if let Some(Entry::Table(old)) = old.map(|old| old.entry) {
                        add(old.stored().rows(), &mut appended.iter());
                    }
                }
                RowChange::Pieces { pieces, .. } => {
                    let new = |piece: &Piece| matches!(piece, Piece::New(_));
                    let first = pieces.iter().take_while(|piece| new(piece));
                    add(0, &mut first.filter_map(|piece| if let Piece::New(rows) = piece { Some(rows) } else { None }));
                }
                RowChange::None | RowChange::Arranged { .. } => {}
            }
        }
        segments
    }

    /// Writes many rows to files, some at the same time: by threads of its own, since workers do not wait for a device.
    fn write_rows(&self, rows: &Table) -> Result<Vec<RowsFile>> {
        let parts: Vec<Table> = rows.chunks.chunks(checkpoint::FILE_CHUNKS).map(|chunks| part(rows, chunks)).collect();
        let first = self.next_file.fetch_add(parts.len() as u64, Ordering::Relaxed);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(parts.len()).max(1);
        let write =
            |at: usize| checkpoint::write_rows(&*self.disk, &self.place, first + at as u64, &parts[at], &self.context);
        let some = |from: usize| (from..parts.len()).step_by(threads).map(write).collect::<Result<Vec<_>>>();
        let made: Result<Vec<Vec<RowsFile>>> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|from| scope.spawn(move || some(from))).collect();
            let own = std::iter::once(some(0));
            let panicked = |_| Err(Error::internal("rows could not be written"));
            own.chain(others.into_iter().map(|other| other.join().unwrap_or_else(panicked))).collect()
        });
        let made = made.inspect_err(|_| {
            (first..).take(parts.len()).for_each(|number| drop(self.disk.remove(&self.place.rows(number))));
        })?;
        let mut made: Vec<RowsFile> = made.into_iter().flatten().collect();
        made.sort_by_key(|file| file.number);
        Ok(made)
    }

    /// An error once the device has lost something: nothing is written any more.
    fn check(&self) -> Result<()> {
        self.log.check()
    }

    /// Returns once a commit is on the device; without `waits` it will be soon.
    ///
    /// # Errors
    /// 58030 if the device has lost something: what all see is put back to what it is known to have.
    fn wait(&self, logged: Logged, waits: bool, current: &Current) -> Result<()> {
        let Some(number) = logged.0 else { return Ok(()) };
        if !waits {
            self.ask(|asked| asked.flush = true);
            return Ok(());
        }
        let waited = self.log.wait(number);
        self.settle();
        if waited.is_err() {
            let last = Arc::clone(&self.durable().last);
            current.revert(last);
        }
        waited
    }

    /// Forgets states before the last one that is on the device.
    fn settle(&self) {
        let done = self.log.durable();
        let durable = &mut *self.durable();
        while durable.waiting.front().is_some_and(|(number, _)| *number <= done) {
            if let Some((_, schemas)) = durable.waiting.pop_front() {
                durable.last = schemas;
            }
        }
    }

    fn ask(&self, what: impl FnOnce(&mut Asked)) {
        what(&mut self.asked());
        self.woken.notify_all();
    }

    /// Nobody commits any more: what has been committed is kept, and others may open the folder.
    pub(crate) fn close(&self, schemas: &Schemas) {
        self.ask(|asked| asked.ends = true);
        self.closing.cancel();
        let _none_is_made = self.checkpointing.take(&Cancellation::default());
        for (number, sequence) in sequences(schemas) {
            // Else it has a gap when it is opened again.
            let _gap = sequence.counter.close(number);
        }
        // Who committed without waiting has not asked for more.
        let _lost = self.flush();
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Waits until a checkpoint is to be made: false if it is time to end. What has been committed without waiting is flushed meanwhile.
    pub(crate) fn wait_for_checkpoint(&self) -> bool {
        loop {
            let mut asked = self.asked();
            while !(asked.checkpoint || asked.flush || asked.ends) {
                asked = self.woken.wait(asked).unwrap_or_else(PoisonError::into_inner);
            }
            let Asked { checkpoint, flush, ends } = std::mem::take(&mut *asked);
            if flush && !ends {
                let end = self.woken.wait_timeout_while(asked, FLUSH_AFTER, |asked| !asked.ends);
                drop(end.unwrap_or_else(PoisonError::into_inner));
            } else {
                drop(asked);
            }
            if flush {
                // Who waits for the next commit hears of an error.
                let _told_later = self.flush();
            }
            if ends || checkpoint {
                return !ends;
            }
        }
    }

    /// All that was committed is on the device.
    ///
    /// # Errors
    /// 58030.
    pub(crate) fn flush(&self) -> Result<()> {
        self.log.wait_all()?;
        self.settle();
        Ok(())
    }

    /// Makes a checkpoint of what all see now.
    ///
    /// # Errors
    /// 53100 and 58030, and the one before is as good as it was; 57014.
    pub(crate) fn checkpoint(&self, current: &Current, heard: &Cancellation) -> Result<()> {
        let _one = self.checkpointing.take(heard)?;
        let begun = self.begin_checkpoint(current, heard)?;
        self.finish_checkpoint(begun, heard)
    }

    /// Makes a checkpoint that nobody waits for: one that fails is tried again when the log has grown once more. False if there is
    /// nothing more to be kept.
    pub(crate) fn checkpoint_meanwhile(
        &self,
        with_current: impl FnOnce(&dyn Fn(&Current) -> Result<Begun>) -> Option<Result<Begun>>,
    ) -> bool {
        let heard = &self.closing;
        let Ok(_one) = self.checkpointing.take(heard) else { return false };
        let Some(begun) = with_current(&|current| self.begin_checkpoint(current, heard)) else { return false };
        // One that fails is tried again: when the log has grown once more, or with the next commit if it had no new file.
        let _tried_again = begun.and_then(|begun| self.finish_checkpoint(begun, heard));
        true
    }

    /// Makes a checkpoint, and has all tables read from its files from now on, as those of a database that has just been opened are.
    ///
    /// # Errors
    /// 53100 and 58030; 57014.
    pub(crate) fn unload(&self, current: &Current, cache: &Arc<ColumnCache>, heard: &Cancellation) -> Result<()> {
        self.checkpoint(current, heard)?;
        let _one = self.checkpointing.take(heard)?;
        for (schema, of) in current.snapshot().iter() {
            for (name, object) in &of.objects {
                let (Entry::Table(table), Some(definition)) = (&object.entry, record::Definition::of(object)) else {
                    continue;
                };
                let Kind::Table { fields, declared } = &definition.kind else { continue };
                let segments = self.segments().get(&object.oid).cloned().unwrap_or_default();
                let ends = segments.last().map(|segment| segment.rows.end) == Some(table.stored().rows());
                if table.is_unloaded() || !ends || !segments.iter().all(|segment| segment.is_good(table)) {
                    continue;
                }
                let name = Qualified { schema: schema.clone(), name: name.clone() };
                let gone = values::deleted(table, &self.context)?;
                let files = segments.into_iter().map(|segment| segment.file).collect();
                let kept = checkpoint::KeptObject {
                    name: name.clone(),
                    definition: definition.clone(),
                    files,
                    gone: record::runs(gone.iter().copied()),
                    columns: statistics::kept(table),
                };
                let (disk, place, context) = (&self.disk, &self.place, &self.context);
                let opening = Opening { disk, place, files: &self.readers, cache, context, told: None, salvage: None };
                let Some(unread) = opening.table(&kept, (fields, declared), gone) else { continue };
                let mut unread = unread.defined(&name.name, fields, declared.as_ref().clone());
                unread.history.clone_from(&table.history);
                current.begin_write(heard)?.reshape(&name, table, unread);
            }
        }
        Ok(())
    }

    fn begin_checkpoint(&self, current: &Current, heard: &Cancellation) -> Result<Begun> {
        let publishing = current.begin_write(heard)?;
        let (log, next) = self.log.rotate()?;
        self.settle();
        let first_new = self.next_file.load(Ordering::Relaxed);
        let schemas = publishing.schemas();
        // What sequences have kept ahead goes with the log.
        keep_counters(&schemas, &self.keeper);
        Ok(Begun { schemas, log, next, first_new, known: self.segments().clone() })
    }

    fn finish_checkpoint(&self, begun: Begun, heard: &Cancellation) -> Result<()> {
        let Begun { schemas, log, next, first_new, known } = begun;
        let context = Context { cancellation: heard.clone(), ..self.context.clone() };
        self.since.store(0, Ordering::Relaxed);
        let mut made = Vec::new();
        let mut write = |rows: &Table| {
            let number = self.next_file.fetch_add(1, Ordering::Relaxed);
            let file = checkpoint::write_rows(&*self.disk, &self.place, number, rows, &context)?;
            made.push(number);
            Ok(file)
        };
        let mut is_placed = false;
        let result =
            checkpoint::written(&schemas, (log, next), &known, &mut write, &context).and_then(|(new, segments)| {
                checkpoint::replace(&*self.disk, &self.place, &new, &mut || is_placed = true)?;
                Ok((new, segments))
            });
        let (new, segments) = result.inspect_err(|_| {
            // What may be there needs its files.
            if !is_placed {
                made.iter().for_each(|number| drop(self.disk.remove(&self.place.rows(*number))));
            }
        })?;
        let files: HashSet<u64> = new.objects.iter().flat_map(|of| &of.files).map(|file| file.number).collect();
        {
            let mut all = self.segments();
            // What has been committed meanwhile has files of its own.
            let mut later = std::mem::replace(&mut *all, segments);
            for (oid, of) in later.drain() {
                let of = of
                    .into_iter()
                    .filter(|segment| segment.file.number >= first_new && !made.contains(&segment.file.number));
                all.entry(oid).or_default().extend(of);
            }
        }
        self.log.drop_before(log);
        // Files from before that no table has any more.
        for segment in known.values().flatten() {
            let number = segment.file.number;
            if !files.contains(&number) && number < first_new {
                self.readers.remove(number, &*self.disk, &self.place);
            }
        }
        Ok(())
    }
}

/// Writes to the log where sequences are. Nobody waits for it: what draws values of them is committed behind it, in the same log.
#[derive(Debug)]
struct SequenceKeeper(Arc<Log>);

impl Keeper for SequenceKeeper {
    fn keep(&self, sequence: u32, last_value: i64, is_called: bool) -> Result<()> {
        let counters = vec![(sequence, last_value, is_called)];
        let change = record::Change { oids: free_oid(), counters, ..record::Change::default() };
        self.0.write(change, Vec::new()).map(drop)
    }
}

fn sequences(schemas: &Schemas) -> impl Iterator<Item = (u32, &StoredSequence)> {
    schemas.values().flat_map(|schema| schema.objects.values()).filter_map(|object| match &object.entry {
        Entry::Sequence(sequence) => Some((object.oid, sequence)),
        _ => None,
    })
}

/// Has sequences kept from now on.
fn keep_counters(schemas: &Schemas, keeper: &Arc<dyn Keeper>) {
    sequences(schemas).for_each(|(_, sequence)| sequence.counter.keep(keeper, &sequence.definition));
}

/// Copies what all see now to a folder, as a database of its own.
///
/// # Errors
/// 55000 if there is something in the folder, 53100 and 58030, 57014.
pub(crate) fn backup(current: &Current, folder: &Path, context: &Context) -> Result<()> {
    let Some(storage) = current.storage() else { return backup::backup(&current.snapshot(), None, folder, context) };
    // Files stay as long as nobody makes a checkpoint.
    let _one = storage.checkpointing.take(&context.cancellation)?;
    let (schemas, known) = {
        let _publishing = current.begin_write(&context.cancellation)?;
        (current.snapshot(), storage.segments().clone())
    };
    backup::backup(&schemas, Some((storage, &known)), folder, context)
}
