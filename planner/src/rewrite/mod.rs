//! The rules: small, named, switchable rewrites of programs, applied to a fixpoint.

use crate::multiloop::Program;

/// Which rules to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RewriteOptions {
    /// Leave out all of them.
    pub none: bool,
    /// Leave out these, by name.
    pub without: Vec<String>,
}

/// A rule that changed the program, in the order of change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// The rule's name.
    pub rule: &'static str,
}

/// Applies the rules to a fixpoint.
pub fn rewrite(program: &mut Program, options: &RewriteOptions) -> Vec<Fired> {
    let _ = (program, options);
    Vec::new()
}
