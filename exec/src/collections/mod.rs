//! Rows and other results as they are handed from loop to loop: `rows` in chunks; what other backends than the CPU hand back
//! (`given`), what stays where they made it (`held`), and that either is what a let gave (`made`).

pub(crate) mod given;
pub(crate) mod held;
pub(crate) mod made;
pub(crate) mod rows;
