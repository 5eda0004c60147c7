//! Tables of a checkpoint whose rows stay in their files until a query asks for a column of them: lazy chunks, one a batch.
//!
//! What is read is held against its checksum. A file that the next checkpoint does not need any more stays as long as a snapshot may
//! read it: its last reader drops it.

use super::checkpoint::KeptObject;
use super::disk::Disk;
use super::part::Part;
use super::record::RowsFile;
use super::recovery::not_read;
use super::rows::Reading;
use super::salvage::Salvage;
use super::statistics;
use super::telling::OnRecovery;
use super::{Place, log};
use crate::catalog::StoredTable;
use crate::{Error, Result};
use multiloop_exec::column::change::marks_statistics;
use multiloop_exec::column::narrow::decimals;
use multiloop_exec::column::{CachedTable, Chunk, Column, ColumnCache, ColumnData, ColumnReader, Dictionary, Table};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{Declared, TableStatistics};
use multiloop_planner::types::{DataType, Field};
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A file of rows that somebody may read.
#[derive(Debug)]
pub(super) struct KeptFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    of: RowsFile,
    /// Whether no checkpoint needs it any more.
    is_done: AtomicBool,
}

impl KeptFile {
    fn damaged(&self, at: u64, what: &str) -> Error {
        log::damaged(&self.path, at, what)
    }

    /// Some bytes, whose checksum is to be this one.
    fn read(&self, bytes: Range<u64>, crc: u32) -> Result<Vec<u8>> {
        let mut read = vec![0; (bytes.end - bytes.start) as usize];
        match self.disk.read_at(&self.path, bytes.start, &mut read) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(self.damaged(bytes.start, "it is too short"));
            }
            Err(error) => return Err(not_read(&self.path, &error)),
        }
        if crc32fast::hash(&read) != crc {
            return Err(self.damaged(bytes.start, "its checksum does not fit"));
        }
        Ok(read)
    }
}

impl Drop for KeptFile {
    fn drop(&mut self) {
        if *self.is_done.get_mut() {
            // It is in nobody's way, and gone when the database is opened the next time.
            let _stays = self.disk.remove(&self.path);
        }
    }
}

/// The files that snapshots may read, by their numbers.
#[derive(Debug, Default)]
pub(super) struct KeptFiles(Mutex<std::collections::HashMap<u64, Weak<KeptFile>>>);

impl KeptFiles {
    /// The file of a number: the one that others read, or a new one.
    fn file(&self, number: u64, make: impl FnOnce() -> KeptFile) -> Arc<KeptFile> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.get(&number).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let file = Arc::new(make());
            files.insert(number, Arc::downgrade(&file));
            file
        })
    }

    /// Drops a file that no checkpoint needs any more, now or when the last reader has gone.
    pub(super) fn remove(&self, number: u64, disk: &dyn Disk, place: &Place) {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
        match known.and_then(|known| known.upgrade()) {
            Some(file) => file.is_done.store(true, Ordering::Relaxed),
            // What is gone already is as it should be.
            None => drop(disk.remove(&place.rows(number))),
        }
    }
}

/// What the chunks of a table have in common.
#[derive(Debug)]
struct Rows {
    /// Its columns as they are kept, and as they are stored, with the marks behind them, if it has some.
    kept: Vec<Field>,
    fields: Vec<Field>,
    reading: Reading,
}

/// Reads a batch.
#[derive(Debug)]
struct BatchReader {
    rows: Arc<Rows>,
    file: Arc<KeptFile>,
    batch: usize,
    /// The rows of the batch that are deleted.
    gone: Vec<u32>,
}

impl ColumnReader for BatchReader {
    fn read(&self, column: usize, rows: Range<usize>) -> Result<Column> {
        let batch = &self.file.of.batches[self.batch];
        let field = self.field(column);
        if column >= self.rows.kept.len() {
            let mut marks = vec![0_u8; batch.rows];
            self.gone.iter().for_each(|&row| marks[row as usize] = 1);
            return Ok(slice(Column::new(ColumnData::Frame8 { base: 0, offsets: marks.into() }, None), rows));
        }
        let (at, bytes, crc) = batch.head;
        let head = self.file.read(at..at + u64::from(bytes), crc)?;
        let place = batch.place(column);
        let read = self.file.read(place.clone(), batch.columns[column].2)?;
        let damaged = |what: String| self.file.damaged(place.start, &what);
        let array = batch.array((&self.rows.kept, column), (&head, &read), &damaged)?;
        let read = self.rows.reading.column(&array, column, &damaged)?;
        let read = match (self.rows.kept[column].data_type, field.data_type) {
            (DataType::Numeric, DataType::Decimal { scale, .. }) => {
                decimals(&read, scale).ok_or_else(|| damaged("numbers of another scale".to_owned()))?
            }
            _ => read,
        };
        Ok(slice(read, rows))
    }

    fn field(&self, column: usize) -> &Field {
        &self.rows.fields[column]
    }

    fn nulls(&self, column: usize) -> Option<usize> {
        Some(self.file.of.batches[self.batch].columns.get(column).map_or(0, |Part(.., nulls, _)| *nulls))
    }

    fn dictionary(&self, _: usize) -> Result<Option<Arc<Dictionary>>> {
        Ok(None)
    }

    fn place(&self) -> String {
        self.file.path.display().to_string()
    }
}

fn slice(column: Column, rows: Range<usize>) -> Column {
    if rows == (0..column.rows()) { column } else { column.slice(rows.start, rows.len()) }
}

/// What a table is opened with.
pub(super) struct Opening<'o> {
    pub(super) disk: &'o Arc<dyn Disk>,
    pub(super) place: &'o Place,
    pub(super) files: &'o KeptFiles,
    pub(super) cache: &'o Arc<ColumnCache>,
    pub(super) context: &'o Context,
    /// Who is told how far it has come.
    pub(super) told: Option<&'o OnRecovery>,
    /// Whether what is damaged is left out, and what has been.
    pub(super) salvage: Option<&'o Salvage>,
}

impl Opening<'_> {
    /// A table that is read when it is asked; none if too little is known of it, as of what older programs have written.
    pub(super) fn table(
        &self,
        of: &KeptObject,
        (kept, declared): (&[Field], &Declared),
        gone: Vec<usize>,
    ) -> Option<StoredTable> {
        let is_known = |file: &RowsFile| file.batches.iter().map(|batch| batch.rows).sum::<usize>() == file.rows;
        if of.files.is_empty() || of.columns.len() != kept.len() || !of.files.iter().all(is_known) {
            return None;
        }
        // A row that is deleted may have what no other may have.
        let kept: Vec<Field> = kept.iter().map(|field| Field { nullable: true, ..field.clone() }).collect();
        let stored = |(field, column): (&Field, &statistics::KeptColumn)| Field {
            data_type: column.data_type.unwrap_or(field.data_type),
            ..field.clone()
        };
        let mut fields: Vec<Field> = kept.iter().zip(&of.columns).map(stored).collect();
        let rows: u64 = of.files.iter().map(|file| file.rows as u64).sum();
        let mut columns: Vec<_> = of.columns.iter().map(statistics::KeptColumn::statistics).collect();
        let own = fields.len();
        if !gone.is_empty() {
            fields.push(Field::new("deleted", DataType::SmallInt, false));
            columns.push(marks_statistics(rows, gone.len() as u64, gone.len() as u64 == rows));
        }
        let shared = Arc::new(Rows { reading: Reading::of(&kept), kept, fields });
        let cached = self.cache.table();
        let mut chunks = Vec::new();
        let (mut start, mut next) = (0, 0);
        for file in &of.files {
            let make = || {
                let (disk, path) = (Arc::clone(self.disk), self.place.rows(file.number));
                KeptFile { disk, path, of: file.clone(), is_done: AtomicBool::new(false) }
            };
            let file = self.files.file(file.number, make);
            for (at, batch) in file.of.batches.iter().enumerate() {
                let end = start + batch.rows;
                let behind = next + gone[next..].partition_point(|&row| row < end);
                let of_batch: Vec<u32> = gone[next..behind].iter().map(|&row| (row - start) as u32).collect();
                (start, next) = (end, behind);
                let chunk = chunk(&shared, (&file, at), of_batch, (&cached, chunks.len() as u32), own);
                chunks.push(Arc::new(chunk));
            }
        }
        let statistics = Arc::new(TableStatistics { rows, columns, about_rows: None });
        let table = Table { fields: shared.fields.clone(), chunks: chunks.into(), statistics };
        let bytes = of.files.iter().map(|file| file.bytes as usize).sum();
        let declared = Arc::new(declared.clone());
        Some(StoredTable::unloaded(&of.name.name, table, declared, (gone, bytes), &self.context.memory))
    }
}

fn chunk(
    rows: &Arc<Rows>,
    (file, at): (&Arc<KeptFile>, usize),
    gone: Vec<u32>,
    cached: (&Arc<CachedTable>, u32),
    own: usize,
) -> Chunk {
    let batch = &file.of.batches[at];
    let mut ranges: Vec<Option<(i64, i64)>> = (0..own)
        .map(|column| {
            // Of numbers in another form than they are kept in nothing is known.
            let is_kept = rows.kept[column].data_type == rows.fields[column].data_type;
            batch.columns.get(column).and_then(|of| of.4).filter(|_| is_kept)
        })
        .collect();
    if rows.fields.len() > own {
        ranges.push(Some((i64::from(gone.len() == batch.rows), i64::from(!gone.is_empty()))));
    }
    let count = batch.rows;
    let reader = Arc::new(BatchReader { rows: Arc::clone(rows), file: Arc::clone(file), batch: at, gone });
    Chunk::lazy(count, ranges, reader, Some(cached))
}
