//! ASOF and POSITIONAL joins, as `forms` marks them.

use super::binder::Binder;
use super::forms::{ASOF_JOIN, POSITIONAL_JOIN};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::builder::{FromItem, Joined, Scope, Side, and};
use crate::relation::{ColumnId, Expression};
use sqlparser::ast::{self, BinaryOperator, Expr, JoinConstraint};

/// Which join a mark makes of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkedJoin {
    Asof,
    Positional,
}

/// The join that the mark in a constraint makes.
pub(super) fn marked(constraint: Option<&JoinConstraint>) -> Option<MarkedJoin> {
    let is = |ident: &ast::Ident, name: &str| ident.quote_style.is_some() && ident.value == name;
    let of_name = |name: &ast::ObjectName| match name.0.as_slice() {
        [ast::ObjectNamePart::Identifier(ident)] if is(ident, ASOF_JOIN) => Some(MarkedJoin::Asof),
        [ast::ObjectNamePart::Identifier(ident)] if is(ident, POSITIONAL_JOIN) => Some(MarkedJoin::Positional),
        _ => None,
    };
    match constraint? {
        JoinConstraint::Using(names) => names.first().and_then(of_name),
        JoinConstraint::On(on) => {
            let mut first = on;
            while let Expr::BinaryOp { left, .. } = first {
                first = left;
            }
            match first {
                Expr::Function(call) => of_name(&call.name),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The conditions behind the mark.
fn conditions(on: &Expr) -> Option<Vec<&Expr>> {
    let mut found = Vec::new();
    let mut first = on;
    while let Expr::BinaryOp { left, op, right } = first {
        if *op != BinaryOperator::And {
            return None;
        }
        found.push(&**right);
        first = left;
    }
    found.reverse();
    Some(found)
}

impl Binder<'_, '_> {
    /// A join that is marked.
    pub(super) fn bind_marked_join(
        &mut self,
        mark: MarkedJoin,
        (left, right): (FromItem, FromItem),
        (side, constraint): (Side, Option<&JoinConstraint>),
        parent: Option<&Scope<'_>>,
        position: Option<Position>,
    ) -> Result<FromItem> {
        if mark == MarkedJoin::Positional {
            return self.builder.positional_join(Joined::new(left, right, parent));
        }
        match constraint {
            Some(JoinConstraint::On(on)) => {
                let parts = conditions(on).ok_or_else(|| {
                    let message = "the conditions of an ASOF JOIN must be joined by AND";
                    Error::new(ErrorKind::Syntax, message).at(position)
                })?;
                let joined = Joined::new(left, right, parent);
                let mut bound = Vec::with_capacity(parts.len());
                for part in parts {
                    bound.push(self.bind_condition(part, &joined.scope)?);
                }
                self.builder.asof_join(joined, side, &and(bound), position)
            }
            Some(JoinConstraint::Using(names)) => self.bind_asof_using((left, right), side, &names[1..], parent),
            _ => Err(Error::new(ErrorKind::Syntax, "syntax error: ASOF JOIN without ON or USING").at(position)),
        }
    }

    /// `ASOF JOIN … USING (keys, time)`: equal keys, and the left's time is not before the right's.
    fn bind_asof_using(
        &mut self,
        (left, right): (FromItem, FromItem),
        side: Side,
        names: &[ast::ObjectName],
        parent: Option<&Scope<'_>>,
    ) -> Result<FromItem> {
        let mut bound: Vec<Expression> = Vec::with_capacity(names.len());
        let (mut merged, mut position): (Vec<(String, ColumnId, ColumnId)>, _) = (Vec::new(), None);
        for (at, name) in names.iter().enumerate() {
            let (_, ident) = self.split_name(name)?;
            let (name, own) = (Self::fold(ident), self.position(ident.span));
            position = position.or(own);
            let column = |item: &FromItem, which: &str| {
                let found = item.columns.iter().find(|column| !column.merged && !column.hidden && column.name == name);
                found.map(|column| column.id).ok_or_else(|| {
                    let message =
                        format!("column \"{name}\" specified in USING clause does not exist in {which} table");
                    Error::new(ErrorKind::UnknownColumn, message).at(own)
                })
            };
            let (l, r) = (column(&left, "left")?, column(&right, "right")?);
            let function = if at + 1 == names.len() { Function::GreaterEqual } else { Function::Equal };
            merged.push((name, l, r));
            let (l, r) = (self.builder.columns.reference(l), self.builder.columns.reference(r));
            bound.push(self.builder.compare(function, l, r).map_err(|error| error.at(own))?);
        }
        let joined = Joined::new(left, right, parent);
        let mut item = self.builder.asof_join(joined, side, &and(bound), position)?;
        if matches!(side, Side::Right | Side::Full) {
            return self.builder.with_merged(item, side, &merged).map_err(|error| error.at(position));
        }
        for column in item.columns.iter_mut().filter(|column| merged.iter().any(|(.., right)| column.id == *right)) {
            column.merged = true;
        }
        Ok(item)
    }
}
