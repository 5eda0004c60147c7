//! Tests of text.
