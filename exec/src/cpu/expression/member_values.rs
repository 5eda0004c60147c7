//! Costly expressions of the fields of one bucket's members, evaluated once for each member instead of once for each tuple.
//!
//! A join of many facts with few rows of a dimension puts each of these rows into many tuples: `sum(CASE WHEN day = 'Sun' THEN v END)`
//! would compare the text of a calendar's row for each fact of that day. An expression is worth this if it reads strings that stand
//! in a column as they are (those of a dictionary are compared as codes anyway), cannot fail, and gives a boolean or a number.
//!
//! 1. Its tuples are counted. As long as they are few beside the members, it is evaluated for tuples.
//! 2. When there are [`TUPLES_EACH`] times as many tuples as members, it is evaluated for all members.
//! 3. From then on its values are taken by the numbers of the members' rows.

use crate::column::ColumnData;
use crate::cpu::expression::tile::Tile;
use crate::cpu::simd::kernel::pack;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::rows::{NO_ROW, Rows, Source, TILE_ROWS};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::technique::Technique;
use crate::workers::context::Reservation;
use crate::{Error, Result};
use std::sync::Arc;

/// Tuples for each member from which on all members are evaluated.
const TUPLES_EACH: usize = 4;

/// What is known of an expression.
#[derive(Debug)]
pub(super) enum MemberValues {
    /// It is none that is evaluated for members.
    Unfit,
    /// It reads fields of one index alone, and has been evaluated for so many tuples.
    Counting { of: Fields, tuples: usize },
    /// Its values.
    Known(Box<Known>),
}

/// The fields that an expression reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    index: usize,
    /// Whether the index may stand on no row.
    optional: bool,
    /// Whether they have strings that stand in their columns as they are.
    strings: bool,
}

/// The values of an expression for all members of a bucket's collection.
#[derive(Debug)]
pub(super) struct Known {
    index: usize,
    of: Source,
    /// By row; behind the last one that of no row, if an index may stand on none.
    values: Values,
    /// The place of no row's value.
    no_row: Option<u32>,
    /// Whether a condition is NULL for any.
    has_null: bool,
    _held: Option<Reservation>,
}

#[derive(Debug)]
enum Values {
    /// All ones or zeros: whether it is TRUE, and whether it is not NULL.
    Truth(Vec<u8>, Vec<u8>),
    Numbers(Vector),
}

/// Makes `out` the values of a node, if they are or had better be known by member.
pub(super) fn evaluate(tile: &mut Tile<'_>, (number, node): (u32, &Node), out: &mut Vector) -> Result<bool> {
    // Without a second index there is no bucket.
    if tile.tuples().rows.len() < 2 || node.may_fail || node.volatile || !Technique::MemberValues.is_on() {
        return Ok(false);
    }
    let mut known = match tile.caches.members.remove(&number) {
        Some(known) => known,
        None => {
            Fields::of(tile, (number, node)).map_or(MemberValues::Unfit, |of| MemberValues::Counting { of, tuples: 0 })
        }
    };
    let done = take(tile, (number, node), &mut known, out);
    tile.caches.members.insert(number, known);
    done
}

fn take(tile: &Tile<'_>, of: (u32, &Node), known: &mut MemberValues, out: &mut Vector) -> Result<bool> {
    if let MemberValues::Known(values) = known
        && !is_same(&values.of, tile.sources[values.index].as_ref())
    {
        *known = MemberValues::Unfit;
    }
    if let MemberValues::Counting { of: fields, tuples } = known {
        let Some(source) = &tile.sources[fields.index] else { return Ok(false) };
        let Some(rows) = rows_of(source).filter(|&rows| rows > 0) else { return Ok(false) };
        *tuples = tuples.saturating_add(tile.len());
        if !matches!(tile.tuples().rows[fields.index], Rows::List(_)) || *tuples / TUPLES_EACH < rows {
            return Ok(false);
        }
        *known = MemberValues::Known(Box::new(Known::of(tile, of, *fields, (source, rows))?));
    }
    let MemberValues::Known(values) = known else { return Ok(false) };
    let Rows::List(rows) = &tile.tuples().rows[values.index] else { return Ok(false) };
    values.take(rows, out);
    Ok(true)
}

impl Fields {
    /// Those that a node reads, if they are of one index of buckets, and all else that it reads is the same for all tuples, and it is
    /// worth it.
    fn of(tile: &Tile<'_>, (number, node): (u32, &Node)) -> Option<Self> {
        if !matches!(node.register, Register::Bool | Register::I32 | Register::I64 | Register::F64) {
            return None;
        }
        let mut fields = None;
        look(tile, number, &mut fields)?;
        fields.filter(|fields| fields.index > 0 && fields.strings)
    }
}

/// Adds the fields that a node reads; none if it reads anything else but what is the same for all tuples.
fn look(tile: &Tile<'_>, number: u32, fields: &mut Option<Fields>) -> Option<()> {
    match &tile.node(number).operation {
        Operation::Constant(_) | Operation::Parameter(_) => Some(()),
        Operation::Call { arguments, .. } => arguments.iter().try_for_each(|&argument| look(tile, argument, fields)),
        Operation::Column { index, field, optional } => {
            let source = tile.sources[*index].as_ref()?;
            let all = fields.get_or_insert(Fields { index: *index, optional: *optional, strings: false });
            all.strings |= has_strings(source, *field);
            (all.index == *index).then_some(())
        }
        _ => None,
    }
}

/// Whether a field has strings that stand there as they are.
fn has_strings(source: &Source, field: u32) -> bool {
    match source {
        Source::Chunk { .. } => source
            .column(field)
            .is_some_and(|column| matches!(column.data, ColumnData::Text { .. } | ColumnData::Views { .. })),
        Source::Chunked(rows) => rows.has_strings(field),
        Source::Lazy(_) | Source::Count { .. } => false,
    }
}

/// The rows of a source that all tuples of a loop find theirs in.
fn rows_of(source: &Source) -> Option<usize> {
    match source {
        Source::Chunk { chunk, .. } => Some(chunk.rows),
        Source::Chunked(rows) => Some(rows.rows()),
        Source::Lazy(_) | Source::Count { .. } => None,
    }
}

fn is_same(a: &Source, b: Option<&Source>) -> bool {
    match (a, b) {
        (Source::Chunk { chunk: a, .. }, Some(Source::Chunk { chunk: b, .. })) => Arc::ptr_eq(a, b),
        (Source::Chunked(a), Some(Source::Chunked(b))) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

impl Known {
    /// Evaluates a node for all rows of a source, and for no row.
    fn of(
        tile: &Tile<'_>,
        (number, node): (u32, &Node),
        Fields { index, optional, .. }: Fields,
        (source, rows): (&Source, usize),
    ) -> Result<Self> {
        let context = tile.collections.context();
        let mut held = context.map(|context| Reservation::new(&context.memory));
        if let Some(held) = &mut held {
            held.add((rows + 1) * size_of::<i64>())?;
        }
        let mut values = Values::empty(node.register)?;
        let mut own = Tile::new(tile.expressions, tile.collections, tile.bindings);
        own.set_source(index, source.clone());
        for start in (0..rows).step_by(TILE_ROWS) {
            if let Some(context) = context {
                context.check()?;
            }
            let len = TILE_ROWS.min(rows - start);
            let (first, end) = (start as u32, (start + len) as u32);
            // Rows of several chunks are read by their numbers alone.
            let one = matches!(source, Source::Chunk { .. });
            own.stand_on(index, if one { Rows::Range(first) } else { Rows::List((first..end).collect()) }, len);
            own.ensure(number)?;
            values.append(own.top(number))?;
        }
        if optional {
            own.stand_on(index, Rows::List(vec![NO_ROW]), 1);
            own.ensure(number)?;
            values.append(own.top(number))?;
        }
        let has_null = matches!(&values, Values::Truth(_, valid) if valid.contains(&0));
        Ok(Known { index, of: source.clone(), values, no_row: optional.then_some(rows as u32), has_null, _held: held })
    }

    /// Makes `out` the values of these rows.
    fn take(&self, rows: &[u32], out: &mut Vector) {
        let place = |row: u32| self.no_row.map_or(row, |last| row.min(last));
        match &self.values {
            Values::Truth(truth, valid) => {
                let mut bits = out.take_bool();
                take_bits(rows, &mut bits, |row| truth[place(row) as usize]);
                let nulls = self.has_null.then(|| {
                    let mut nulls = out.take_nulls();
                    take_bits(rows, &mut nulls, |row| valid[place(row) as usize]);
                    nulls
                });
                out.set(rows.len(), VectorData::Bool(bits), nulls);
            }
            Values::Numbers(numbers) if self.no_row.is_some() => {
                out.gather(numbers, &rows.iter().map(|&row| place(row)).collect::<Vec<u32>>());
            }
            Values::Numbers(numbers) => out.gather(numbers, rows),
        }
    }
}

/// Makes `bits` what bytes of all ones or zeros say of rows.
fn take_bits(rows: &[u32], bits: &mut Bitmap, byte: impl Fn(u32) -> u8) {
    bits.fill_words(rows.len(), |word| {
        let rows = &rows[word * 64..rows.len().min(word * 64 + 64)];
        let mut bytes = [0u8; 64];
        bytes.iter_mut().zip(rows).for_each(|(to, &row)| *to = byte(row));
        pack(&bytes)
    });
}

impl Values {
    /// None, in a register.
    fn empty(register: Register) -> Result<Self> {
        let data = match register {
            Register::Bool => return Ok(Values::Truth(Vec::new(), Vec::new())),
            Register::I32 => VectorData::I32(Vec::new()),
            Register::I64 => VectorData::I64(Vec::new()),
            Register::F64 => VectorData::F64(Vec::new()),
            _ => return Err(Error::internal("a register whose values are not kept by member")),
        };
        Ok(Values::Numbers(Vector { data, ..Vector::default() }))
    }

    /// Appends the values of more rows.
    fn append(&mut self, from: &Vector) -> Result<()> {
        let places = (0..from.len).map(|tuple| from.position(tuple));
        match self {
            Values::Truth(truth, valid) => {
                let byte = |is: bool| if is { 0xFF } else { 0 };
                truth.extend((0..from.len).map(|tuple| byte(from.is_true(tuple))));
                valid.extend((0..from.len).map(|tuple| byte(!from.is_null(tuple))));
            }
            Values::Numbers(numbers) => {
                match (&mut numbers.data, &from.data) {
                    (VectorData::I32(values), VectorData::I32(from)) => values.extend(places.map(|place| from[place])),
                    (VectorData::I64(values), VectorData::I64(from)) => values.extend(places.map(|place| from[place])),
                    (VectorData::F64(values), VectorData::F64(from)) => values.extend(places.map(|place| from[place])),
                    _ => return Err(Error::internal("values in another register than their node's")),
                }
                if from.nulls.is_some() || numbers.nulls.is_some() {
                    let known = numbers.len;
                    let mut nulls = Bitmap::default();
                    nulls.fill(known + from.len, |at| match at.checked_sub(known) {
                        Some(at) => !from.is_null(at),
                        None => !numbers.is_null(at),
                    });
                    numbers.nulls = Some(nulls);
                }
                numbers.len += from.len;
            }
        }
        Ok(())
    }
}

impl Tile<'_> {
    /// Makes an index stand on rows, and those in front of it on any.
    fn stand_on(&mut self, index: usize, rows: Rows, len: usize) {
        self.start(0, len);
        self.levels[1].tuples.rows = vec![rows; index + 1];
    }
}
