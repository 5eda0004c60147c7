//! Intervals against values.
