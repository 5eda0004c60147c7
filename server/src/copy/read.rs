//! The data of COPY as rows.
//!
//! 1. What comes is gathered in a block until that is large enough, and cut behind its last whole row.
//! 2. Blocks wait until there are some for each thread. Then the engine's workers make batches of them, side by side, each with
//!    columns of its own.
//! 3. What the blocks gave is looked at in their order: batches become the table's rows, and the first block in which something
//!    is wrong says what. What a block does not know, how many lines are before it, is known then.

use super::columns::{Gathered, Written, WrongRow, array_type, gathered};
use super::cut::Cutter;
use super::lines::{BadLine, Lines};
use super::packed::Part;
use super::places::{BLOCK_BYTES_MAX, Rows};
use super::{CopyIn, Form};
use crate::fault::{Fault, Result};
use crate::wire::Format;
use multiloop::arrow::array::RecordBatch;
use multiloop::arrow::datatypes::{Field as ArrowField, Schema, SchemaRef};
use multiloop::{Field, Sight, Value};
use std::sync::Arc;

/// Bytes with which a block is cut: they stay near while they are read column by column.
pub(super) const BLOCK_BYTES: usize = 1 << 18;

/// Blocks that wait for each thread.
const BLOCKS_A_THREAD: usize = 8;

/// Blocks that wait, at most: with what is made of them they are in memory beside the table.
const BLOCKS_MAX: usize = 256;

/// Bytes of a row that has not come to its end.
const ROW_BYTES_MAX: usize = 1 << 30;

const _: () = assert!(ROW_BYTES_MAX + 2 * BLOCK_BYTES < BLOCK_BYTES_MAX, "all bytes of a block have places");

/// Cuts data into blocks and hands their rows on.
pub(super) struct Reader {
    rows: multiloop::CopyIn,
    made: Made,
    /// Bytes with which a block is cut.
    block_bytes: usize,
    /// What has come and is in no block that waits.
    block: Block,
    /// Those that wait, in order.
    blocks: Vec<Block>,
    /// Bytes of those that wait.
    waiting: usize,
    /// Buffers of blocks that have been read.
    spare: Vec<Block>,
    cutter: Cutter,
    part: Part,
    /// Bytes of the block whose rows `part` has found.
    found: usize,
    /// Lines of blocks that have been read.
    lines: u64,
    /// The end has come: what follows does not count.
    ended: bool,
}

/// Some data.
struct Block {
    bytes: Vec<u8>,
    /// Those of its rows that are found while it is cut.
    rows: Rows,
    /// Nothing was before it.
    is_first: bool,
}

impl Block {
    fn new(columns: usize) -> Self {
        Block { bytes: Vec::new(), rows: Rows::new(columns), is_first: false }
    }
}

/// What is made of blocks.
struct Made {
    fields: Vec<Field>,
    form: Form,
    /// Of batches. Where NULLs may not be, the table says so.
    schema: SchemaRef,
}

/// What a block has given.
struct Given {
    block: Block,
    batch: Result<Batch, Wrong>,
    /// Its lines.
    lines: u64,
    /// Whether the end of all data is in it.
    ended: bool,
}

/// What is wrong in a block.
enum Wrong {
    Line(BadLine),
    Value(Box<Fault>),
}

/// Rows of a block.
enum Batch {
    Arrays(RecordBatch),
    /// Where a column's values have no array, each column's.
    Values(Vec<Vec<Value>>),
}

/// Values that are no batch yet.
enum Columns {
    Gathered(Vec<Box<dyn Gathered>>),
    Values(Vec<Vec<Value>>),
}

impl Columns {
    fn of(made: &Made) -> Self {
        let types = made.schema.fields().iter().map(|field| field.data_type());
        let column = |(field, array): (&Field, &_)| gathered(field.data_type, made.form.format(), array);
        match made.fields.iter().zip(types).map(column).collect::<Option<Vec<_>>>() {
            Some(columns) if !columns.is_empty() => Columns::Gathered(columns),
            _ => Columns::Values(vec![Vec::new(); made.fields.len()]),
        }
    }

    /// Takes the values of rows; errors as a parameter's, of the first row that has one.
    fn take(&mut self, rows: &Rows, block: &[u8], made: &Made, sight: &Sight) -> Result<()> {
        let mut wrong: Option<WrongRow> = None;
        for (column, field) in made.fields.iter().enumerate() {
            // Behind a row that is wrong nothing matters, and of its own values the first that is.
            let count = wrong.as_ref().map_or(rows.count(), |(row, _)| *row);
            let fields = rows.column(block, column, count);
            let written = Written { number: column + 1, data_type: field.data_type, format: made.form.format(), sight };
            let taken = match self {
                Columns::Gathered(columns) => columns[column].take(fields, &written),
                Columns::Values(columns) => fields.iter().enumerate().try_for_each(|(row, field)| {
                    let value = field.map(|field| written.value(field.bytes())).transpose();
                    columns[column].push(value.map_err(|fault| (row, fault))?.unwrap_or(Value::Null));
                    Ok(())
                }),
            };
            wrong = taken.err().or(wrong);
        }
        wrong.map_or(Ok(()), |(_, fault)| Err(fault))
    }

    fn batch(self, schema: &SchemaRef) -> Result<Batch> {
        match self {
            Columns::Gathered(columns) => {
                let arrays = columns.into_iter().map(|column| column.array()).collect::<Result<_>>()?;
                let batch = RecordBatch::try_new(Arc::clone(schema), arrays);
                batch.map(Batch::Arrays).map_err(|error| Fault::internal(format!("a batch of COPY: {error}")))
            }
            Columns::Values(columns) => Ok(Batch::Values(columns)),
        }
    }
}

impl Made {
    /// The rows of a block.
    fn of(&self, mut block: Block, sight: &Sight) -> Given {
        let Block { bytes, rows, is_first } = &mut block;
        let mut columns = Columns::of(self);
        let mut lines = Lines::new(bytes, &self.form, *is_first);
        let taken = match &mut lines {
            Some(lines) => self.of_lines(lines, rows, &mut columns, sight),
            None => columns.take(rows, bytes, self, sight).map_err(Wrong::Value),
        };
        let (lines, ended) = lines.map_or((0, false), |lines| (lines.count(), lines.has_ended()));
        let batch = taken.and_then(|()| columns.batch(&self.schema).map_err(Wrong::Value));
        Given { block, batch, lines, ended }
    }

    fn of_lines(
        &self,
        lines: &mut Lines<'_>,
        rows: &mut Rows,
        columns: &mut Columns,
        sight: &Sight,
    ) -> Result<(), Wrong> {
        loop {
            let found = lines.next(rows);
            columns.take(rows, lines.block(), self, sight).map_err(Wrong::Value)?;
            rows.clear();
            if !found.map_err(Wrong::Line)? {
                return Ok(());
            }
        }
    }
}

impl Reader {
    pub(super) fn new(rows: multiloop::CopyIn, form: Form, block_bytes: usize) -> Self {
        let fields = rows.fields().to_vec();
        let arrays = rows.schema();
        let gathers = |(field, array): (&Field, &Arc<ArrowField>)| {
            let data_type = array_type(field.data_type, array.data_type());
            array.as_ref().clone().with_nullable(true).with_data_type(data_type)
        };
        let schema = fields.iter().zip(arrays.fields()).map(gathers).collect::<Vec<_>>();
        let columns = fields.len();
        Reader {
            rows,
            made: Made { fields, form, schema: Arc::new(Schema::new(schema)) },
            block_bytes: block_bytes.min(BLOCK_BYTES),
            block: Block { is_first: true, ..Block::new(columns) },
            blocks: Vec::new(),
            waiting: 0,
            spare: Vec::new(),
            cutter: Cutter::default(),
            part: Part::default(),
            found: 0,
            lines: 0,
            ended: false,
        }
    }

    /// Cuts what has come, if that is enough.
    fn cut(&mut self) -> Result<()> {
        let bytes = &self.block.bytes;
        let end = match &self.made.form {
            Form::Binary => match self.part.read(bytes, self.found, &mut self.block.rows) {
                Ok(end) => {
                    self.found = end;
                    end
                }
                // What is wrong before it has to be told first.
                Err(fault) => {
                    self.wait_with(usize::MAX);
                    self.read_blocks()?;
                    return Err(fault);
                }
            },
            _ if bytes.len() < self.block_bytes => return Ok(()),
            form => self.cutter.end(bytes, form),
        };
        let length = bytes.len();
        if length - end > ROW_BYTES_MAX {
            return Err(Fault::error("54000", "a row of COPY is too long"));
        }
        if length < self.block_bytes {
            return Ok(());
        }
        if end > 0 {
            self.wait_with(end);
        }
        // Both what has come and what is made of it.
        let held = self.waiting + self.block.bytes.len() + self.spare.len() * BLOCK_BYTES;
        self.rows.hold(2 * held).map_err(told)?;
        if self.blocks.len() < BLOCKS_MAX.min(self.rows.threads() * BLOCKS_A_THREAD) {
            return Ok(());
        }
        self.read_blocks()
    }

    /// The block up to there waits; the rest begins the next one.
    fn wait_with(&mut self, end: usize) {
        let mut next = self.spare.pop().unwrap_or_else(|| Block::new(self.made.fields.len()));
        let end = end.min(self.block.bytes.len());
        next.bytes.extend_from_slice(&self.block.bytes[end..]);
        self.block.bytes.truncate(end);
        self.waiting += end;
        self.blocks.push(std::mem::replace(&mut self.block, next));
        self.cutter.cut();
        self.found = 0;
    }

    /// Makes rows of the blocks that wait.
    fn read_blocks(&mut self) -> Result<()> {
        let blocks = std::mem::take(&mut self.blocks);
        self.waiting = 0;
        let (made, sight) = (&self.made, self.rows.sight());
        let all = self.rows.make_each(blocks, |block| made.of(block, sight)).map_err(told)?;
        for Given { mut block, batch, lines, ended } in all {
            match batch {
                Ok(Batch::Arrays(batch)) => self.rows.push(batch).map_err(told)?,
                Ok(Batch::Values(columns)) => self.rows.push_read(&columns).map_err(told)?,
                Err(Wrong::Value(fault)) => return Err(fault),
                Err(Wrong::Line(BadLine { what, number })) => {
                    return Err(Fault::error("22P04", format!("{what} (line {})", self.lines + number)));
                }
            }
            if ended {
                self.ended = true;
                break;
            }
            self.lines += lines;
            // One that had to grow for a long row is not kept.
            if block.bytes.capacity() <= 4 * BLOCK_BYTES {
                (block.is_first, block.bytes) = (false, cleared(block.bytes));
                block.rows.clear();
                self.spare.push(block);
            }
        }
        Ok(())
    }
}

fn cleared(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.clear();
    bytes
}

fn told(error: multiloop::Error) -> Box<Fault> {
    Fault::of(&error, "", 0)
}

impl CopyIn for Reader {
    fn format(&self) -> Format {
        self.made.form.format()
    }

    fn columns(&self) -> usize {
        self.made.fields.len()
    }

    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        for piece in bytes.chunks(self.block_bytes) {
            if self.ended {
                break;
            }
            self.block.bytes.extend_from_slice(piece);
            self.cut()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, session: &multiloop::Session) -> Result<String> {
        // PostgreSQL needs no trailer, and pgx sends none; but no row ends in its midst.
        let is_whole = self.part == Part::Ended || (self.part == Part::Rows && self.block.bytes.len() == self.found);
        self.wait_with(usize::MAX);
        if !self.ended {
            self.read_blocks()?;
        }
        if self.made.form == Form::Binary && !is_whole {
            return Err(Fault::error("22P04", "unexpected EOF in COPY data"));
        }
        self.rows.finish(session).map_err(told)
    }
}
