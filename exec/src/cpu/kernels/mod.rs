//! Kernels: functions over whole vectors. Each file does some functions for the registers it knows and says so by its
//! answer; what nobody does, `fallback` does value by value, through the one definition of what functions mean.
//!
//! A kernel is plain loops that the compiler vectorises, compiled for several CPU levels by `kernel!` or `vectorised` (see
//! `simd`). Values at NULLs are computed too, as whatever they are, so no kernel may fail or panic for them.

pub(super) mod array;
pub(crate) mod beginning;
pub mod bits;
pub mod choose;
pub mod compare;
pub mod date;
pub mod double;
pub(crate) mod equal_text;
pub(crate) mod exact;
pub(crate) mod exact_blocks;
pub mod fallback;
pub mod float;
pub mod integer;
mod json;
pub(crate) mod json_fields;
pub mod logic;
pub(crate) mod mask;
pub(crate) mod member;
pub(super) mod number_text;
mod numeric;
pub(crate) mod numeric_columns;
mod padding;
mod pattern;
pub(crate) mod pick;
pub mod quotient;
mod reciprocal;
pub mod rescale;
pub(super) mod row_text;
pub(crate) mod run_extreme;
pub(crate) mod run_sum;
pub(crate) mod search;
pub(crate) mod shown_quotient;
pub(crate) mod sum;
pub mod text;
mod text_join;
pub(super) mod vector_block;
mod vector_each;
mod vector_matrix;
mod vector_measure;
pub(super) mod vector_rows;
mod vector_total;
pub(crate) mod wildcards;

#[cfg(test)]
mod json_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;

use super::vector::Vector;
use crate::Result;
use crate::cpu::simd::kernel::{kernel, pack};
use crate::cpu::vector::bitmap::Bitmap;
use crate::plan::register::Register;
use multiloop_planner::function::{ArrayFunction, Function};
use multiloop_planner::types::DataType;

/// What is called.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The function.
    pub function: Function,
    /// The types of its arguments.
    pub types: &'a [DataType],
    /// The type of its result.
    pub result: DataType,
    /// The register that the result is proven to fit.
    pub register: Register,
    /// Whether it may fail; if not, no result leaves the register.
    pub checked: bool,
}

/// Memory for arguments that have to be brought into another register first.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) left: Vector,
    pub(super) right: Vector,
}

/// Applies a function to vectors of `len` tuples (any of them may be constant).
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, scratch: &mut Scratch, out: &mut Vector) -> Result<()> {
    if matches!(call.function, Function::User(_)) {
        return fallback::call(call, arguments, len, out);
    }
    // A sum of integers is a numeric, and is made of none.
    if let Function::Array(ArrayFunction::Total(_), _) = call.function
        && array::call(call, arguments, len, out)?
    {
        return Ok(());
    }
    if numeric::takes(call.function, call.types, call.result) {
        return numeric::call(call, arguments, len, out);
    }
    if vector_each::cast(call, arguments, len, out)? {
        return Ok(());
    }
    if matches!(call.function, Function::Vector(_)) {
        let done = vector_measure::call(call, arguments, len, out)?
            || vector_matrix::call(call, arguments, len, out)?
            || vector_each::call(call, arguments, len, out)?
            || vector_total::call(call, arguments, len, out)?;
        return if done { Ok(()) } else { fallback::call(call, arguments, len, out) };
    }
    let done = compare::call(call, arguments, len, scratch, out)
        || logic::call(call, arguments, len, out)
        || integer::call(call, arguments, len, scratch, out)?
        || float::call(call, arguments, len, scratch, out)
        || choose::call(call, arguments, len, scratch, out)
        || double::call(call, arguments, len, scratch, out)
        || bits::call(call, arguments, len, scratch, out)
        || quotient::call(call, arguments, len, scratch, out)
        || rescale::call(call, arguments, len, scratch, out)
        || date::call(call, arguments, len, out)
        || number_text::call(call, arguments, len, out)
        || text::call(call, arguments, len, out)
        || json::call(call, arguments, len, out)?
        || pattern::call(call, arguments, len, out)?
        || array::call(call, arguments, len, out)?
        || row_text::call(call, arguments, len, out);
    if !done {
        fallback::call(call, arguments, len, out)?;
    }
    Ok(())
}

/// Whether a tuple is not NULL.
#[inline]
pub(super) fn is_valid(nulls: &Option<Bitmap>, tuple: usize) -> bool {
    nulls.as_ref().is_none_or(|nulls| nulls.get(tuple))
}

/// The validity of a function that is NULL where an argument is: none if no argument is NULL.
pub(super) fn strict_nulls(arguments: &[&Vector], len: usize, out: &mut Vector) -> Option<Bitmap> {
    let mut nulls: Option<Bitmap> = None;
    for argument in arguments {
        let Some(valid) = &argument.nulls else { continue };
        if argument.constant {
            if !valid.get(0) {
                let mut nulls = nulls.unwrap_or_else(|| out.take_nulls());
                nulls.reset(len, false);
                return Some(nulls);
            }
            continue;
        }
        match &mut nulls {
            Some(nulls) => nulls.and(valid),
            None => {
                let mut taken = out.take_nulls();
                taken.copy_from(valid);
                nulls = Some(taken);
            }
        }
    }
    nulls
}

/// Makes `out` the truth of a predicate at 0 to `len`: 64 positions at a time without a branch.
#[inline(always)]
pub(crate) fn fill_truth(len: usize, out: &mut Bitmap, predicate: impl Fn(usize) -> bool) {
    out.fill_words(len, |word| {
        let start = word * 64;
        let mut bytes = [0u8; 64];
        for (offset, byte) in bytes[..(len - start).min(64)].iter_mut().enumerate() {
            *byte = if predicate(start + offset) { 0xFF } else { 0 };
        }
        pack(&bytes)
    });
}

kernel! {
    /// As [`fill_truth`], of the values of a slice: whole blocks have a known length and no bounds check.
    pub(crate) fn fill_truth_of[T: Copy](values: &[T], out: &mut Bitmap, predicate: impl Fn(T) -> bool) {
        let (blocks, rest) = values.as_chunks::<64>();
        let mut words = out.take_words();
        words.reserve(blocks.len() + 1);
        let mut bytes = [0u8; 64];
        for block in blocks {
            for (byte, &value) in bytes.iter_mut().zip(block) {
                *byte = if predicate(value) { 0xFF } else { 0 };
            }
            words.push(pack(&bytes));
        }
        if !rest.is_empty() {
            bytes = [0; 64];
            for (byte, &value) in bytes.iter_mut().zip(rest) {
                *byte = if predicate(value) { 0xFF } else { 0 };
            }
            words.push(pack(&bytes));
        }
        out.set_words(values.len(), words);
    }
}

kernel! {
    /// As [`fill_truth_of`], of pairs from two slices of one length.
    pub(crate) fn fill_truth_of_pairs[T: Copy](a: &[T], b: &[T], out: &mut Bitmap, predicate: impl Fn(T, T) -> bool) {
        let ((a_blocks, a_rest), (b_blocks, b_rest)) = (a.as_chunks::<64>(), b.as_chunks::<64>());
        let mut words = out.take_words();
        words.reserve(a_blocks.len() + 1);
        let mut bytes = [0u8; 64];
        for (a, b) in a_blocks.iter().zip(b_blocks) {
            for ((byte, &a), &b) in bytes.iter_mut().zip(a).zip(b) {
                *byte = if predicate(a, b) { 0xFF } else { 0 };
            }
            words.push(pack(&bytes));
        }
        if !a_rest.is_empty() {
            bytes = [0; 64];
            for ((byte, &a), &b) in bytes.iter_mut().zip(a_rest).zip(b_rest) {
                *byte = if predicate(a, b) { 0xFF } else { 0 };
            }
            words.push(pack(&bytes));
        }
        out.set_words(a.len(), words);
    }
}
