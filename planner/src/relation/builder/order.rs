//! What an item of ORDER BY or GROUP BY names, and ORDER BY over finished rows. An item is a result column by its number or
//! name (SQL-92), or any expression over FROM (SQL:1999); a name means the result column first, which is the other way round
//! in GROUP BY.

use super::select_item::SelectItem;
use super::{Builder, Clause, Rows, did_you_mean};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{ColumnId, Expression, Relation, SortKey};
use crate::types::SortOrder;
use std::sync::Arc;

/// An item that is no more than a constant or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A whole number, as it is written: a place in the select list, from 1.
    Place(String),
    /// Any other constant, which means nothing there.
    Constant,
    /// A name without a table.
    Name(String),
}

/// The item that a reference means, if there is one of its name; an error for constants that are no number (42601), numbers out
/// of range (42P10) and names that fit different items (42702).
pub(super) fn find_item(
    reference: &Reference,
    items: &[SelectItem],
    clause: Clause,
    position: Option<Position>,
) -> Result<Option<usize>> {
    let error = |kind, message| Err(Error::new(kind, message).at(position));
    match reference {
        Reference::Place(digits) => {
            let index = digits.parse::<usize>().ok().and_then(|ordinal| ordinal.checked_sub(1));
            match index.filter(|index| *index < items.len()) {
                Some(index) => Ok(Some(index)),
                None => {
                    let message = format!("{clause} position {digits} is not in select list");
                    error(ErrorKind::InvalidColumnReference, message)
                }
            }
        }
        Reference::Constant => error(ErrorKind::Syntax, format!("non-integer constant in {clause}")),
        Reference::Name(name) => {
            let mut found = items.iter().enumerate().filter(|(_, item)| item.name == *name);
            let Some((index, first)) = found.next() else { return Ok(None) };
            if found.any(|(_, item)| !item.expression.is_written_as(&first.expression)) {
                return error(ErrorKind::AmbiguousColumn, format!("{clause} \"{name}\" is ambiguous"));
            }
            Ok(Some(index))
        }
    }
}

impl Builder<'_> {
    /// The column of finished rows that an item of their ORDER BY names.
    pub fn named_output(
        &self,
        reference: &Reference,
        output: &[(String, ColumnId)],
        position: Option<Position>,
    ) -> Result<Option<Expression>> {
        let items: Vec<SelectItem> = output.iter().map(|(name, id)| self.column_item(name, *id)).collect();
        Ok(find_item(reference, &items, Clause::OrderBy, position)?.map(|index| items[index].expression.clone()))
    }

    /// The error for what ORDER BY after a set operation may not be: a name, with what it may have been meant to be, or an
    /// expression.
    pub fn no_output(&self, name: Option<&str>, output: &[(String, ColumnId)]) -> Error {
        match name {
            Some(name) => {
                let error = Error::new(ErrorKind::UnknownColumn, format!("column \"{name}\" does not exist"));
                did_you_mean(error, name, output.iter().map(|(name, _)| name.as_str()))
            }
            None => Error::new(ErrorKind::Unsupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
                .with_detail("Only result column names can be used, not expressions or functions.")
                .with_hint("Add the expression/function to every SELECT, or move the UNION into a FROM clause."),
        }
    }

    /// Finished rows in an order: by expressions over their columns.
    ///
    /// # Errors
    /// 42883 and 0A000 for a type that has no order.
    pub fn sort(&mut self, (input, output): Rows, keys: Vec<(Expression, SortOrder)>) -> Result<Rows> {
        let key = |(expression, order)| Ok(SortKey { expression: self.order_key(expression)?, order });
        let keys = keys.into_iter().map(key).collect::<Result<_>>()?;
        Ok((Arc::new(Relation::Sort { input, keys }), output))
    }
}
