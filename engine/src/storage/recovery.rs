//! Opening a database: the last checkpoint, and the log behind it.

use super::checkpoint::{self, Checkpoint, Segment, Segments};
use super::disk::Disk;
use super::pending::Pending;
use super::record::{self, Kind, Record, RowsFile};
use super::replay::{self, Source};
use super::rows::Reading;
use super::salvage::Salvage;
use super::telling::Telling;
use super::unread::Opening;
use super::{Place, could_not, log};
use crate::catalog::{Object, Qualified, Schemas, State, reserve_oids};
use crate::{Error, Result};
use arrow::buffer::Buffer;
use multiloop_exec::column::Column;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_planner::types::Field;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// What is read when a database is opened.
pub(super) struct Recovered {
    pub(super) state: State,
    pub(super) segments: Segments,
    /// The next record's number, and the next file of the log.
    pub(super) next: u64,
    pub(super) log: u64,
    /// Bytes of the log, and of files of rows that it names.
    pub(super) bytes: u64,
    /// Files of rows that are needed.
    pub(super) files: Vec<u64>,
}

/// Reads the checkpoint and the log.
///
/// # Errors
/// XX001 if a file is damaged, 0A000 for a newer form, 58030, 53200.
pub(super) fn recovered(opening: &Opening<'_>) -> Result<Recovered> {
    let Opening { disk, place, context, .. } = *opening;
    let disk: &dyn Disk = &**disk;
    let checkpoint = checkpoint::read(disk, &place.checkpoint())?;
    reserve_oids(checkpoint.oids);
    let (state, segments) = of_checkpoint(&checkpoint, opening)?;
    let mut files: Vec<u64> = segments.values().flatten().map(|segment| segment.file.number).collect();
    let file = |file: &RowsFile| read_rows(disk, place, file);
    let (mut next, mut number, mut bytes) = (checkpoint.next, checkpoint.log, 0);
    let mut pending = Pending::new(state, context);
    let mut telling = Telling::begin(opening, number);
    let salvage = opening.salvage;
    let mut of_rows = 0;
    loop {
        let path = place.log(number);
        let is_last = !place.log(number + 1).exists();
        let first = next;
        let mut take = |record: Record, at: u64| {
            let damaged = |what: String| log::damaged(&path, 0, &format!("record {}: {what}", record.number));
            let source = Source { streams: &record.streams, file: &file, damaged: &damaged, salvage };
            pending.add(&record, &source)?;
            for file in record.change.files() {
                of_rows += file.bytes;
                files.push(file.number);
            }
            reserve_oids(record.change.oids);
            next = record.number + 1;
            telling.tell(bytes + at);
            Ok(())
        };
        let read = log::read(disk, &path, first, is_last, &mut take);
        let (read, is_last) = match (read, salvage) {
            (Ok(read), None) => (read.whole()?, is_last),
            // Of a log that is damaged what was before that.
            (Ok(read), Some(salvage)) => match read.damage {
                Some(error) => {
                    salvage.leave_out(error);
                    (log::Read { torn: None, damage: None, ..read }, true)
                }
                None => (read, is_last),
            },
            (Err(error), Some(salvage)) if Salvage::may_leave_out(&error) => {
                salvage.leave_out(error);
                (log::Read { records: 0, torn: None, bytes: 0, damage: None }, true)
            }
            (Err(error), _) => return Err(error),
        };
        bytes += read.bytes;
        if let Some(torn) = read.torn.filter(|_| salvage.is_none()) {
            cut(disk, &path, torn)?;
            number -= u64::from(torn == 0);
        }
        number += 1;
        if is_last {
            telling.end();
            let damaged = |what: String| log::damaged(&path, 0, &what);
            let source = Source { streams: &[], file: &file, damaged: &damaged, salvage };
            let mut state = pending.done(&source)?;
            drop_views(&mut state);
            return Ok(Recovered { state, segments, next, log: number, bytes: bytes + of_rows, files });
        }
    }
}

/// The state of a checkpoint, and which files have its rows.
fn of_checkpoint(checkpoint: &Checkpoint, opening: &Opening<'_>) -> Result<(State, Segments)> {
    let Opening { disk, place, context, .. } = *opening;
    let disk: &dyn Disk = &**disk;
    let mut state = State::shared(Schemas::default());
    let mut segments = Segments::new();
    for (name, definition) in &checkpoint.schemas {
        replay::put_schema(&mut state, name, definition);
    }
    let file = |file: &RowsFile| read_rows(disk, place, file);
    let damaged = |what: String| log::damaged(&place.checkpoint(), 0, &what);
    let salvage = opening.salvage;
    let source = Source { streams: &[], file: &file, damaged: &damaged, salvage };
    for of in &checkpoint.objects {
        let mut of_table = Vec::new();
        let table = || {
            let Kind::Table { fields, declared } = &of.definition.kind else {
                return Err(damaged("rows of what is no table".to_owned()));
            };
            // A row that is deleted may have what no other may have.
            let fields: Vec<Field> = fields.iter().cloned().map(replay::any).collect();
            let gone = record::numbers(&of.gone);
            for file in &of.files {
                let checked = check_length(disk, place, file);
                // Who reads these rows is told so.
                checked.or_else(|error| salvage.map_or(Err(error.clone()), |salvage| salvage.pass_over(error)))?;
            }
            let unread = opening.table(of, (&fields, declared), gone.clone());
            let table = match &unread {
                Some(table) => table.clone(),
                None => {
                    let mut builder = TableBuilder::new(fields.clone(), Storage::Compact, context);
                    for file in &of.files {
                        let path = place.rows(file.number);
                        let damaged = |what: String| log::damaged(&path, 0, &what);
                        let bytes = read_rows(disk, place, file)?;
                        let mut push = |rows: usize, columns: Vec<Column>| builder.push_columns(rows, columns);
                        Reading::of(&fields).file(&bytes, &damaged, &mut push)?;
                    }
                    replay::stored(&of.name.name, builder.finish()?, declared, &state, context)?
                }
            };
            let mut start = 0;
            for file in &of.files {
                let rows = start..start + file.rows;
                start = rows.end;
                of_table.push(Segment { rows, file: file.clone(), history: table.history.clone() });
            }
            match unread {
                Some(table) => {
                    replay::check(&source, replay::is_within(&gone, &table))?;
                    Ok(table)
                }
                None => replay::without(table, &gone, &state, &source, context),
            }
        };
        let object = replay::whole_object(&of.definition, &of.name.name, table, &source)?;
        replay::put(&mut state, &of.name, object, &source)?;
        segments.insert(of.definition.oid, of_table);
    }
    Ok((state, segments))
}

/// Drops what stands behind the last whole record of a file.
fn cut(disk: &dyn Disk, path: &Path, torn: u64) -> Result<()> {
    let failed = |error: std::io::Error| could_not("cut", path, &error);
    let file = disk.open(path).map_err(failed)?;
    file.cut(torn).and_then(|()| file.sync()).map_err(failed)
}

/// An error if a file of rows has another length than was written.
fn check_length(disk: &dyn Disk, place: &Place, file: &RowsFile) -> Result<()> {
    let path = place.rows(file.number);
    let length = disk.length(&path).map_err(|error| not_read(&path, &error))?;
    check_bytes(&path, length, file)
}

/// The error for a file of rows that could not be read.
pub(super) fn not_read(path: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => log::damaged(path, 0, "it is missing"),
        _ => could_not("read", path, error),
    }
}

fn check_bytes(path: &Path, length: u64, file: &RowsFile) -> Result<()> {
    if length == file.bytes {
        return Ok(());
    }
    let what = format!("it has {length} bytes where {} were written", file.bytes);
    Err(log::damaged(path, file.bytes.min(length), &what))
}

/// The bytes of a file of rows, which are those that were written.
pub(super) fn read_rows(disk: &dyn Disk, place: &Place, file: &RowsFile) -> Result<Buffer> {
    let path = place.rows(file.number);
    let bytes = disk.read(&path).map_err(|error| not_read(&path, &error))?;
    check_bytes(&path, bytes.len() as u64, file)?;
    if crc32fast::hash(&bytes) != file.crc {
        return Err(log::damaged(&path, 0, "its checksum does not fit"));
    }
    Ok(bytes.into())
}

/// Removes files of rows that nothing names: of commits that were never done.
pub(super) fn remove_others(disk: &dyn Disk, place: &Place, kept: &HashSet<u64>) {
    let Ok(names) = fs::read_dir(place.all_rows()) else { return };
    for path in names.flatten().map(|entry| entry.path()) {
        let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
        if number.is_some_and(|number: u64| !kept.contains(&number)) {
            // It is in nobody's way.
            let _stays = disk.remove(&path);
        }
    }
}

/// Drops views over what is not kept: rows that a program gives.
fn drop_views(state: &mut State) {
    loop {
        let is_there = |need: &Qualified| state.get(need).is_some();
        let lacks = |object: &Object| !object.entry.needs().iter().all(is_there);
        let named = |(schema, name, _): (&str, &str, &Object)| Qualified { schema: schema.into(), name: name.into() };
        let gone: Vec<Qualified> = state.iter().filter(|(_, _, object)| lacks(object)).map(named).collect();
        if gone.is_empty() {
            return;
        }
        gone.iter().for_each(|name| drop(state.remove(name)));
    }
}
