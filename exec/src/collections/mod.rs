//! Collections as backends pass them to each other: rows, and what a loop gives. They live on the host for now, and say so.
//!
//! A backend keeps what it makes in forms of its own (`cpu/collections` has indexes); what it hands over is one of these, and
//! whatever follows does not know where a loop ran.

pub(crate) mod given;
pub(crate) mod rows;
