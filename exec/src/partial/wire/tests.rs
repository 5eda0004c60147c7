//! Bytes that nobody wrote.
