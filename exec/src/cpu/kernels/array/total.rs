//! One value of all elements of an array that are not NULL: `list_sum` and its kin, of numbers of a fixed width.

use super::decode::{Element, Run, decode, sum};
use super::{VALUE, each_kind, elements_of, is_text};
use crate::Result;
use crate::cpu::kernels::Call;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::{Fixed, Form};
use multiloop_planner::function::ListTotal;
use multiloop_planner::meter;

/// Elements that are passed between two looks at whether to go on.
const PASSED: usize = 1 << 14;

/// Does these totals, if it can: false if not.
pub(super) fn call(
    (form, total): (Form, ListTotal),
    call: &Call<'_>,
    array: &Vector,
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    use ListTotal as L;
    let Form::Fixed(fixed) = form else { return Ok(false) };
    if !is_text(array) {
        return Ok(false);
    }
    let is_number = fixed != Fixed::Boolean;
    each_kind!(fixed, KIND => match (total, call.register) {
        (L::Count, Register::I64) => {
            let mut counts = out.take_i64();
            let count = |bytes: &[u8], end: usize| Some(keys(KIND, &bytes[..end]).count() as i64);
            let nulls = each(array, len, |value: Option<i64>| counts.push(value.unwrap_or(0)), count)?;
            out.set(len, VectorData::I64(counts), nulls);
            Ok(true)
        }
        (L::Sum, Register::I128) if is_number && !KIND.is_float() => {
            sums_of_integers(KIND, array, len, out)?;
            Ok(true)
        }
        // Floats are added one after the other, as the definition does.
        (L::Sum | L::Average, Register::F64) if is_number && (KIND.is_float() || total == L::Average) => {
            let mut sums = out.take_f64();
            let mut memory = [0.0; BLOCK];
            let nulls = each(array, len, |sum: Option<f64>| sums.push(sum.unwrap_or(0.0)), |bytes, end| {
                let number = |key| if KIND.is_float() { KIND.float(key) } else { KIND.integer(key) as f64 };
                let (mut sum, mut count) = (0.0, 0usize);
                let run = Run { bytes, count: end / KIND.stride() };
                blocks(KIND, run, &mut memory, number, |values| {
                    values.iter().for_each(|value| sum += value);
                    count += values.len();
                });
                (count > 0).then(|| if total == L::Average { sum / count as f64 } else { sum })
            })?;
            out.set(len, VectorData::F64(sums), nulls);
            Ok(true)
        }
        (L::Min | L::Max, Register::I32) if KIND == Fixed::Integer => {
            let (mut best, mut memory) = (out.take_i32(), [0; BLOCK]);
            let nulls = each(array, len, |own: Option<i32>| best.push(own.unwrap_or(0)), |bytes, end| {
                let run = Run { bytes, count: end / KIND.stride() };
                extreme((KIND, total), run, &mut memory, |key| KIND.integer(key) as i32)
            })?;
            out.set(len, VectorData::I32(best), nulls);
            Ok(true)
        }
        (L::Min | L::Max, Register::I32 | Register::I64 | Register::F64)
            if is_number && KIND.is_float() == (call.register == Register::F64) =>
        {
            extremes((KIND, total), call.register, array, len, out)?;
            Ok(true)
        }
        _ => Ok(false),
    })
}

/// The sum of each array's integers.
#[inline(always)]
fn sums_of_integers(kind: Fixed, array: &Vector, len: usize, out: &mut Vector) -> Result<()> {
    let (mut sums, mut valid, mut passed) = (out.take_i128(), Bitmap::new(len, true), 0);
    for tuple in 0..len {
        let (bytes, end) = if array.is_null(tuple) { (&[][..], 0) } else { elements_of(array, tuple) };
        let run = Run { bytes, count: end / kind.stride() };
        let (sum, count) = sum(kind, run);
        sums.push(sum);
        if count == 0 {
            valid.set(tuple, false);
        }
        passed += run.count + 1;
        if passed > PASSED {
            meter::spend(std::mem::take(&mut passed))?;
        }
    }
    meter::spend(passed)?;
    out.set(len, VectorData::I128(sums), (!valid.is_full()).then_some(valid));
    Ok(())
}

/// The least or the greatest of each array's elements.
#[inline(always)]
fn extremes(
    (kind, total): (Fixed, ListTotal),
    register: Register,
    array: &Vector,
    len: usize,
    out: &mut Vector,
) -> Result<()> {
    let (mut best, mut memory) = (Vec::with_capacity(len), [0; BLOCK]);
    // Keys as bigints are read, whatever they are of, are in their order.
    let own = |key: u64| Fixed::Long.integer(key);
    let wide = if kind.stride() == Fixed::Long.stride() { Fixed::Long } else { kind };
    let nulls = each(
        array,
        len,
        |own: Option<i64>| best.push(own.unwrap_or(i64::MIN)),
        |bytes, end| {
            let run = Run { bytes, count: end / kind.stride() };
            extreme((wide, total), run, &mut memory, own)
        },
    )?;
    let keys = best.into_iter().map(|own| Fixed::Long.key_of_integer(own));
    let data = match register {
        Register::I32 => VectorData::I32(keys.map(|key| kind.integer(key) as i32).collect()),
        Register::I64 => VectorData::I64(keys.map(|key| kind.integer(key)).collect()),
        _ => VectorData::F64(keys.map(|key| kind.float(key)).collect()),
    };
    out.set(len, data, nulls);
    Ok(())
}

/// The keys of elements that are not NULL.
#[inline(always)]
fn keys(kind: Fixed, elements: &[u8]) -> impl Iterator<Item = u64> {
    let read = move |element| kind.read(element).filter(|&(mark, _)| mark == VALUE).map(|(_, key)| key);
    elements.chunks_exact(kind.stride()).filter_map(read)
}

/// Elements that are decoded at once.
const BLOCK: usize = 64;

/// Gives the elements that are not NULL, in order, some at a time.
#[inline(always)]
fn blocks<T: Element>(
    kind: Fixed,
    run: Run<'_>,
    memory: &mut [T; BLOCK],
    of: impl Fn(u64) -> T,
    mut take: impl FnMut(&[T]),
) {
    let mut done = 0;
    while done < run.count {
        let own = Run { bytes: &run.bytes[done * kind.stride()..], count: (run.count - done).min(BLOCK) };
        if decode(kind, own, memory, &of) {
            keys(kind, &own.bytes[..own.count * kind.stride()]).for_each(|key| take(&[of(key)]));
        } else {
            take(&memory[..own.count]);
        }
        done += own.count;
    }
}

/// The least or the greatest element that is not NULL.
#[inline(always)]
fn extreme<T: Element + Ord>(
    (kind, total): (Fixed, ListTotal),
    run: Run<'_>,
    memory: &mut [T; BLOCK],
    of: impl Fn(u64) -> T,
) -> Option<T> {
    let mut best: Option<T> = None;
    blocks(kind, run, memory, of, |values| {
        let Some(&first) = values.first() else { return };
        let start = best.unwrap_or(first);
        best = Some(if total == ListTotal::Min {
            values.iter().fold(start, |best, &value| best.min(value))
        } else {
            values.iter().fold(start, |best, &value| best.max(value))
        });
    });
    best
}

/// Gives each array's value, or that there is none; the validity of all. A total is that of bytes from an array on, of which its
/// elements have so many.
#[inline(always)]
fn each<T>(
    array: &Vector,
    len: usize,
    mut take: impl FnMut(Option<T>),
    mut total: impl FnMut(&[u8], usize) -> Option<T>,
) -> Result<Option<Bitmap>> {
    let mut valid = Bitmap::new(len, true);
    for tuple in 0..len {
        let value = if array.is_null(tuple) {
            None
        } else {
            let (bytes, end) = elements_of(array, tuple);
            meter::spend(end / 8 + 1)?;
            total(bytes, end)
        };
        if value.is_none() {
            valid.set(tuple, false);
        }
        take(value);
    }
    Ok((!valid.is_full()).then_some(valid))
}
