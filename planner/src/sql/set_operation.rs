//! UNION, INTERSECT and EXCEPT: both sides get the same types; the result has the left side's names.

use super::binder::Binder;
use super::expression::{Coercion, key, unify_types};
use super::query::{Rows, Unknown};
use super::scope::Scope;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::{ColumnId, Relation, SetKind};
use crate::types::DataType;
use sqlparser::ast;
use std::sync::Arc;

/// One of a chain of set operations: operator, ALL or DISTINCT, right side.
type Link<'q> = (ast::SetOperator, ast::SetQuantifier, &'q ast::SetExpr);

impl Binder<'_> {
    /// Binds a chain of set operations, from the left. Its columns are all of known types.
    pub(super) fn bind_set_operations(&mut self, chain: &ast::SetExpr, parent: Option<&Scope<'_>>) -> Result<Rows> {
        let (mut first, mut links) = (chain, Vec::new());
        while let ast::SetExpr::SetOperation { left, op, set_quantifier, right } = first {
            links.push((*op, *set_quantifier, &**right));
            first = left;
        }
        let mut rows = self.bind_set_expression(first, parent, Unknown::Keep)?;
        // Only the first side may have columns of unknown type: those of a set operation are known.
        let mut written = Some(first);
        while let Some(link) = links.pop() {
            rows = self.bind_set_operation((rows, written.take()), link, parent)?;
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
        let all = match quantifier {
            ast::SetQuantifier::All => true,
            ast::SetQuantifier::Distinct | ast::SetQuantifier::None => false,
            ast::SetQuantifier::ByName | ast::SetQuantifier::AllByName | ast::SetQuantifier::DistinctByName => {
                return Err(Error::unsupported(format_args!("{operator} BY NAME is")).at(position));
            }
        };
        let mut right_rows = self.bind_set_expression(right, parent, Unknown::Keep)?;
        if left_rows.1.len() != right_rows.1.len() {
            let message = format!("each {operator} query must have the same number of columns");
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        let (left_types, right_types) = (self.output_types(&left_rows), self.output_types(&right_rows));
        let mut types = Vec::new();
        for (left, right) in left_types.iter().zip(&right_types) {
            let unified = unify_types(&[*left, *right], &operator.to_string());
            types.push(unified.map_err(|error| error.at(position))?);
        }
        // A side with columns of unknown type is bound again, now that their types are known: only where the
        // literals stand can they take a type.
        if let Some(left) = written.filter(|_| left_types.contains(&DataType::Null)) {
            left_rows = self.bind_set_expression(left, parent, Unknown::As(&types))?;
        }
        if right_types.contains(&DataType::Null) {
            right_rows = self.bind_set_expression(right, parent, Unknown::As(&types))?;
        }
        let names: Vec<String> = left_rows.1.iter().map(|(name, _)| name.clone()).collect();
        // Rows that are told apart are compared without the blanks of a char.
        let told_apart = kind != SetKind::Union || !all;
        let left = self.cast_rows(left_rows, &types, told_apart)?;
        let right = self.cast_rows(right_rows, &types, told_apart)?;
        let mut output = Vec::new();
        for (name, data_type) in names.into_iter().zip(&types) {
            let id = self.columns.add(name.clone(), *data_type, true);
            output.push((name, id));
        }
        let columns = output.iter().map(|(_, id)| *id).collect();
        Ok((Arc::new(Relation::SetOperation { kind, all, columns, left, right }), output))
    }

    fn output_types(&self, (_, output): &Rows) -> Vec<DataType> {
        output.iter().map(|(_, id)| self.columns.get(*id).data_type).collect()
    }

    /// The rows with every column of its type in `types`: a Project over them where a cast is needed.
    fn cast_rows(
        &mut self,
        (input, output): Rows,
        types: &[DataType],
        told_apart: bool,
    ) -> Result<(Arc<Relation>, Vec<ColumnId>)> {
        let ids: Vec<ColumnId> = output.iter().map(|(_, id)| *id).collect();
        let has_keys = told_apart && types.contains(&DataType::BPCHAR);
        if !has_keys && ids.iter().zip(types).all(|(id, data_type)| self.columns.get(*id).data_type == *data_type) {
            return Ok((input, ids));
        }
        let mut columns = Vec::new();
        for (id, data_type) in ids.iter().zip(types) {
            let name = self.columns.get(*id).name.clone();
            let value = self.coerce(self.columns.reference(*id), *data_type, Coercion::Implicit)?;
            let value = if told_apart { key(value) } else { value };
            columns.push((self.columns.add(name, *data_type, true), value));
        }
        let ids = columns.iter().map(|(id, _)| *id).collect();
        Ok((Arc::new(Relation::Project { input, columns }), ids))
    }
}
