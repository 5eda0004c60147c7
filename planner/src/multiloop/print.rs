//! The text form of programs, for EXPLAIN (LOOPS), rule headers and golden files.

use super::Program;

/// The text of a program; `parse` reads it back.
pub fn print(program: &Program) -> String {
    let _ = program;
    String::new()
}
