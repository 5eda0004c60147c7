//! An item of a select list: a column of the result, with the name that it is shown by.

use crate::relation::Expression;

/// A column of the result.
#[derive(Clone, Debug)]
pub struct SelectItem {
    /// The name it is shown by.
    pub(super) name: String,
    /// Its value.
    pub(super) expression: Expression,
}

impl SelectItem {
    /// Its value.
    pub fn into_value(self) -> Expression {
        self.expression
    }
}
