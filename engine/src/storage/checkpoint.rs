//! Checkpoints: a state in files, so that the log before it is not needed any more.
//!
//! Rows are Arrow files of at most [`FILE_CHUNKS`] chunks, which are never changed. A file is good for its rows as long as none of
//! them has other values: which rows have is known of tables along a line ([`history`](crate::catalog::history)). Which are deleted
//! stands beside the files. `checkpoint` is a line that says what it is, and JSON: it is put in the place of the one before in one step.

use super::disk::{Disk, DiskFile};
use super::part::Batch;
use super::record::{Definition, RowsFile, Runs, SchemaDefinition, runs};
use super::rows::Traced;
use super::statistics::{self, KeptColumn};
use super::{Place, could_not, rows, values};
use crate::catalog::history::{History, rows_of};
use crate::catalog::{Entry, Qualified, Schemas, StoredTable};
use crate::{Error, ErrorKind, Result};
use arrow::error::ArrowError;
use multiloop_exec::column::{CHUNK_ROWS, Table};
use multiloop_exec::workers::context::Context;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The form of what is kept that this program writes, and reads.
const FORMAT: u32 = 1;

/// What the first line begins with.
const TITLE: &str = "multiloop database";

/// Chunks of rows in a file, at most.
pub(super) const FILE_CHUNKS: usize = 16;

/// Bytes that are written at once.
const WRITTEN_AT_ONCE: usize = 1 << 20;

/// A state in files.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// The first file of the log that is needed, and the number of its first record.
    pub(super) log: u64,
    pub(super) next: u64,
    /// The first number that no object has had.
    pub(super) oids: u32,
    pub(super) schemas: Vec<(String, SchemaDefinition)>,
    pub(super) objects: Vec<KeptObject>,
}

/// An object, and where its rows are, if it is a table.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptObject {
    pub(super) name: Qualified,
    pub(super) definition: Definition,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<RowsFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) gone: Runs,
    /// What is known of its columns; nothing of what older programs have written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) columns: Vec<KeptColumn>,
}

/// Rows of a table that a file has.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) rows: Range<usize>,
    pub(super) file: RowsFile,
    /// Where the table's line was when they were written.
    pub(super) history: History,
}

/// By tables' numbers, segments in order.
pub(super) type Segments = HashMap<u32, Vec<Segment>>;

impl Segment {
    /// Whether a table still has these values in these rows.
    pub(super) fn is_good(&self, table: &StoredTable) -> bool {
        let Some(steps) = table.history.since(&self.history) else { return false };
        let set = steps.iter().filter(|step| step.columns.is_some());
        let changed = rows_of(set, self.rows.end);
        changed.last().is_none_or(|&last| last < self.rows.start) && self.rows.end <= table.stored().rows()
    }
}

/// Writes all that a state has to files, as far as it is in none yet, and gives what says so.
pub(super) fn written(
    schemas: &Schemas,
    (log, next): (u64, u64),
    known: &Segments,
    write: &mut dyn FnMut(&Table) -> Result<RowsFile>,
    context: &Context,
) -> Result<(Checkpoint, Segments)> {
    let mut checkpoint =
        Checkpoint { log, next, oids: crate::catalog::free_oid(), schemas: Vec::new(), objects: Vec::new() };
    let mut segments = Segments::new();
    for (name, schema) in schemas.iter() {
        checkpoint.schemas.push((name.clone(), SchemaDefinition::of(schema)));
        for (object_name, object) in &schema.objects {
            context.check()?;
            let Some(definition) = Definition::of(object) else { continue };
            let name = Qualified { schema: name.clone(), name: object_name.clone() };
            let mut kept = KeptObject { name, definition, files: Vec::new(), gone: Runs::new(), columns: Vec::new() };
            if let Entry::Table(table) = &object.entry {
                if let Some(error) = &table.broken {
                    return Err(Error::clone(error));
                }
                let known = known.get(&object.oid).map_or(&[][..], Vec::as_slice);
                let of_table = written_table(table, known, write, context)?;
                kept.files = of_table.iter().map(|segment| segment.file.clone()).collect();
                kept.gone = runs(values::deleted(table, context)?);
                kept.columns = statistics::kept(table);
                segments.insert(object.oid, of_table);
            }
            checkpoint.objects.push(kept);
        }
    }
    Ok((checkpoint, segments))
}

fn written_table(
    table: &StoredTable,
    known: &[Segment],
    write: &mut dyn FnMut(&Table) -> Result<RowsFile>,
    context: &Context,
) -> Result<Vec<Segment>> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut good = known.iter().filter(|segment| segment.is_good(table)).peekable();
    let (mut at, rows) = (0, table.stored().rows());
    while at < rows {
        while good.peek().is_some_and(|segment| segment.rows.start < at) {
            good.next();
        }
        let next = good.peek().map_or(rows, |segment| segment.rows.start);
        if next == at
            && let Some(segment) = good.next()
        {
            at = segment.rows.end;
            segments.push(segment.clone());
            continue;
        }
        let end = next.min(file_end(table, at));
        let file = write(&values::between(table, at..end, context)?)?;
        segments.push(Segment { rows: at..end, file, history: table.history.clone() });
        at = end;
    }
    Ok(segments)
}

/// Where a file that begins with a row ends: with a chunk.
fn file_end(table: &StoredTable, from: usize) -> usize {
    let chunks = &table.stored().chunks;
    let (first, _) = chunks.holding(from);
    let mut end = chunks.starts()[first];
    for chunk in chunks[first..].iter() {
        if end > from && end + chunk.rows - from > FILE_CHUNKS * CHUNK_ROWS {
            break;
        }
        end += chunk.rows;
    }
    end
}

/// Writes rows to a new file, which is on the device then.
pub(super) fn write_rows(
    disk: &dyn Disk,
    place: &Place,
    number: u64,
    of: &Table,
    context: &Context,
) -> Result<RowsFile> {
    let path = place.rows(number);
    let result = write_rows_to(disk, place, &path, of, context);
    let (bytes, crc, batches) = result.inspect_err(|_| drop(disk.remove(&path)))?;
    Ok(RowsFile { number, rows: of.rows(), bytes, crc, batches: Arc::new(batches) })
}

fn write_rows_to(
    disk: &dyn Disk,
    place: &Place,
    path: &Path,
    of: &Table,
    context: &Context,
) -> Result<(u64, u32, Vec<Batch>)> {
    let failed = |error: io::Error| could_not("write", path, &error);
    let file = disk.create(path).map_err(failed)?;
    let output = Output {
        file: Arc::clone(&file),
        crc: crc32fast::Hasher::new(),
        bytes: 0,
        waiting: Vec::new(),
        traced: Vec::new(),
    };
    let wrong = |error: ArrowError| match error {
        ArrowError::IoError(_, error) => failed(error),
        error => Error::new(ErrorKind::Io, format!("could not write file \"{}\": {error}", path.display())),
    };
    let (mut output, batches) = rows::to_file(of, output, &wrong, context)?;
    output.flush().map_err(failed)?;
    file.sync().map_err(failed)?;
    disk.sync_folder(&place.all_rows()).map_err(failed)?;
    Ok((output.bytes, output.crc.finalize(), batches))
}

/// A file that is being written, and the checksum of what it has.
struct Output {
    file: Arc<dyn DiskFile>,
    crc: crc32fast::Hasher,
    bytes: u64,
    waiting: Vec<u8>,
    /// What has been written since somebody asked.
    traced: Vec<u8>,
}

impl Traced for Output {
    fn trace(&mut self) -> (u64, Vec<u8>) {
        let traced = std::mem::take(&mut self.traced);
        (self.bytes + self.waiting.len() as u64 - traced.len() as u64, traced)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend(bytes);
        self.traced.extend(bytes);
        if self.waiting.len() >= WRITTEN_AT_ONCE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write(&self.waiting)?;
        self.crc.update(&self.waiting);
        self.bytes += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }
}

/// Puts a checkpoint in the place of the one before. Of an error nobody knows which of the two is there once this has called `places`.
pub(super) fn replace(disk: &dyn Disk, place: &Place, checkpoint: &Checkpoint, places: &mut dyn FnMut()) -> Result<()> {
    let body = serde_json::to_vec(checkpoint).map_err(|error| Error::internal(error.to_string()))?;
    let head = format!("{TITLE} {FORMAT} {} {:08x}\n", body.len(), crc32fast::hash(&body));
    let (new, path) = (place.new_checkpoint(), place.checkpoint());
    let failed = |error: io::Error| could_not("write", &path, &error);
    let file = disk.create(&new).map_err(failed)?;
    file.write(head.as_bytes()).and_then(|()| file.write(&body)).and_then(|()| file.sync()).map_err(failed)?;
    places();
    disk.rename(&new, &path).map_err(failed)?;
    disk.sync_folder(place.folder()).map_err(failed)
}

/// Reads a checkpoint.
///
/// # Errors
/// XX001 for one that is damaged, 0A000 for one of a newer form.
pub(super) fn read(disk: &dyn Disk, path: &Path) -> Result<Checkpoint> {
    let bytes = disk.read(path).map_err(|error| could_not("read", path, &error))?;
    let wrong = |what: &str| super::log::damaged(path, 0, what);
    let end = memchr::memchr(b'\n', &bytes).ok_or_else(|| wrong("it has no first line"))?;
    let head = std::str::from_utf8(&bytes[..end]).ok().and_then(|head| head.strip_prefix(TITLE));
    let head: Vec<&str> =
        head.ok_or_else(|| wrong("it does not begin as a database does"))?.split_whitespace().collect();
    let format = head.first().and_then(|format| format.parse::<u32>().ok()).ok_or_else(|| wrong("it has no format"))?;
    if format > FORMAT {
        let message = format!("database \"{}\" is of format {format}", path.display());
        let error = Error::new(ErrorKind::Unsupported, message);
        return Err(error.with_detail(format!("This program knows formats up to {FORMAT}.")));
    }
    let body = &bytes[end + 1..];
    let crc = head.get(2).and_then(|crc| u32::from_str_radix(crc, 16).ok());
    if head.get(1).and_then(|length| length.parse().ok()) != Some(body.len()) || crc != Some(crc32fast::hash(body)) {
        return Err(wrong("its checksum does not fit"));
    }
    serde_json::from_slice(body).map_err(|error| wrong(&error.to_string()))
}
