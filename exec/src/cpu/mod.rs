//! The CPU backend.

pub mod bitmap;
pub mod expression;
pub mod kernels;
pub mod tile;
pub mod vector;
