//! Placeholder of column/arrow.
