//! Statements and kernels of emitted code.

use super::expression::{Expression, Variable};
use super::helpers::Helper;

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Declare(Variable, Expression),
    Assign(Variable, Expression),
    /// Puts a value into an array.
    Store(Variable, Expression, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// From a first value on, below an end, in steps.
    For {
        /// Whether it is written out, turn by turn: its numbers are of the code.
        unrolled: bool,
        variable: Variable,
        from: Expression,
        below: Expression,
        step: Expression,
        body: Vec<Statement>,
    },
    /// As long as a condition holds.
    While(Expression, Vec<Statement>),
    Call(Helper, Vec<Expression>),
    /// Declares an array of words that a thread has, with some neighbouring elements of a column, from a row on.
    Lanes {
        array: Variable,
        column: Variable,
        row: Expression,
    },
    /// Declares an array of so many elements that a thread has.
    Array(Variable, u32),
    /// The same of words, with those of another one from a first one on.
    Words {
        array: Variable,
        from: Variable,
        first: Expression,
        count: u32,
    },
    /// All threads of a block have done what stands before it.
    Barrier,
}

/// A kernel.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) parameters: Vec<Variable>,
    /// The words that the threads of a block share, if it has some.
    pub(crate) shared: Option<Variable>,
    pub(crate) body: Vec<Statement>,
}
