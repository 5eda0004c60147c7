//! Fuzz target: no file makes who reads it panic, take more memory than there is, or end in an internal error. The first byte is
//! the format; files to begin with are those of `tests/data/files`, behind such a byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Once;

/// Decoders of libraries panic at what contradicts itself, which is caught: it is no finding.
static QUIET: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    if let Err(panic) = std::panic::catch_unwind(|| multiloop_tests::files::read_any(bytes)) {
        let said = panic.downcast_ref::<String>().map_or("a panic", String::as_str);
        eprintln!("{said}");
        std::process::abort();
    }
});
