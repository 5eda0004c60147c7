//! Aggregates that are composed of others, and statistics (`evaluate/statistic.rs`). Most are DuckDB's.
//!
//! | aggregate | is |
//! |---|---|
//! | `count_if(a)` | `sum(a::integer)` |
//! | `any_value`, `first`, `last`, `min_by`, `max_by` | the first or last row by a front that sorts |
//! | `median`, `quantile_cont`, `quantile_disc`, `mode`, `approx_quantile` | a percentile (`ordered_set`), exact |
//! | `regr_count`, `regr_avgx`, `regr_avgy` | count and average of rows in which both are there |
//! | `covar_pop`, `corr`, `regr_slope` and their kin | a measure of pairs |
//! | `histogram` | an object of JSON with how often there is each value |
//! | `list`, `group_concat`, `listagg` | array_agg and string_agg |

use super::aggregate::{AggregateArguments, Place};
use super::array::{array_call, carried, element_of};
use super::call::no_function;
use super::coercion::Coercion;
use super::gather::{UP, row_text};
use super::{blanks, fold};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::statistic::{PairMeasure, Statistic};
use crate::function::{ArrayFunction, Function, SortKeyOrder, StatisticFunction};
use crate::relation::builder::Builder;
use crate::relation::{AggregateCall, AggregateFunction, Expression};
use crate::types::{DataType, SortOrder};
use crate::value::Value;

/// The order of the largest first.
const DOWN: SortOrder = SortOrder { descending: true, nulls_first: false };

/// Their names (`registry/aggregate.rs` says what they do).
pub(super) const NAMES: [&str; 42] = [
    "any_value",
    "approx_count_distinct",
    "approx_quantile",
    "approx_top_k",
    "arg_max",
    "arg_max_null",
    "arg_min",
    "arg_min_null",
    "bit_and",
    "bit_or",
    "bit_xor",
    "corr",
    "count_if",
    "covar_pop",
    "covar_samp",
    "entropy",
    "first",
    "group_concat",
    "histogram",
    "kurtosis",
    "kurtosis_pop",
    "last",
    "list",
    "listagg",
    "max_by",
    "median",
    "min_by",
    "mode",
    "product",
    "quantile",
    "quantile_cont",
    "quantile_disc",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
    "skewness",
];

/// Whether a name is one of theirs.
pub(super) fn is_composed(name: &str) -> bool {
    NAMES.contains(&name)
}

impl Builder<'_> {
    /// A call of an aggregate that is composed of others.
    pub(super) fn composed(
        &mut self,
        name: &str,
        call: AggregateArguments,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        match name {
            "list" => return self.gather("array_agg", call, place),
            "group_concat" | "listagg" => return self.gather("string_agg", call, place),
            _ => {}
        }
        let at = |error: Error| error.at(place.position);
        let AggregateArguments { arguments, distinct, filter, order, .. } = call;
        let arguments = arguments.ok_or_else(|| no_function(name, &[])).map_err(at)?;
        let takes_any = !matches!(name, "count_if") && !is_of_pairs(name);
        // A fraction is a double, or an array of them.
        let is_fraction = |at: usize| at == 1 && name.contains("quantile");
        let settle = |(at, argument): (usize, Expression)| {
            if takes_any && !is_fraction(at) { self.settle(argument) } else { Ok(argument) }
        };
        let arguments = arguments.into_iter().enumerate().map(settle).collect::<Result<Vec<_>>>()?;
        let missing = no_function(name, &arguments);
        let found = match (name, arguments.as_slice()) {
            ("count_if", [condition]) => {
                let condition = self.coerce(condition.clone(), DataType::Boolean, Coercion::Implicit)?;
                // NULL where the condition never is anything else, as in DuckDB.
                let argument = Some(self.coerce(condition, DataType::Integer, Coercion::Explicit)?);
                let (function, data_type) = (AggregateFunction::Sum, DataType::BigInt);
                self.made_in(AggregateCall { function, argument, distinct: false, filter, data_type }, name, place)
            }
            ("any_value", [value]) => {
                let filter = both(filter, there(value));
                self.picked(Statistic::FirstRow, name, (value.clone(), order), Some(filter), place)
            }
            ("first", [value]) => self.picked(Statistic::FirstRow, name, (value.clone(), order), filter, place),
            ("last", [value]) => self.picked(Statistic::LastRow, name, (value.clone(), order), filter, place),
            ("min_by" | "arg_min" | "arg_min_null" | "max_by" | "arg_max" | "arg_max_null", [value, by]) => {
                let mut filter = both(filter, there(by));
                if !name.ends_with("_null") {
                    filter = both(Some(filter), there(value));
                }
                let up = name.starts_with("min") || name.starts_with("arg_min");
                let order = vec![(by.clone(), if up { UP } else { DOWN })];
                self.picked(Statistic::FirstRow, name, (value.clone(), order), Some(filter), place)
            }
            ("median" | "mode", [value]) => self.quantile(name, value.clone(), None, filter, place),
            ("quantile" | "quantile_cont" | "quantile_disc" | "approx_quantile", [value, fraction]) => {
                self.quantile(name, value.clone(), Some(fraction.clone()), filter, place)
            }
            ("approx_top_k", [value, count]) => self.most(name, value.clone(), count, filter, place),
            (_, [_]) => self.statistic(name, arguments, (distinct, filter), place),
            (_, [_, _]) if is_of_pairs(name) => self.pairs(name, arguments, (distinct, filter), place),
            _ => Err(missing),
        };
        found.map_err(at).map(|found| Expression { position: place.position.or(found.position), ..found })
    }

    /// A statistic of single values.
    fn statistic(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        (distinct, filter): (bool, Option<Expression>),
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        use Statistic as S;
        let missing = no_function(name, &arguments);
        let Some(kind) = Statistic::of_name(name).filter(|kind| !matches!(kind, S::FirstRow | S::LastRow | S::Pair(_)))
        else {
            return Err(missing);
        };
        let Some(value) = arguments.into_iter().next() else { return Err(missing) };
        let of = value.data_type;
        let kind = if of.is_bits() { of_bit_strings(kind) } else { kind };
        let mut filter = filter;
        let (argument, data_type) = match kind {
            S::BitAnd | S::BitOr | S::BitXor if of.is_integer() => (value, of),
            S::BitStringAnd | S::BitStringOr | S::BitStringXor if of.is_bits() => {
                (self.coerce(value, DataType::BIT, Coercion::Implicit)?, DataType::BIT)
            }
            S::Product | S::Skewness | S::Kurtosis | S::KurtosisPopulation if of.is_numeric() => {
                (self.coerce(value, DataType::Double, Coercion::Implicit)?, DataType::Double)
            }
            S::Entropy => {
                filter = Some(both(filter, there(&value)));
                (sort_key(value, UP)?, DataType::Double)
            }
            S::Histogram => (self.text_of(value)?, DataType::Text),
            S::DistinctEstimate => {
                let key = blanks::checked_key(value, false)?;
                let is_numeric = key.data_type == DataType::Numeric;
                let key = if is_numeric { fold::call(Function::NumericKey, vec![key], DataType::Text) } else { key };
                (key, DataType::BigInt)
            }
            _ => return Err(missing),
        };
        let distinct = distinct && !kind.is_idempotent();
        let function = AggregateFunction::Statistic(kind);
        let call = AggregateCall { function, argument: Some(argument), distinct, filter, data_type };
        let found = self.made_in(call, name, place)?;
        Ok(match kind {
            S::Entropy => {
                let none = Expression::constant(Value::Float(0.0), DataType::Double);
                Expression::call(Function::Coalesce, vec![found, none], DataType::Double)
            }
            S::Histogram => Expression::call(Function::ReadAs(DataType::Jsonb), vec![found], DataType::Jsonb),
            _ => found,
        })
    }

    /// A measure of pairs (y, x).
    fn pairs(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        (distinct, filter): (bool, Option<Expression>),
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let missing = no_function(name, &arguments);
        let is_number = |value: &Expression| value.data_type.is_numeric() || value.data_type == DataType::Null;
        if !arguments.iter().all(is_number) {
            return Err(missing);
        }
        if distinct && name.starts_with("regr_avg") {
            return Err(Error::unsupported(format_args!("DISTINCT in {name} is")));
        }
        let mut doubles = Vec::with_capacity(2);
        for value in arguments {
            doubles.push(self.coerce(value, DataType::Double, Coercion::Implicit)?);
        }
        let [y, x] = [doubles[0].clone(), doubles[1].clone()];
        // Pairs that are told apart are texts: as intervals different ones would be equal.
        let (pair, of) = match distinct {
            true => (StatisticFunction::PairText, DataType::Text),
            false => (StatisticFunction::Pair, DataType::Interval),
        };
        let pair = fold::call(Function::Statistic(pair), doubles, of);
        let (function, argument, filter, data_type) = match name {
            "regr_count" => (AggregateFunction::Count, pair, filter, DataType::BigInt),
            "regr_avgx" => (AggregateFunction::Average, x, Some(both(filter, there(&y))), DataType::Double),
            "regr_avgy" => (AggregateFunction::Average, y, Some(both(filter, there(&x))), DataType::Double),
            _ => {
                let measure = PairMeasure::ALL.into_iter().find(|measure| measure.name() == name).ok_or(missing)?;
                (AggregateFunction::Statistic(Statistic::Pair(measure)), pair, filter, DataType::Double)
            }
        };
        let call = AggregateCall { function, argument: Some(argument), distinct, filter, data_type };
        self.made_in(call, name, place)
    }

    /// The value of the first or last row in an order.
    fn picked(
        &mut self,
        kind: Statistic,
        name: &str,
        (value, order): (Expression, Vec<(Expression, SortOrder)>),
        filter: Option<Expression>,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let of = element_of(value.data_type);
        let value = self.coerce(value, of, Coercion::Implicit)?;
        // An array is a text among texts.
        let element = if of.element().is_some() { DataType::Text } else { carried(of) };
        let text = row_text(&[value], element, order, false)?;
        let function = AggregateFunction::Statistic(kind);
        let call = AggregateCall { function, argument: Some(text), distinct: false, filter, data_type: DataType::Text };
        let found = self.made_in(call, name, place)?;
        let entries = Function::Array(ArrayFunction::OfEntries, element);
        let array = Expression::call(entries, vec![found], DataType::list(element));
        let first = Expression::constant(Value::Int(0), DataType::BigInt);
        Ok(array_call(ArrayFunction::Nth, element, vec![array, first], of))
    }

    /// The values that are there most often, as an array.
    fn most(
        &mut self,
        name: &str,
        value: Expression,
        count: &Expression,
        filter: Option<Expression>,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let count = match fold::constant(count) {
            Some(Value::Int(count)) => u32::try_from(*count).ok().filter(|count| *count > 0),
            _ => return Err(Error::unsupported(format_args!("{name} of a number that is no literal is"))),
        };
        let Some(count) = count else {
            let message = format!("the number of values that {name} gives must be greater than zero");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        };
        let of = element_of(value.data_type);
        if of.element().is_some() {
            return Err(Error::unsupported(format_args!("{name} of arrays is")));
        }
        let value = self.coerce(value, of, Coercion::Implicit)?;
        let filter = Some(both(filter, there(&value)));
        let argument = Some(row_text(std::slice::from_ref(&value), carried(of), vec![(value.clone(), UP)], false)?);
        let function = AggregateFunction::Statistic(Statistic::Most(count));
        let call = AggregateCall { function, argument, distinct: false, filter, data_type: DataType::Text };
        let found = self.made_in(call, name, place)?;
        let entries = Function::Array(ArrayFunction::OfEntries, carried(of));
        Ok(Expression::call(entries, vec![found], DataType::list(of)))
    }

    /// A percentile of values in their own order, or their mode.
    fn quantile(
        &mut self,
        name: &str,
        value: Expression,
        fraction: Option<Expression>,
        filter: Option<Expression>,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let of = value.data_type;
        let is_time = matches!(of, DataType::Date | DataType::Timestamp | DataType::TimestampTz | DataType::Interval);
        let has_between = of.is_numeric() || is_time;
        let continuous = match name {
            "median" => has_between,
            "quantile_cont" if !has_between => return Err(no_function(name, &[value])),
            "quantile_cont" => true,
            "approx_quantile" => of.is_numeric(),
            _ => false,
        };
        let half = || Expression::constant(Value::Float(0.5), DataType::Double);
        let fraction = if name == "mode" { None } else { Some(fraction.unwrap_or_else(half)) };
        let to = if name == "approx_quantile" && continuous { Some(of) } else { None };
        let found = self.percentile(name, (fraction, continuous), (value, UP), filter, place)?;
        match to {
            Some(of) if found.data_type.element().is_some() => {
                self.coerce(found, DataType::list(element_of(of)), Coercion::Explicit)
            }
            Some(of) => self.coerce(found, of, Coercion::Explicit),
            None => Ok(found),
        }
    }
}

/// The statistic of bit strings that is called as one of integers.
fn of_bit_strings(kind: Statistic) -> Statistic {
    match kind {
        Statistic::BitAnd => Statistic::BitStringAnd,
        Statistic::BitOr => Statistic::BitStringOr,
        Statistic::BitXor => Statistic::BitStringXor,
        other => other,
    }
}

/// Whether a name is one of an aggregate of pairs.
fn is_of_pairs(name: &str) -> bool {
    name == "corr" || name.starts_with("covar_") || name.starts_with("regr_")
}

/// A condition, and another one.
pub(super) fn both(filter: Option<Expression>, condition: Expression) -> Expression {
    match filter {
        Some(filter) => Expression::and([filter, condition]),
        None => condition,
    }
}

/// Whether a value is not NULL.
pub(super) fn there(value: &Expression) -> Expression {
    fold::call(Function::IsNotNull, vec![value.clone()], DataType::Boolean)
}

/// A text that sorts as a value does.
pub(super) fn sort_key(value: Expression, order: SortOrder) -> Result<Expression> {
    let key = blanks::checked_key(value, true)?;
    let of = key.data_type;
    Ok(fold::call(Function::SortKey(SortKeyOrder::from(order), of), vec![key], DataType::Text))
}
