//! Comparisons of a column with a constant, and LIKE, on the column's physical form.
//!
//! Every comparison asks whether a value lies in one interval (or outside, for <>). The interval is moved into the
//! column's own space: offsets of a frame, codes of a sorted dictionary. There it is one unsigned comparison,
//! `value - low <= high - low`, on lanes as narrow as the column is.

use crate::Result;
use crate::column::order_key::{text_order, text_order_at};
use crate::column::{Column, ColumnData, Dictionary};
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::equal_text::hold_equal;
use crate::cpu::kernels::mask::Lane;
use crate::cpu::kernels::{compare, fill_truth_of, text};
use crate::cpu::simd::kernel::{append, vectorised};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::rows::Rows;
use crate::cpu::vector::valid_rows::{slice_bits, valid_rows};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::Operation;
use crate::technique::Technique;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::ScalarId;

/// A comparison of a column with a constant, or a search in it for a pattern.
#[derive(Clone, Copy)]
pub(super) struct Test {
    /// The column's node.
    column: u32,
    constant: u32,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// Holds for these orders of value and constant: less, equal, greater.
    Compare([bool; 3]),
    Search(Function),
}

impl Test {
    /// What a node tests of a column that has not been loaded, if it does.
    pub(super) fn of(tile: &Tile<'_>, number: u32) -> Option<Test> {
        let Operation::Call { function, arguments } = &tile.node(number).operation else { return None };
        Test::of_call(tile, *function, arguments)
    }

    fn of_call(tile: &Tile<'_>, function: Function, arguments: &[u32]) -> Option<Test> {
        let (column, constant, what) = match (arguments, compare::orders(function)) {
            (&[a, b], Some(holds)) if is_constant(tile, b) => (a, b, What::Compare(holds)),
            (&[a, b], Some([less, equal, greater])) if is_constant(tile, a) => {
                (b, a, What::Compare([greater, equal, less]))
            }
            (&[a, b], None) if is_search(function) && is_constant(tile, b) => (a, b, What::Search(function)),
            _ => return None,
        };
        if matches!(what, What::Compare(_)) && !Technique::Fused.is_on() {
            return None;
        }
        let is_column = matches!(tile.node(column).operation, Operation::Column { optional: false, .. });
        (is_column && !tile.is_computed(column)).then_some(Test { column, constant, what })
    }

    /// The column, if it asks for values in an interval: two such tests of one column are one.
    pub(super) fn interval_of(&self) -> Option<u32> {
        let is_interval = matches!(self.what, What::Compare(holds) if holds != [true, false, true]);
        (is_interval && Technique::Intervals.is_on()).then_some(self.column)
    }
}

fn is_search(function: Function) -> bool {
    matches!(function, Function::Like | Function::ILike | Function::Contains | Function::StartsWith)
        && Technique::TextSearch.is_on()
}

/// Whether a node compares a column of a scan with a constant or with another such column, many tuples at once.
pub(super) fn is_dense(tile: &Tile<'_>, number: u32) -> bool {
    let Operation::Call { function, arguments } = &tile.node(number).operation else { return false };
    if !Technique::Fused.is_on() {
        return false;
    }
    let is_scanned = |number: u32| scanned(tile, number).is_some();
    match Test::of_call(tile, *function, arguments) {
        Some(test) => matches!(test.what, What::Compare(_)) && is_scanned(test.column),
        None => compare::orders(*function).is_some() && arguments.iter().all(|&argument| is_scanned(argument)),
    }
}

/// Does a function of a column and constants on the column itself, if it can: false if not.
pub(super) fn evaluate(
    tile: &mut Tile<'_>,
    function: Function,
    arguments: &[u32],
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let Some(test) = Test::of_call(tile, function, arguments) else {
        return Ok(columns(tile, function, arguments, len, out));
    };
    let mut bits = out.take_bool();
    let mut valid = out.take_nulls();
    match hold(tile, &[test], len, &mut bits, &mut valid)? {
        Some(nulls) => {
            out.set(len, VectorData::Bool(bits), nulls.then_some(valid));
            Ok(true)
        }
        None => {
            out.data = VectorData::Bool(bits);
            Ok(false)
        }
    }
}

/// Compares two columns of one form that have not been loaded, row by row of a scan; false if they are not such.
fn columns(tile: &Tile<'_>, function: Function, arguments: &[u32], len: usize, out: &mut Vector) -> bool {
    let (&[left, right], Some(holds)) = (arguments, compare::orders(function)) else { return false };
    if !Technique::Fused.is_on() {
        return false;
    }
    let (Some((left, start)), Some((right, other))) = (scanned(tile, left), scanned(tile, right)) else { return false };
    let columns = [(left, start), (right, other)];
    /// Compares if both columns are such frames.
    macro_rules! frames {
        ($variant:ident) => {
            if let (
                ColumnData::$variant { base: left_base, offsets: left },
                ColumnData::$variant { base: right_base, offsets: right },
            ) = (&left.data, &right.data)
            {
                let shift = left_base.checked_sub(*right_base).filter(|&shift| shift > i64::MIN);
                let Some(shift) = shift else { return false };
                let (left, right) = (&left[start..start + len], &right[other..other + len]);
                let mut bits = out.take_bool();
                compare_offsets(left, right, shift, holds, &mut bits);
                let valid = valid_in_all(columns, len);
                out.set(len, VectorData::Bool(bits), valid);
                return true;
            }
        };
    }
    frames!(Frame8);
    frames!(Frame16);
    frames!(Frame32);
    false
}

/// Which of the rows from some on have a value in both columns; none if all have.
fn valid_in_all(columns: [(&Column, usize); 2], len: usize) -> Option<Bitmap> {
    let nullable = columns.into_iter().filter_map(|(column, start)| valid_rows(column, start, len));
    let both = nullable.reduce(|mut both, valid| {
        both.and(&valid);
        both
    });
    both.filter(|valid| !valid.is_full())
}

/// A column that has not been loaded, of a range of rows, and the first of these.
pub(super) fn scanned<'t>(tile: &'t Tile<'_>, number: u32) -> Option<(&'t Column, usize)> {
    let Operation::Column { index, field, optional: false } = tile.node(number).operation else { return None };
    if tile.is_computed(number) {
        return None;
    }
    let column = tile.sources[index].as_ref()?.column(field)?;
    match tile.tuples().rows[index] {
        Rows::Range(start) => Some((column, start as usize)),
        Rows::List(_) => None,
    }
}

impl Tile<'_> {
    /// Makes `bits` the truth of a comparison (for these orders: less, equal, greater) of a scalar with a value that is not NULL, on the
    /// column's own form, if it is a column that has not been loaded, of a scan or of strings; and `valid` where it is not NULL, if it may be:
    /// whether it may. None if that cannot be done.
    pub(in crate::cpu) fn compare_scanned(
        &self,
        scalar: ScalarId,
        value: &Vector,
        holds: [bool; 3],
        bits: &mut Bitmap,
        valid: &mut Bitmap,
    ) -> Option<bool> {
        let number = self.expressions.number(scalar) as u32;
        let Operation::Column { index, field, optional: false } = self.node(number).operation else { return None };
        if self.is_computed(number) || !Technique::Fused.is_on() {
            return None;
        }
        let column = self.sources[index].as_ref()?.column(field)?;
        let (rows, len) = (&self.tuples().rows[index], self.len());
        let done = match (&column.data, rows) {
            (ColumnData::Text { offsets, bytes }, _) => {
                compare_texts((&offsets[..], bytes.as_slice()), rows, len, (value.text(0)?.as_bytes(), holds), bits);
                true
            }
            (_, Rows::Range(_)) => compare_column(column, rows, len, &[(value, What::Compare(holds))], bits),
            _ => false,
        };
        let nulls = if done { column.nulls.as_ref() } else { return None };
        match (nulls, rows) {
            (None, _) => {}
            (Some(nulls), Rows::Range(start)) => slice_bits(nulls.inner(), *start as usize, len, valid),
            (Some(nulls), Rows::List(list)) => valid.fill(len, |tuple| nulls.is_valid(list[tuple] as usize)),
        }
        Some(nulls.is_some())
    }

    /// Whether [`Tile::compare_scanned`] can do it, most likely.
    pub(in crate::cpu) fn compares_scanned(&self, scalar: ScalarId) -> bool {
        let is_compared = |data: &ColumnData| match data {
            ColumnData::Dictionary8 { .. } | ColumnData::Dictionary16 { .. } | ColumnData::Dictionary32 { .. } => true,
            ColumnData::Int128(_) => false,
            other => other.is_integer(),
        };
        Technique::Fused.is_on() && self.scanned(scalar).is_some_and(|(column, _)| is_compared(&column.data))
    }
}

/// Compares the strings of a column with one, by their first eight bytes, and those that begin like it as a whole; for equality by
/// their lengths first.
fn compare_texts(
    (offsets, bytes): (&[i32], &[u8]),
    rows: &Rows,
    len: usize,
    (value, holds): (&[u8], [bool; 3]),
    bits: &mut Bitmap,
) {
    if let ([false, true, false] | [true, false, true], Rows::Range(start)) = (holds, rows) {
        let offsets = &offsets[*start as usize..=*start as usize + len];
        return hold_equal((offsets, bytes), (value, holds[1]), bits);
    }
    let first = text_order(value);
    let passes = |row: usize| {
        let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
        let order = text_order_at(bytes, start, end - start).cmp(&first);
        holds[(order.then_with(|| bytes[start..end].cmp(value)) as i8 + 1) as usize]
    };
    match rows {
        Rows::Range(start) => bits.fill(len, |tuple| passes(*start as usize + tuple)),
        Rows::List(list) => bits.fill(len, |tuple| passes(list[tuple] as usize)),
    }
}

/// Compares left offsets plus a number with right ones.
fn compare_offsets<U: Lane + Default>(left: &[U], right: &[U], shift: i64, holds: [bool; 3], bits: &mut Bitmap) {
    /// Whether a + shift < b; for a negative shift that is not b + (-shift - 1) < a.
    fn less<U: Lane + Default>(a: &[U], shift: i64, b: &[U], bits: &mut Bitmap) {
        let more = if shift < 0 { -(shift + 1) } else { shift };
        match U::try_from(more as u64) {
            Ok(more) if shift < 0 => U::less(b, more, a, bits),
            Ok(more) => U::less(a, more, b, bits),
            // No offset is so large.
            Err(_) => bits.reset(a.len(), false),
        }
        if shift < 0 {
            bits.invert();
        }
    }
    match holds {
        [true, false, false] => less(left, shift, right, bits),
        [false, true, true] => {
            less(left, shift, right, bits);
            bits.invert();
        }
        [false, false, true] => less(right, -shift, left, bits),
        [true, true, false] => {
            less(right, -shift, left, bits);
            bits.invert();
        }
        [_, equal, _] => {
            let mut greater = Bitmap::default();
            less(left, shift, right, bits);
            less(right, -shift, left, &mut greater);
            bits.or(&greater);
            if equal {
                bits.invert();
            }
        }
    }
}

/// Makes `bits` the truth of tests that [`Test::joins`] has joined, or of one test, and `valid` where the column is not
/// NULL; whether it may be. None if that cannot be done on the column.
pub(super) fn hold(
    tile: &mut Tile<'_>,
    tests: &[Test],
    len: usize,
    bits: &mut Bitmap,
    valid: &mut Bitmap,
) -> Result<Option<bool>> {
    for test in tests {
        tile.ensure(test.constant)?;
    }
    let values: Vec<(&Vector, What)> = tests.iter().map(|test| (tile.top(test.constant), test.what)).collect();
    let Operation::Column { index, field, .. } = tile.node(tests[0].column).operation else { return Ok(None) };
    // What is computed for many rows at once has no source (`interchange`).
    let Some(source) = tile.sources[index].as_ref() else { return Ok(None) };
    let Some(column) = source.column(field) else { return Ok(None) };
    let rows = &tile.tuples().rows[index];
    if values.iter().any(|(value, _)| value.is_null(0)) {
        return Ok(None);
    }
    let done = match values[..] {
        [(pattern, What::Search(function))] => search_column(column, rows, len, function, pattern, bits),
        _ => compare_column(column, rows, len, &values, bits),
    };
    if !done {
        return Ok(None);
    }
    let Some(nulls) = column.nulls.as_ref() else { return Ok(Some(false)) };
    match rows {
        Rows::Range(start) => slice_bits(nulls.inner(), *start as usize, len, valid),
        Rows::List(list) => valid.fill(len, |tuple| nulls.is_valid(list[tuple] as usize)),
    }
    Ok(Some(true))
}

pub(super) fn is_constant(tile: &Tile<'_>, number: u32) -> bool {
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

/// The interval in which values pass all tests, each of which gives one. None if a test gives none.
fn meet(tests: &[(&Vector, What)], of_one: impl Fn(&Vector, [bool; 3]) -> Option<Interval>) -> Option<Interval> {
    let mut intervals = tests.iter().map(|(value, what)| match what {
        What::Compare(holds) => of_one(value, *holds),
        What::Search(_) => None,
    });
    let first = intervals.next()??;
    intervals.try_fold(first, |met, next| {
        let next = next?;
        Some(Interval { low: met.low.max(next.low), high: met.high.min(next.high), inside: true })
    })
}

fn compare_column(column: &Column, rows: &Rows, len: usize, tests: &[(&Vector, What)], bits: &mut Bitmap) -> bool {
    macro_rules! frame {
        ($base:expr, $offsets:expr, $unsigned:ty) => {{
            let most = i128::from(<$unsigned>::MAX);
            let offset = |value: &Vector| value.integer(0)?.checked_sub(i128::from(*$base));
            let Some(interval) = meet(tests, |value, holds| Some(interval(offset(value)?, holds, 0, most))) else {
                return false;
            };
            select(&$offsets[..], rows, len, interval, most, bits);
        }};
    }
    macro_rules! stepped {
        ($base:expr, $step:expr, $offsets:expr, $unsigned:ty) => {{
            let most = i128::from(<$unsigned>::MAX);
            let distance = |value: &Vector| value.integer(0)?.checked_sub(i128::from(*$base));
            let step = i128::from(*$step);
            let one = |value: &Vector, holds| Some(step_interval(distance(value)?, step, holds, most));
            let Some(interval) = meet(tests, one) else { return false };
            select(&$offsets[..], rows, len, interval, most, bits);
        }};
    }
    macro_rules! plain {
        ($values:expr, $signed:ty, $unsigned:ty) => {{
            // Signed values are compared as unsigned distances from the smallest.
            let least = i128::from(<$signed>::MIN);
            let most = i128::from(<$unsigned>::MAX);
            let offset = |value: &Vector| value.integer(0)?.checked_sub(least);
            let Some(interval) = meet(tests, |value, holds| Some(interval(offset(value)?, holds, 0, most))) else {
                return false;
            };
            let values: &[$signed] = &$values[..];
            // SAFETY: the two types have one size and alignment, and any bits are a value of either.
            let values = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<$unsigned>(), values.len()) };
            select_from(values, rows, len, interval, most, <$signed>::MIN as $unsigned, bits);
        }};
    }
    macro_rules! codes {
        ($codes:expr, $dictionary:expr, $unsigned:ty) => {{
            let most = i128::from(<$unsigned>::MAX);
            let Some(interval) =
                meet(tests, |value, holds| Some(code_interval($dictionary, value.text(0)?, holds, most)))
            else {
                return false;
            };
            select(&$codes[..], rows, len, interval, most, bits);
        }};
    }
    match &column.data {
        ColumnData::Frame8 { base, offsets } => frame!(base, offsets, u8),
        ColumnData::Frame16 { base, offsets } => frame!(base, offsets, u16),
        ColumnData::Frame32 { base, offsets } => frame!(base, offsets, u32),
        ColumnData::Stepped8 { base, step, offsets } => stepped!(base, step, offsets, u8),
        ColumnData::Stepped16 { base, step, offsets } => stepped!(base, step, offsets, u16),
        ColumnData::Stepped32 { base, step, offsets } => stepped!(base, step, offsets, u32),
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
    match dictionary.find(text.as_bytes()) {
        Ok(code) => interval(code.into(), holds, 0, most),
        Err(next) => before(next.into(), holds, most),
    }
}

/// The offsets, in steps, whose values compare so with one at a distance from the base; a distance that is no multiple of
/// the step lies between two offsets.
fn step_interval(distance: i128, step: i128, holds: [bool; 3], most: i128) -> Interval {
    let offset = distance.div_euclid(step);
    match distance.rem_euclid(step) {
        0 => interval(offset, holds, 0, most),
        _ => before(offset + 1, holds, most),
    }
}

/// The interval of values, from 0 to `most`, that compare so with something right before `next`, which none of them equals.
fn before(next: i128, holds: [bool; 3], most: i128) -> Interval {
    match holds {
        [less, equal, greater] if less == greater => Interval { low: next, high: -1, inside: equal },
        [true, ..] => Interval { low: 0, high: next - 1, inside: true },
        _ => Interval { low: next, high: most, inside: true },
    }
}

fn select<U: Lane + Default>(values: &[U], rows: &Rows, len: usize, interval: Interval, most: i128, bits: &mut Bitmap) {
    select_from(values, rows, len, interval, most, U::default(), bits);
}

/// The truth of an interval, cut to 0 to `most`, of the distances from `zero` at the rows of a tile.
fn select_from<U: Lane>(
    values: &[U],
    rows: &Rows,
    len: usize,
    interval: Interval,
    most: i128,
    zero: U,
    bits: &mut Bitmap,
) {
    let Interval { low, high, inside } = interval;
    let (low, high) = (low.max(0), high.min(most));
    if low > high {
        return bits.reset(len, !inside);
    }
    let (Ok(base), Ok(span)) = (U::try_from(low), U::try_from(high - low)) else {
        unreachable!("the interval was cut to the unsigned type")
    };
    let base = base.plus(zero);
    match rows {
        Rows::Range(start) => U::within(&values[*start as usize..*start as usize + len], base, span, bits),
        Rows::List(list) => {
            let within = |row: u32| values[row as usize].distance(base) <= span;
            fill_truth_of(&list[..len], bits, within);
        }
    }
    if !inside {
        bits.invert();
    }
}

/// Bytes of rows that are made lower case together, at most.
const FOLDED_BYTES_MAX: usize = 1 << 20;

/// LIKE, in whatever case, over consecutive rows of plain text, whose bytes are taken as one buffer.
fn search_column(
    column: &Column,
    rows: &Rows,
    len: usize,
    function: Function,
    pattern: &Vector,
    bits: &mut Bitmap,
) -> bool {
    let (ColumnData::Text { offsets, bytes }, Rows::Range(start)) = (&column.data, rows) else { return false };
    let Some(test) = text::Test::new(function, &[pattern]) else { return false };
    let offsets = &offsets[*start as usize..*start as usize + len + 1];
    let start = offsets[0] as usize;
    let bytes = &bytes[start..offsets[len] as usize];
    let told = match &test {
        text::Test::Wildcards(wildcards) => wildcards.tell_rows(offsets, bytes, bits),
        text::Test::Folded(folded, _) => match &**folded {
            text::Test::Wildcards(wildcards) if bytes.len() <= FOLDED_BYTES_MAX && bytes.is_ascii() => {
                let mut lower = Vec::new();
                vectorised(|| append(&mut lower, bytes, |byte: u8| byte.to_ascii_lowercase()));
                wildcards.tell_rows(offsets, &lower, bits)
            }
            _ => false,
        },
        _ => false,
    };
    if told {
        return true;
    }
    let Some(beginning) = test.beginning() else { return false };
    bits.fill(len, |row| {
        let row = offsets[row] as usize - start..offsets[row + 1] as usize - start;
        let told = beginning.is_at(bytes, row.start, row.len());
        told.unwrap_or_else(|| test.passes_text(&bytes[row]))
    });
    true
}
