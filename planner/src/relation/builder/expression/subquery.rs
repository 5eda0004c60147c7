//! Subqueries as values: scalar, EXISTS, ANY, ALL.
//!
//! `x op ANY (…)` becomes a subquery with a predicate over its columns; `x IN (…)` is `x = ANY (…)`, and `NOT IN` its
//! negation, which gives SQL's NULL rule. Over a list, ANY and ALL are lists of comparisons.

use super::operator::{and, or};
use super::pattern::PatternOperator;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::builder::{Builder, Rows};
use crate::relation::{Expression, ExpressionKind, Subquery, SubqueryKind};
use crate::types::DataType;

/// ANY (SOME, IN) or ALL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// TRUE if the comparison is for one.
    Any,
    /// TRUE if the comparison is for each.
    All,
}

fn subquery((relation, _): Rows, kind: SubqueryKind, data_type: DataType, position: Option<Position>) -> Expression {
    let subquery = Subquery { kind, relation };
    Expression::new(ExpressionKind::Subquery(Box::new(subquery)), data_type).at(position)
}

fn quantified(quantifier: Quantifier, predicate: Expression, rows: Rows, position: Option<Position>) -> Expression {
    let kind = match quantifier {
        Quantifier::Any => SubqueryKind::Any(predicate),
        Quantifier::All => SubqueryKind::All(predicate),
    };
    subquery(rows, kind, DataType::Boolean, position)
}

impl Builder<'_> {
    /// Rows of one column as a value.
    pub fn scalar_subquery(&self, rows: Rows, position: Option<Position>) -> Result<Expression> {
        let [(_, column)] = rows.1.as_slice() else {
            return Err(Error::new(ErrorKind::Syntax, "subquery must return only one column").at(position));
        };
        let column = *column;
        let data_type = self.columns.get(column).data_type;
        Ok(subquery(rows, SubqueryKind::Scalar(column), data_type, position))
    }

    /// Whether there are rows.
    pub fn exists(&self, rows: Rows, position: Option<Position>) -> Expression {
        subquery(rows, SubqueryKind::Exists, DataType::Boolean, position)
    }

    /// `left function ANY|ALL (rows)`, where left may be a row of several fields.
    pub fn quantified_subquery(
        &mut self,
        quantifier: Quantifier,
        function: Function,
        left: Vec<Expression>,
        rows: Rows,
        position: Option<Position>,
    ) -> Result<Expression> {
        if rows.1.len() != left.len() {
            let many = if rows.1.len() > left.len() { "many" } else { "few" };
            return Err(Error::new(ErrorKind::Syntax, format!("subquery has too {many} columns")).at(position));
        }
        let right = rows.1.iter().map(|(_, column)| self.columns.reference(*column)).collect();
        let predicate = self.compare_rows(function, left, right).map_err(|error| error.at(position))?;
        Ok(quantified(quantifier, predicate, rows, position))
    }

    /// `left LIKE ANY|ALL (rows)` and the other operators of patterns.
    pub fn quantified_match(
        &mut self,
        quantifier: Quantifier,
        operator: PatternOperator,
        left: Expression,
        rows: Rows,
        position: Option<Position>,
    ) -> Result<Expression> {
        let [(_, column)] = rows.1.as_slice() else {
            return Err(Error::new(ErrorKind::Syntax, "subquery has too many columns").at(position));
        };
        let pattern = self.columns.reference(*column);
        let predicate = self.like(operator, left, pattern, None).map_err(|error| error.at(position))?;
        Ok(quantified(quantifier, predicate, rows, position))
    }

    /// `value function ANY|ALL (items)` over a list, whose items have one type.
    pub fn quantified_list(
        &mut self,
        quantifier: Quantifier,
        function: Function,
        value: Expression,
        items: Vec<Expression>,
    ) -> Result<Expression> {
        let items = self.unify(items, "ARRAY")?;
        if quantifier == Quantifier::Any && function == Function::Equal {
            return self.in_list(value, items);
        }
        let mut tests = Vec::with_capacity(items.len());
        for item in items {
            tests.push(self.compare(function, value.clone(), item)?);
        }
        Ok(if quantifier == Quantifier::Any { or(tests) } else { and(tests) })
    }
}
