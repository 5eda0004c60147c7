//! The GPU: loops of a plan as CUDA C, on a card's columns.
//!
//! A loop is a let of the plan and what the plan knows of collections, nothing else (`backend`, the seam). It becomes one kernel or a few,
//! in these steps:
//!
//! 1. **Columns** (`columns`): those that the loop reads are on the device, or are uploaded and stay there. A column is one array in one
//!    frame for all rows; bases, steps and numbers of rows are parameters.
//! 2. **Lowering** (`lower`): nodes of expressions, keys, levels and conditions become C as values (`code`), in the types that the plan's
//!    ranges prove. What reads one text is computed for each string of its dictionary, on the host, or, of
//!    text without one, for each of its rows by kernels of their own (`text`). What is not known declines.
//! 3. **Groups** (`groups`): reductions are tables by code, filled through variables, the memory of blocks, or as they are. **Rows**
//!    (`rows`): what is collected keeps the order of the tuples; buckets find their rows by code.
//! 4. **Code** (`code`): the text of a kernel holds nothing of a statement but its shape. It is the key of compiled code, in memory and on
//!    disk; a literal, a dictionary, a number of rows more compile nothing. What has to be compiled a statement waits for, or its loop is
//!    declined this time, and threads of the cache compile it meanwhile (`driver/cache`): which of these is the statement's to say, so that
//!    there are two backends on one device.
//! 5. **Launch** (`driver`): CUDA's driver, or (tests) the processors through a shim. Kernels are right at every launch shape, one
//!    thread a block included: threads of a block meet in its memory alone, behind barriers, and no warp is asked for anything.
//! 6. **Results**: what other loops read stays on the device (`groups/held`), and becomes partial groups when the host asks, which
//!    the host merges and finishes as those of its own workers: averages and checks of sums' types are said once, there.
//!
//! Errors are a flag. An expression that fails sets it, for rows that reach it alone, and the loop is declined: the processors run it
//! again, and say what is wrong. Memory that runs out declines, after columns that nobody uses have been let go.
//!
//! Same bits as the processors: integers and decimals are exact, in 64 bits where rows × bound fit them, in 128 else; floats are
//! computed by IEEE's operations without contraction, and what is not finite, or may be an underflow, is the processors'.
//!
//! Of several cards (`several`) each runs loops over its part of a table; what they make is put together where it is asked.
//!
//! Low to high: `stop` is what ends work; `code`; `driver`; `columns`; `device` is what a device keeps; `text` computes values of
//! columns of text; `lower`, `groups` and `rows`, which know each other; `unmatched` and `backend`; `several`.

pub(crate) mod backend;
mod code;
mod columns;
mod device;
#[cfg(any(test, feature = "gpu", feature = "gpu-emulated"))]
pub(crate) mod devices;
pub(crate) mod driver;
mod groups;
mod lower;
mod rows;
pub(crate) mod several;
mod stop;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod unmatched;
