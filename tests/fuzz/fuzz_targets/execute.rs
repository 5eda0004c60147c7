//! Fuzz target: no text makes execution panic or end in an internal error, and no rule changes rows.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| multiloop_tests::execute(text));
