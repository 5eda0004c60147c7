//! Collections in the form in which backends exchange them: rows in chunks.

pub(crate) mod rows;
