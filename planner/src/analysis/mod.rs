//! What can be proven about a program without running it.

pub mod nullability;
pub mod own_groups;
pub mod ranges;
pub mod verify;
