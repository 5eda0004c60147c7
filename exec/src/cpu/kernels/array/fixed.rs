//! Elements of a fixed width at a place: each begins at a multiple of the stride.
//!
//! Who takes an array apart asks for its elements one after the other: those of one array that lie side by side are read in one go.

use super::{NULL, Places, VALUE, bytes, each_kind, end_of, is_valid, lower_of};
use crate::cpu::kernels::strict_nulls;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::Fixed;

/// The elements at places, in a register.
pub(super) fn nth(
    (fixed, places): (Fixed, Places),
    register: Register,
    (array, place): (&Vector, &Vector),
    len: usize,
    out: &mut Vector,
) -> bool {
    if !matches!(place.data, VectorData::I32(_) | VectorData::I64(_)) {
        return false;
    }
    let strict = strict_nulls(&[array, place], len, out);
    macro_rules! read {
        ($take:ident, $variant:ident, $kind:ident, $of:expr) => {{
            let mut values = out.$take();
            let nulls = read($kind, places, (array, place, strict), len, &mut values, $of);
            out.set(len, VectorData::$variant(values), nulls);
            true
        }};
    }
    each_kind!(fixed, KIND => match register {
        Register::Bool if matches!(KIND, Fixed::Boolean) => {
            let mut values = Vec::new();
            let nulls = read(KIND, places, (array, place, strict), len, &mut values, |key| key != 0);
            let mut bits = out.take_bool();
            bits.fill(len, |tuple| values[tuple]);
            out.set(len, VectorData::Bool(bits), nulls);
            true
        }
        Register::I32 if !KIND.is_float() => read!(take_i32, I32, KIND, |key| KIND.integer(key) as i32),
        Register::I64 if !KIND.is_float() => read!(take_i64, I64, KIND, |key| KIND.integer(key)),
        Register::F64 if KIND.is_float() => read!(take_f64, F64, KIND, |key| KIND.float(key)),
        _ => {
            out.nulls = strict;
            false
        }
    })
}

/// Appends what each element is; which of them there are.
#[inline(always)]
fn read<T: Copy + Default>(
    kind: Fixed,
    places: Places,
    (array, place, strict): (&Vector, &Vector, Option<Bitmap>),
    len: usize,
    values: &mut Vec<T>,
    of: impl Fn(u64) -> T,
) -> Option<Bitmap> {
    let number = |tuple: usize| match &place.data {
        VectorData::I32(values) => i64::from(values[place.position(tuple)]),
        VectorData::I64(values) => values[place.position(tuple)],
        _ => -1,
    };
    let is_same = |a: usize, b: usize| match &array.data {
        _ if array.constant => true,
        VectorData::Text(texts) => texts.views()[a] == texts.views()[b],
        VectorData::Code { codes, .. } => codes[a] == codes[b],
        _ => false,
    };
    values.reserve(len);
    let mut missing = Vec::new();
    let mut tuple = 0;
    while tuple < len {
        if !is_valid(&strict, tuple) {
            values.push(T::default());
            tuple += 1;
            continue;
        }
        let first = number(tuple);
        let mut end = tuple + 1;
        while (places != Places::FromEitherEnd || first > 0)
            && end < len
            && number(end) == first.wrapping_add((end - tuple) as i64)
            && is_same(tuple, end)
            && is_valid(&strict, end)
        {
            end += 1;
        }
        let elements = bytes(array, tuple);
        let mut at = match start(kind, places, elements, first) {
            Some(at) => at,
            None => {
                // What comes next may be there all the same.
                end = tuple + 1;
                elements.len()
            }
        };
        for row in tuple..end {
            match elements.get(at..).and_then(|rest| kind.read(rest)) {
                Some((VALUE, key)) => values.push(of(key)),
                Some((NULL, _)) => {
                    values.push(T::default());
                    missing.push(row);
                }
                // Behind the last.
                _ => {
                    values.resize(end, T::default());
                    missing.extend(row..end);
                    break;
                }
            }
            at += kind.stride();
        }
        tuple = end;
    }
    if missing.is_empty() {
        return strict;
    }
    let mut valid = strict.unwrap_or_else(|| Bitmap::new(len, true));
    missing.into_iter().for_each(|row| valid.set(row, false));
    Some(valid)
}

/// Where the element of a number begins, if there may be one.
#[inline(always)]
fn start(kind: Fixed, places: Places, elements: &[u8], number: i64) -> Option<usize> {
    let position = match places {
        Places::Positions => number,
        Places::Subscripts => number.checked_sub(lower_of(elements, end_of(elements))?)?,
        Places::FromEitherEnd if number > 0 => number - 1,
        Places::FromEitherEnd if number == 0 => return None,
        Places::FromEitherEnd => number.checked_add((end_of(elements) / kind.stride()) as i64)?,
    };
    usize::try_from(position).ok()?.checked_mul(kind.stride()).filter(|start| *start < elements.len())
}
