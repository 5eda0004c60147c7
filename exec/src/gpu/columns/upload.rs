//! A column of some chunks as one array.

use super::{Form, HostColumn};
use crate::column::{Chunk, Column, ColumnData, Dictionary};
use crate::gpu::code::types::Type;
use crate::gpu::stop::{Done, decline};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Integers of a chunk: base + step × offset, and the largest offset.
#[derive(Clone, Copy)]
struct Frame {
    base: i64,
    step: u64,
    most: u64,
}

/// The array of a column.
pub(super) fn gather(chunks: &[Arc<Chunk>], position: usize, strings_max: usize) -> Done<HostColumn> {
    if chunks.iter().any(|chunk| chunk.columns.len() <= position) {
        return decline("rows that lie in a file");
    }
    let columns: Vec<&Column> = chunks.iter().map(|chunk| &chunk.columns[position]).collect();
    let rows = chunks.iter().map(|chunk| chunk.rows).sum();
    let valid = valid(&columns, rows);
    let Some(first) = columns.first() else {
        let form = Form::Integers { base: 0, step: 1 };
        return Ok(HostColumn { rows, element: Type::U8, form, data: Vec::new(), valid });
    };
    let of = |element, form, data| Ok(HostColumn { rows, element, form, data, valid });
    match &first.data {
        data if data.is_integer() => {
            let (element, form, data) = integers(&columns)?;
            of(element, form, data)
        }
        ColumnData::Float32(_) | ColumnData::Float64(_) => {
            let mut data = Vec::new();
            floats(&columns, &mut data)?;
            of(Type::F64, Form::Floats, vec![data])
        }
        ColumnData::Boolean(_) => of(Type::Bool, Form::Bits, vec![booleans(&columns, rows)?]),
        data if data.is_text() => {
            let (element, dictionary, data) = match codes(&columns) {
                Some(codes) => codes,
                None => made_codes(&columns, strings_max)?,
            };
            of(element, Form::Codes(dictionary), data)
        }
        other => decline(format!("a column of {}", other.form())),
    }
}

/// Rows, and bits of which are not NULL, if one is.
pub(super) fn nulls(chunks: &[Arc<Chunk>], position: usize) -> Done<(usize, Option<Vec<u8>>)> {
    if chunks.iter().any(|chunk| chunk.columns.len() <= position) {
        return decline("rows that lie in a file");
    }
    let columns: Vec<&Column> = chunks.iter().map(|chunk| &chunk.columns[position]).collect();
    let rows = chunks.iter().map(|chunk| chunk.rows).sum();
    Ok((rows, valid(&columns, rows)))
}

/// Bits of which rows are not NULL, if one is.
fn valid(columns: &[&Column], rows: usize) -> Option<Vec<u8>> {
    if columns.iter().all(|column| column.nulls.is_none()) {
        return None;
    }
    let mut bits = vec![0u8; rows.div_ceil(8)];
    let mut at = 0;
    for column in columns {
        for row in 0..column.rows() {
            let is_valid = column.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
            bits[at / 8] |= u8::from(is_valid) << (at % 8);
            at += 1;
        }
    }
    Some(bits)
}

fn booleans(columns: &[&Column], rows: usize) -> Done<Vec<u8>> {
    let mut bits = vec![0u8; rows.div_ceil(8)];
    let mut at = 0;
    for column in columns {
        let ColumnData::Boolean(values) = &column.data else { return decline("a column of several forms") };
        for value in values {
            bits[at / 8] |= u8::from(value) << (at % 8);
            at += 1;
        }
    }
    Ok(bits)
}

fn floats(columns: &[&Column], data: &mut Vec<u8>) -> Done<()> {
    for column in columns {
        match &column.data {
            ColumnData::Float64(values) => values.iter().for_each(|value| data.extend(value.to_le_bytes())),
            ColumnData::Float32(values) => {
                values.iter().for_each(|&value| data.extend(f64::from(value).to_le_bytes()));
            }
            _ => return decline("a column of several forms"),
        }
    }
    Ok(())
}

/// Rows from which on several threads gather a column; in tests few, so that they do.
const ROWS_SHARED: usize = if cfg!(test) { 16 } else { 1 << 20 };

/// Threads that gather a column, at most.
const THREADS_MAX: usize = 16;

/// Does something with the chunks of a column, in order: of many rows several threads do, each with some chunks in a row.
fn shared<T: Send>(columns: &[&Column], make: impl Fn(&[&Column]) -> T + Sync) -> Vec<T> {
    let rows: usize = columns.iter().map(|column| column.rows()).sum();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    if rows < ROWS_SHARED || threads == 1 {
        return vec![make(columns)];
    }
    let make = &make;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            columns.chunks(columns.len().div_ceil(threads)).map(|some| scope.spawn(move || make(some))).collect();
        threads.into_iter().map(|thread| thread.join().expect("nothing there panics")).collect()
    })
}

/// The bytes that chunks add, in parts.
fn bytes_of_chunks(columns: &[&Column], element: Type, add: impl Fn(&Column, &mut Vec<u8>) + Sync) -> Vec<Vec<u8>> {
    shared(columns, |some| {
        let mut data = Vec::with_capacity(some.iter().map(|column| column.rows()).sum::<usize>() * element.bytes());
        some.iter().for_each(|column| add(column, &mut data));
        data
    })
}

/// Codes of the one dictionary that all chunks have; none if they have not.
fn codes(columns: &[&Column]) -> Option<(Type, Arc<Dictionary>, Vec<Vec<u8>>)> {
    let dictionary = columns[0].data.dictionary()?;
    let is_same = |column: &&Column| {
        column.data.dictionary().is_some_and(|other| Arc::ptr_eq(other, dictionary) || other == dictionary)
    };
    if !columns.iter().all(is_same) {
        return None;
    }
    let element = width_of(dictionary.len().saturating_sub(1) as u64);
    let data = bytes_of_chunks(columns, element, |column, data| match &column.data {
        ColumnData::Dictionary8 { codes, .. } => append(data, element, codes.iter().map(|&code| code.into())),
        ColumnData::Dictionary16 { codes, .. } => append(data, element, codes.iter().map(|&code| code.into())),
        ColumnData::Dictionary32 { codes, .. } => append(data, element, codes.iter().map(|&code| code.into())),
        _ => {}
    });
    Some((element, Arc::clone(dictionary), data))
}

/// Why text is not on the device, which may be carried.
pub(super) const MANY_STRINGS: &str = "text of many strings";

/// Strings of a dictionary that is made here, and bytes of all of them, at most.
pub(super) const STRINGS_MAX: usize = 1 << 20;
const BYTES_MAX: usize = 1 << 26;

/// Codes of a dictionary of all strings, if these are not too many.
fn made_codes(columns: &[&Column], strings_max: usize) -> Done<(Type, Arc<Dictionary>, Vec<Vec<u8>>)> {
    if !columns.iter().all(|column| column.data.is_text()) {
        return decline("a column of several forms");
    }
    let mut numbers: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut own: Vec<u32> = Vec::new();
    let mut bytes = 0;
    for column in columns {
        for row in 0..column.rows() {
            // What stands at a NULL is read by nobody.
            let text = if column.is_null(row) { &[][..] } else { column.data.text_bytes(row) };
            let next = numbers.len() as u32;
            let number = *numbers.entry(text).or_insert_with(|| {
                bytes += text.len();
                next
            });
            if numbers.len() > strings_max || bytes > BYTES_MAX {
                return decline(MANY_STRINGS);
            }
            own.push(number);
        }
    }
    let mut sorted: Vec<(&[u8], u32)> = numbers.into_iter().collect();
    sorted.sort_unstable();
    let mut codes = vec![0u32; sorted.len()];
    sorted.iter().zip(0..).for_each(|(&(_, number), code)| codes[number as usize] = code);
    let Ok(texts) = sorted.iter().map(|(text, _)| std::str::from_utf8(text)).collect::<Result<Vec<&str>, _>>() else {
        return decline("bug: a text that is none");
    };
    let element = width_of(texts.len().saturating_sub(1) as u64);
    let mut data = Vec::new();
    append(&mut data, element, own.iter().map(|&number| codes[number as usize].into()));
    Ok((element, Arc::new(Dictionary::new(texts)), vec![data]))
}

/// The narrowest type of offsets.
fn width_of(most: u64) -> Type {
    match most {
        0..=0xff => Type::U8,
        0x100..=0xffff => Type::U16,
        0x1_0000..=0xffff_ffff => Type::U32,
        _ => Type::I64,
    }
}

fn append(data: &mut Vec<u8>, element: Type, values: impl Iterator<Item = u64>) {
    match element {
        Type::U8 => data.extend(values.map(|value| value as u8)),
        Type::U16 => values.for_each(|value| data.extend((value as u16).to_le_bytes())),
        Type::U32 => values.for_each(|value| data.extend((value as u32).to_le_bytes())),
        _ => values.for_each(|value| data.extend(value.to_le_bytes())),
    }
}

/// Calls something with the base, the step, and the offsets or values of a column of integers of up to 64 bits.
macro_rules! with_integers {
    ($data:expr, |$base:ident, $step:ident, $values:ident| $body:expr, else $other:expr) => {
        match $data {
            ColumnData::Frame8 { base, offsets } => {
                let ($base, $step, $values) = (*base, 1i64, offsets.iter().map(|&offset| u64::from(offset)));
                $body
            }
            ColumnData::Frame16 { base, offsets } => {
                let ($base, $step, $values) = (*base, 1i64, offsets.iter().map(|&offset| u64::from(offset)));
                $body
            }
            ColumnData::Frame32 { base, offsets } => {
                let ($base, $step, $values) = (*base, 1i64, offsets.iter().map(|&offset| u64::from(offset)));
                $body
            }
            ColumnData::Stepped8 { base, step, offsets } => {
                let ($base, $step, $values) = (*base, *step, offsets.iter().map(|&offset| u64::from(offset)));
                $body
            }
            ColumnData::Stepped16 { base, step, offsets } => {
                let ($base, $step, $values) = (*base, *step, offsets.iter().map(|&offset| u64::from(offset)));
                $body
            }
            ColumnData::Stepped32 { base, step, offsets } => {
                let ($base, $step, $values) = (*base, *step, offsets.iter().map(|&offset| u64::from(offset)));
                $body
            }
            _ => $other,
        }
    };
}

/// Values that are no frame, of up to 64 bits.
fn plain(data: &ColumnData) -> Option<Vec<i64>> {
    Some(match data {
        ColumnData::Int16(values) => values.iter().map(|&value| value.into()).collect(),
        ColumnData::Int32(values) => values.iter().map(|&value| value.into()).collect(),
        ColumnData::Int64(values) => values.to_vec(),
        ColumnData::Int128(values) => {
            values.iter().map(|&value| i64::try_from(value)).collect::<std::result::Result<_, _>>().ok()?
        }
        _ => return None,
    })
}

/// The frame of a chunk; none of one that 64 bits do not hold.
fn frame(data: &ColumnData) -> Option<Frame> {
    with_integers!(data, |base, step, offsets| {
        Some(Frame { base, step: step as u64, most: offsets.max().unwrap_or(0) })
    }, else {
        let values = plain(data)?;
        let (low, high) = (*values.iter().min().unwrap_or(&0), *values.iter().max().unwrap_or(&0));
        Some(Frame { base: low, step: 1, most: high.abs_diff(low) })
    })
}

/// One frame for all chunks.
fn common(frames: &[Frame]) -> Option<Frame> {
    let used: Vec<&Frame> = frames.iter().collect();
    let base = used.iter().map(|frame| frame.base).min()?;
    let gcd = |a: u64, b: u64| {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let step = used.iter().fold(0, |step, frame| {
        let own = if frame.most == 0 { 0 } else { frame.step };
        gcd(gcd(step, own), frame.base.abs_diff(base))
    });
    let step = step.max(1);
    let last = |frame: &&Frame| {
        u64::try_from(u128::from(frame.step) * u128::from(frame.most) + u128::from(frame.base.abs_diff(base))).ok()
    };
    let most = used.iter().map(last).collect::<Option<Vec<u64>>>()?.into_iter().max()? / step;
    (i64::try_from(step).is_ok()).then_some(Frame { base, step, most })
}

fn integers(columns: &[&Column]) -> Done<(Type, Form, Vec<Vec<u8>>)> {
    if !columns.iter().all(|column| column.data.is_integer()) {
        return decline("a column of several forms");
    }
    let frames = shared(columns, |some| {
        let frames = some.iter().filter(|column| column.rows() > 0).map(|column| frame(&column.data));
        frames.collect::<Option<Vec<Frame>>>()
    });
    let Some(frames) = frames.into_iter().collect::<Option<Vec<Vec<Frame>>>>() else {
        return Ok((Type::I128, Form::Integers { base: 0, step: 1 }, vec![wide(columns)]));
    };
    let frames = frames.concat();
    let whole = common(&frames).filter(|whole| whole.most <= u32::MAX.into());
    let Some(Frame { base, step, most }) = whole else {
        let data = bytes_of_chunks(columns, Type::I64, |column, data| {
            with_integers!(&column.data, |base, step, offsets| {
                offsets.for_each(|offset| {
                    data.extend(base.wrapping_add(step.wrapping_mul(offset as i64)).to_le_bytes());
                });
            }, else plain(&column.data).unwrap_or_default().into_iter().for_each(|value| data.extend(value.to_le_bytes())));
        });
        return Ok((Type::I64, Form::Integers { base: 0, step: 1 }, data));
    };
    let element = width_of(most);
    let data = bytes_of_chunks(columns, element, |column, data| {
        with_integers!(&column.data, |own, own_step, offsets| {
            let (first, by) = (own.abs_diff(base) / step, own_step as u64 / step);
            match (first, by) {
                (0, 1) => append(data, element, offsets),
                // A chunk of one value has a step of its own.
                _ => append(data, element, offsets.map(|offset| first + offset * (own_step as u64) / step)),
            }
        }, else {
            let values = plain(&column.data).unwrap_or_default();
            append(data, element, values.into_iter().map(|value| value.abs_diff(base) / step));
        });
    });
    Ok((element, Form::Integers { base, step: step as i64 }, data))
}

/// All values, 128 bits each.
fn wide(columns: &[&Column]) -> Vec<u8> {
    let mut data = Vec::new();
    for column in columns {
        match &column.data {
            ColumnData::Int128(values) => values.iter().for_each(|value| data.extend(value.to_le_bytes())),
            other => with_integers!(other, |base, step, offsets| {
                offsets.for_each(|offset| {
                    data.extend((i128::from(base) + i128::from(step) * i128::from(offset)).to_le_bytes());
                });
            }, else plain(other).unwrap_or_default().into_iter().for_each(|value| data.extend(i128::from(value).to_le_bytes()))),
        }
    }
    data
}
