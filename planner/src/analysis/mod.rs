//! What can be proven about a program without running it.

pub mod nullability;
pub mod ranges;
