//! Tests of parameters.
