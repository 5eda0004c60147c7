//! TABLESAMPLE and USING SAMPLE.

use super::binder::Binder;
use super::forms::USING_SAMPLE;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Clause, SampleSize, Scope};
use crate::relation::{Expression, Relation};
use sqlparser::ast::{self, Expr, FunctionArg, FunctionArgExpr, Spanned, TableSampleMethod, TableSampleUnit};
use std::sync::Arc;

impl Binder<'_, '_> {
    /// A sample of a table's rows.
    pub(super) fn bind_table_sample(
        &mut self,
        relation: Arc<Relation>,
        sample: &ast::TableSample,
    ) -> Result<Arc<Relation>> {
        let ast::TableSample { modifier: _, name, quantity, seed, bucket, offset } = sample;
        let Some(quantity) = quantity.as_ref().filter(|_| bucket.is_none() && offset.is_none()) else {
            return Err(Error::unsupported("TABLESAMPLE with BUCKET or OFFSET is"));
        };
        let is_share = match quantity.unit {
            Some(TableSampleUnit::Percent) => true,
            Some(TableSampleUnit::Rows) => false,
            None => !matches!(name, Some(TableSampleMethod::Row)),
        };
        let is_exact = matches!(name, Some(TableSampleMethod::Row));
        let seed = seed.as_ref().map(|seed| Expr::Value(seed.value.clone()));
        self.bind_sample(relation, (&quantity.value, is_share, is_exact), seed.as_ref())
    }

    /// The condition of a WHERE behind USING SAMPLE, and the call that stands for this; none if there is none.
    pub(super) fn split_using_sample(selection: &Expr) -> Option<(&ast::Function, Option<&Expr>)> {
        let (first, rest) = match selection {
            Expr::BinaryOp { left, op: ast::BinaryOperator::And, right } => (&**left, Some(&**right)),
            other => (other, None),
        };
        let Expr::Function(call) = first else { return None };
        let [ast::ObjectNamePart::Identifier(name)] = call.name.0.as_slice() else { return None };
        (name.value == USING_SAMPLE && name.quote_style.is_some()).then_some((call, rest))
    }

    /// A sample of the rows of FROM.
    pub(super) fn bind_using_sample(&mut self, relation: Arc<Relation>, call: &ast::Function) -> Result<Arc<Relation>> {
        let odd = || Error::new(ErrorKind::Syntax, "syntax error: such a USING SAMPLE is not known");
        let ast::FunctionArguments::List(list) = &call.args else { return Err(odd()) };
        let part = |argument: &FunctionArg| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
            _ => None,
        };
        let parts = list.args.iter().map(part).collect::<Option<Vec<Expr>>>().ok_or_else(odd)?;
        let text = |expr: &Expr| match expr {
            Expr::Value(value) => value.value.clone().into_string().unwrap_or_default(),
            _ => String::new(),
        };
        let [method, amount, unit, seed @ ..] = parts.as_slice() else { return Err(odd()) };
        let is_exact = text(method) == "reservoir";
        self.bind_sample(relation, (amount, text(unit) == "%", is_exact), seed.first())
    }

    fn bind_sample(
        &mut self,
        relation: Arc<Relation>,
        (amount, is_share, is_exact): (&Expr, bool, bool),
        seed: Option<&Expr>,
    ) -> Result<Arc<Relation>> {
        let position = self.position(amount.span());
        let scope = Scope::empty(None, Clause::Limit);
        let bind = |binder: &mut Self, expr: &Expr| match binder.bind_expression(expr, &scope) {
            Err(error) if error.kind() == ErrorKind::UnknownColumn => {
                let message = "a sample's size must not contain variables";
                Err(Error::new(ErrorKind::InvalidColumnReference, message).at(position))
            }
            bound => bound,
        };
        let amount: Expression = bind(self, amount)?;
        let seed = seed.map(|seed| bind(self, seed)).transpose()?;
        let size = match (is_share, is_exact) {
            (true, false) => SampleSize::Chance(amount),
            (true, true) => SampleSize::Share(amount),
            (false, _) => SampleSize::Rows(amount),
        };
        self.builder.sample(relation, size, seed).map_err(|error| error.at(position))
    }
}
