//! Rows of several chunks that are read by their numbers among all: what buckets show that leave their rows where they
//! are, in a table.

use super::bitmap::Bitmap;
use crate::column::vectors::Block;
use crate::column::{Chunk, Column, ColumnData, Dictionary, TextView};
use crate::cpu::simd::kernel::{append, kernel, prefetch_here};
use crate::cpu::simd::prefetch::PREFETCH_ROWS;
use crate::cpu::vector::NO_ROW;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use crate::technique::Technique;
use arrow::buffer::Buffer;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::value::Interval;
use std::sync::Arc;

/// Fields of the rows of several chunks.
#[derive(Debug)]
pub struct Chunked {
    cuts: Cuts,
    fields: Vec<Field>,
    rows: usize,
}

/// Where the rows of chunks lie.
#[derive(Debug)]
struct Cuts {
    /// Chunks have 2 to this rows, from the first on, as long as this goes on: those of a load do, but for its last.
    shift: u32,
    /// Rows that lie in such chunks; all that there may be if what is left is one chunk that is not longer.
    even: u32,
    /// The first rows of the chunks behind these, and how many chunks stand before them.
    starts: Vec<u32>,
    before: usize,
}

impl Cuts {
    fn of(chunks: &[Arc<Chunk>]) -> Self {
        let shift = chunks.first().map_or(0, |chunk| chunk.rows.max(1).ilog2());
        let before = chunks.iter().take_while(|chunk| chunk.rows == 1 << shift).count();
        let is_even = match &chunks[before..] {
            [] => true,
            [last] => before > 0 && last.rows < 1 << shift,
            _ => false,
        };
        let mut end = (before << shift) as u32;
        let even = if is_even { u32::MAX } else { end };
        let start = |chunk: &Arc<Chunk>| {
            end += chunk.rows as u32;
            end - chunk.rows as u32
        };
        Cuts { shift, even, starts: chunks[before..].iter().map(start).collect(), before }
    }

    /// The chunk of a row, and its place there.
    #[inline(always)]
    fn of_row(&self, row: u32) -> (usize, usize) {
        if row < self.even {
            return ((row >> self.shift) as usize, (row & ((1 << self.shift) - 1)) as usize);
        }
        self.search(row)
    }

    /// The same of a row behind the even chunks; some chunk of [`NO_ROW`].
    #[inline(never)]
    fn search(&self, row: u32) -> (usize, usize) {
        let chunk = self.starts.partition_point(|&start| start <= row).saturating_sub(1);
        (self.before + chunk, (row - self.starts.get(chunk).copied().unwrap_or(0)) as usize)
    }
}

/// A field: a column a chunk.
#[derive(Debug)]
struct Field {
    columns: Vec<Column>,
    text: Text,
    /// Those of vectors, a block a chunk.
    vectors: Option<Arc<[Block]>>,
    nullable: bool,
}

/// How the strings of a field's columns are put together.
#[derive(Debug)]
enum Text {
    /// It has none.
    None,
    /// Codes of one dictionary.
    Codes(Arc<Dictionary>),
    /// Bytes, a buffer a chunk.
    Bytes(Arc<[Buffer]>),
    /// Codes of several dictionaries, or codes here and bytes there: strings are copied.
    Mixed,
    /// It has numerics as numbers.
    Numerics,
}

impl Chunked {
    /// The rows of these chunks, of which there are fewer than [`NO_ROW`], with these of their columns.
    pub(crate) fn new(chunks: &[Arc<Chunk>], columns: impl Iterator<Item = u32>) -> Self {
        let column = |column: u32| move |chunk: &Arc<Chunk>| chunk.columns[column as usize].clone();
        let fields = columns.map(|number| Field::new(chunks.iter().map(column(number)).collect()));
        let rows = chunks.iter().map(|chunk| chunk.rows).sum();
        Chunked { cuts: Cuts::of(chunks), fields: fields.collect(), rows }
    }

    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether a field has strings that are no codes of one dictionary.
    pub(crate) fn has_strings(&self, field: u32) -> bool {
        matches!(self.fields[field as usize].text, Text::Bytes(_) | Text::Mixed)
    }

    /// The dictionary that holds all strings of a field.
    pub(crate) fn dictionary(&self, field: u32) -> Option<&Arc<Dictionary>> {
        if let Text::Codes(dictionary) = &self.fields[field as usize].text { Some(dictionary) } else { None }
    }

    /// Makes `out` a field at these rows; `optional` says that there may be [`NO_ROW`]s. The register has been proven to hold
    /// all values.
    pub(crate) fn load(&self, field: u32, rows: &[u32], optional: bool, register: Register, out: &mut Vector) {
        let field = &self.fields[field as usize];
        let places = Places { rows, cuts: &self.cuts, optional };
        let mut bits = out.take_nulls();
        let nulls = (optional || field.nullable).then(|| {
            bits.fill(rows.len(), |tuple| {
                let is_valid = |(chunk, at): (usize, usize)| {
                    field.columns[chunk].nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at))
                };
                places.get(tuple).is_some_and(is_valid)
            });
            bits
        });
        let columns = &field.columns[..];
        let data = match register {
            Register::I32 => {
                let mut values = out.take_i32();
                gather_i32(columns, &places, &mut values);
                VectorData::I32(values)
            }
            Register::I64 => {
                let mut values = out.take_i64();
                match wide(columns) {
                    Some(chunks) => gather_wide(&chunks, &places, &mut values),
                    None => gather_i64(columns, &places, &mut values),
                }
                VectorData::I64(values)
            }
            Register::I128 => {
                let mut values = out.take_i128();
                gather_i128(columns, &places, &mut values);
                VectorData::I128(values)
            }
            Register::F64 => {
                let mut values = out.take_f64();
                places.gather(&mut values, |chunk, at| match &columns[chunk].data {
                    ColumnData::Float32(floats) => floats[at].into(),
                    ColumnData::Float64(floats) => floats[at],
                    _ => 0.0,
                });
                VectorData::F64(values)
            }
            Register::Interval => {
                let mut values = out.take_interval();
                places.gather(&mut values, |chunk, at| match &columns[chunk].data {
                    ColumnData::Interval(intervals) => intervals[at],
                    _ => Interval::default(),
                });
                VectorData::Interval(values)
            }
            Register::Vectors(length) => field.load_vectors(&places, length, out),
            Register::Bool => {
                let mut values = out.take_bool();
                let holds = |(chunk, at): (usize, usize)| match &columns[chunk].data {
                    ColumnData::Boolean(values) => values.value(at),
                    _ => false,
                };
                values.fill(rows.len(), |tuple| places.get(tuple).is_some_and(holds));
                VectorData::Bool(values)
            }
            Register::Text => field.load_text(&places, out),
        };
        out.set(rows.len(), data, nulls.filter(|nulls: &Bitmap| !nulls.is_full()));
    }
}

/// The chunks of rows, and where they stand in these.
struct Places<'a> {
    rows: &'a [u32],
    cuts: &'a Cuts,
    optional: bool,
}

impl Places<'_> {
    #[inline(always)]
    fn of(&self, row: u32) -> (usize, usize) {
        self.cuts.of_row(row)
    }

    #[inline(always)]
    fn get(&self, tuple: usize) -> Option<(usize, usize)> {
        let row = self.rows[tuple];
        (row != NO_ROW).then(|| self.of(row))
    }

    /// Appends what each row has, and the default where there is none.
    #[inline(always)]
    fn gather<R: Default>(&self, out: &mut Vec<R>, value: impl Fn(usize, usize) -> R) {
        let there = |row: u32| {
            let (chunk, at) = self.of(row);
            value(chunk, at)
        };
        if self.optional {
            out.extend(self.rows.iter().map(|&row| if row == NO_ROW { R::default() } else { there(row) }));
        } else {
            out.extend(self.rows.iter().map(|&row| there(row)));
        }
    }
}

/// Defines the loader of one integer register. `as` cannot lose anything, since the register has been proven wide
/// enough; what stands at a NULL may be cut, and is never looked at.
macro_rules! gather_integers {
    ($name:ident, $register:ty) => {
        fn $name(columns: &[Column], places: &Places<'_>, out: &mut Vec<$register>) {
            type R = $register;
            places.gather(out, |chunk, at| match &columns[chunk].data {
                ColumnData::Frame8 { base, offsets } => (*base as R).wrapping_add(R::from(offsets[at])),
                ColumnData::Frame16 { base, offsets } => (*base as R).wrapping_add(R::from(offsets[at])),
                ColumnData::Frame32 { base, offsets } => (*base as R).wrapping_add(offsets[at] as R),
                ColumnData::Stepped8 { base, step, offsets } => {
                    (*base as R).wrapping_add((*step as R).wrapping_mul(offsets[at] as R))
                }
                ColumnData::Stepped16 { base, step, offsets } => {
                    (*base as R).wrapping_add((*step as R).wrapping_mul(offsets[at] as R))
                }
                ColumnData::Stepped32 { base, step, offsets } => {
                    (*base as R).wrapping_add((*step as R).wrapping_mul(offsets[at] as R))
                }
                ColumnData::Int16(values) => R::from(values[at]),
                ColumnData::Int32(values) => values[at] as R,
                ColumnData::Int64(values) => values[at] as R,
                ColumnData::Int128(values) => values[at] as R,
                _ => 0,
            });
        }
    };
}

/// The values of columns that are all as wide as their register: keys far apart, which are most of what is read by the numbers
/// of rows.
fn wide(columns: &[Column]) -> Option<Vec<&[i64]>> {
    fn values(column: &Column) -> Option<&[i64]> {
        if let ColumnData::Int64(values) = &column.data { Some(values) } else { None }
    }
    columns.iter().map(values).collect()
}

kernel! {
    /// Rows are anywhere: what they have is asked for before it is read.
    fn gather_wide [](chunks: &[&[i64]], places: &Places<'_>, out: &mut Vec<i64>) {
        let ask = |row: u32| {
            let (chunk, at) = places.of(row);
            if let Some(values) = chunks.get(chunk) {
                prefetch_here(values.as_ptr().wrapping_add(at));
            }
        };
        let mut later = places.rows.iter().skip(if Technique::Prefetch.is_on() { 0 } else { places.rows.len() });
        later.by_ref().take(PREFETCH_ROWS).for_each(|&row| ask(row));
        append(out, places.rows, |row| {
            later.next().into_iter().for_each(|&row| ask(row));
            if places.optional && row == NO_ROW {
                return 0;
            }
            let (chunk, at) = places.of(row);
            chunks[chunk][at]
        });
    }
}

gather_integers!(gather_i32, i32);
gather_integers!(gather_i64, i64);
gather_integers!(gather_i128, i128);

impl Field {
    fn new(columns: Vec<Column>) -> Self {
        let text = Text::of(&columns);
        let nullable = columns.iter().any(|column| column.nulls.is_some());
        let data = || columns.iter().map(|column| &column.data);
        let vectors = data().any(|data| Block::of_column(data).is_some()).then(|| Block::of_columns(data()));
        Field { columns, text, vectors, nullable }
    }

    /// The places of vectors in the elements of their chunks' columns, which tiles share.
    fn load_vectors(&self, places: &Places<'_>, length: u32, out: &mut Vector) -> VectorData {
        let mut vectors = out.take_vectors(length as usize);
        match &self.vectors {
            // Nothing but NULLs of no type.
            None => vectors.resize(places.rows.len()),
            Some(blocks) => {
                vectors.set_blocks(blocks);
                vectors.extend_from((0..places.rows.len()).map(|tuple| {
                    let (chunk, at) = places.get(tuple)?;
                    (!blocks[chunk].is_empty()).then_some((chunk as u32, at as u32))
                }));
            }
        }
        VectorData::Vectors(vectors)
    }

    fn load_text(&self, places: &Places<'_>, out: &mut Vector) -> VectorData {
        match &self.text {
            Text::Codes(dictionary) => {
                let mut codes = out.take_codes();
                places.gather(&mut codes, |chunk, at| code(&self.columns[chunk].data, at));
                VectorData::Code { codes, dictionary: Arc::clone(dictionary) }
            }
            Text::Bytes(buffers) => {
                let mut texts = out.take_text();
                texts.set_buffers(Arc::clone(buffers));
                // A column's offsets lie within its bytes and cut them into valid UTF-8.
                texts.extend_views(places.rows.iter().map(|&row| {
                    let (chunk, at) = places.of(row);
                    match self.columns.get(chunk).map(|column| &column.data) {
                        Some(ColumnData::Text { offsets, .. }) if row != NO_ROW => {
                            let (start, end) = (offsets[at] as u32, offsets[at + 1] as u32);
                            TextView { buffer: chunk as u32, offset: start, length: end - start }
                        }
                        _ => TextView::EMPTY,
                    }
                }));
                VectorData::Text(texts)
            }
            Text::Numerics => {
                let mut numbers = out.take_numerics();
                numbers.extend(places.rows.iter().map(|&row| {
                    let (chunk, at) = places.of(row);
                    match self.columns.get(chunk).map(|column| &column.data) {
                        Some(ColumnData::Numerics(numbers)) if row != NO_ROW => numbers[at],
                        _ => SmallNumeric::default(),
                    }
                }));
                VectorData::Numerics(numbers)
            }
            Text::Mixed | Text::None => {
                let mut texts = out.take_text();
                for tuple in 0..places.rows.len() {
                    // What stands at a NULL may be no code of the chunk's dictionary.
                    let valid = places.get(tuple).filter(|&(chunk, at)| !self.columns[chunk].is_null(at));
                    match valid.map(|(chunk, at)| (&self.columns[chunk], at)) {
                        Some((Column { data: ColumnData::Numerics(numbers), .. }, at)) => {
                            texts.push(&numbers[at].encode());
                        }
                        Some((column, at)) => texts.push(column.text(at).unwrap_or_default()),
                        None => texts.push(""),
                    }
                }
                VectorData::Text(texts)
            }
        }
    }
}

impl Text {
    fn of(columns: &[Column]) -> Self {
        let bytes = columns.iter().map(|column| match &column.data {
            ColumnData::Text { bytes, .. } => Some(bytes.clone()),
            _ => None,
        });
        let mut dictionaries = columns.iter().map(|column| column.data.dictionary());
        if let Some(buffers) = bytes.collect::<Option<Vec<Buffer>>>() {
            return Text::Bytes(buffers.into());
        }
        match dictionaries.next() {
            Some(Some(first)) if dictionaries.all(|next| next.is_some_and(|next| Arc::ptr_eq(first, next))) => {
                Text::Codes(Arc::clone(first))
            }
            _ if !columns.is_empty() && columns.iter().all(|column| is_numerics(&column.data)) => Text::Numerics,
            _ if columns.iter().any(|column| column.data.is_text() || is_numerics(&column.data)) => Text::Mixed,
            _ => Text::None,
        }
    }
}

fn is_numerics(data: &ColumnData) -> bool {
    matches!(data, ColumnData::Numerics(_))
}

/// The code of a row of a dictionary's column.
#[inline(always)]
fn code(data: &ColumnData, at: usize) -> u32 {
    match data {
        ColumnData::Dictionary8 { codes, .. } => codes[at].into(),
        ColumnData::Dictionary16 { codes, .. } => codes[at].into(),
        ColumnData::Dictionary32 { codes, .. } => codes[at],
        _ => 0,
    }
}
