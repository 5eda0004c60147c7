//! What is said beside results. That nobody hears it (`head` has seen enough) is no reason to fail.

/// Prints a line on standard output.
macro_rules! say {
    ($($said:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($said)*);
    }};
}

/// Prints a line on standard error.
macro_rules! warn {
    ($($said:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($said)*);
    }};
}
