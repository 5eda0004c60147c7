//! Building tables from record batches or values that stream in.
//!
//! A [`TableBuilder`] stages what is pushed until it holds some chunks' worth, then makes chunks of them, every
//! column of every chunk a task of its own for the workers, and drops the staged batches. So a load needs the compact table
//! and a few chunks of plain data, never all of it twice. At the end, the chunks of a text column get one dictionary
//! (or none), and the table its statistics.

use super::arrow::{field_of, fields_of, fields_of_batches, to_column_of};
use super::compact::compact;
use super::homes::Homes;
use super::statistics::{Summary, measure};
use super::{CHUNK_ROWS, Chunk, Column, ColumnData, Table, compact_text};
use crate::workers::context::{Context, Reservation};
use crate::{Error, ErrorKind, Result};
use ::arrow::array::{Array, ArrayRef, RecordBatch};
use ::arrow::datatypes::{Field as ArrowField, Schema};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Chunks that are made at once, if there are workers for them: with more threads columns are enough.
const CHUNKS_AT_ONCE: usize = 8;

/// Rows of a batch that are staged at once: a batch of NULLs, or of no columns, may claim any number.
const STAGED_AT_ONCE: usize = 64 * CHUNK_ROWS;

/// What to do with arrays that come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Copy them into chunks of [`CHUNK_ROWS`] in the narrowest forms.
    Compact,
    /// Share their buffers where a form exists for them; batches stay chunks, unless they are larger than one.
    Keep,
}

/// Builds one table.
#[derive(Debug)]
pub struct TableBuilder {
    fields: Vec<Field>,
    storage: Storage,
    context: Context,
    staged: Vec<Staged>,
    staged_rows: usize,
    staged_memory: Reservation,
    chunks: Vec<Unfinished>,
    /// What the chunks take beside their values, until the table is made: rows without columns take this alone.
    chunk_memory: Reservation,
    homes: Homes,
    /// By field: a chunk has found too many distinct strings, so the rest need not try.
    plain_text: Vec<AtomicBool>,
}

/// Rows that wait for a chunk.
#[derive(Debug)]
enum Staged {
    Batch(RecordBatch),
    Columns(usize, Vec<Column>),
}

/// A chunk whose dictionaries are its own.
#[derive(Debug)]
struct Unfinished {
    rows: usize,
    columns: Vec<Column>,
    summaries: Vec<Summary>,
    home: Option<usize>,
    memory: Reservation,
}

impl TableBuilder {
    /// A builder of a table with these fields. Its memory counts against the context's for as long as the table lives.
    pub fn new(fields: Vec<Field>, storage: Storage, context: &Context) -> Self {
        TableBuilder {
            homes: Homes::new(fields.len(), context.workers()),
            plain_text: fields.iter().map(|_| AtomicBool::new(false)).collect(),
            fields,
            storage,
            context: context.clone(),
            staged: Vec::new(),
            staged_rows: 0,
            staged_memory: Reservation::new(&context.memory),
            chunk_memory: Reservation::new(&context.memory),
            chunks: Vec::new(),
        }
    }

    /// A builder of a table with the fields that an Arrow schema stands for; types without one give 0A000.
    pub fn for_schema(schema: &Schema, storage: Storage, context: &Context) -> Result<Self> {
        Ok(TableBuilder::new(fields_of(schema)?, storage, context))
    }

    /// What the rows are made into chunks with: who works, and whose memory it is.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Adds the rows of a batch, whose columns are the table's in order. Arrays of a narrower type than the field's
    /// will do; others are an error (42804), as are NULLs in a field that is not nullable (23502, perhaps only at a
    /// later push or at the end).
    pub fn push(&mut self, batch: RecordBatch) -> Result<()> {
        self.context.check()?;
        self.check_types(&batch)?;
        if self.storage == Storage::Keep {
            return self.keep(&batch);
        }
        let bytes = |array: &Arc<dyn Array>| array.to_data().get_slice_memory_size().unwrap_or(0);
        self.staged_memory.add(batch.columns().iter().map(bytes).sum())?;
        let rows = batch.num_rows();
        if rows <= STAGED_AT_ONCE {
            return self.stage(rows, Staged::Batch(batch));
        }
        for start in (0..rows).step_by(STAGED_AT_ONCE) {
            let rows = STAGED_AT_ONCE.min(rows - start);
            self.stage(rows, Staged::Batch(batch.slice(start, rows)))?;
        }
        Ok(())
    }

    /// Adds rows of values, one a field, each of the field's type or NULL.
    pub fn push_values(&mut self, rows: &[Vec<Value>]) -> Result<()> {
        self.context.check()?;
        for rows in rows.chunks(CHUNK_ROWS) {
            let column = |(index, field): (usize, &Field)| {
                Column::from_values(field.data_type, rows.iter().map(move |row| &row[index]))
            };
            let columns: Vec<Column> = self.fields.iter().enumerate().map(column).collect();
            self.push_columns(rows.len(), columns)?;
        }
        Ok(())
    }

    /// Adds columns of this many rows, one a field, in any form of the field's type.
    pub fn push_columns(&mut self, rows: usize, columns: Vec<Column>) -> Result<()> {
        self.context.check()?;
        if columns.len() != self.fields.len() || columns.iter().any(|column| column.rows() != rows) {
            return Err(Error::internal("pushed columns do not fit the table"));
        }
        self.staged_memory.add(columns.iter().map(staged_bytes).sum())?;
        self.stage(rows, Staged::Columns(rows, columns))
    }

    fn stage(&mut self, rows: usize, staged: Staged) -> Result<()> {
        if rows > 0 {
            self.staged.push(staged);
            self.staged_rows += rows;
        }
        // Columns alone give some tasks, of which some take far longer than others; with more threads, take more chunks at a time.
        // Each node gets one.
        let workers = self.context.workers();
        let some = (2 * workers.count()).min(CHUNKS_AT_ONCE);
        let chunks_at_once = (workers.count() / self.fields.len().clamp(1, 4)).max(workers.nodes()).max(some);
        if self.staged_rows >= CHUNK_ROWS * chunks_at_once { self.flush(false) } else { Ok(()) }
    }

    fn check_types(&self, batch: &RecordBatch) -> Result<()> {
        if batch.num_columns() != self.fields.len() {
            let message = format!("{} columns where the table has {}", batch.num_columns(), self.fields.len());
            return Err(Error::new(ErrorKind::TypeMismatch, message));
        }
        let given = fields_of(&batch.schema())?;
        given.iter().zip(&self.fields).try_for_each(|(given, field)| check_type(field, given))
    }

    /// Registers a batch: its arrays become columns, in slices if it is larger than a chunk.
    fn keep(&mut self, batch: &RecordBatch) -> Result<()> {
        for start in (0..batch.num_rows()).step_by(CHUNK_ROWS) {
            self.context.check()?;
            let rows = CHUNK_ROWS.min(batch.num_rows() - start);
            let columns = batch.columns().iter().zip(&self.fields).collect();
            let parts = self.context.workers().map(columns, |(array, field): (&Arc<dyn Array>, &Field)| {
                let copies = super::arrow::copies(array.data_type());
                let column = to_column_of(&array.slice(start, rows), field)?;
                check_nulls(&column, field)?;
                let summary = Summary::of(&column, field.data_type);
                Ok((if copies { column.bytes() } else { 0 }, column, summary))
            })?;
            let mut memory = Reservation::new(&self.context.memory);
            memory.add(parts.iter().map(|(bytes, ..)| bytes).sum())?;
            self.chunk_memory.add(chunk_bytes(self.fields.len()))?;
            let (columns, summaries) = parts.into_iter().map(|(_, column, summary)| (column, summary)).unzip();
            self.chunks.push(Unfinished { rows, columns, summaries, home: None, memory });
        }
        Ok(())
    }

    /// Makes chunks of what is staged: full ones, and at the end the rest.
    fn flush(&mut self, all: bool) -> Result<()> {
        let full = self.staged_rows / CHUNK_ROWS * CHUNK_ROWS;
        let mut plan = cut(&self.staged, if all { self.staged_rows } else { full });
        let tasks: Vec<(usize, usize)> =
            (0..plan.len()).flat_map(|chunk| (0..self.fields.len()).map(move |column| (chunk, column))).collect();
        let task = |(chunk, column): (usize, usize)| self.compact_column(&plan[chunk], column);
        let workers = self.context.workers();
        let mut parts = workers.map(tasks, task)?.into_iter();
        let (mut made, mut of_chunks) = (Vec::new(), Vec::new());
        for pieces in plan.drain(..) {
            let (columns, summaries): (Vec<Column>, Vec<Summary>) = parts.by_ref().take(self.fields.len()).unzip();
            let rows = pieces.iter().map(|piece| piece.rows).sum();
            let mut memory = Reservation::new(&self.context.memory);
            memory.add(columns.iter().map(Column::bytes).sum())?;
            self.chunk_memory.add(chunk_bytes(columns.len()))?;
            made.push((rows, summaries, memory));
            of_chunks.push(columns);
        }
        let first = self.chunks.len();
        // Dictionaries may yet become one of all chunks.
        let is_final = |data: &ColumnData| data.dictionary().is_none();
        let kept = self.homes.keep(of_chunks, |chunk| first + chunk, is_final, workers)?;
        self.chunks.extend(made.into_iter().zip(kept).map(|((rows, summaries, memory), (columns, home))| Unfinished {
            rows,
            columns,
            summaries,
            home: Some(home),
            memory,
        }));
        self.drop_staged(if all { self.staged_rows } else { full })
    }

    fn compact_column(&self, pieces: &[Piece], column: usize) -> Result<(Column, Summary)> {
        self.context.check()?;
        let field = &self.fields[column];
        let piece = |piece: &Piece| match &self.staged[piece.staged] {
            Staged::Batch(batch) => to_column_of(&batch.column(column).slice(piece.start, piece.rows), field),
            Staged::Columns(_, columns) => Ok(columns[column].slice(piece.start, piece.rows)),
        };
        let pieces = pieces.iter().map(piece).collect::<Result<Vec<_>>>()?;
        let plain = &self.plain_text[column];
        let column = compact(&pieces, field, !plain.load(Ordering::Relaxed))?;
        if matches!(column.data, ColumnData::Text { .. }) {
            plain.store(true, Ordering::Relaxed);
        }
        check_nulls(&column, field)?;
        let summary = Summary::of(&column, field.data_type);
        Ok((column, summary))
    }

    /// Forgets the first staged rows, which are in chunks now.
    fn drop_staged(&mut self, mut rows: usize) -> Result<()> {
        self.staged_rows -= rows;
        let mut kept = Vec::new();
        for staged in self.staged.drain(..) {
            let length = staged.rows();
            if rows >= length {
                rows -= length;
                continue;
            }
            kept.push(staged.slice(rows, length - rows));
            rows = 0;
        }
        self.staged = kept;
        let bytes = self.staged.iter().map(Staged::bytes).sum();
        self.staged_memory.resize(bytes)
    }

    /// The table.
    pub fn finish(mut self) -> Result<Table> {
        self.flush(true)?;
        let fields = std::mem::take(&mut self.fields);
        let compact = self.storage == Storage::Compact;
        let estimates = unify_text(&mut self.chunks, &fields, compact, &self.context)?;
        if compact {
            let of_chunks = self.chunks.iter_mut().map(|chunk| std::mem::take(&mut chunk.columns)).collect();
            let homes: Vec<usize> = self.chunks.iter().map(|chunk| chunk.home.unwrap_or(0)).collect();
            let is_code = |data: &ColumnData| data.dictionary().is_some();
            let kept = self.homes.keep(of_chunks, |chunk| homes[chunk], is_code, self.context.workers())?;
            self.chunks.iter_mut().zip(kept).for_each(|(chunk, (columns, _))| chunk.columns = columns);
        }
        self.context.check()?;
        let statistics = {
            let chunks = &self.chunks;
            let columns = |index: usize| chunks.iter().map(|chunk| &chunk.columns[index]).collect::<Vec<_>>();
            let columns: Vec<Vec<&Column>> = (0..fields.len()).map(columns).collect();
            let summaries =
                |index: usize| chunks.iter().map(|chunk| chunk.summaries[index].clone()).collect::<Vec<_>>();
            let summaries: Vec<Vec<Summary>> = (0..fields.len()).map(summaries).collect();
            let mut statistics = measure(&fields, &columns, &summaries, &estimates, Some(self.context.workers()));
            statistics.rows = chunks.iter().map(|chunk| chunk.rows as u64).sum();
            statistics
        };
        let finish = |chunk: Unfinished| {
            let ranges = chunk.summaries.iter().map(Summary::zone).collect();
            let reservation = Some(Arc::new(chunk.memory));
            let (home, columns) = (chunk.home, chunk.columns);
            Arc::new(Chunk { ranges, home, reservation, ..Chunk::new(chunk.rows, columns) })
        };
        let chunks = self.chunks.into_iter().map(finish).collect();
        Ok(Table { fields, chunks, statistics: Arc::new(statistics) })
    }
}

/// Gives each text column one dictionary for all chunks, or none, and counts what changed; columns that are not to be
/// `compact` get none that they did not come with. Gives the numbers of distinct values that were estimated.
fn unify_text(
    chunks: &mut [Unfinished],
    fields: &[Field],
    compact: bool,
    context: &Context,
) -> Result<Vec<Option<u64>>> {
    let mut estimates = vec![None; fields.len()];
    let before: Vec<usize> = chunks.iter().map(Unfinished::bytes).collect();
    for (index, field) in fields.iter().enumerate().filter(|(_, field)| field.data_type.is_text()) {
        let mut columns: Vec<&mut Column> = chunks.iter_mut().map(|chunk| &mut chunk.columns[index]).collect();
        context.check()?;
        estimates[index] =
            compact_text::unify(&mut columns, field, compact.then_some(&context.memory), context.workers())?;
    }
    for (chunk, before) in chunks.iter_mut().zip(before) {
        let counted = (chunk.memory.bytes() + chunk.bytes()).saturating_sub(before);
        chunk.memory.resize(counted)?;
    }
    if let Some(first) = chunks.first_mut() {
        let dictionaries = first.columns.iter().filter_map(|column| column.data.dictionary());
        let bytes = dictionaries.map(|dictionary| dictionary.bytes()).sum();
        first.memory.add(bytes)?;
    }
    Ok(estimates)
}

impl Unfinished {
    fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }
}

impl Staged {
    fn rows(&self) -> usize {
        match self {
            Staged::Batch(batch) => batch.num_rows(),
            Staged::Columns(rows, _) => *rows,
        }
    }

    fn slice(&self, start: usize, rows: usize) -> Staged {
        match self {
            Staged::Batch(batch) => Staged::Batch(batch.slice(start, rows)),
            Staged::Columns(_, columns) => {
                Staged::Columns(rows, columns.iter().map(|column| column.slice(start, rows)).collect())
            }
        }
    }

    fn bytes(&self) -> usize {
        let array = |array: &Arc<dyn Array>| array.to_data().get_slice_memory_size().unwrap_or(0);
        match self {
            Staged::Batch(batch) => batch.columns().iter().map(array).sum(),
            Staged::Columns(_, columns) => columns.iter().map(staged_bytes).sum(),
        }
    }
}

/// Bytes that a column holds while it is staged: of views those of the strings, too, which nobody else counts.
fn staged_bytes(column: &Column) -> usize {
    let shown = match &column.data {
        ColumnData::Views { views, .. } => views.iter().map(|view| view.length as usize).sum(),
        _ => 0,
    };
    column.bytes() + shown
}

/// Some rows of something staged.
struct Piece {
    staged: usize,
    start: usize,
    rows: usize,
}

/// Bytes of a chunk of this many columns without their values.
fn chunk_bytes(columns: usize) -> usize {
    size_of::<Unfinished>() + columns * (size_of::<Column>() + size_of::<Summary>())
}

/// The first `rows` staged rows as chunks of pieces, all full but perhaps the last.
fn cut(staged: &[Staged], rows: usize) -> Vec<Vec<Piece>> {
    let mut chunks: Vec<Vec<Piece>> = Vec::new();
    let (mut left, mut space) = (rows, 0);
    for (index, item) in staged.iter().enumerate() {
        let (mut start, end) = (0, item.rows().min(left));
        left -= end;
        while start < end {
            if space == 0 {
                chunks.push(Vec::new());
                space = CHUNK_ROWS;
            }
            let rows = space.min(end - start);
            chunks.last_mut().expect("pushed above").push(Piece { staged: index, start, rows });
            start += rows;
            space -= rows;
        }
    }
    chunks
}

fn check_nulls(column: &Column, field: &Field) -> Result<()> {
    if !field.nullable && column.nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0) {
        let message = format!("null value in column \"{}\" violates not-null constraint", field.name);
        return Err(Error::new(ErrorKind::NotNullViolation, message).of_column(&field.name));
    }
    Ok(())
}

/// An array as a column of a field, which shares its buffers where it can.
///
/// # Errors
/// 42804 for an array of a type whose values the field's has not, 23502 for NULLs in a field that has none, and those of
/// [`to_column_of`].
pub fn kept_column(array: &ArrayRef, field: &Field) -> Result<Column> {
    let given = field_of(&ArrowField::new(&field.name, array.data_type().clone(), true))?;
    check_type(field, &given)?;
    let column = to_column_of(array, field)?;
    check_nulls(&column, field)?;
    Ok(column)
}

fn check_type(field: &Field, given: &Field) -> Result<()> {
    if holds(field.data_type, given.data_type) {
        return Ok(());
    }
    let (name, to, from) = (&field.name, field.data_type, given.data_type);
    let message = format!("column \"{name}\" is of type {to} but the data is of type {from}");
    Err(Error::new(ErrorKind::TypeMismatch, message))
}

/// Whether every value of type `given` is a value of type `wanted` and is stored alike.
pub(in crate::column) fn holds(wanted: DataType, given: DataType) -> bool {
    let alike = (wanted.is_integer() && given.is_integer())
        || (wanted.is_decimal() && given.is_decimal() && wanted.scale() == given.scale());
    if wanted == DataType::Numeric {
        return given.is_exact() || given.is_integer();
    }
    match (wanted.integer_bounds(), given.integer_bounds()) {
        (Some((min, max)), Some((least, greatest))) if alike => min <= least && greatest <= max,
        _ => {
            let is_text = wanted.is_text() && given == DataType::Text;
            wanted == given || is_text || super::arrow::logical::takes(wanted, given)
        }
    }
}

impl Table {
    /// A table of these batches, compacted or kept.
    pub fn from_batches(
        fields: Vec<Field>,
        batches: impl IntoIterator<Item = RecordBatch>,
        storage: Storage,
        context: &Context,
    ) -> Result<Table> {
        let mut builder = TableBuilder::new(fields, storage, context);
        batches.into_iter().try_for_each(|batch| builder.push(batch))?;
        builder.finish()
    }

    /// Registers somebody's batches without copying what has a physical form. All have this schema. Lists of a fixed size are
    /// vectors, unless they have NULL elements.
    pub fn register(schema: &Schema, batches: Vec<RecordBatch>, context: &Context) -> Result<Table> {
        Table::from_batches(fields_of_batches(schema, &batches)?, batches, Storage::Keep, context)
    }
}
