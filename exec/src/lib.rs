//! Execution: columns, the interpreter that is the specification, and the CPU backend.
//!
//! Low to high, and no folder imports one that stands after it: `technique` says which techniques may be used; `sums` are exact;
//! `workers` is the pool, the topology and what a running statement shares (memory limit, cancellation, progress); `column`
//! holds tables; `interpret` runs any program row by row; `plan` decides how a program runs; `partial` are groups of
//! some rows, as data that can leave the process; `collections` are rows as they are handed over, and what devices give and
//! keep; `backend` is the seam for devices; `cpu` runs loops tile by tile; `row_device` is a device that tests put in a GPU's
//! place; `cards` chooses between processors and cards; `run` drives the lets of a plan.

mod backend;
mod cards;
mod collections;
pub mod column;
pub mod cpu;
#[cfg(any(test, feature = "gpu", feature = "gpu-emulated"))]
mod gpu;
pub mod interpret;
pub mod partial;
pub mod plan;
mod row_device;
pub mod run;
pub mod sums;
pub mod technique;
pub mod workers;

/// Tests have the program's allocator: they make rows of values by the thousand.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub use backend::devices::Devices;
pub use cards::{Cards, Chosen, DeviceUse, Plans, Rates, about_cards, first_card};
pub use multiloop_planner::error::{Error, ErrorKind, Result};
