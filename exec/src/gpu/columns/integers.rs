//! Integers of all chunks in one frame: base + step × offset, as narrow as it may be.

use super::Form;
use super::loader::{Loader, Rows, put, put_as, width_of};
use crate::column::{Chunk, ColumnData};
use crate::gpu::code::types::Type;
use crate::gpu::driver::Buffer;
use crate::gpu::stop::{Done, decline};
use std::ops::Range;
use std::sync::Arc;

/// Integers of a chunk: base + step × offset, and the largest offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    base: i64,
    step: u64,
    most: u64,
}

/// Calls something with the base, the step, and the offsets of a column of integers of up to 64 bits, or else with what has no offsets.
macro_rules! with_offsets {
    ($data:expr, |$base:ident, $step:ident, $offsets:ident| $body:expr, else $other:expr) => {
        match $data {
            ColumnData::Frame8 { base: $base, offsets: $offsets } => {
                let $step = &1i64;
                $body
            }
            ColumnData::Frame16 { base: $base, offsets: $offsets } => {
                let $step = &1i64;
                $body
            }
            ColumnData::Frame32 { base: $base, offsets: $offsets } => {
                let $step = &1i64;
                $body
            }
            ColumnData::Stepped8 { base: $base, step: $step, offsets: $offsets } => $body,
            ColumnData::Stepped16 { base: $base, step: $step, offsets: $offsets } => $body,
            ColumnData::Stepped32 { base: $base, step: $step, offsets: $offsets } => $body,
            _ => $other,
        }
    };
}

/// Calls something with values that are no frame.
macro_rules! with_values {
    ($data:expr, |$values:ident| $body:expr, else $other:expr) => {
        match $data {
            ColumnData::Int16($values) => $body,
            ColumnData::Int32($values) => $body,
            ColumnData::Int64($values) => $body,
            ColumnData::Int128($values) => $body,
            _ => $other,
        }
    };
}

/// The frame of a chunk; none of one that 64 bits do not hold. What is known of its values is not looked for.
fn frame(chunk: &Chunk, position: usize) -> Option<Frame> {
    let known = chunk.ranges.get(position).copied().flatten();
    with_offsets!(&chunk.columns[position].data, |base, step, offsets| {
        let step = *step as u64;
        let most = match known {
            Some((_, high)) if high >= *base => high.abs_diff(*base) / step,
            _ => offsets.iter().copied().max().unwrap_or(0).into(),
        };
        Some(Frame { base: *base, step, most })
    }, else {
        let (low, high) = match known {
            Some(range) => range,
            None => with_values!(&chunk.columns[position].data, |values| ends(values)?, else return None),
        };
        Some(Frame { base: low, step: 1, most: high.abs_diff(low) })
    })
}

/// A value in each of these forms.
trait Whole: Copy {
    /// Its lowest 64 bits.
    fn narrow(self) -> i64;

    fn wide(self) -> i128;
}

macro_rules! whole {
    ($($of:ty),*) => {
        $(impl Whole for $of {
            fn narrow(self) -> i64 {
                self as i64
            }

            fn wide(self) -> i128 {
                self as i128
            }
        })*
    };
}

whole!(i16, i32, i64, i128);

fn widened<T: Copy + Into<u32>>(offsets: &[T]) -> impl Iterator<Item = u32> {
    offsets.iter().map(|&offset| offset.into())
}

/// The least and the greatest of some values; none if 64 bits do not hold them.
fn ends<T: Copy + Ord + Default + TryInto<i64>>(values: &[T]) -> Option<(i64, i64)> {
    let (low, high) = (values.iter().copied().min(), values.iter().copied().max());
    Some((low.unwrap_or_default().try_into().ok()?, high.unwrap_or_default().try_into().ok()?))
}

/// One frame for all chunks.
fn common(frames: &[Frame]) -> Option<Frame> {
    let base = frames.iter().map(|frame| frame.base).min()?;
    let gcd = |a: u64, b: u64| {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let step = frames.iter().fold(0, |step, frame| {
        let own = if frame.most == 0 { 0 } else { frame.step };
        gcd(gcd(step, own), frame.base.abs_diff(base))
    });
    let step = step.max(1);
    let last = |frame: &Frame| {
        u64::try_from(u128::from(frame.step) * u128::from(frame.most) + u128::from(frame.base.abs_diff(base))).ok()
    };
    let most = frames.iter().map(last).collect::<Option<Vec<u64>>>()?.into_iter().max()? / step;
    (i64::try_from(step).is_ok()).then_some(Frame { base, step, most })
}

/// Integers as one array.
pub(super) fn array(loader: Loader<'_>, rows: &Rows<'_>, position: usize) -> Done<(Type, Form, Arc<Buffer>)> {
    if !rows.columns.iter().all(|column| column.data.is_integer()) {
        return decline("a column of several forms");
    }
    let frames = loader.each(rows.chunks.len(), |number| {
        let chunk = &rows.chunks[number];
        (chunk.rows > 0).then(|| frame(chunk, position))
    })?;
    let Some(frames) = frames.into_iter().flatten().collect::<Option<Vec<Frame>>>() else {
        let data = rows.array(loader, Type::I128, |chunk, within, to| wide(&rows.columns[chunk].data, within, to))?;
        return Ok((Type::I128, Form::Integers { base: 0, step: 1 }, data));
    };
    let whole = common(&frames).filter(|whole| whole.most <= u32::MAX.into());
    let Some(Frame { base, step, most }) = whole else {
        let data = rows.array(loader, Type::I64, |chunk, within, to| plain(&rows.columns[chunk].data, within, to))?;
        return Ok((Type::I64, Form::Integers { base: 0, step: 1 }, data));
    };
    let element = width_of(most);
    let data = rows.array(loader, element, |chunk, within, to| {
        framed(&rows.columns[chunk].data, within, (base, step), (element, to));
    })?;
    Ok((element, Form::Integers { base, step: step as i64 }, data))
}

/// Writes offsets in the frame of all chunks. What stands at a NULL may have none.
fn framed(data: &ColumnData, rows: Range<usize>, (base, step): (i64, u64), (element, to): (Type, &mut [u8])) {
    with_offsets!(data, |own, own_step, offsets| {
        // A chunk of one value has a step of its own, which its offset of zero does not meet. No offset has more than 32 bits.
        let (first, by) = ((own.abs_diff(base) / step) as u32, (*own_step as u64 / step) as u32);
        let offsets = widened(&offsets[rows]);
        match (first, by) {
            (0, 1) => put_narrow(to, element, offsets),
            (_, 1) => put_narrow(to, element, offsets.map(|offset| first.wrapping_add(offset))),
            _ => put_narrow(to, element, offsets.map(|offset| first.wrapping_add(offset.wrapping_mul(by)))),
        }
    }, else with_values!(data, |values| {
        let far = values[rows].iter().map(|&value| value.narrow().wrapping_sub(base) as u64);
        if step == 1 { put_as(to, element, far) } else { put_as(to, element, far.map(|far| far / step)) }
    }, else {}));
}

/// Writes the lowest bytes of numbers of 32 bits.
fn put_narrow(to: &mut [u8], element: Type, values: impl Iterator<Item = u32>) {
    match element {
        Type::U8 => put(to, values.map(|value| [value as u8])),
        Type::U16 => put(to, values.map(|value| (value as u16).to_le_bytes())),
        _ => put(to, values.map(u32::to_le_bytes)),
    }
}

/// Writes values of 64 bits.
fn plain(data: &ColumnData, rows: Range<usize>, to: &mut [u8]) {
    with_offsets!(data, |base, step, offsets| {
        let value = |&offset| base.wrapping_add(step.wrapping_mul(i64::from(offset))).to_le_bytes();
        put(to, offsets[rows].iter().map(value));
    }, else with_values!(data, |values| put(to, values[rows].iter().map(|&value| value.narrow().to_le_bytes())), else {}));
}

/// Writes values of 128 bits.
fn wide(data: &ColumnData, rows: Range<usize>, to: &mut [u8]) {
    with_offsets!(data, |base, step, offsets| {
        let value = |&offset| (i128::from(*base) + i128::from(*step) * i128::from(offset)).to_le_bytes();
        put(to, offsets[rows].iter().map(value));
    }, else with_values!(data, |values| put(to, values[rows].iter().map(|&value| value.wide().to_le_bytes())), else {}));
}
