//! Limits by rank or share: FETCH … WITH TIES, and LIMIT of a percentage of all rows.
//!
//! ```text
//! Sort keys
//!   Project                     the columns as they were
//!     Filter                    WITH TIES: number > offset AND rank <= offset + rows
//!       Window order keys       a share:   number > offset AND number <= offset + share of count
//!         input
//! ```

use super::{Builder, Coercion};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::visit::take;
use crate::relation::{
    AggregateFunction, ColumnId, Expression, ExpressionKind, Relation, SortKey, WindowCall, WindowCallee,
};
use crate::types::DataType;
use crate::value::Value;
use crate::window::{Frame, WindowFunction};
use std::sync::Arc;

fn number(value: i64) -> Expression {
    Expression::constant(Value::Int(value), DataType::BigInt)
}

fn compared(function: Function, left: Expression, right: Expression) -> Expression {
    Expression::call(function, vec![left, right], DataType::Boolean)
}

fn added(left: Expression, right: Expression) -> Expression {
    Expression::call(Function::Add, vec![left, right], DataType::BigInt)
}

/// The rows and the order that they are in.
fn ordered(input: Arc<Relation>) -> (Arc<Relation>, Vec<SortKey>) {
    match &*input {
        Relation::Sort { .. } => match take(input) {
            Relation::Sort { input, keys } => (input, keys),
            other => (Arc::new(other), Vec::new()),
        },
        _ => (input, Vec::new()),
    }
}

impl Builder<'_> {
    /// So many rows and those that are tied with the last of them, behind `offset` rows.
    ///
    /// # Errors
    /// 42601 for rows in no order.
    pub fn limit_with_ties(
        &mut self,
        input: Arc<Relation>,
        rows: Expression,
        offset: Option<Expression>,
        position: Option<Position>,
    ) -> Result<Arc<Relation>> {
        let (input, keys) = ordered(input);
        if keys.is_empty() {
            let message = "WITH TIES cannot be specified without ORDER BY clause";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        if matches!(rows.kind, ExpressionKind::Constant(Value::Null)) {
            let message = "row count cannot be null in FETCH FIRST ... WITH TIES clause";
            return Err(Error::new(ErrorKind::InvalidRowCount, message).at(position));
        }
        let offset = at_least_nothing(offset);
        let (rank, row) = (self.place_among(WindowFunction::Rank), self.place_among(WindowFunction::RowNumber));
        let (of_rank, of_row) = (self.columns.reference(rank.0), self.columns.reference(row.0));
        // Of no rows none is the last one.
        let any = compared(Function::Greater, rows.clone(), number(0));
        let behind = compared(Function::Greater, of_row, offset.clone());
        let within = compared(Function::LessEqual, of_rank, added(offset, rows));
        Ok(self.kept_of(input, keys, vec![rank, row], vec![any, behind, within]))
    }

    /// A share of the rows in percent, rounded down, behind `offset` rows.
    ///
    /// # Errors
    /// 2201W for a constant share below 0 or above 100.
    pub fn limit_percent(
        &mut self,
        input: Arc<Relation>,
        percent: Expression,
        offset: Option<Expression>,
    ) -> Result<Arc<Relation>> {
        let position = percent.position;
        let percent = self.coerce(percent, DataType::Double, Coercion::Assignment)?;
        match &percent.kind {
            ExpressionKind::Constant(Value::Null) => return Ok(self.limit(input, None, offset)),
            ExpressionKind::Constant(Value::Float(share)) if !(0.0..=100.0).contains(share) => {
                let message = "LIMIT must be between 0 % and 100 %";
                return Err(Error::new(ErrorKind::InvalidRowCount, message).at(position));
            }
            _ => {}
        }
        let (input, keys) = ordered(input);
        let offset = at_least_nothing(offset);
        let row = self.place_among(WindowFunction::RowNumber);
        let count = self.aggregate_call(AggregateFunction::Count, "count", None, false)?;
        let all = (
            self.columns.add("count", count.data_type, false),
            WindowCall { callee: WindowCallee::Aggregate(count), frame: Frame::WHOLE, bounds: Vec::new() },
        );
        let (of_row, of_all) = (self.columns.reference(row.0), self.columns.reference(all.0));
        let of_all = self.coerce(of_all, DataType::Double, Coercion::Implicit)?;
        let product = Expression::call(Function::Multiply, vec![of_all, percent], DataType::Double);
        let hundred = Expression::constant(Value::Float(100.0), DataType::Double);
        let share = Expression::call(Function::Divide, vec![product, hundred], DataType::Double);
        let share = self.call_by_name("floor", vec![share], position)?;
        let share = self.coerce(share, DataType::BigInt, Coercion::Assignment)?;
        let behind = compared(Function::Greater, of_row.clone(), offset.clone());
        let within = compared(Function::LessEqual, of_row, added(offset, share));
        Ok(self.kept_of(input, keys, vec![row, all], vec![behind, within]))
    }

    /// The rows for which conditions over these windows of them hold, in their order.
    fn kept_of(
        &mut self,
        input: Arc<Relation>,
        keys: Vec<SortKey>,
        functions: Vec<(ColumnId, WindowCall)>,
        conditions: Vec<Expression>,
    ) -> Arc<Relation> {
        let columns = input.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        let numbered = Relation::Window { input, partition: Vec::new(), order: keys.clone(), functions };
        let kept = self.filter(Arc::new(numbered), Expression::and(conditions));
        let kept = Arc::new(Relation::Project { input: kept, columns });
        if keys.is_empty() { kept } else { Arc::new(Relation::Sort { input: kept, keys }) }
    }

    fn place_among(&mut self, function: WindowFunction) -> (ColumnId, WindowCall) {
        let data_type = function.data_type(None);
        let id = self.columns.add(function.name(), data_type, false);
        (
            id,
            WindowCall {
                callee: WindowCallee::Function(function, Vec::new(), data_type),
                frame: Frame::default(),
                bounds: Vec::new(),
            },
        )
    }
}

/// The offset; none and NULL are 0.
fn at_least_nothing(offset: Option<Expression>) -> Expression {
    match offset {
        None => number(0),
        Some(offset) => match offset.kind {
            ExpressionKind::Constant(Value::Null) => number(0),
            ExpressionKind::Constant(_) => offset,
            _ => Expression::call(Function::Coalesce, vec![offset, number(0)], DataType::BigInt),
        },
    }
}
