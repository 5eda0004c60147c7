//! Aggregates. A call is handed to the SELECT level that it belongs to, and a column of that level's grouping
//! stands in its place; `Scope::add_aggregate` says where one may stand.
//!
//! Result types:
//!
//! | aggregate | of | gives |
//! |---|---|---|
//! | `count` | anything | bigint |
//! | `sum` | smallint, integer | bigint |
//! | | bigint | decimal(38,0) |
//! | | decimal(p,s) | decimal(38,s) |
//! | | numeric, real, double, interval, vector | the same |
//! | `avg`, `stddev…`, `variance`, `var_…` | integers, decimals, numeric | numeric |
//! | | real, double | double |
//! | `avg` | interval, vector | the same |
//! | `min`, `max` | anything ordered but booleans | the same; varchar gives text |
//! | `bool_and`, `every`, `bool_or` | boolean | boolean |
//!
//! Those that keep all values are in `gather`. Reals are cast to double here where the result is one. DISTINCT is
//! dropped where it changes nothing (`min`, `max`, `bool_and`, `bool_or`), so that equal calls are seen to be equal.

use super::call::no_function;
use super::coercion::{Coercion, cast};
use super::vector::with_cast_hint;
use super::{blanks, composed, exact};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::multiloop::reduction::Gather;
use crate::relation::builder::{Builder, Nulls, Scope, WindowSpec};
use crate::relation::{AggregateCall, AggregateFunction, Expression, WindowCallee};
use crate::types::{DECIMAL_DIGITS_MAX, DataType, SortOrder};

const NAMES: &[(&str, AggregateFunction)] = &[
    ("count", AggregateFunction::Count),
    ("sum", AggregateFunction::Sum),
    ("avg", AggregateFunction::Average),
    ("min", AggregateFunction::Min),
    ("max", AggregateFunction::Max),
    ("bool_and", AggregateFunction::BoolAnd),
    ("every", AggregateFunction::BoolAnd),
    ("bool_or", AggregateFunction::BoolOr),
    ("stddev", AggregateFunction::StddevSample),
    ("stddev_samp", AggregateFunction::StddevSample),
    ("stddev_pop", AggregateFunction::StddevPopulation),
    ("variance", AggregateFunction::VarianceSample),
    ("var_samp", AggregateFunction::VarianceSample),
    ("var_pop", AggregateFunction::VariancePopulation),
    ("array_agg", AggregateFunction::Gather(Gather::Arrived)),
    ("string_agg", AggregateFunction::Gather(Gather::Arrived)),
    ("json_agg", AggregateFunction::Gather(Gather::Arrived)),
    ("jsonb_agg", AggregateFunction::Gather(Gather::Arrived)),
    ("json_object_agg", AggregateFunction::Gather(Gather::Arrived)),
    ("jsonb_object_agg", AggregateFunction::Gather(Gather::Arrived)),
];

/// Whether a function of this name (in lower case) is an aggregate.
pub(crate) fn is_aggregate_name(name: &str) -> bool {
    named(name).is_some()
}

/// The aggregate of a name; `count` until it is known whether it counts rows.
pub(super) fn named(name: &str) -> Option<AggregateFunction> {
    // What a composed one is made of depends on its arguments.
    let composed = composed::is_composed(name).then_some(AggregateFunction::Gather(Gather::Arrived));
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, function)| *function).or(composed)
}

/// All names of aggregates.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name).chain(composed::NAMES)
}

/// The type of an aggregate of an argument of this type; none if there is no such aggregate.
pub(crate) fn aggregate_type(function: AggregateFunction, argument: DataType) -> Option<DataType> {
    use AggregateFunction as A;
    use DataType as T;
    Some(match (function, argument) {
        (A::CountRows | A::Count, _) => T::BigInt,
        (A::Sum, T::SmallInt | T::Integer) => T::BigInt,
        (A::Sum, T::BigInt) => T::decimal(DECIMAL_DIGITS_MAX, 0),
        (A::Sum, T::Decimal { scale, .. }) => T::decimal(DECIMAL_DIGITS_MAX, scale),
        (A::Sum, T::Numeric) => T::Numeric,
        (A::Sum | A::Average, T::Interval) => T::Interval,
        (A::Sum, float) if float.is_float() => float,
        (A::Sum | A::Average, vector) if vector.is_vector() => vector,
        (A::Average, float) if float.is_float() => T::Double,
        (A::Average, exact) if exact.is_numeric() => T::Numeric,
        (A::StddevSample | A::StddevPopulation | A::VarianceSample | A::VariancePopulation, number)
            if number.is_numeric() =>
        {
            if number.is_float() {
                T::Double
            } else {
                T::Numeric
            }
        }
        (A::Min | A::Max, T::Boolean | T::Uuid | T::Bytea | T::Json | T::Jsonb | T::System(_)) => return None,
        (A::Min | A::Max, T::Bit(_) | T::VarBit(_) | T::JsonPath) => return None,
        (A::Min | A::Max, row) if row.fields().is_some() || !row.has_equality() => return None,
        (A::Min | A::Max, T::Varchar(_)) => T::Text,
        (A::Min | A::Max, ordered) => ordered,
        (A::BoolAnd | A::BoolOr, T::Boolean) => T::Boolean,
        _ => return None,
    })
}

/// What an aggregate is called with.
#[derive(Clone, Debug, Default)]
pub struct AggregateArguments {
    /// Its arguments; none for `*`.
    pub arguments: Option<Vec<Expression>>,
    /// Equal arguments count once.
    pub distinct: bool,
    /// The rows that count; a boolean.
    pub filter: Option<Expression>,
    /// The order in which rows come, where an aggregate shows it.
    pub order: Vec<(Expression, SortOrder)>,
    /// What is said of NULLs.
    pub nulls: Option<Nulls>,
    /// The window that it goes over, if it goes over one.
    pub over: Option<WindowSpec>,
}

/// Where the value of an aggregate is made: in the groups of a SELECT level, or over one of its windows.
pub(super) struct Place<'s, 'c> {
    pub(super) scope: &'s Scope<'c>,
    pub(super) over: Option<WindowSpec>,
    pub(super) position: Option<Position>,
}

impl Builder<'_> {
    /// A call of an aggregate: of `arguments`, none for `*`, which like the filter were built in the scope's clause
    /// [`Clause::AggregateArgument`](crate::relation::builder::Clause). `name` is what is written.
    pub fn aggregate(
        &mut self,
        function: AggregateFunction,
        name: &str,
        call: AggregateArguments,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let call = self.without_nulls(call).map_err(|error| error.at(position))?;
        let place = Place { scope, over: call.over.clone(), position };
        if place.over.is_some() {
            let refused = if call.distinct {
                Some("DISTINCT is not implemented for window functions")
            } else if !call.order.is_empty() {
                Some("aggregate ORDER BY is not implemented for window functions")
            } else {
                None
            };
            if let Some(message) = refused {
                return Err(Error::new(ErrorKind::Unsupported, message).at(position));
            }
        }
        if composed::is_composed(name) {
            return self.composed(name, call, &place);
        }
        if self.is_user_aggregate(name) {
            return self.user_aggregate(name, call, &place);
        }
        if let AggregateFunction::Gather(_) = function {
            return self.gather(name, call, &place);
        }
        let AggregateArguments { arguments, distinct, filter, .. } = call;
        let call = self.aggregate_call(function, name, arguments, distinct).map_err(|error| error.at(position))?;
        self.made_in(AggregateCall { filter, ..call }, name, &place)
    }

    /// The column that stands for an aggregate where its value is made.
    pub(super) fn made_in(&mut self, call: AggregateCall, name: &str, place: &Place<'_, '_>) -> Result<Expression> {
        let Place { scope, over, position } = place;
        match over {
            None => scope.add_aggregate(call, name, &mut self.columns, *position),
            Some(spec) => {
                let callee = WindowCallee::Aggregate(call);
                let column = scope.add_window(spec.clone(), (callee, false), name, &mut self.columns);
                column.map_err(|error| error.at(*position))
            }
        }
    }

    /// IGNORE NULLS as a part of FILTER.
    fn without_nulls(&mut self, call: AggregateArguments) -> Result<AggregateArguments> {
        let (Some(Nulls::Ignored), Some([first, ..])) = (call.nulls, call.arguments.as_deref()) else {
            return Ok(call);
        };
        let first = self.settle(first.clone())?;
        let is_value = super::fold::call(Function::IsNotNull, vec![first], DataType::Boolean);
        let filter = match call.filter {
            Some(filter) => Expression::and([filter, is_value]),
            None => is_value,
        };
        Ok(AggregateArguments { filter: Some(filter), ..call })
    }

    /// What is added up: narrow where it can be, but where sums of narrow decimals have overflowed.
    fn summand(&self, argument: Expression) -> Expression {
        let argument = exact::narrowed_or_same(argument);
        if self.wide_numerics && (argument.data_type.is_decimal() || argument.data_type == DataType::BigInt) {
            return exact::widened(argument);
        }
        argument
    }

    pub(in crate::relation::builder) fn aggregate_call(
        &mut self,
        function: AggregateFunction,
        name: &str,
        arguments: Option<Vec<Expression>>,
        distinct: bool,
    ) -> Result<AggregateCall> {
        use AggregateFunction as A;
        let Some(mut arguments) = arguments else {
            if function != A::Count {
                return Err(no_function(name, &[]));
            }
            if distinct {
                return Err(Error::new(ErrorKind::Syntax, "DISTINCT cannot be used with count(*)"));
            }
            let (function, data_type) = (A::CountRows, DataType::BigInt);
            return Ok(AggregateCall { function, argument: None, distinct, filter: None, data_type });
        };
        if arguments.is_empty() && function == A::Count {
            let message = "count(*) must be used to call a parameterless aggregate function";
            return Err(Error::new(ErrorKind::WrongObjectType, message));
        }
        if arguments.len() != 1 {
            return Err(no_function(name, &arguments));
        }
        let argument = arguments.remove(0);
        let argument = match (function, argument.data_type) {
            (A::BoolAnd | A::BoolOr, DataType::Null) => self.coerce(argument, DataType::Boolean, Coercion::Implicit)?,
            (A::Count, _) => {
                let argument = self.settle_any(argument)?;
                match argument.data_type {
                    _ if distinct => blanks::checked_key(argument, false)?,
                    DataType::Jsonb => argument,
                    _ => blanks::key(argument),
                }
            }
            // The blanks of a char of free length are part of what it shows.
            (A::Min | A::Max, _) => {
                let argument = self.settle(argument)?;
                self.as_string(argument)
            }
            _ => argument,
        };
        let argument = match function {
            A::Sum | A::Average | A::StddevSample | A::StddevPopulation | A::VarianceSample | A::VariancePopulation => {
                self.summand(argument)
            }
            _ => argument,
        };
        let Some(data_type) = aggregate_type(function, argument.data_type) else {
            let of = argument.data_type;
            return Err(with_cast_hint(no_function(name, &[argument]), of));
        };
        let argument = match distinct && argument.data_type.is_vector() {
            true => blanks::checked_key(argument, false)?,
            false => argument,
        };
        let in_double = match function {
            A::StddevSample | A::StddevPopulation | A::VarianceSample | A::VariancePopulation | A::Average => {
                argument.data_type.is_float()
            }
            _ => false,
        };
        let argument = if in_double { cast(argument, DataType::Double, Coercion::Implicit) } else { argument };
        let distinct = distinct && !matches!(function, A::Min | A::Max | A::BoolAnd | A::BoolOr);
        Ok(AggregateCall { function, argument: Some(argument), distinct, filter: None, data_type })
    }
}
