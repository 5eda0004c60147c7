//! Chains of UNION, INTERSECT and EXCEPT.

use super::binder::Binder;
use super::query::Unknown;
use super::recursive::Within;
use crate::error::{Error, Result};
use crate::relation::SetKind;
use crate::relation::builder::{Rows, Scope};
use crate::types::DataType;
use sqlparser::ast;

/// One of a chain of set operations: operator, ALL or DISTINCT, right side.
type Link<'q> = (ast::SetOperator, ast::SetQuantifier, &'q ast::SetExpr);

/// What a side of a set operation stands in that a recursive query may not name itself in.
fn within((operator, quantifier, _): &Link<'_>, is_right: bool) -> Option<Within> {
    let all = *quantifier == ast::SetQuantifier::All;
    match operator {
        ast::SetOperator::Except if is_right || all => Some(Within::Except),
        ast::SetOperator::Intersect if all => Some(Within::Intersect),
        _ => None,
    }
}

impl Binder<'_, '_> {
    /// Binds a chain of set operations, from the left. Its columns are all of known types.
    pub(super) fn bind_set_operations(&mut self, chain: &ast::SetExpr, parent: Option<&Scope<'_>>) -> Result<Rows> {
        let (mut first, mut links) = (chain, Vec::new());
        while let ast::SetExpr::SetOperation { left, op, set_quantifier, right } = first {
            links.push((*op, *set_quantifier, &**right));
            first = left;
        }
        let around = |later: &[Link<'_>]| later.iter().find_map(|link| within(link, false));
        let mut rows =
            self.bind_within(around(&links), |binder| binder.bind_set_expression(first, parent, Unknown::Keep))?;
        // Only the first side may have columns of unknown type: those of a set operation are known.
        let mut written = Some(first);
        while let Some(link) = links.pop() {
            let within = within(&link, true).or_else(|| around(&links));
            rows =
                self.bind_within(within, |binder| binder.bind_set_operation((rows, written.take()), link, parent))?;
        }
        Ok(rows)
    }

    /// Binds one more set operation; `written` is what the left rows were bound of, if their types may be unknown.
    fn bind_set_operation(
        &mut self,
        (mut left_rows, written): (Rows, Option<&ast::SetExpr>),
        (operator, quantifier, right): Link<'_>,
        parent: Option<&Scope<'_>>,
    ) -> Result<Rows> {
        let position = self.body_start(right);
        let kind = match operator {
            ast::SetOperator::Union => SetKind::Union,
            ast::SetOperator::Intersect => SetKind::Intersect,
            ast::SetOperator::Except => SetKind::Except,
            ast::SetOperator::Minus => {
                return Err(Error::unsupported("MINUS is").with_hint("Use EXCEPT.").at(position));
            }
        };
        let (all, by_name) = match quantifier {
            ast::SetQuantifier::All => (true, false),
            ast::SetQuantifier::Distinct | ast::SetQuantifier::None => (false, false),
            ast::SetQuantifier::AllByName => (true, true),
            ast::SetQuantifier::ByName | ast::SetQuantifier::DistinctByName => (false, true),
        };
        if by_name {
            if kind != SetKind::Union {
                return Err(Error::unsupported(format_args!("{operator} BY NAME is")).at(position));
            }
            return self.bind_union_by_name((left_rows, written), (all, right), parent);
        }
        let mut right_rows = self.bind_set_expression(right, parent, Unknown::Keep)?;
        let types = self.builder.common_types(kind, &left_rows, &right_rows, position)?;
        let is_unknown =
            |binder: &Self, rows: &Rows| binder.builder.output_types(rows).into_iter().any(DataType::has_unknown);
        // A side with columns of unknown type is bound again, now that their types are known: only where the
        // literals stand can they take a type.
        if let Some(left) = written.filter(|_| is_unknown(self, &left_rows)) {
            left_rows = self.bind_set_expression(left, parent, Unknown::As(&types))?;
        }
        if is_unknown(self, &right_rows) {
            right_rows = self.bind_set_expression(right, parent, Unknown::As(&types))?;
        }
        self.builder.set_operation(kind, all, left_rows, right_rows, &types)
    }

    /// `left UNION [ALL] BY NAME right`.
    fn bind_union_by_name(
        &mut self,
        (mut left, written): (Rows, Option<&ast::SetExpr>),
        (all, right): (bool, &ast::SetExpr),
        parent: Option<&Scope<'_>>,
    ) -> Result<Rows> {
        let position = self.body_start(right);
        let mut right_rows = self.bind_set_expression(right, parent, Unknown::Keep)?;
        let whole = self.builder.by_name(left.clone(), right_rows.clone(), position)?;
        let types = self.builder.common_types(SetKind::Union, &whole.0, &whole.1, position)?;
        let types: Vec<DataType> =
            types.into_iter().map(|of| if of == DataType::Null { DataType::Text } else { of }).collect();
        let is_unknown =
            |binder: &Self, rows: &Rows| binder.builder.output_types(rows).into_iter().any(DataType::has_unknown);
        if let Some(written) = written.filter(|_| is_unknown(self, &left)) {
            let own = self.builder.types_by_name(&left, &whole.0, &types);
            left = self.bind_set_expression(written, parent, Unknown::As(&own))?;
        }
        if is_unknown(self, &right_rows) {
            let own = self.builder.types_by_name(&right_rows, &whole.0, &types);
            right_rows = self.bind_set_expression(right, parent, Unknown::As(&own))?;
        }
        let (left, right) = self.builder.by_name(left, right_rows, position)?;
        self.builder.set_operation(SetKind::Union, all, left, right, &types)
    }
}
