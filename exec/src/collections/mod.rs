//! Collections as whoever makes them hands them over: rows in chunks.

pub(crate) mod rows;
