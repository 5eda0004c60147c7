//! One value of all elements of an array that are not NULL: `list_sum` and its kin, of numbers of a fixed width.

use super::decode::{Run, sum};
use super::{VALUE, bytes, each_kind, elements_of, end_of, is_text};
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
            let count = |elements: &[u8]| Some(keys(KIND, elements).count() as i64);
            let nulls = each(array, len, |value: Option<i64>| counts.push(value.unwrap_or(0)), count)?;
            out.set(len, VectorData::I64(counts), nulls);
            Ok(true)
        }
        (L::Sum, Register::I128) if is_number && !KIND.is_float() => {
            let (mut sums, mut valid, mut passed) = (out.take_i128(), Bitmap::new(len, true), 0);
            for tuple in 0..len {
                let (bytes, end) = if array.is_null(tuple) { (&[][..], 0) } else { elements_of(array, tuple) };
                let run = Run { bytes, count: end / KIND.stride() };
                let (sum, count) = sum(KIND, run);
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
            Ok(true)
        }
        // Floats are added one after the other, as the definition does.
        (L::Sum | L::Average, Register::F64) if is_number && (KIND.is_float() || total == L::Average) => {
            let mut sums = out.take_f64();
            let nulls = each(array, len, |sum: Option<f64>| sums.push(sum.unwrap_or(0.0)), |elements| {
                let number = |key| if KIND.is_float() { KIND.float(key) } else { KIND.integer(key) as f64 };
                let (mut sum, mut count) = (0.0, 0usize);
                keys(KIND, elements).for_each(|key| (sum, count) = (sum + number(key), count + 1));
                (count > 0).then(|| if total == L::Average { sum / count as f64 } else { sum })
            })?;
            out.set(len, VectorData::F64(sums), nulls);
            Ok(true)
        }
        (L::Min | L::Max, Register::I32 | Register::I64 | Register::F64)
            if is_number && KIND.is_float() == (call.register == Register::F64) =>
        {
            let mut best = Vec::with_capacity(len);
            let nulls = each(array, len, |key: Option<u64>| best.push(key.unwrap_or(0)), |elements| {
                if total == L::Min { keys(KIND, elements).min() } else { keys(KIND, elements).max() }
            })?;
            let data = match call.register {
                Register::I32 => VectorData::I32(best.into_iter().map(|key| KIND.integer(key) as i32).collect()),
                Register::I64 => VectorData::I64(best.into_iter().map(|key| KIND.integer(key)).collect()),
                _ => VectorData::F64(best.into_iter().map(|key| KIND.float(key)).collect()),
            };
            out.set(len, data, nulls);
            Ok(true)
        }
        _ => Ok(false),
    })
}

/// The keys of elements that are not NULL.
#[inline(always)]
fn keys(kind: Fixed, elements: &[u8]) -> impl Iterator<Item = u64> {
    let read = move |element| kind.read(element).filter(|&(mark, _)| mark == VALUE).map(|(_, key)| key);
    elements.chunks_exact(kind.stride()).filter_map(read)
}

/// Gives each array's value, or that there is none; the validity of all.
#[inline(always)]
fn each<T>(
    array: &Vector,
    len: usize,
    mut take: impl FnMut(Option<T>),
    total: impl Fn(&[u8]) -> Option<T>,
) -> Result<Option<Bitmap>> {
    let mut valid = Bitmap::new(len, true);
    for tuple in 0..len {
        let value = if array.is_null(tuple) {
            None
        } else {
            let bytes = bytes(array, tuple);
            meter::spend(bytes.len() / 8 + 1)?;
            total(&bytes[..end_of(bytes)])
        };
        if value.is_none() {
            valid.set(tuple, false);
        }
        take(value);
    }
    Ok((!valid.is_full()).then_some(valid))
}
