//! Fuzz target: no text makes parsing or binding panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| multiloop_tests::parse_and_bind(text));
