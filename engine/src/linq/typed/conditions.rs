//! Conditions: lifted booleans, and Rust's own.

use super::expr::Expr;
use super::types::SqlType;
use crate::linq::tree::Tree;

/// What rows are kept by: a boolean value, which may be NULL, and is not true then.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no condition",
    note = "conditions are `Expr<bool>` and `Expr<Option<bool>>`: comparisons are methods, as `a.eq(b)` and `a.lt(b)`, combined by `&`, `|` and `!`"
)]
pub trait Condition {
    /// As a lifted value.
    #[doc(hidden)]
    fn condition(self) -> Expr<Option<bool>>;
}

impl<T: SqlType<Base = bool>> Condition for Expr<T> {
    fn condition(self) -> Expr<Option<bool>> {
        self.retyped()
    }
}

impl Condition for bool {
    fn condition(self) -> Expr<Option<bool>> {
        Expr::of(Tree::Boolean(self))
    }
}
