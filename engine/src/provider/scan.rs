//! Reads what a program wants of providers, before it runs: each becomes a table of the statement's own.
//!
//! Workers read the parts, a part each, and hold every batch against the columns that were asked for. Small batches of a part are put
//! together, so that loops have chunks of some length. Columns that the program does not read are there and empty: nobody looks at
//! them.

use super::offered::{Wanted, wanted};
use super::registered::{Owned, in_provider, of_provider};
use super::{Provided, ProviderError, Scan, TablePart};
use crate::{Error, ErrorKind, Field, Result};
use arrow::array::{Array, RecordBatch};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::concat_batches;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{CHUNK_ROWS, Chunk, Column, ColumnData, Table};
use multiloop_exec::workers::context::{Context, Reservation};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::Program;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Batches of at least so many rows are not put together with others.
const LARGE_ROWS: usize = CHUNK_ROWS / 4;

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
pub(crate) fn scan_all(program: &Program, find: Find<'_>, parameters: &[Value], context: &Context) -> Result<Scanned> {
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
        let reading = Reading { provided, planned: statistics.rows, context, read: AtomicU64::new(0), enough };
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
    provided: &'r Provided,
    /// The bound of rows in the plan.
    planned: u64,
    context: &'r Context,
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
        let parts = parts.into_iter().filter(|part| is_wanted(part.get(), &scan)).collect();
        let parts = self.context.workers().map(parts, |part| self.part(part, &fields))?;
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

    /// All batches of a part.
    fn part(&self, part: Owned<TablePart>, fields: &[Field]) -> Result<Part> {
        // The iterator is the user's, also where it is dropped.
        in_provider(move || {
            let mut batches = part.take().batches;
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
                if before.saturating_add(rows).min(self.enough) > self.planned {
                    self.provided.outgrow(self.planned);
                    return Err(Error::new(ErrorKind::Outgrown, "a table provider gave more rows than it had"));
                }
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
        statistics.rows = measured.rows;
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
    for (field, known) in read.fields.iter().zip(&read.statistics.columns) {
        let (bounds, kind) = match field.data_type {
            DataType::Time => (Some((0, TIME_MAX)), ErrorKind::DatetimeOverflow),
            DataType::Date => (field.data_type.integer_bounds(), ErrorKind::DatetimeOverflow),
            data_type => (data_type.integer_bounds(), ErrorKind::NumericOverflow),
        };
        let Some((low, high)) = bounds else { continue };
        let is_beyond = |value: &Option<Value>| match value {
            Some(Value::Int(value)) => !(low..=high).contains(&i128::from(*value)),
            Some(Value::Decimal(value)) => !(low..=high).contains(value),
            _ => false,
        };
        if is_beyond(&known.proofs.min) || is_beyond(&known.proofs.max) {
            let message = format!("a value of column \"{}\" is out of range for type {}", field.name, field.data_type);
            return Err(Error::new(kind, message).of_column(&field.name));
        }
    }
    Ok(())
}

/// A provider's error as one of ours.
fn error_of(error: ProviderError) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => *own,
        Err(other) => Error::new(ErrorKind::Io, other.to_string()),
    }
}
