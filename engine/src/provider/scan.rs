//! Reads what a program wants of providers, before it runs: each becomes a table of the statement's own.
//!
//! Workers read the parts, a part each, and hold every batch against the columns that were asked for. Small batches of a part are put
//! together, so that loops have chunks of some length. Columns that the program does not read are there and empty: nobody looks at
//! them.

use super::lazy::{HeldPart, LazyPart, Shared};
use super::offered::{Wanted, wanted};
use super::registered::{Owned, in_provider, of_provider};
use super::{PartRows, Provided, ProviderError, Scan, TablePart};
use crate::{Error, ErrorKind, Field, Result};
use arrow::array::{Array, RecordBatch};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::concat_batches;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{CHUNK_ROWS, Chunk, Column, ColumnCache, ColumnData, Table};
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_planner::catalog::{ColumnStatistics, TableHandle};
use multiloop_planner::multiloop::Program;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Batches of at least so many rows are not put together with others.
const LARGE_ROWS: usize = CHUNK_ROWS / 4;

/// Bytes that a value of a part that nobody has read may take: what devices weigh.
const BYTES_LIKELY: f64 = 8.0;

/// 24:00:00, in microseconds.
const TIME_MAX: i128 = 86_400_000_000;

/// What a program reads of providers.
#[derive(Default)]
pub(crate) struct Scanned(HashMap<TableHandle, Arc<Table>>);

impl Scanned {
    /// The rows of a table, if a provider gave them.
    pub(crate) fn table(&self, handle: TableHandle) -> Option<Arc<Table>> {
        self.0.get(&handle).cloned()
    }
}

/// The provider of a handle, if there is one, and the name of its table.
type Find<'f> = &'f dyn Fn(TableHandle) -> Option<(&'f str, &'f Provided)>;

/// Reads the providers that a program reads. No provider has so few rows in a plan as a small table has.
/// Columns of lazy parts that several loops read are kept in a cache.
pub(crate) fn scan_all(
    program: &Program,
    find: Find<'_>,
    parameters: &[Value],
    (context, cache): (&Context, &Arc<ColumnCache>),
) -> Result<Scanned> {
    let mut scanned = Scanned::default();
    for (handle, _, statistics) in program.tables() {
        if statistics.rows < super::registered::ROWS_MIN || scanned.0.contains_key(&handle) {
            continue;
        }
        let Some((name, provided)) = find(handle) else { continue };
        let takes = |column: usize| provided.fields.get(column).is_some_and(|field| is_offered(field.data_type));
        let wanted = wanted(program, handle, &takes, parameters);
        // Rows that do not meet a condition may be among those that come: then only the program knows how many are enough.
        let enough = wanted.limit.filter(|_| wanted.conditions.is_empty()).unwrap_or(u64::MAX);
        let planned = statistics.rows;
        let reading = Reading { name, provided, planned, context, cache, read: AtomicU64::new(0), enough };
        let table = reading.table(wanted).map_err(|error| of_provider(name, error))?;
        scanned.0.insert(handle, Arc::new(table));
    }
    Ok(scanned)
}

/// Whether conditions on columns of a type are offered: those whose values mean what they are.
fn is_offered(data_type: DataType) -> bool {
    use DataType as D;
    data_type.is_integer()
        || data_type.is_decimal()
        || matches!(data_type, D::Boolean | D::Real | D::Double | D::Text | D::Varchar(_))
        || matches!(data_type, D::Date | D::Time | D::Timestamp | D::TimestampTz)
}

/// A provider that is being read.
struct Reading<'r> {
    name: &'r str,
    provided: &'r Provided,
    /// The bound of rows in the plan.
    planned: u64,
    context: &'r Context,
    cache: &'r Arc<ColumnCache>,
    /// Rows so far.
    read: AtomicU64,
    /// So many rows are enough, whichever they are.
    enough: u64,
}

/// What a part gave.
struct Part {
    batches: Vec<RecordBatch>,
    memory: Reservation,
}

/// What becomes of a part, in a table some of whose parts are lazy.
enum Made {
    Lazy(usize, LazyPart),
    /// What has been read of it, once it has.
    Read(Option<Table>),
}

impl Reading<'_> {
    /// The rows as a table of all columns.
    fn table(&self, wanted: Wanted) -> Result<Table> {
        let columns: Vec<usize> = wanted.columns.into_iter().collect();
        let fields: Vec<Field> = columns.iter().map(|&column| self.provided.fields[column].clone()).collect();
        let cancellation = self.context.cancellation.clone();
        let scan = Scan { columns, conditions: wanted.conditions, limit: wanted.limit, cancellation };
        self.context.check()?;
        let parts = in_provider(|| self.provided.provider.get().scan(&scan).map_err(error_of))?;
        let parts: Vec<Owned<TablePart>> = parts.into_iter().map(Owned::new).collect();
        let parts: Vec<_> = parts.into_iter().filter(|part| is_wanted(part.get(), &scan)).collect();
        if parts.iter().any(|part| matches!(part.get().rows, PartRows::Lazy(..))) {
            return self.lazy_table(parts, (&scan, &fields));
        }
        let parts = self.context.workers().map(parts, |part| self.part(part, &fields))?;
        self.read_table(parts, (&scan, fields))
    }

    /// Parts that have been read as a table of all columns.
    fn read_table(&self, parts: Vec<Part>, (scan, fields): (&Scan, Vec<Field>)) -> Result<Table> {
        let mut memory = Reservation::new(&self.context.memory);
        let mut builder = TableBuilder::new(fields, Storage::Keep, self.context);
        for part in parts {
            part.batches.into_iter().try_for_each(|batch| builder.push(batch))?;
            memory.absorb(part.memory);
        }
        let read = builder.finish()?;
        check_values(&read)?;
        Ok(self.spread(read, &scan.columns, memory))
    }

    /// A table some of whose rows are read when loops ask for them; the others are read now.
    fn lazy_table(&self, parts: Vec<Owned<TablePart>>, (scan, fields): (&Scan, &[Field])) -> Result<Table> {
        let name = self.name.into();
        let shared = Arc::new(Shared { name, fields: Arc::clone(&self.provided.fields) });
        let (mut made, mut to_read) = (Vec::with_capacity(parts.len()), Vec::new());
        for (number, part) in parts.into_iter().enumerate() {
            self.context.check()?;
            match part.get().rows {
                PartRows::Batches(_) => {
                    to_read.push((number, part));
                    made.push(Made::Read(None));
                }
                PartRows::Lazy(rows, _) => made.push(self.lazy_part(part, rows, &shared)?),
            }
        }
        let read = |(number, part)| Ok((number, self.part(part, fields)?));
        for (number, part) in self.context.workers().map(to_read, read)? {
            made[number] = Made::Read(Some(self.read_table(vec![part], (scan, fields.to_vec()))?));
        }
        let cached = ColumnCache::table(self.cache);
        let mut chunks: Vec<Arc<Chunk>> = Vec::new();
        for part in made {
            match part {
                Made::Lazy(0, _) | Made::Read(None) => {}
                Made::Lazy(rows, part) => {
                    let ranges = part.ranges().to_vec();
                    let place = Some((&cached, chunks.len() as u32));
                    chunks.push(Arc::new(Chunk::lazy(rows, ranges, Arc::new(part), place)));
                }
                Made::Read(Some(table)) => {
                    for chunk in &table.chunks {
                        let (rows, ranges, columns) = (chunk.rows, chunk.ranges.clone(), chunk.columns.clone());
                        let held =
                            HeldPart { shared: Arc::clone(&shared), columns, _memory: chunk.reservation.clone() };
                        chunks.push(Arc::new(Chunk::lazy(rows, ranges, Arc::new(held), None)));
                    }
                }
            }
        }
        let mut table = Table { chunks: chunks.into(), ..self.provided.table() };
        let rows = table.rows() as u64;
        let statistics = Arc::make_mut(&mut table.statistics);
        (statistics.rows, statistics.about_rows) = (rows, None);
        for &column in &scan.columns {
            statistics.columns[column].estimates.average_bytes = BYTES_LIKELY;
        }
        Ok(table)
    }

    /// A part that is read when loops ask, or as many of its rows as are enough with those before it.
    fn lazy_part(&self, part: Owned<TablePart>, rows: usize, shared: &Arc<Shared>) -> Result<Made> {
        if u32::try_from(rows).is_err() {
            return Err(Error::unsupported("a part of more than 4 billion rows is"));
        }
        let before = self.read.fetch_add(rows as u64, Ordering::Relaxed);
        self.check_planned(before.saturating_add(rows as u64))?;
        let rows = self.enough.saturating_sub(before).min(rows as u64) as usize;
        let mut ranges = vec![None; shared.fields.len()];
        let TablePart { rows: PartRows::Lazy(_, read), ranges: known } = part.take() else {
            return Err(Error::internal("a part that is no lazy one"));
        };
        for (column, range) in known {
            let is_integer = |field: &Field| {
                use DataType as D;
                field.data_type.is_integer()
                    || matches!(field.data_type, D::Date | D::Time | D::Timestamp | D::TimestampTz)
            };
            if let (Some(Value::Int(min)), Some(Value::Int(max))) = (range.min, range.max)
                && min <= max
                && shared.fields.get(column).is_some_and(is_integer)
            {
                ranges[column] = Some((min, max));
            }
        }
        Ok(Made::Lazy(rows, LazyPart::new(shared, read, ranges)))
    }

    /// An error by which the statement is planned anew, if so many rows are more than it was planned for.
    fn check_planned(&self, rows: u64) -> Result<()> {
        if rows.min(self.enough) <= self.planned {
            return Ok(());
        }
        in_provider(|| {
            self.provided.outgrow(self.planned);
            Ok(())
        })?;
        Err(Error::new(ErrorKind::Outgrown, "a table provider gave more rows than it had"))
    }

    /// All batches of a part.
    fn part(&self, part: Owned<TablePart>, fields: &[Field]) -> Result<Part> {
        // The iterator is the user's, also where it is dropped.
        in_provider(move || {
            let PartRows::Batches(mut batches) = part.take().rows else {
                return Err(Error::internal("a part that has no batches"));
            };
            let mut gathered = Gathered { small: Vec::new(), rows: 0, all: Vec::new() };
            let mut memory = Reservation::new(&self.context.memory);
            loop {
                self.context.check()?;
                if self.read.load(Ordering::Relaxed) >= self.enough {
                    break;
                }
                let Some(batch) = batches.next() else { break };
                let batch = batch.map_err(error_of)?;
                check_columns(&batch, fields)?;
                let rows = batch.num_rows() as u64;
                let before = self.read.fetch_add(rows, Ordering::Relaxed);
                self.check_planned(before.saturating_add(rows))?;
                let bytes = |array: &Arc<dyn Array>| array.to_data().get_slice_memory_size().unwrap_or(0);
                memory.add(batch.columns().iter().map(bytes).sum())?;
                let wanted = self.enough.saturating_sub(before).min(rows);
                gathered.push(batch.slice(0, wanted as usize));
            }
            self.context.check()?;
            Ok(Part { batches: gathered.finish(), memory })
        })
    }

    /// A table of some columns as one of all.
    fn spread(&self, read: Table, columns: &[usize], mut memory: Reservation) -> Table {
        let width = self.provided.fields.len();
        let measured = Arc::clone(&read.statistics);
        let chunks: Vec<Chunk> = read.chunks.iter().map(|chunk| Chunk::clone(chunk)).collect();
        drop(read.chunks);
        let mut all = Vec::with_capacity(chunks.len());
        for mut chunk in chunks {
            if let Some(own) = chunk.reservation.take().and_then(Arc::into_inner) {
                memory.absorb(own);
            }
            all.push(chunk);
        }
        let memory = Arc::new(memory);
        let spread = |chunk: Chunk| {
            let nothing = Column::new(
                ColumnData::Boolean(BooleanBuffer::new_unset(chunk.rows)),
                Some(NullBuffer::new_null(chunk.rows)),
            );
            let (mut spread, mut ranges) = (vec![nothing; width], vec![None; width]);
            for ((&place, column), range) in columns.iter().zip(chunk.columns).zip(chunk.ranges) {
                (spread[place], ranges[place]) = (column, range);
            }
            let reservation = Some(Arc::clone(&memory));
            Arc::new(Chunk { ranges, home: chunk.home, reservation, ..Chunk::new(chunk.rows, spread) })
        };
        let chunks = all.into_iter().map(spread).collect();
        let mut table = Table { chunks, ..self.provided.table() };
        // Cards weigh columns by what they hold, and not by what plans were made for.
        let statistics = Arc::make_mut(&mut table.statistics);
        (statistics.rows, statistics.about_rows) = (measured.rows, None);
        for (&place, known) in columns.iter().zip(&measured.columns) {
            statistics.columns[place].estimates = known.estimates.clone();
        }
        table
    }
}

/// Whether a part may have rows that are of use, by what is known of it.
fn is_wanted(part: &TablePart, scan: &Scan) -> bool {
    part.ranges.iter().all(|(column, range)| scan.may_meet(*column, range))
}

/// Batches of one part, the small ones put together.
struct Gathered {
    small: Vec<RecordBatch>,
    /// Of the small ones.
    rows: usize,
    all: Vec<RecordBatch>,
}

impl Gathered {
    fn push(&mut self, batch: RecordBatch) {
        let rows = batch.num_rows();
        if rows == 0 {
            return;
        }
        let is_alike = self.small.first().is_none_or(|first| first.schema() == batch.schema());
        if rows >= LARGE_ROWS || !is_alike || self.rows + rows > CHUNK_ROWS {
            self.flush();
        }
        if rows >= LARGE_ROWS {
            self.all.push(batch);
            return;
        }
        self.rows += rows;
        self.small.push(batch);
    }

    fn flush(&mut self) {
        let small = std::mem::take(&mut self.small);
        self.rows = 0;
        let joined = match &small[..] {
            [first, _, ..] if first.num_columns() > 0 => concat_batches(&first.schema(), &small).ok(),
            _ => None,
        };
        match joined {
            Some(joined) => self.all.push(joined),
            // Some cannot be put together, as texts that are too long for that.
            None => self.all.extend(small),
        }
    }

    fn finish(mut self) -> Vec<RecordBatch> {
        self.flush();
        self.all
    }
}

/// An error (42804) for a batch of other columns than were asked for; their types are looked at where they become columns.
fn check_columns(batch: &RecordBatch, fields: &[Field]) -> Result<()> {
    let (given, wanted) = (batch.num_columns(), fields.len());
    if given != wanted {
        let message = format!("a batch of {given} columns where {wanted} were asked for");
        return Err(Error::new(ErrorKind::TypeMismatch, message));
    }
    let schema = batch.schema_ref();
    match schema.fields().iter().zip(fields).position(|(given, wanted)| *given.name() != wanted.name) {
        Some(at) => {
            let (given, wanted) = (schema.field(at).name(), &fields[at].name);
            let message = format!("a batch with column \"{given}\" where \"{wanted}\" was asked for");
            Err(Error::new(ErrorKind::TypeMismatch, message))
        }
        None => Ok(()),
    }
}

/// An error (22003, 22008) for values beyond their type, which arrays may have: plans count on it that there are none.
fn check_values(read: &Table) -> Result<()> {
    let bounds = |known: &ColumnStatistics| known.proofs.min.clone().zip(known.proofs.max.clone());
    read.fields.iter().zip(&read.statistics.columns).try_for_each(|(field, known)| match bounds(known) {
        Some((min, max)) => check_bounds(field, &min, &max),
        None => Ok(()),
    })
}

/// The same of a column's least and greatest value.
pub(super) fn check_bounds(field: &Field, min: &Value, max: &Value) -> Result<()> {
    let (bounds, kind) = match field.data_type {
        DataType::Time => (Some((0, TIME_MAX)), ErrorKind::DatetimeOverflow),
        DataType::Date => (field.data_type.integer_bounds(), ErrorKind::DatetimeOverflow),
        data_type => (data_type.integer_bounds(), ErrorKind::NumericOverflow),
    };
    let Some((low, high)) = bounds else { return Ok(()) };
    let is_beyond = |value: &Value| match value {
        Value::Int(value) => !(low..=high).contains(&i128::from(*value)),
        Value::Decimal(value) => !(low..=high).contains(value),
        _ => false,
    };
    if is_beyond(min) || is_beyond(max) {
        let message = format!("a value of column \"{}\" is out of range for type {}", field.name, field.data_type);
        return Err(Error::new(kind, message).of_column(&field.name));
    }
    Ok(())
}

/// A provider's error as one of ours.
pub(super) fn error_of(error: ProviderError) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => *own,
        Err(other) => Error::new(ErrorKind::Io, other.to_string()),
    }
}
