//! Placeholder.

pub mod format;
