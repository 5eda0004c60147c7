//! Comparisons of two vectors of one type, and membership in a list of integers.

use super::{Call, Scratch, fill_truth, fill_truth_of, fill_truth_of_pairs, integer, strict_nulls};
use crate::cpu::simd::kernel::{kernel, pack};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{TextVector, Vector, VectorData, short_text};
use crate::plan::register::Register;
use multiloop_planner::function::Function;
use multiloop_planner::value::compare_floats;
use std::cmp::Ordering;

/// Does the comparisons, if it can: false if not.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, scratch: &mut Scratch, out: &mut Vector) -> bool {
    if call.function == Function::InList {
        return in_list(arguments, len, out);
    }
    let plain = match call.function {
        Function::IsDistinct => Function::NotEqual,
        Function::IsNotDistinct => Function::Equal,
        plain => plain,
    };
    let Some(holds) = orders(plain) else { return false };
    let mut bits = out.take_bool();
    if !truth(arguments[0], arguments[1], len, holds, scratch, &mut bits) {
        out.data = VectorData::Bool(bits);
        return false;
    }
    if plain == call.function {
        let nulls = strict_nulls(arguments, len, out);
        out.set(len, VectorData::Bool(bits), nulls);
        return true;
    }
    if arguments.iter().any(|argument| argument.nulls.is_some()) {
        // Two NULLs are not distinct, one NULL is distinct from every value.
        let equal = plain == Function::Equal;
        let computed = std::mem::take(&mut bits);
        bits.fill(len, |tuple| match (arguments[0].is_null(tuple), arguments[1].is_null(tuple)) {
            (false, false) => computed.get(tuple),
            (a, b) => (a == b) == equal,
        });
    }
    out.set(len, VectorData::Bool(bits), None);
    true
}

/// For which orders of the arguments a comparison holds: less, equal, greater.
pub(crate) fn orders(function: Function) -> Option<[bool; 3]> {
    Some(match function {
        Function::Equal => [false, true, false],
        Function::NotEqual => [true, false, true],
        Function::Less => [true, false, false],
        Function::LessEqual => [true, true, false],
        Function::Greater => [false, false, true],
        Function::GreaterEqual => [false, true, true],
        _ => return None,
    })
}

fn holds_for(holds: [bool; 3], order: Ordering) -> bool {
    holds[(order as i8 + 1) as usize]
}

/// Makes `bits` where the order of two values is one of those that count; at NULLs it is any.
pub(super) fn truth(
    a: &Vector,
    b: &Vector,
    len: usize,
    holds: [bool; 3],
    scratch: &mut Scratch,
    bits: &mut Bitmap,
) -> bool {
    match (&a.data, &b.data) {
        (VectorData::F64(x), VectorData::F64(y)) => {
            if a.constant && !b.constant {
                floats(y, x, true, len, [holds[2], holds[1], holds[0]], bits);
            } else if a.constant {
                bits.reset(len, holds_for(holds, compare_floats(x[0], y[0])));
            } else {
                floats(x, y, b.constant, len, holds, bits);
            }
        }
        (VectorData::Bool(x), VectorData::Bool(y)) => {
            bits.fill(len, |tuple| holds_for(holds, x.get(a.position(tuple)).cmp(&y.get(b.position(tuple)))));
        }
        (VectorData::Interval(x), VectorData::Interval(y)) => bits.fill(len, |tuple| {
            let (x, y) = (x[a.position(tuple)], y[b.position(tuple)]);
            holds_for(holds, x.comparable_micros().cmp(&y.comparable_micros()))
        }),
        _ if a.register() == Register::Text && b.register() == Register::Text => texts(a, b, len, holds, bits),
        _ => {
            let Some(register) = integer::common(a, b) else { return false };
            integers(a, b, len, register, holds, scratch, bits);
        }
    }
    true
}

fn texts(a: &Vector, b: &Vector, len: usize, holds: [bool; 3], bits: &mut Bitmap) {
    if let (VectorData::Code { codes: x, dictionary: left }, VectorData::Code { codes: y, dictionary: right }) =
        (&a.data, &b.data)
        && std::sync::Arc::ptr_eq(left, right)
    {
        bits.fill(len, |tuple| holds_for(holds, x[a.position(tuple)].cmp(&y[b.position(tuple)])));
        return;
    }
    if let (VectorData::Text(texts), Some(constant), [negated @ false, true, false] | [negated @ true, false, true]) =
        (&a.data, b.constant.then(|| b.text(0)).flatten(), holds)
        && !a.constant
    {
        match short_text(constant.as_bytes()) {
            // Of most strings the length tells.
            TextVector::LONG => bits.fill(len, |tuple| {
                texts.views()[tuple].length as usize == constant.len() && texts.bytes(tuple) == constant.as_bytes()
            }),
            short => among(texts, &[short], len, bits),
        }
        if negated {
            bits.invert();
        }
        return;
    }
    bits.fill(len, |tuple| {
        if a.is_null(tuple) || b.is_null(tuple) {
            return false;
        }
        let bytes = |vector| Vector::text(vector, tuple).map_or(&[] as &[u8], str::as_bytes);
        holds_for(holds, bytes(a).cmp(bytes(b)))
    });
}

fn integers(
    a: &Vector,
    b: &Vector,
    len: usize,
    register: Register,
    holds: [bool; 3],
    scratch: &mut Scratch,
    bits: &mut Bitmap,
) {
    if a.constant && !b.constant {
        return integers(b, a, len, register, [holds[2], holds[1], holds[0]], scratch, bits);
    }
    let Scratch { left, right } = scratch;
    let (a, b) = (integer::widened(a, register, left), integer::widened(b, register, right));
    match (&a.data, &b.data) {
        (VectorData::I32(x), VectorData::I32(y)) => ordered(x, y, a.constant, b.constant, len, holds, bits),
        (VectorData::I64(x), VectorData::I64(y)) => ordered(x, y, a.constant, b.constant, len, holds, bits),
        (VectorData::I128(x), VectorData::I128(y)) => ordered(x, y, a.constant, b.constant, len, holds, bits),
        _ => unreachable!("both were brought into one register"),
    }
}

/// Compares values with values or with a constant, each order with code of its own.
fn ordered<T: Copy + Ord>(
    a: &[T],
    b: &[T],
    a_constant: bool,
    b_constant: bool,
    len: usize,
    holds: [bool; 3],
    bits: &mut Bitmap,
) {
    if a_constant {
        return bits.reset(len, holds_for(holds, a[0].cmp(&b[0])));
    }
    macro_rules! with {
        ($compare:expr) => {
            if b_constant {
                let constant = b[0];
                fill_truth_of(a, bits, |value| $compare(&value, &constant))
            } else {
                fill_truth_of_pairs(a, b, bits, |a, b| $compare(&a, &b))
            }
        };
    }
    match holds {
        [false, true, false] => with!(T::eq),
        [true, false, true] => with!(T::ne),
        [true, false, false] => with!(T::lt),
        [true, true, false] => with!(T::le),
        [false, false, true] => with!(T::gt),
        _ => with!(T::ge),
    }
}

/// Comparisons of floats in PostgreSQL's order ([`compare_floats`]), without branches.
fn floats(a: &[f64], b: &[f64], b_constant: bool, len: usize, holds: [bool; 3], bits: &mut Bitmap) {
    macro_rules! with {
        ($compare:expr) => {
            if b_constant {
                let constant = b[0];
                fill_truth_of(&a[..len], bits, |value| $compare(value, constant))
            } else {
                fill_truth_of_pairs(&a[..len], &b[..len], bits, $compare)
            }
        };
    }
    // A NaN equals a NaN, and is greater than all else: only then are these not the operators.
    let equal = |a: f64, b: f64| (a == b) | (a.is_nan() & b.is_nan());
    let less = |a: f64, b: f64| (a < b) | (b.is_nan() & !a.is_nan());
    match holds {
        [false, true, false] => with!(equal),
        [true, false, true] => with!(|a, b| !equal(a, b)),
        [true, false, false] => with!(less),
        [true, true, false] => with!(|a, b| !less(b, a)),
        [false, false, true] => with!(|a, b| less(b, a)),
        _ => with!(|a, b| !less(a, b)),
    }
}

/// `a IN (integers)`, for a few; NULL where a is, and where a NULL in the list leaves it open.
fn in_list(arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let (value, list) = (arguments[0], &arguments[1..]);
    let known = matches!(value.register(), Register::I32 | Register::I64 | Register::Text) && !value.constant;
    if !known || list.is_empty() || !list.iter().all(|member| member.constant && member.nulls.is_none()) {
        return false;
    }
    let mut bits = out.take_bool();
    match &value.data {
        VectorData::I32(_) | VectorData::I64(_) => {
            let mut members: Vec<i64> =
                list.iter().filter_map(|member| i64::try_from(member.integer(0)?).ok()).collect();
            members.sort_unstable();
            match &value.data {
                VectorData::I32(values) => fill_truth(len, &mut bits, |at| contains(&members, values[at].into())),
                VectorData::I64(values) => fill_truth(len, &mut bits, |at| contains(&members, values[at])),
                _ => unreachable!("matched above"),
            }
        }
        VectorData::Text(texts) => {
            let members: Vec<&[u8]> = list.iter().filter_map(|member| Some(member.text(0)?.as_bytes())).collect();
            let short: Vec<u64> = members.iter().map(|member| short_text(member)).collect();
            if short.contains(&TextVector::LONG) {
                let lengths = members.iter().fold(0u64, |lengths, member| lengths | 1 << (member.len() % 64));
                bits.fill(len, |tuple| {
                    lengths >> (texts.views()[tuple].length % 64) & 1 == 1 && members.contains(&texts.bytes(tuple))
                });
            } else {
                among(texts, &short, len, &mut bits);
            }
        }
        _ => {
            out.data = VectorData::Bool(bits);
            return false;
        }
    }
    let nulls = strict_nulls(&arguments[..1], len, out);
    out.set(len, VectorData::Bool(bits), nulls);
    true
}

/// Makes `bits` which strings are one of these, which are short, as numbers.
pub(crate) fn among(texts: &TextVector, members: &[u64], len: usize, bits: &mut Bitmap) {
    let mut block = [0; 64];
    bits.fill_words(len, |word| {
        let start = word * 64;
        block.iter_mut().zip(start..len).for_each(|(short, tuple)| *short = texts.short(tuple));
        equal_to_any(&block, members)
    });
}

kernel! {
    fn equal_to_any[](values: &[u64; 64], members: &[u64]) -> u64 {
        let mut found = [0u64; 64];
        for &member in members {
            found.iter_mut().zip(values).for_each(|(found, &value)| *found |= if value == member { 0xFF } else { 0 });
        }
        pack(&found.map(|found| found as u8))
    }
}

fn contains(sorted: &[i64], value: i64) -> bool {
    if sorted.len() <= 8 { sorted.contains(&value) } else { sorted.binary_search(&value).is_ok() }
}
