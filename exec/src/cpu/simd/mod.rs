//! Instructions: which level of them the CPU has (`level`), how kernels are compiled for each (`kernel`), asking for memory
//! ahead of its use (`prefetch`), positions of bits (`positions`) and of bytes (`marks`), hashes, and filling memory from
//! many threads (`parallel_fill`).

pub(crate) mod kernel;
pub mod level;
pub mod marks;
pub(crate) mod parallel_fill;
pub(crate) mod positions;
pub(crate) mod prefetch;
