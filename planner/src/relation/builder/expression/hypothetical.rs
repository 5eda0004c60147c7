//! Hypothetical-set aggregates: where a row would stand among those of a group, `rank(3) WITHIN GROUP (ORDER BY a)`.
//!
//! Rows, and the one that is asked for, are texts that sort as the order says (`gather`), so with n rows, b of which stand before it
//! and e of which are its equals,
//!
//! * `rank` is b + 1, `dense_rank` one more than the different ones before it;
//! * `percent_rank` is b / n, 0 of no rows; `cume_dist` (b + e + 1) / (n + 1).

use super::aggregate::Place;
use super::call::no_function;
use super::coercion::{Coercion, cast, unify_types};
use super::composed::sort_key;
use super::fold;
use super::operator::Operator;
use crate::error::{Position, Result};
use crate::function::Function;
use crate::relation::builder::{Builder, Scope};
use crate::relation::{AggregateCall, AggregateFunction, Expression, ExpressionKind};
use crate::types::{DataType, SortOrder};
use crate::value::Value;

/// The names of these aggregates.
const NAMES: [&str; 4] = ["rank", "dense_rank", "percent_rank", "cume_dist"];

/// Whether a name (in lower case) is that of a hypothetical-set aggregate.
pub fn is_hypothetical(name: &str) -> bool {
    NAMES.contains(&name)
}

impl Builder<'_> {
    /// `name(direct, …) WITHIN GROUP (ORDER BY key, …) FILTER (WHERE filter)`, of which keys and filter were built in the scope's
    /// clause [`Clause::AggregateArgument`](crate::relation::builder::Clause).
    ///
    /// # Errors
    /// 42883 unless there are as many values as keys.
    pub fn hypothetical(
        &mut self,
        name: &str,
        direct: Vec<Expression>,
        keys: Vec<(Expression, SortOrder)>,
        filter: Option<Expression>,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let place = Place { scope, over: None, position };
        if direct.len() != keys.len() || keys.is_empty() {
            let (given, needed) = (direct.len(), keys.len());
            let all: Vec<Expression> = direct.into_iter().chain(keys.into_iter().map(|(key, _)| key)).collect();
            let hint = format!(
                "To use the hypothetical-set aggregate {name}, the number of hypothetical direct arguments (here {given}) \
                 must match the number of ordering columns (here {needed})."
            );
            return Err(no_function(name, &all).with_hint(hint).at(position));
        }
        let (mut of_row, mut asked) = (Vec::new(), Vec::new());
        for (value, (key, order)) in direct.into_iter().zip(keys) {
            let common = if value.data_type == DataType::Null {
                key.data_type
            } else {
                unify_types(&[value.data_type, key.data_type], "WITHIN GROUP").map_err(|error| error.at(position))?
            };
            let value = self.coerce(value, common, Coercion::Implicit)?;
            let key = self.coerce(key, common, Coercion::Implicit)?;
            of_row.push(sort_key(key, order).map_err(|error| error.at(position))?);
            asked.push(sort_key(value, order).map_err(|error| error.at(position))?);
        }
        let joined = |texts: Vec<Expression>| {
            texts.into_iter().reduce(|all, text| fold::call(Function::Concat, vec![all, text], DataType::Text))
        };
        let (Some(of_row), Some(asked)) = (joined(of_row), joined(asked)) else { return Err(no_function(name, &[])) };
        let compare = |function: Function| fold::call(function, vec![of_row.clone(), asked.clone()], DataType::Boolean);
        let before = if name == "cume_dist" { compare(Function::LessEqual) } else { compare(Function::Less) };
        let condition = match &filter {
            Some(filter) => Expression::and([filter.clone(), before]),
            None => before,
        };
        let counted = (name == "dense_rank").then(|| of_row.clone());
        let before = self.counted(counted, Some(condition), name, &place)?;
        let one = Expression::constant(Value::Int(1), DataType::BigInt);
        let double = |value: Expression| cast(value, DataType::Double, Coercion::Implicit);
        let found = match name {
            "rank" | "dense_rank" => self.operator(Operator::Add, before, one)?,
            _ => {
                let all = self.counted(None, filter, name, &place)?;
                if name == "cume_dist" {
                    let above = self.operator(Operator::Add, before, one.clone())?;
                    let below = self.operator(Operator::Add, all, one)?;
                    self.operator(Operator::Divide, double(above), double(below))?
                } else {
                    // No rows, and so none before it.
                    let below = fold::call(Function::Greatest, vec![all, one], DataType::BigInt);
                    self.operator(Operator::Divide, double(before), double(below))?
                }
            }
        };
        Ok(grouped(found, asked).at(position))
    }

    /// How many rows there are, or how many different texts.
    fn counted(
        &mut self,
        texts: Option<Expression>,
        filter: Option<Expression>,
        name: &str,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let distinct = texts.is_some();
        let function = if distinct { AggregateFunction::Count } else { AggregateFunction::CountRows };
        let call = AggregateCall { function, argument: texts, distinct, filter, data_type: DataType::BigInt };
        self.made_in(call, name, place)
    }
}

/// The same value, which also asks for what is asked for where groups are read: so columns in it must be keys of these.
fn grouped(found: Expression, asked: Expression) -> Expression {
    if matches!(asked.kind, ExpressionKind::Constant(_)) {
        return found;
    }
    let data_type = found.data_type;
    let is_null = fold::call(Function::IsNull, vec![asked], DataType::Boolean);
    Expression::call(Function::Case, vec![is_null, Expression::constant(Value::Null, data_type), found], data_type)
}
