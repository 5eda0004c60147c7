//! How a kernel is compiled for each level of instructions, and small loops that vectorise.

use crate::cpu::simd::level::Level;

/// Runs a kernel of one small loop, compiled for the best instructions that may be used (see [`Level`]). A closure of more
/// than that is not inlined where these are on, and profits from nothing: that is for functions of `kernel!`.
#[inline(always)]
pub(crate) fn vectorised<R>(kernel: impl FnOnce() -> R) -> R {
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
pub(crate) fn with_avx2<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn with_avx512<R>(kernel: impl FnOnce() -> R) -> R {
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
                use $crate::cpu::simd::level::Level;
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
pub(crate) const AHEAD: usize = 2048;

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
pub(crate) use kernel;
