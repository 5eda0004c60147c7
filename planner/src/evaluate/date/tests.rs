//! Tests of date.
