//! Kernels: functions over whole vectors. Each file does some functions for the registers it knows and says so by its
//! answer; what nobody does, `fallback` does value by value, through the one definition of what functions mean.
//!
//! A kernel is plain loops that the compiler vectorises, compiled for several CPU levels by `kernel!` or [`vectorised`]. Values at
//! NULLs are computed too, as whatever they are, so no kernel may fail or panic for them.

pub(crate) mod ahead;
pub mod bits;
pub mod choose;
pub mod compare;
pub mod date;
pub mod double;
pub(crate) mod exact;
pub(crate) mod exact_blocks;
pub mod fallback;
pub mod float;
pub mod integer;
pub mod logic;
pub(crate) mod mask;
pub(crate) mod member;
pub(crate) mod narrow;
pub(crate) mod numeric;
pub mod quotient;
pub mod rescale;
pub(crate) mod run_extreme;
pub(crate) mod run_sum;
pub(crate) mod search;
pub(crate) mod sum;
pub mod text;
mod text_join;

#[cfg(test)]
mod tests;

use super::bitmap::Bitmap;
use super::level::Level;
use super::vector::{Register, Vector};
use crate::Result;
use multiloop_planner::function::Function;
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
    if numeric::takes(call.function, call.types, call.result) {
        return numeric::call(call, arguments, len, out);
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
        || text::call(call, arguments, len, out);
    if !done {
        fallback::call(call, arguments, len, out)?;
    }
    Ok(())
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

/// Runs a kernel of one small loop, compiled for the best instructions that may be used (see [`Level`]). A closure of more
/// than that is not inlined where these are on, and profits from nothing: that is for functions of `kernel!`.
#[inline(always)]
pub fn vectorised<R>(kernel: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        match Level::get() {
            // SAFETY: the CPU has the features.
            Level::Avx512 => return unsafe { with_avx512(kernel) },
            // SAFETY: the CPU has the features.
            Level::Avx2 => return unsafe { with_avx2(kernel) },
            Level::Portable => {}
        }
    }
    kernel()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx512<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

/// Defines a function that is compiled for each level of instructions (see [`Level`]), and does as the one for the level
/// that is used. Generic parameters stand in brackets.
///
/// A function is only compiled for the instructions of the one that it is inlined into. The body is, in each; what it
/// calls must be small, or marked `#[inline(always)]`. [`append`] is, where `Vec::extend` is not.
macro_rules! kernel {
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident [$($generics:tt)*] ($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)?
        $body:block
    ) => {
        $(#[$attribute])*
        $visibility fn $name<$($generics)*>($($argument: $type),*) $(-> $output)? {
            #[inline(always)]
            fn portable<$($generics)*>($($argument: $type),*) $(-> $output)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2<$($generics)*>($($argument: $type),*) $(-> $output)? {
                portable($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
            fn avx512<$($generics)*>($($argument: $type),*) $(-> $output)? {
                portable($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            {
                use $crate::cpu::level::Level;
                match Level::get() {
                    // SAFETY: the CPU has the features.
                    Level::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: the CPU has the features.
                    Level::Avx2 => return unsafe { avx2($($argument),*) },
                    Level::Portable => {}
                }
            }
            portable($($argument),*)
        }
    };
}
pub(crate) use kernel;

/// Appends what a function makes of each value.
#[inline(always)]
pub(crate) fn append<T: Copy, R>(out: &mut Vec<R>, values: &[T], mut each: impl FnMut(T) -> R) {
    out.reserve(values.len());
    let len = out.len();
    let places = &mut out.spare_capacity_mut()[..values.len()];
    for (place, &value) in places.iter_mut().zip(values) {
        place.write(each(value));
    }
    // SAFETY: so many values behind the ones before have been written.
    unsafe { out.set_len(len + values.len()) };
}

/// As [`append`], of the pairs of two slices of one length.
#[inline(always)]
pub(crate) fn append_pairs<A: Copy, B: Copy, R>(out: &mut Vec<R>, a: &[A], b: &[B], mut each: impl FnMut(A, B) -> R) {
    let b = &b[..a.len()];
    out.reserve(a.len());
    let len = out.len();
    let places = &mut out.spare_capacity_mut()[..a.len()];
    for ((place, &a), &b) in places.iter_mut().zip(a).zip(b) {
        place.write(each(a, b));
    }
    // SAFETY: so many values behind the ones before have been written.
    unsafe { out.set_len(len + a.len()) };
}

/// How far ahead of a scan memory is asked for, in bytes. What the hardware foresees comes later than that.
const AHEAD: usize = 2048;

/// Asks for the memory some way behind this place; a place without memory does no harm.
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    prefetch_here(place.cast::<u8>().wrapping_add(AHEAD));
}

/// Asks for the memory at this place; a place without memory does no harm.
#[inline(always)]
pub(crate) fn prefetch_here<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that shows, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// As [`prefetch`], for all of a slice.
#[inline(always)]
pub(crate) fn prefetch_all<T>(values: &[T]) {
    values.chunks((64 / size_of::<T>()).max(1)).for_each(|line| prefetch(line.as_ptr()));
}

/// Packs the truth of 64 positions, as bytes of all ones or zeros, into a word.
#[inline(always)]
pub(crate) fn pack(bytes: &[u8; 64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
        let mut word = 0u64;
        for part in 0..4 {
            // SAFETY: SSE2 is part of x86-64, and 16 bytes from `part * 16` on lie within the 64.
            let mask = unsafe { _mm_movemask_epi8(_mm_loadu_si128(bytes.as_ptr().add(part * 16).cast())) };
            word |= u64::from(mask as u32) << (part * 16);
        }
        word
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let bits = bytes.chunks_exact(8).enumerate().map(|(at, bytes)| {
            let eight = u64::from_le_bytes(bytes.try_into().expect("eight bytes")) & 0x0101_0101_0101_0101;
            (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (at * 8)
        });
        bits.fold(0, |word, bits| word | bits)
    }
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
