//! Samples of rows: each row with a probability, or a given number of rows.
//!
//! Without a seed chance is `random()`. With one it is made of the row's number, so that a sample of the same rows is the same.

use super::{Builder, Coercion};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::{Expression, ExpressionKind, Relation, SortKey};
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use std::sync::Arc;

/// A prime below 2^31: what is multiplied below stays a bigint.
const MODULUS: i64 = 2_147_483_647;

/// How many rows a sample has.
#[derive(Clone, Debug)]
pub enum SampleSize {
    /// Each row with a chance in percent.
    Chance(Expression),
    /// A share of all rows in percent.
    Share(Expression),
    /// So many rows.
    Rows(Expression),
}

fn big(value: i64) -> Expression {
    Expression::constant(Value::Int(value), DataType::BigInt)
}

fn call(function: Function, left: Expression, right: Expression) -> Expression {
    let data_type = left.data_type;
    Expression::call(function, vec![left, right], data_type)
}

impl Builder<'_> {
    /// Some of the rows.
    ///
    /// # Errors
    /// 2202H for a share below 0 or above 100, 2202G for a seed that is NULL.
    pub fn sample(
        &mut self,
        input: Arc<Relation>,
        size: SampleSize,
        seed: Option<Expression>,
    ) -> Result<Arc<Relation>> {
        let columns = input.columns();
        let (input, chance) = self.chance(input, seed)?;
        let sampled = match size {
            SampleSize::Chance(percent) => {
                let percent = self.percent_of_sample(percent)?;
                let hundred = Expression::constant(Value::Float(100.0), DataType::Double);
                let share = call(Function::Divide, percent, hundred);
                self.filter(input, Expression::call(Function::Less, vec![chance, share], DataType::Boolean))
            }
            SampleSize::Share(percent) => {
                let percent = self.percent_of_sample(percent)?;
                let input = Arc::new(Relation::Sort { input, keys: vec![key(chance)] });
                self.limit_percent(input, percent, None)?
            }
            SampleSize::Rows(rows) => {
                let rows = self.row_count(rows, "SAMPLE", None)?;
                let input = Arc::new(Relation::Sort { input, keys: vec![key(chance)] });
                self.limit(input, Some(rows), None)
            }
        };
        let columns = columns.into_iter().map(|id| (id, self.columns.reference(id))).collect();
        Ok(Arc::new(Relation::Project { input: sampled, columns }))
    }

    fn percent_of_sample(&mut self, percent: Expression) -> Result<Expression> {
        let percent = self.coerce(percent, DataType::Double, Coercion::Assignment)?;
        match &percent.kind {
            ExpressionKind::Constant(Value::Float(share)) if (0.0..=100.0).contains(share) => Ok(percent),
            ExpressionKind::Constant(_) => {
                let message = "sample percentage must be between 0 and 100";
                Err(Error::new(ErrorKind::InvalidSample, message))
            }
            _ => Ok(percent),
        }
    }

    /// The rows with a number from 0 to below 1 for each.
    fn chance(&mut self, input: Arc<Relation>, seed: Option<Expression>) -> Result<(Arc<Relation>, Expression)> {
        let mut columns: Vec<_> = input.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        let chance = self.columns.add("chance", DataType::Double, false);
        let (input, value) = match seed {
            None => (input, self.call_by_name("random", Vec::new(), None)?),
            Some(seed) => {
                if matches!(seed.kind, ExpressionKind::Constant(Value::Null)) {
                    let message = "TABLESAMPLE REPEATABLE parameter cannot be null";
                    return Err(Error::new(ErrorKind::InvalidSample, message));
                }
                let seed = self.coerce(seed, DataType::BigInt, Coercion::Assignment)?;
                let (numbered, number) = self.numbered(input, Vec::new(), Vec::new());
                let start = call(Function::Modulo, number, big(MODULUS));
                let seed = call(Function::Modulo, call(Function::Modulo, seed, big(MODULUS)), big(MODULUS));
                let seed = call(Function::Modulo, call(Function::Add, seed, big(MODULUS)), big(MODULUS));
                // Squares break the steps of the products.
                let mut mixed = call(Function::Add, call(Function::Multiply, start, big(48_271)), seed);
                for factor in [16_807, 69_621, 39_373] {
                    mixed = call(Function::Modulo, mixed, big(MODULUS));
                    let square = call(Function::Multiply, mixed.clone(), mixed.clone());
                    mixed = call(Function::Add, square, call(Function::Multiply, mixed, big(factor)));
                    mixed = call(Function::Modulo, mixed, big(MODULUS));
                    mixed = call(Function::Add, mixed, big(1_013_904_223));
                }
                let mixed = call(Function::Modulo, mixed, big(MODULUS));
                let mixed = self.coerce(mixed, DataType::Double, Coercion::Implicit)?;
                let all = Expression::constant(Value::Float(MODULUS as f64), DataType::Double);
                (numbered, call(Function::Divide, mixed, all))
            }
        };
        columns.push((chance, value));
        Ok((Arc::new(Relation::Project { input, columns }), self.columns.reference(chance)))
    }
}

fn key(expression: Expression) -> SortKey {
    SortKey { expression, order: SortOrder { descending: false, nulls_first: false } }
}
