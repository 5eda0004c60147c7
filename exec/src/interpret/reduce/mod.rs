//! Reductions: what each monoid makes of the values that it is fed.

use super::collection::Row;
use super::order::compare_leading;
use crate::sums::exact_sum::ExactSum;
use crate::sums::integer_sum::IntegerSum;
use crate::sums::moments::Variance;
use crate::sums::statistic::Summary;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::evaluate;
use multiloop_planner::evaluate::gather::gathered;
use multiloop_planner::evaluate::quantile::quantile;
use multiloop_planner::evaluate::statistic::Statistic;
use multiloop_planner::multiloop::{Gather, Reduction};
use multiloop_planner::numeric::sum::NumericSum;
use multiloop_planner::types::{DataType, SortOrder};
use multiloop_planner::value::{Interval, Value};
use std::cmp::Ordering;

/// The state of one aggregate.
#[derive(Clone)]
pub(crate) enum Accumulator {
    /// `CountRows` and `Count`.
    Count { rows: bool, count: i64 },
    /// `Sum`: whatever type the argument has.
    Sum { any: bool, integers: IntegerSum, floats: ExactSum, intervals: [IntegerSum; 3], argument: DataType },
    /// `Sum` of vectors: a sum a position, none before the first vector.
    Vectors { sums: Vec<ExactSum> },
    /// `Min` and `Max`: what the better value compares as.
    Extreme { better: Ordering, best: Value },
    /// `Any` and `All`: whether the deciding value, and whether NULL was among them.
    Logic { decisive: bool, decided: bool, unknown: bool },
    /// `First` and `Single`.
    First { only: bool, value: Option<Value> },
    /// `Variance`.
    Variance { sample: bool, state: Box<Variance>, argument: DataType },
    /// `Sum` of numerics, and the variance of what is exact; the sample's n - 1, if a variance is asked for.
    Numeric { state: Box<NumericSum>, variance: Option<bool>, argument: DataType },
    /// `Gather`: all texts or other values, until it is finished.
    Gather { how: Gather, values: Vec<Value> },
    /// `Statistic`, and how many values there were.
    Statistic { kind: Statistic, state: Summary, place: u64 },
    /// `TopK`: all rows, until it is finished.
    TopK { order: Vec<SortOrder>, limit: usize, offset: usize, rows: Vec<Row> },
}

impl Accumulator {
    /// The identity of a reduction, other than `TopK`, over arguments of this type.
    pub(crate) fn new(reduction: &Reduction, argument: Option<DataType>) -> Self {
        let argument = argument.unwrap_or(DataType::Null);
        match reduction {
            Reduction::CountRows => Accumulator::Count { rows: true, count: 0 },
            Reduction::Count => Accumulator::Count { rows: false, count: 0 },
            Reduction::Sum if argument == DataType::Numeric => {
                Accumulator::Numeric { state: Box::default(), variance: None, argument }
            }
            Reduction::Variance { sample } if !argument.is_float() => {
                Accumulator::Numeric { state: Box::default(), variance: Some(*sample), argument }
            }
            Reduction::Sum if argument.is_vector() => Accumulator::Vectors { sums: Vec::new() },
            Reduction::Sum => Accumulator::Sum {
                any: false,
                integers: IntegerSum::new(),
                floats: ExactSum::new(),
                intervals: [IntegerSum::new(); 3],
                argument,
            },
            Reduction::Min => Accumulator::Extreme { better: Ordering::Less, best: Value::Null },
            Reduction::Max => Accumulator::Extreme { better: Ordering::Greater, best: Value::Null },
            Reduction::Any => Accumulator::Logic { decisive: true, decided: false, unknown: false },
            Reduction::All => Accumulator::Logic { decisive: false, decided: false, unknown: false },
            Reduction::First => Accumulator::First { only: false, value: None },
            Reduction::Single => Accumulator::First { only: true, value: None },
            Reduction::Variance { sample } => {
                Accumulator::Variance { sample: *sample, state: Box::default(), argument }
            }
            Reduction::Gather(how) => Accumulator::Gather { how: *how, values: Vec::new() },
            Reduction::Statistic(kind) => Accumulator::Statistic { kind: *kind, state: Summary::new(*kind), place: 0 },
            other => panic!("bug: {other:?} has no accumulator of one value"),
        }
    }

    /// A top-k of no rows yet. NULL means no limit, and no offset.
    pub(crate) fn top_k(order: &[SortOrder], limit: &Value, offset: &Value) -> Result<Self> {
        let count = |value: &Value, clause: &str, default: usize| match value {
            Value::Int(count) => usize::try_from(*count).map_err(|_| Error::negative_row_count(clause)),
            _ => Ok(default),
        };
        Ok(Accumulator::TopK {
            order: order.to_vec(),
            limit: count(limit, "LIMIT", usize::MAX)?,
            offset: count(offset, "OFFSET", 0)?,
            rows: Vec::new(),
        })
    }

    /// Takes the arguments of one row.
    pub(crate) fn fold(&mut self, mut arguments: Row) -> Result<()> {
        if let Accumulator::TopK { rows, .. } = self {
            rows.push(arguments);
            return Ok(());
        }
        let argument = arguments.pop().unwrap_or(Value::Null);
        match self {
            Accumulator::Count { rows: true, count } => *count += 1,
            Accumulator::Logic { decisive, decided, unknown } => match argument {
                Value::Boolean(value) => *decided |= value == *decisive,
                _ => *unknown = true,
            },
            Accumulator::First { only: true, value: Some(_) } => {
                let message = "more than one row returned by a subquery used as an expression";
                return Err(Error::new(ErrorKind::Cardinality, message));
            }
            Accumulator::First { value, .. } => {
                value.get_or_insert(argument);
            }
            _ if argument.is_null() => {}
            Accumulator::Count { count, .. } => *count += 1,
            Accumulator::Sum { any, integers, floats, intervals, .. } => {
                *any = true;
                match argument {
                    Value::Int(value) => integers.add(value.into()),
                    Value::Decimal(value) => integers.add(value),
                    Value::Float(value) => floats.add(value),
                    Value::Interval(Interval { months, days, micros }) => {
                        let parts = [i128::from(months), i128::from(days), i128::from(micros)];
                        intervals.iter_mut().zip(parts).for_each(|(sum, part)| sum.add(part));
                    }
                    other => panic!("bug: the sum of {other:?}"),
                }
            }
            Accumulator::Vectors { sums } => match argument {
                Value::Vector(elements) => {
                    sums.resize_with(elements.len(), ExactSum::new);
                    sums.iter_mut().zip(elements.iter()).for_each(|(sum, &element)| sum.add(element));
                }
                other => panic!("bug: the sum of {other:?}"),
            },
            Accumulator::Extreme { better, best } => {
                let argument = argument.canonical();
                if best.is_null() || argument.compare(best).then_with(|| argument.compare_forms(best)) == *better {
                    *best = argument;
                }
            }
            Accumulator::Variance { state, argument: data_type, .. } => {
                match evaluate::cast(&argument, *data_type, DataType::Double)? {
                    Value::Float(value) => state.add(value),
                    other => panic!("bug: the variance of {other:?}"),
                }
            }
            Accumulator::Numeric { state, variance, argument: data_type } => {
                match evaluate::cast(&argument, *data_type, DataType::Numeric)? {
                    Value::Numeric(number) => state.add(&number, variance.is_some()),
                    other => panic!("bug: the sum of {other:?}"),
                }
            }
            Accumulator::Gather { values, .. } => values.push(argument),
            Accumulator::Statistic { kind, state, place } => {
                state.add(*kind, &argument, *place)?;
                *place += 1;
            }
            Accumulator::TopK { .. } => {}
        }
        Ok(())
    }

    /// The aggregate's value, of no rows the reduction's own answer.
    pub(crate) fn finish(self, data_type: DataType) -> Result<Value> {
        Ok(match self {
            Accumulator::Count { count, .. } => Value::Int(count),
            Accumulator::Sum { any: false, .. } => Value::Null,
            Accumulator::Sum { floats, argument, .. } if argument.is_float() => Value::Float(floats.finish(data_type)?),
            Accumulator::Sum { intervals, argument: DataType::Interval, .. } => sum_of_intervals(intervals)?,
            Accumulator::Sum { integers, .. } => integers.finish(data_type)?,
            Accumulator::Vectors { sums } if sums.is_empty() => Value::Null,
            Accumulator::Vectors { sums } => {
                let is_real = data_type.vector_of().is_some_and(|(of, _)| of == DataType::Real);
                Value::Vector(sums.iter().map(|sum| sum.rounded(is_real)).collect())
            }
            Accumulator::Extreme { best, .. } => best,
            Accumulator::Logic { decisive, decided: true, .. } => Value::Boolean(decisive),
            Accumulator::Logic { unknown: true, .. } => Value::Null,
            Accumulator::Logic { decisive, .. } => Value::Boolean(!decisive),
            Accumulator::First { value, .. } => value.unwrap_or(Value::Null),
            Accumulator::Variance { sample, state, .. } => match state.finish(sample)? {
                Some(variance) => evaluate::cast(&Value::Float(variance), DataType::Double, data_type)?,
                None => Value::Null,
            },
            Accumulator::Numeric { state, variance, .. } => {
                let found = match variance {
                    Some(sample) => state.variance(sample)?,
                    None => state.total()?,
                };
                found.map_or(Value::Null, Value::numeric)
            }
            Accumulator::Statistic { kind, state, .. } => state.finish(kind, data_type)?,
            Accumulator::Gather { values, .. } if values.is_empty() => Value::Null,
            Accumulator::Gather { how: Gather::One { of, descending }, values } => quantile(of, descending, values),
            Accumulator::Gather { how, values } => {
                let text = |value: &'_ Value| match value {
                    Value::Text(text) => std::sync::Arc::clone(text),
                    other => panic!("bug: {other:?} is gathered"),
                };
                let texts: Vec<std::sync::Arc<str>> = values.iter().map(text).collect();
                let mut texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
                Value::text(gathered(how, &mut texts)?)
            }
            Accumulator::TopK { .. } => panic!("bug: a top-k has rows, no value"),
        })
    }

    /// The rows of a top-k, in order, without their order keys.
    pub(crate) fn into_top_rows(self) -> Vec<Row> {
        let Accumulator::TopK { order, limit, offset, mut rows } = self else {
            panic!("bug: only a top-k has rows");
        };
        // Ties are broken by all fields, so that the rows do not depend on the order in which they came.
        rows.sort_by(|a, b| {
            let fields = || a.iter().zip(b).skip(order.len());
            let by_value = || first_unequal(fields().map(|(a, b)| a.compare(b)));
            let by_form = || first_unequal(fields().map(|(a, b)| a.compare_forms(b)));
            compare_leading(a, b, &order).then_with(by_value).then_with(by_form)
        });
        rows.into_iter().skip(offset).take(limit).map(|mut row| row.split_off(order.len())).collect()
    }
}

fn first_unequal(mut orderings: impl Iterator<Item = Ordering>) -> Ordering {
    orderings.find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
}

/// The interval of so many months, days and microseconds.
pub(crate) fn sum_of_intervals(parts: [IntegerSum; 3]) -> Result<Value> {
    let out_of_range = || Error::new(ErrorKind::DatetimeOverflow, "interval out of range");
    let [months, days, micros] = parts.map(|part| part.total().unwrap_or(i128::MAX));
    Ok(Value::Interval(Interval {
        months: months.try_into().map_err(|_| out_of_range())?,
        days: days.try_into().map_err(|_| out_of_range())?,
        micros: micros.try_into().map_err(|_| out_of_range())?,
    }))
}

#[cfg(test)]
mod tests;
