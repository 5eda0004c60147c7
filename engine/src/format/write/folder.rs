//! Several files, in a folder that appears whole or not at all: it is written beside its target and renamed at the end.
//! Partitions are folders named `column=value`, as `set` reads them.

use super::super::io_error;
use super::super::output::{GATHERED_BYTES, Output};
use super::super::set::NULL_PARTITION;
use super::{RowWriter, Rows, Writing, size_of_batch};
use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::SchemaRef;
use multiloop_exec::column::arrow::to_column_of;
use multiloop_exec::workers::context::Reservation;
use multiloop_exec::{Error, ErrorKind, Result};
use multiloop_planner::types::Field;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Files that are begun and not ended, at most; each has some memory, and its writer has as much again, about.
const BEGUN_MAX: usize = 4_000;
const BEGUN_BYTES: usize = 2 * GATHERED_BYTES;

/// Rows that are split into partitions at once, about.
const SPLIT_ROWS: usize = 1 << 19;

/// Rows between two looks at a file's size.
const PIECE_ROWS: usize = 1 << 13;

/// Characters that stand for themselves in folders' names are letters, digits and these.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Tells apart the folders that one process writes at once.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A folder in the making. What is not finished goes.
pub(super) struct Staged {
    target: PathBuf,
    folder: PathBuf,
    replace: bool,
    add: bool,
}

impl Staged {
    /// Begins a folder.
    ///
    /// Errors: 58P02 if there is something in the target's place that may not go.
    pub(super) fn create(target: &Path, (replace, add): (bool, bool)) -> Result<Staged> {
        let Some(name) = target.file_name() else {
            return Err(Error::new(ErrorKind::InvalidParameter, format!("no name of a folder: {}", target.display())));
        };
        let mut name = name.to_owned();
        name.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let folder = target.with_file_name(name);
        let staged = Staged { target: target.to_owned(), folder, replace, add };
        staged.check_target()?;
        std::fs::create_dir(&staged.folder).map_err(|error| io_error(target, &error))?;
        Ok(staged)
    }

    fn check_target(&self) -> Result<()> {
        let target = &self.target;
        let occupied = |what: &str| {
            Error::new(ErrorKind::InvalidParameter, format!("could not write folder {}: {what}", target.display()))
        };
        match std::fs::symlink_metadata(target) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(io_error(target, &error)),
            Ok(found) if !found.is_dir() => Err(occupied("there is a file of that name")),
            Ok(_) if self.replace || self.add => Ok(()),
            Ok(_) => match std::fs::read_dir(target).map_err(|error| io_error(target, &error))?.next() {
                None => Ok(()),
                Some(_) => Err(occupied("it is not empty")
                    .with_hint("OVERWRITE true removes what is there, OVERWRITE_OR_IGNORE true leaves other files.")),
            },
        }
    }

    /// Moves the folder into place.
    pub(super) fn finish(self) -> Result<()> {
        let failed = |error: std::io::Error| io_error(&self.target, &error);
        self.check_target()?;
        if !self.target.exists() {
            return std::fs::rename(&self.folder, &self.target).map_err(failed);
        }
        if self.add && !self.replace {
            return move_files(&self.folder, &self.target).map_err(failed);
        }
        // What was there goes when the new folder is in its place.
        let mut aside = self.folder.clone().into_os_string();
        aside.push(".old");
        std::fs::rename(&self.target, &aside).map_err(failed)?;
        if let Err(error) = std::fs::rename(&self.folder, &self.target) {
            let _ = std::fs::rename(&aside, &self.target);
            return Err(failed(error));
        }
        std::fs::remove_dir_all(&aside).map_err(failed)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After `finish` nothing is under this name; after a failure nobody misses it.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Moves all files of a folder into another one, in place of those of the same names.
fn move_files(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            move_files(&entry.path(), &target)?
        } else {
            std::fs::rename(entry.path(), target)?
        }
    }
    Ok(())
}

/// Writes the files of a folder; returns the number of rows.
pub(super) fn write(
    writing: &Writing,
    staged: &Staged,
    rows: Rows<'_>,
    schema: &SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch>>,
) -> Result<u64> {
    let is_kept = |place: &usize| writing.keep_partitions || !writing.partitions.contains(place);
    let kept: Vec<usize> = (0..rows.fields.len()).filter(is_kept).collect();
    let fields: Vec<Field> = kept.iter().map(|&place| rows.fields[place].clone()).collect();
    let schema = schema.project(&kept).map_err(|error| Error::internal(error.to_string()))?.into();
    let of_files = Rows { fields: &fields, ..rows };
    let mut files = Files {
        writing,
        staged,
        rows: of_files,
        schema,
        begun: HashMap::new(),
        pushes: 0,
        held: Reservation::new(&rows.context.memory),
        numbers: HashMap::new(),
    };
    let threads = if writing.per_thread { rows.context.workers().count() } else { 1 };
    let mut split =
        Split { writing, rows, kept: &kept, gathered: Vec::new(), held: Reservation::new(&rows.context.memory) };
    let (mut count, mut number) = (0, 0);
    for batch in batches {
        let batch = batch?;
        count += batch.num_rows() as u64;
        for piece in pieces(batch, writing) {
            if writing.partitions.is_empty() {
                files.push((PathBuf::new(), number % threads), piece)?;
            } else {
                split.push(piece, &mut |folder, part| files.push((folder, number % threads), part))?;
            }
            number += 1;
        }
    }
    split.flush(&mut |folder, part| files.push((folder, number % threads), part))?;
    // A folder of no rows would have no columns.
    if files.numbers.is_empty() && writing.partitions.is_empty() {
        let empty = RecordBatch::new_empty(files.schema.clone());
        files.push((PathBuf::new(), 0), empty)?;
    }
    files.finish()?;
    Ok(count)
}

/// A batch in pieces: where files have a size, none is much more than it.
fn pieces(batch: RecordBatch, writing: &Writing) -> impl Iterator<Item = RecordBatch> {
    let rows = batch.num_rows();
    let most = if writing.file_bytes.is_some() { PIECE_ROWS } else { rows.max(1) };
    (0..rows).step_by(most).map(move |start| batch.slice(start, most.min(rows - start)))
}

/// Rows on their way into partitions: many are split at once, so that those of many partitions do not become as many small files
/// for each batch.
struct Split<'w> {
    writing: &'w Writing,
    rows: Rows<'w>,
    /// The columns of the files.
    kept: &'w [usize],
    gathered: Vec<RecordBatch>,
    held: Reservation,
}

impl Split<'_> {
    fn push(&mut self, batch: RecordBatch, put: &mut dyn FnMut(PathBuf, RecordBatch) -> Result<()>) -> Result<()> {
        // It is there twice when all of them are made one.
        self.held.add(2 * size_of_batch(&batch))?;
        self.gathered.push(batch);
        let rows: usize = self.gathered.iter().map(RecordBatch::num_rows).sum();
        if rows >= SPLIT_ROWS { self.flush(put) } else { Ok(()) }
    }

    fn flush(&mut self, put: &mut dyn FnMut(PathBuf, RecordBatch) -> Result<()>) -> Result<()> {
        let Some(first) = self.gathered.first() else { return Ok(()) };
        let failed = |error| Error::internal(format!("rows of a partition: {error}"));
        let whole = concat_batches(&first.schema(), &self.gathered).map_err(failed)?;
        self.gathered.clear();
        for (folder, part) in parts(&self.writing.partitions, self.rows, &whole)? {
            let part = take_record_batch(&whole, &UInt32Array::from(part)).and_then(|part| part.project(self.kept));
            put(folder, part.map_err(failed)?)?;
        }
        self.held.resize(0)
    }
}

/// The rows of a batch by their partitions, in the order in which these are first seen.
fn parts(partitions: &[usize], rows: Rows<'_>, batch: &RecordBatch) -> Result<Vec<(PathBuf, Vec<u32>)>> {
    let fields: Vec<&Field> = partitions.iter().map(|&place| &rows.fields[place]).collect();
    let columns = partitions.iter().zip(&fields).map(|(&place, field)| to_column_of(batch.column(place), field));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut parts: Vec<(PathBuf, Vec<u32>)> = Vec::new();
    let mut name = String::new();
    for row in 0..batch.num_rows() {
        name.clear();
        for (column, field) in columns.iter().zip(&fields) {
            let text = (!column.is_null(row))
                .then(|| rows.sight.text_of(&column.value(row, field.data_type), field.data_type));
            if !name.is_empty() {
                name.push('/');
            }
            append_partition(&field.name, text.as_deref(), &mut name);
        }
        let part = match known.get(&name) {
            Some(&part) => part,
            None => {
                known.insert(name.clone(), parts.len());
                parts.push((PathBuf::from(&name), Vec::new()));
                parts.len() - 1
            }
        };
        parts[part].1.push(row as u32);
    }
    Ok(parts)
}

/// The name of a partition's folder.
fn append_partition(name: &str, value: Option<&str>, path: &mut String) {
    path.extend(utf8_percent_encode(name, ENCODED));
    path.push('=');
    match value {
        None => path.push_str(NULL_PARTITION),
        // A text that looks like none.
        Some(NULL_PARTITION) => {
            path.push_str("%5F");
            path.push_str(&NULL_PARTITION[1..]);
        }
        Some(value) => path.extend(utf8_percent_encode(value, ENCODED)),
    }
}

/// The files of a folder, by partition and, of as many as there are threads, number.
struct Files<'w> {
    writing: &'w Writing,
    staged: &'w Staged,
    rows: Rows<'w>,
    schema: SchemaRef,
    /// Those that are begun, each with when it was written last.
    begun: HashMap<(PathBuf, usize), (u64, Box<dyn RowWriter + 'w>)>,
    pushes: u64,
    held: Reservation,
    /// For each partition how many files it has.
    numbers: HashMap<PathBuf, usize>,
}

impl Files<'_> {
    fn push(&mut self, key: (PathBuf, usize), batch: RecordBatch) -> Result<()> {
        self.pushes += 1;
        if !self.begun.contains_key(&key) {
            self.begin(&key)?;
        }
        let Some((last, writer)) = self.begun.get_mut(&key) else {
            return Err(Error::internal("a file was not begun"));
        };
        *last = self.pushes;
        writer.push(batch)?;
        if self.writing.file_bytes.is_some_and(|bytes| writer.bytes() >= bytes) {
            self.end(&key)?;
        }
        Ok(())
    }

    fn begin(&mut self, key: &(PathBuf, usize)) -> Result<()> {
        // Whoever was written last is likely to be written again soon.
        if self.begun.len() >= BEGUN_MAX || self.held.add(BEGUN_BYTES).is_err() {
            let oldest = self.begun.iter().min_by_key(|(_, (last, _))| *last).map(|(key, _)| key.clone());
            match oldest {
                Some(oldest) => self.end(&oldest)?,
                None => self.held.add(BEGUN_BYTES)?,
            }
            self.held.resize((self.begun.len() + 1) * BEGUN_BYTES)?;
        }
        let number = self.numbers.entry(key.0.clone()).or_insert(0);
        let folder = self.staged.folder.join(&key.0);
        let path = folder.join(format!("data_{number}.{}", self.writing.ending()));
        *number += 1;
        std::fs::create_dir_all(&folder).map_err(|error| io_error(&folder, &error))?;
        let writer = self.writing.writer(Output::one_of_many(&path)?, &path, self.rows, &self.schema)?;
        self.begun.insert(key.clone(), (self.pushes, writer));
        Ok(())
    }

    fn end(&mut self, key: &(PathBuf, usize)) -> Result<()> {
        if let Some((_, writer)) = self.begun.remove(key) {
            writer.finish()?;
        }
        self.held.resize(self.begun.len() * BEGUN_BYTES)
    }

    fn finish(&mut self) -> Result<()> {
        self.begun.drain().try_for_each(|(_, (_, writer))| writer.finish())?;
        self.held.resize(0)
    }
}
