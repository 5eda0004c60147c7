//! The rows of a result as record batches. Several chunks become batches at once, by all workers: what one thread does alone while
//! others wait limits what many can gain, and of a wide result it is most of the work.

use super::show_as;
use super::tail::Tail;
use crate::Result;
use crate::collections::rows::RowSet;
use crate::column::arrow::{batch_of, schema_of, schema_of_rows, to_array_as};
use crate::column::{Chunk, Column, ColumnData};
use crate::plan::outline::outline;
use crate::plan::statistics::{CODE, LetStatistics};
use crate::plan::tree::Plan;
use crate::plan::{Node, Numbers, explain};
use crate::workers::context::{Context, Reservation};
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use multiloop_planner::multiloop::Program;
use multiloop_planner::types::{DataType, Field};
use std::collections::VecDeque;
use std::sync::Arc;

/// Chunks that become batches at once, at least; as many wait for whoever reads, at most.
const CHUNKS_AT_ONCE: usize = 16;

/// Bytes of batches that wait, about, unless a single one has more.
const BYTES_AT_ONCE: usize = 1 << 26;

/// Rows from which on workers share what one could do alone.
const SHARED_ROWS: usize = if cfg!(test) { 1 << 8 } else { 1 << 16 };

/// The rows of a result, handed out as record batches one at a time.
#[derive(Debug)]
pub struct Output {
    fields: Vec<Field>,
    schema: SchemaRef,
    columns: Vec<u32>,
    /// Rows that are no batches yet.
    chunks: VecDeque<Arc<Chunk>>,
    /// What they count for.
    held: Option<Arc<Reservation>>,
    /// Batches that nobody has asked for yet.
    ready: VecDeque<Waiting>,
    context: Context,
    /// What makes the rows behind these.
    pub(super) tail: Option<Box<Tail>>,
    statistics: Vec<(usize, LetStatistics)>,
}

/// A batch that waits, and what counts for it: its chunk, and its arrays, if others wait with it.
#[derive(Debug)]
struct Waiting {
    batch: Result<RecordBatch>,
    _held: (Option<Arc<Reservation>>, Reservation),
}

impl Output {
    /// The rows of a plan's result; with the pool of the context, batches are made by its workers.
    pub(super) fn new(plan: &Plan, rows: RowSet, statistics: Vec<(usize, LetStatistics)>, context: Context) -> Self {
        let result = plan.collection(plan.block(plan.body).result);
        let field = |(name, position): &(String, u32)| {
            let Field { data_type, nullable, .. } = result.fields[*position as usize];
            Field { name: name.clone(), data_type, nullable }
        };
        let columns = plan.output.iter().map(|(_, at)| rows.position(*at)).collect();
        let fields: Vec<Field> = plan.output.iter().map(field).collect();
        let (chunks, held) = (rows.chunks.into_vec().into(), rows.reservation);
        let ready = VecDeque::new();
        Output { schema: schema_of(&fields), fields, columns, chunks, held, ready, context, tail: None, statistics }
    }

    /// Names and types of the columns.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The Arrow schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Whether all of its rows have been made.
    pub fn is_whole(&self) -> bool {
        self.tail.is_none()
    }

    /// The same rows shown as these types, one a column, which the columns' own carry.
    #[must_use]
    pub fn shown_as(mut self, types: &[DataType]) -> Self {
        if !types.iter().any(|data_type| data_type.is_logical()) {
            return self;
        }
        show_as(&mut self.fields, types);
        let places = self.columns.iter().map(|&column| column as usize);
        self.schema = schema_of_rows(&self.fields, self.chunks.make_contiguous(), places);
        self
    }

    /// What each let of the program did, in order; nested blocks count where they stand. `program` is what was run.
    pub fn statistics(&self, program: &Program) -> Vec<LetStatistics> {
        let names = explain::let_names(program);
        let named = |(number, statistics): &(usize, LetStatistics)| LetStatistics {
            name: names.get(*number).cloned().unwrap_or_default(),
            ..statistics.clone()
        };
        self.statistics.iter().map(named).collect()
    }

    /// The plan that was run, with what became of it, as far as [`super::analyse`] noted it; blocks that run for rows which ask
    /// have no figures.
    pub fn analysed(&self, plan: &Plan, numbers: &Numbers) -> String {
        explain::analysed(plan, numbers, &self.statistics)
    }

    /// What was compiled for devices, loop by loop, as far as [`super::analyse`] noted it.
    pub fn code(&self) -> String {
        let notes = self.statistics.iter().flat_map(|(_, statistics)| &statistics.notes);
        notes.filter(|(of, _)| *of == CODE).map(|(_, code)| code.as_str()).collect()
    }

    /// The tree of the plan that was run, with what each let of its body did.
    pub fn outlined(&self, plan: &Plan, numbers: &Numbers) -> Node {
        outline(plan, numbers, &self.statistics)
    }

    /// Makes batches of the next chunks: as many as there is work for all workers, and memory.
    fn make(&mut self) -> Result<()> {
        let threads = self.context.pool.as_deref().map_or(1, Pool::threads);
        let mut some: Vec<(Arc<Chunk>, Reservation)> = Vec::new();
        let (mut rows, mut bytes) = (0, 0);
        while some.len() < if threads > 1 { CHUNKS_AT_ONCE.max(2 * threads) } else { 1 }
            && let Some(chunk) = self.chunks.front()
        {
            // One at a time there must be, whatever it takes.
            let mut arrays = Reservation::new(&self.context.memory);
            let takes = self.array_bytes(chunk);
            if !some.is_empty() && (bytes + takes > BYTES_AT_ONCE || arrays.add(takes).is_err()) {
                break;
            }
            (rows, bytes) = (rows + chunk.rows, bytes + takes);
            some.extend(self.chunks.pop_front().map(|chunk| (chunk, arrays)));
        }
        let pool = self.context.pool.as_deref().filter(|_| rows >= SHARED_ROWS);
        let workers = Workers { pool, context: &self.context };
        // A column of a chunk is a piece of work: there may be but one chunk.
        let width = self.columns.len();
        let array = |number: usize| {
            self.context.check()?;
            self.array(&some[number / width].0, number % width)
        };
        let mut arrays = workers.all(some.len() * width, array).into_iter();
        for (chunk, reservation) in some {
            let arrays: Result<Vec<ArrayRef>> = arrays.by_ref().take(width).collect();
            let batch = arrays.and_then(|arrays| batch_of(&self.schema, arrays, chunk.rows));
            self.ready.push_back(Waiting { batch, _held: (chunk.reservation.clone(), reservation) });
        }
        self.context.check()
    }

    /// About how many bytes the arrays of a chunk take: more than its columns where strings are made of codes.
    fn array_bytes(&self, chunk: &Chunk) -> usize {
        let bytes = |&column: &u32| {
            let column = &chunk.columns[column as usize];
            match (&column.data, column.data.dictionary()) {
                (_, Some(dictionary)) => chunk.rows * (size_of::<i32>() + dictionary.bytes() / dictionary.len().max(1)),
                (ColumnData::Views { views, .. }, None) => {
                    views.iter().map(|view| view.length as usize + size_of::<i32>()).sum()
                }
                _ => column.bytes().max(chunk.rows * size_of::<i64>()),
            }
        };
        self.columns.iter().map(bytes).sum()
    }

    fn array(&self, chunk: &Chunk, number: usize) -> Result<ArrayRef> {
        let column: &Column = &chunk.columns[self.columns[number] as usize];
        to_array_as(column, &self.fields[number], self.schema.field(number))
    }
}

impl Iterator for Output {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(Waiting { batch, .. }) = self.ready.pop_front() {
                return Some(batch);
            }
            if !self.chunks.is_empty() {
                match self.make() {
                    Ok(()) => continue,
                    Err(error) => {
                        (self.chunks, self.ready, self.tail) = Default::default();
                        return Some(Err(error));
                    }
                }
            }
            // Those that have been handed out need no memory while the next ones are made.
            self.held = None;
            match self.tail.as_mut()?.more() {
                Ok(Some(rows)) => (self.chunks, self.held) = (rows.chunks.into_vec().into(), rows.reservation),
                Ok(None) => self.tail = None,
                Err(error) => {
                    self.tail = None;
                    return Some(Err(error));
                }
            }
        }
    }
}
