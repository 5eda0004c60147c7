//! Loading: columns from their physical form into registers, by range or by row list.

use super::fused;
use crate::Result;
use crate::column::vectors::Block;
use crate::column::{Column, ColumnData, TextView};
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::pick::pick;
use crate::cpu::simd::kernel::{append, kernel, prefetch_all};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::rows::{NO_ROW, Rows, Source};
use crate::cpu::vector::valid_rows::slice_bits;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::technique::Technique;
use multiloop_planner::function::Function;
use multiloop_planner::value::Interval;
use std::ops::Range;
use std::sync::Arc;

/// Makes `out` a field of a source at these rows. `optional` says that there may be [`NO_ROW`]s. The register has
/// been proven to hold all values. An error if they cannot be read from where they are.
pub(crate) fn load(
    source: &Source,
    field: u32,
    rows: &Rows,
    len: usize,
    optional: bool,
    register: Register,
    out: &mut Vector,
) -> Result<()> {
    match (source, source.column(field)) {
        (_, Some(column)) => load_column(column, rows, len, optional, register, out),
        (Source::Count { start }, _) => {
            let mut values = out.take_i64();
            values.extend((0..len).map(|tuple| start + i64::from(rows.get(tuple))));
            out.set(len, VectorData::I64(values), None);
            crate::cpu::kernels::integer::coerce(out, register);
        }
        (Source::Chunked(chunks), _) => {
            let Rows::List(rows) = rows else { unreachable!("rows by number are those of a bucket") };
            chunks.load(field, rows, optional, register, out);
        }
        (Source::Lazy(rows), None) => return rows.column(field).as_ref().map(|_| ()).map_err(Clone::clone),
        (Source::Chunk { .. }, None) => unreachable!("every field of a chunk is a column"),
    }
    Ok(())
}

/// The rows as a list without the rows that are none, if there are any.
fn nulls_of(column: &Column, rows: &Rows, len: usize, optional: bool, nulls: &mut Bitmap) -> bool {
    let valid = column.nulls.as_ref().map(|nulls| nulls.inner());
    match (rows, valid) {
        (Rows::Range(_), None) => return false,
        (Rows::Range(start), Some(valid)) => slice_bits(valid, *start as usize, len, nulls),
        (Rows::List(list), valid) => {
            if !optional && valid.is_none() {
                return false;
            }
            let is_valid = |row: u32| valid.is_none_or(|valid| valid.value(row as usize));
            nulls.fill(len, |tuple| (!optional || list[tuple] != NO_ROW) && is_valid(list[tuple]));
        }
    }
    !nulls.is_full()
}

/// Values of a scan that are converted between two requests for memory further on.
const SCAN_BLOCK: usize = 256;

/// Converts physical values into registers: a dense loop over a range, a gather over a list.
#[inline(always)]
fn fill<P: Copy, R: Default>(
    values: &[P],
    rows: &Rows,
    len: usize,
    optional: bool,
    out: &mut Vec<R>,
    convert: impl Fn(P) -> R,
) {
    match rows {
        Rows::Range(start) => scan(&values[*start as usize..*start as usize + len], out, convert),
        Rows::List(list) => pick(values, list, optional, out, convert),
    }
}

#[inline(always)]
fn scan<P: Copy, R>(values: &[P], out: &mut Vec<R>, convert: impl Fn(P) -> R) {
    out.reserve(values.len());
    for block in values.chunks(SCAN_BLOCK) {
        prefetch_all(block);
        append(out, block, &convert);
    }
}

fn load_column(column: &Column, rows: &Rows, len: usize, optional: bool, register: Register, out: &mut Vector) {
    let mut bits = out.take_nulls();
    let nulls = nulls_of(column, rows, len, optional, &mut bits).then_some(bits);
    let data = match register {
        Register::Bool => {
            let mut bits = out.take_bool();
            if let ColumnData::Boolean(values) = &column.data {
                match rows {
                    Rows::Range(start) => slice_bits(values, *start as usize, len, &mut bits),
                    Rows::List(list) => {
                        bits.fill(len, |tuple| list[tuple] != NO_ROW && values.value(list[tuple] as usize))
                    }
                }
            } else {
                bits.reset(len, false);
            }
            VectorData::Bool(bits)
        }
        Register::I32 => {
            let mut values = out.take_i32();
            match rows {
                Rows::Range(start) => scan_i32(&column.data, *start as usize, len, &mut values),
                Rows::List(list) => pick_i32(&column.data, list, optional, &mut values),
            }
            VectorData::I32(values)
        }
        Register::I64 => {
            let mut values = out.take_i64();
            match rows {
                Rows::Range(start) => scan_i64(&column.data, *start as usize, len, &mut values),
                Rows::List(list) => pick_i64(&column.data, list, optional, &mut values),
            }
            VectorData::I64(values)
        }
        Register::I128 => {
            let mut values = out.take_i128();
            match rows {
                Rows::Range(start) => scan_i128(&column.data, *start as usize, len, &mut values),
                Rows::List(list) => pick_i128(&column.data, list, optional, &mut values),
            }
            VectorData::I128(values)
        }
        Register::F64 => {
            let mut values = out.take_f64();
            match &column.data {
                ColumnData::Float32(floats) => fill(floats, rows, len, optional, &mut values, f64::from),
                ColumnData::Float64(floats) => fill(floats, rows, len, optional, &mut values, |value| value),
                _ => values.resize(len, 0.0),
            }
            VectorData::F64(values)
        }
        Register::Interval => {
            let mut values = out.take_interval();
            match &column.data {
                ColumnData::Interval(intervals) => fill(intervals, rows, len, optional, &mut values, |value| value),
                _ => values.resize(len, Interval::default()),
            }
            VectorData::Interval(values)
        }
        Register::Vectors(length) => vectors(&column.data, rows, len, length, out),
        Register::Text => text(&column.data, rows, len, optional, out),
    };
    out.set(len, data, nulls);
}

/// The places of vectors in a column's elements.
fn vectors(data: &ColumnData, rows: &Rows, len: usize, length: u32, out: &mut Vector) -> VectorData {
    let mut vectors = out.take_vectors(length as usize);
    match (Block::of_column(data), rows) {
        // Nothing but NULLs of no type.
        (None, _) => vectors.resize(len),
        (Some(block), Rows::Range(start)) => {
            let block = vectors.add_block(&block);
            vectors.extend(block, (*start..*start + len as u32).map(Some));
        }
        (Some(block), Rows::List(list)) => {
            let block = vectors.add_block(&block);
            vectors.extend(block, list.iter().map(|&row| (row != NO_ROW).then_some(row)));
        }
    }
    VectorData::Vectors(vectors)
}

/// Defines the loaders of one integer register: of a range, and of a list, since the instructions that gather are slower
/// than one load after the other. `as` cannot lose anything, since the register has been proven wide enough; what stands at
/// a NULL may be cut, and is never looked at.
macro_rules! integers {
    ($scan:ident, $pick:ident, $shift:ident, $register:ty) => {
        kernel! {
            /// Loads a range of integers, turns the bits of `flip`, and adds.
            fn $shift[](
                data: &ColumnData,
                rows: Range<usize>,
                flip: $register,
                plus: $register,
                out: &mut Vec<$register>,
            ) {
                integers!(data, $register, out, |values, convert| {
                    scan(&values[rows], out, |value| (convert(value) ^ flip).wrapping_add(plus));
                });
            }
        }

        kernel! {
            fn $scan[](data: &ColumnData, start: usize, len: usize, out: &mut Vec<$register>) {
                if !data.is_integer() {
                    return out.resize(len, 0);
                }
                integers!(data, $register, out, |values, convert| scan(&values[start..start + len], out, convert));
            }
        }

        fn $pick(data: &ColumnData, list: &[u32], optional: bool, out: &mut Vec<$register>) {
            if !data.is_integer() {
                return out.resize(list.len(), 0);
            }
            integers!(data, $register, out, |values, convert| pick(values, list, optional, out, convert));
        }
    };
    ($data:ident, $register:ty, $out:ident, |$values:ident, $convert:ident| $load:expr) => {{
        type R = $register;
        macro_rules! load {
            ($stored:ident, $function:expr) => {{
                let ($values, $convert) = (&$stored[..], $function);
                $load
            }};
        }
        match $data {
            ColumnData::Frame8 { base, offsets } => {
                let base = *base as R;
                load!(offsets, |offset| base.wrapping_add(R::from(offset)));
            }
            ColumnData::Frame16 { base, offsets } => {
                let base = *base as R;
                load!(offsets, |offset| base.wrapping_add(R::from(offset)));
            }
            ColumnData::Frame32 { base, offsets } => {
                let base = *base as R;
                load!(offsets, |offset| base.wrapping_add(offset as R));
            }
            ColumnData::Stepped8 { base, step, offsets } => {
                let (base, step) = (*base as R, *step as R);
                load!(offsets, |offset| base.wrapping_add(step.wrapping_mul(offset as R)));
            }
            ColumnData::Stepped16 { base, step, offsets } => {
                let (base, step) = (*base as R, *step as R);
                load!(offsets, |offset| base.wrapping_add(step.wrapping_mul(offset as R)));
            }
            ColumnData::Stepped32 { base, step, offsets } => {
                let (base, step) = (*base as R, *step as R);
                load!(offsets, |offset| base.wrapping_add(step.wrapping_mul(offset as R)));
            }
            ColumnData::Int16(values) => load!(values, R::from),
            ColumnData::Int32(values) => load!(values, |value| value as R),
            ColumnData::Int64(values) => load!(values, |value| value as R),
            ColumnData::Int128(values) => load!(values, |value| value as R),
            _ => {}
        }
    }};
}

integers!(scan_i32, pick_i32, shift_i32, i32);
integers!(scan_i64, pick_i64, shift_i64, i64);
integers!(scan_i128, pick_i128, shift_i128, i128);

/// A column of a scan that has not been loaded, and what is done to its values: bits turned (all or none), then a number added.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    pub(super) column: u32,
    pub(super) flip: i128,
    pub(super) plus: i128,
}

impl Shift {
    /// The sum or difference of a constant and such a column, if that is what a node is and it cannot leave its register.
    pub(super) fn of(tile: &mut Tile<'_>, node: &Node) -> Result<Option<Self>> {
        let Operation::Call { function, arguments } = &node.operation else { return Ok(None) };
        let &[a, b] = &arguments[..] else { return Ok(None) };
        let (column, constant) = if fused::is_constant(tile, b) { (a, b) } else { (b, a) };
        let is_sum = matches!(function, Function::Add | Function::Subtract);
        let fits = !node.may_fail && node.data_type.integer_bounds().is_some() && Technique::Fused.is_on();
        if !is_sum || !fits || !fused::is_constant(tile, constant) || fused::scanned(tile, column).is_none() {
            return Ok(None);
        }
        tile.ensure(constant)?;
        let Some(value) = tile.top(constant).integer(0).filter(|_| !tile.top(constant).is_null(0)) else {
            return Ok(None);
        };
        // A value's opposite is its complement and one.
        let (flip, plus) = match function {
            Function::Add => (0, value),
            _ if constant == b => (0, value.wrapping_neg()),
            _ => (-1, value.wrapping_add(1)),
        };
        Ok(Some(Shift { column, flip, plus }))
    }
}

/// Makes `out` the sum or difference of a constant and a column of a scan that has not been loaded, if that is what a node
/// is and it cannot leave its register: false if not. So the column goes through memory once.
pub(super) fn shifted(tile: &mut Tile<'_>, node: &Node, len: usize, out: &mut Vector) -> Result<bool> {
    let Some(Shift { column, flip, plus }) = Shift::of(tile, node)? else { return Ok(false) };
    let Some((column, start)) = fused::scanned(tile, column).filter(|(column, _)| column.data.is_integer()) else {
        return Ok(false);
    };
    let rows = start..start + len;
    let data = match node.register {
        Register::I32 => {
            let mut values = out.take_i32();
            shift_i32(&column.data, rows, flip as i32, plus as i32, &mut values);
            VectorData::I32(values)
        }
        Register::I64 => {
            let mut values = out.take_i64();
            shift_i64(&column.data, rows, flip as i64, plus as i64, &mut values);
            VectorData::I64(values)
        }
        Register::I128 => {
            let mut values = out.take_i128();
            shift_i128(&column.data, rows, flip, plus, &mut values);
            VectorData::I128(values)
        }
        _ => return Ok(false),
    };
    let mut bits = out.take_nulls();
    let nulls = nulls_of(column, &Rows::Range(start as u32), len, false, &mut bits).then_some(bits);
    out.set(len, data, nulls);
    Ok(true)
}

fn text(data: &ColumnData, rows: &Rows, len: usize, optional: bool, out: &mut Vector) -> VectorData {
    match data {
        ColumnData::Dictionary8 { codes, dictionary } => {
            let mut taken = out.take_codes();
            fill(codes, rows, len, optional, &mut taken, u32::from);
            VectorData::Code { codes: taken, dictionary: Arc::clone(dictionary) }
        }
        ColumnData::Dictionary16 { codes, dictionary } => {
            let mut taken = out.take_codes();
            fill(codes, rows, len, optional, &mut taken, u32::from);
            VectorData::Code { codes: taken, dictionary: Arc::clone(dictionary) }
        }
        ColumnData::Dictionary32 { codes, dictionary } => {
            let mut taken = out.take_codes();
            fill(codes, rows, len, optional, &mut taken, |code| code);
            VectorData::Code { codes: taken, dictionary: Arc::clone(dictionary) }
        }
        ColumnData::Text { offsets, bytes } => {
            let mut texts = out.take_text();
            texts.set_buffers(Arc::new([bytes.clone()]));
            let view =
                |start: i32, end: i32| TextView { buffer: 0, offset: start as u32, length: (end - start) as u32 };
            // A column's offsets lie within its bytes and cut them into valid UTF-8.
            match rows {
                Rows::Range(start) => {
                    let ends = &offsets[*start as usize..*start as usize + len + 1];
                    texts.extend_views(ends.windows(2).map(|ends| view(ends[0], ends[1])));
                }
                Rows::List(list) => texts.extend_views(list.iter().map(|&row| match row {
                    NO_ROW => TextView::EMPTY,
                    row => view(offsets[row as usize], offsets[row as usize + 1]),
                })),
            }
            VectorData::Text(texts)
        }
        ColumnData::Views { views, buffers } => {
            let mut texts = out.take_text();
            texts.set_buffers(Arc::clone(buffers));
            // An empty string where there is no row.
            let view = |row: u32| views.get(row as usize).copied().unwrap_or(TextView::EMPTY);
            match rows {
                Rows::Range(start) => texts.extend_views((*start..start + len as u32).map(view)),
                Rows::List(list) => texts.extend_views(list.iter().map(|&row| view(row))),
            }
            VectorData::Text(texts)
        }
        ColumnData::Numerics(numbers) => {
            let mut taken = out.take_numerics();
            match rows {
                Rows::Range(start) => taken.extend(numbers[*start as usize..*start as usize + len].iter().copied()),
                Rows::List(list) => {
                    taken.extend(list.iter().map(|&row| numbers.get(row as usize).copied().unwrap_or_default()));
                }
            }
            VectorData::Numerics(taken)
        }
        _ => {
            let mut texts = out.take_text();
            (0..len).for_each(|_| texts.push(""));
            VectorData::Text(texts)
        }
    }
}
