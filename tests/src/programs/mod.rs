//! Programs in IR text: tables for them, and what of their rows is free.

mod rows;
mod tables;

pub use rows::{Outcome, difference};
pub use tables::{Nasty, tables, with_statistics};

use multiloop_planner::analysis::verify::verify;
use multiloop_planner::multiloop::Program;
use multiloop_planner::multiloop::parse::parse;

/// The program of a text.
///
/// # Panics
/// If it is none, or not a valid one.
pub fn program(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    program
}
