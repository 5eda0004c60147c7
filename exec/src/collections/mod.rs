//! Rows and other results as they are handed from loop to loop: `rows` in chunks; what other backends than the CPU hand back
//! (`given`), and what stays where they made it (`held`).

pub(crate) mod given;
pub(crate) mod held;
pub(crate) mod rows;
