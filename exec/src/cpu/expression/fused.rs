//! Comparisons of a column with a constant, and LIKE, on the column's physical form.
//!
//! Every comparison asks whether a value lies in one interval (or outside, for <>). The interval is moved into the
//! column's own space: offsets of a frame, codes of a sorted dictionary. There it is one unsigned comparison,
//! `value - low <= high - low`, on lanes as narrow as the column is.

use super::node::Operation;
use crate::Result;
use crate::column::{Column, ColumnData, Dictionary};
use crate::cpu::bitmap::Bitmap;
use crate::cpu::kernels::text::Test;
use crate::cpu::kernels::{compare, fill_truth, fill_truth_of, text, vectorised};
use crate::cpu::tile::{Rows, Tile};
use crate::cpu::vector::{Vector, VectorData};
use memchr::memmem::Finder;
use multiloop_planner::function::Function;

/// Does a function of a column and constants on the column itself, if it can: false if not.
pub(super) fn evaluate(
    tile: &mut Tile<'_>,
    function: Function,
    arguments: &[u32],
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let (column, constant, holds) = match (arguments, compare::orders(function)) {
        (&[a, b], Some(holds)) if is_constant(tile, b) => (a, b, Some(holds)),
        (&[a, b], Some([less, equal, greater])) if is_constant(tile, a) => (b, a, Some([greater, equal, less])),
        (&[a, b], None) if matches!(function, Function::Like | Function::Contains) && is_constant(tile, b) => {
            (a, b, None)
        }
        _ => return Ok(false),
    };
    let Operation::Column { index, field, optional: false } = tile.node(column).operation else { return Ok(false) };
    if tile.levels[tile.depth - 1].computed[column as usize] {
        return Ok(false);
    }
    tile.ensure(constant)?;
    let value = tile.top(constant);
    let source = tile.sources[index].as_ref().expect("bug: the source of an index is not set");
    let Some(column) = source.column(field) else { return Ok(false) };
    let rows = &tile.tuples().rows[index];
    let mut bits = out.take_bool();
    let done = !value.is_null(0)
        && match holds {
            Some(holds) => compare_column(column, rows, len, value, holds, &mut bits),
            None => search_column(column, rows, len, function, value, &mut bits),
        };
    if !done {
        out.data = VectorData::Bool(bits);
        return Ok(false);
    }
    let nulls = column.nulls.as_ref().map(|valid| {
        let mut nulls = out.take_nulls();
        match rows {
            Rows::Range(start) => super::load::slice_bits(valid.inner(), *start as usize, len, &mut nulls),
            Rows::List(list) => nulls.fill(len, |tuple| valid.is_valid(list[tuple] as usize)),
        }
        nulls
    });
    out.set(len, VectorData::Bool(bits), nulls);
    Ok(true)
}

fn is_constant(tile: &Tile<'_>, number: u32) -> bool {
    let node = tile.node(number);
    node.reach == 0 && !node.volatile && !node.may_fail
}

/// An interval of a column's own values; `inside` says whether what lies in it passes.
#[derive(Clone, Copy)]
struct Interval {
    low: i128,
    high: i128,
    inside: bool,
}

/// The interval of values, between `least` and `most`, for which a comparison with `value` holds.
fn interval(value: i128, holds: [bool; 3], least: i128, most: i128) -> Interval {
    let beside = |equal: bool| i128::from(!equal);
    match holds {
        [false, true, false] => Interval { low: value, high: value, inside: true },
        [true, false, true] => Interval { low: value, high: value, inside: false },
        [true, equal, _] => Interval { low: least, high: value - beside(equal), inside: true },
        [_, equal, _] => Interval { low: value + beside(equal), high: most, inside: true },
    }
}

fn compare_column(
    column: &Column,
    rows: &Rows,
    len: usize,
    value: &Vector,
    holds: [bool; 3],
    bits: &mut Bitmap,
) -> bool {
    macro_rules! frame {
        ($base:expr, $offsets:expr, $unsigned:ty) => {{
            let Some(value) = value.integer(0) else { return false };
            let Some(value) = value.checked_sub(i128::from(*$base)) else { return false };
            let most = i128::from(<$unsigned>::MAX);
            select(&$offsets[..], rows, len, interval(value, holds, 0, most), most, bits, |value: $unsigned| value);
        }};
    }
    macro_rules! plain {
        ($values:expr, $signed:ty, $unsigned:ty) => {{
            let Some(value) = value.integer(0) else { return false };
            // Signed values are compared as unsigned distances from the smallest.
            let least = i128::from(<$signed>::MIN);
            let Some(value) = value.checked_sub(least) else { return false };
            let most = i128::from(<$unsigned>::MAX);
            let distance = |value: $signed| value.wrapping_sub(<$signed>::MIN) as $unsigned;
            select(&$values[..], rows, len, interval(value, holds, 0, most), most, bits, distance);
        }};
    }
    macro_rules! codes {
        ($codes:expr, $dictionary:expr, $unsigned:ty) => {{
            let Some(text) = value.text(0) else { return false };
            let most = i128::from(<$unsigned>::MAX);
            let interval = code_interval($dictionary, text, holds, most);
            select(&$codes[..], rows, len, interval, most, bits, |code: $unsigned| code);
        }};
    }
    match &column.data {
        ColumnData::Frame8 { base, offsets } => frame!(base, offsets, u8),
        ColumnData::Frame16 { base, offsets } => frame!(base, offsets, u16),
        ColumnData::Frame32 { base, offsets } => frame!(base, offsets, u32),
        ColumnData::Int16(values) => plain!(values, i16, u16),
        ColumnData::Int32(values) => plain!(values, i32, u32),
        ColumnData::Int64(values) => plain!(values, i64, u64),
        ColumnData::Dictionary8 { codes, dictionary } => codes!(codes, dictionary, u8),
        ColumnData::Dictionary16 { codes, dictionary } => codes!(codes, dictionary, u16),
        ColumnData::Dictionary32 { codes, dictionary } => codes!(codes, dictionary, u32),
        _ => return false,
    }
    true
}

/// The codes whose strings compare so with a text; a text that is not in the dictionary lies between two codes.
fn code_interval(dictionary: &Dictionary, text: &str, holds: [bool; 3], most: i128) -> Interval {
    match dictionary.find(text) {
        Ok(code) => interval(code.into(), holds, 0, most),
        Err(next) if holds[0] == holds[2] => Interval { low: i128::from(next), high: -1, inside: holds[1] },
        Err(next) if holds[0] => Interval { low: 0, high: i128::from(next) - 1, inside: true },
        Err(next) => Interval { low: next.into(), high: most, inside: true },
    }
}

/// An unsigned integer as wide as a column's values.
trait Unsigned: Copy + PartialOrd + TryFrom<i128> {
    fn distance(self, from: Self) -> Self;
}

macro_rules! unsigned {
    ($($type:ty),*) => {
        $(impl Unsigned for $type {
            #[inline(always)]
            fn distance(self, from: Self) -> Self {
                self.wrapping_sub(from)
            }
        })*
    };
}

unsigned!(u8, u16, u32, u64);

/// The truth of an interval, cut to 0 to `most`, at the rows of a tile.
fn select<P: Copy, U: Unsigned>(
    values: &[P],
    rows: &Rows,
    len: usize,
    interval: Interval,
    most: i128,
    bits: &mut Bitmap,
    unsigned: impl Fn(P) -> U,
) {
    let Interval { low, high, inside } = interval;
    let (low, high) = (low.max(0), high.min(most));
    if low > high {
        return bits.reset(len, !inside);
    }
    let (Ok(base), Ok(span)) = (U::try_from(low), U::try_from(high - low)) else {
        unreachable!("the interval was cut to the unsigned type")
    };
    match rows {
        Rows::Range(start) => {
            let values = &values[*start as usize..*start as usize + len];
            vectorised(|| fill_truth_of(values, bits, |value| unsigned(value).distance(base) <= span));
        }
        Rows::List(list) => {
            fill_truth(len, bits, |tuple| unsigned(values[list[tuple] as usize]).distance(base) <= span);
        }
    }
    if !inside {
        bits.invert();
    }
}

/// LIKE '%a%b%' over consecutive rows of plain text: the bytes of all rows are searched as one buffer, and a hit is
/// mapped back to the row in which it lies.
fn search_column(
    column: &Column,
    rows: &Rows,
    len: usize,
    function: Function,
    pattern: &Vector,
    bits: &mut Bitmap,
) -> bool {
    let (ColumnData::Text { offsets, bytes }, Rows::Range(start)) = (&column.data, rows) else { return false };
    let Some(Test::Parts(parts)) = Test::new(function, &[pattern]) else { return false };
    let offsets = &offsets[*start as usize..*start as usize + len + 1];
    bits.reset(len, false);
    let Some((first, rest)) = parts.split_first().filter(|(first, _)| !first.needle().is_empty()) else {
        bits.reset(len, true);
        return true;
    };
    find_rows(offsets, bytes, first, rest, bits);
    true
}

fn find_rows(offsets: &[i32], bytes: &[u8], first: &Finder<'_>, rest: &[Finder<'_>], bits: &mut Bitmap) {
    let end = offsets[offsets.len() - 1] as usize;
    let (mut from, mut row) = (offsets[0] as usize, 0);
    while let Some(hit) = first.find(&bytes[from..end]) {
        let hit = from + hit;
        // Hits are far apart more often than not: leap to the row by doubling steps.
        row += rows_before(&offsets[row + 1..], hit);
        let row_end = offsets[row + 1] as usize;
        let behind = hit + first.needle().len();
        if behind > row_end {
            // It lies across a border of rows; another may begin within it.
            from = hit + 1;
            continue;
        }
        if text::holds(&bytes[behind..row_end], rest) {
            bits.set(row, true);
        }
        // The leftmost hit is never worse than another of the same row.
        from = row_end;
    }
}

/// How many rows, given by their ends, end at or before a byte.
fn rows_before(ends: &[i32], byte: usize) -> usize {
    let ended = |at: usize| ends.get(at).is_some_and(|&end| end as usize <= byte);
    let mut step = 1;
    while ended(step) {
        step *= 2;
    }
    let (low, high) = (step / 2, step.min(ends.len()));
    low + ends[low..high].partition_point(|&end| end as usize <= byte)
}
