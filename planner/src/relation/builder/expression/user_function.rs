//! Functions that a program registered: which of the overloads of a name is called, and what becomes of its arguments.
//!
//! * A function of a row's values is a call, as any other.
//! * An aggregate is a function of arrays: those of its arguments' values in all rows, which are gathered as array_agg does. So
//!   FILTER, ORDER BY, DISTINCT and windows mean what they mean there. One whose states may be merged in any order is a statistic:
//!   no rows are kept.
//! * A table function is evaluated where it is bound, and what it gives is a table of the statement; its arguments are known
//!   before the query runs.

use super::aggregate::{AggregateArguments, Place};
use super::call::Special;
use super::coercion::{Coercion, castable};
use super::composed::{both, there};
use super::fold;
use super::sql_function::Known;
use crate::catalog::{UserAggregate, UserCallee};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::statistic::Statistic;
use crate::function::{Function, is_same};
use crate::relation::builder::{Builder, FromItem};
use crate::relation::{AggregateCall, AggregateFunction, Expression};
use crate::types::DataType;
use crate::value::Value;

impl Builder<'_> {
    /// Whether a name is an aggregate's that the program registered.
    pub(super) fn is_user_aggregate(&self, name: &str) -> bool {
        self.catalog.user_functions(name).iter().any(|known| matches!(known, UserCallee::Aggregate(_)))
    }

    /// Whether a name is a table function's that the program registered.
    pub(crate) fn is_table_function(&self, name: &str) -> bool {
        self.catalog.user_functions(name).iter().any(|known| matches!(known, UserCallee::Table { .. }))
    }

    /// A call of a function of a row's values that the program registered.
    pub(super) fn call_of_user(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let scalars = |known: &UserCallee| matches!(known, UserCallee::Scalar(_));
        let known: Vec<UserCallee> = self.catalog.user_functions(name).into_iter().filter(scalars).collect();
        let Some(UserCallee::Scalar(known)) = overload(name, &known, &arguments)? else {
            return Ok(Special::NoMatch(arguments));
        };
        let arguments = self.as_parameters(arguments, &known.parameters)?;
        Ok(Special::Bound(fold::call(known.function(), arguments, known.result)))
    }

    /// Whether a function that the program registered has parameters of just the arguments' types, of which one is a vector: it
    /// is called, and not SQL's function of that name.
    pub(super) fn is_just_users(&self, name: &str, arguments: &[Expression]) -> bool {
        let is_just = |known: &UserCallee| {
            let given = || arguments.iter().map(|argument| argument.data_type);
            let parameters = known.parameters();
            parameters.len() == arguments.len()
                && given().zip(parameters).all(|(given, &of)| is_same(given, of))
                && matches!(known, UserCallee::Scalar(_))
        };
        self.catalog.user_functions(name).iter().any(is_just)
    }

    /// A call of an aggregate that the program registered.
    pub(super) fn user_aggregate(
        &mut self,
        name: &str,
        call: AggregateArguments,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let at = |error: Error| error.at(place.position);
        let AggregateArguments { arguments, distinct, mut filter, order, .. } = call;
        let arguments = arguments.unwrap_or_default();
        let known = self.catalog.user_functions(name);
        let Some(UserCallee::Aggregate(known)) = overload(name, &known, &arguments).map_err(at)? else {
            return Err(at(self.no_function(name, &arguments)));
        };
        if distinct && arguments.len() > 1 {
            return Err(at(Error::unsupported(format_args!("DISTINCT of several arguments of {name} is"))));
        }
        let arguments = self.as_parameters(arguments, &known.parameters).map_err(at)?;
        if known.strict {
            filter = arguments.iter().fold(filter, |filter, argument| Some(both(filter, there(argument))));
        }
        if let (true, false, [argument]) = (known.has_states, distinct, arguments.as_slice()) {
            return self.user_statistic(name, &known, (argument.clone(), filter), place);
        }
        let mut arrays = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let call = AggregateArguments {
                arguments: Some(vec![argument]),
                distinct,
                filter: filter.clone(),
                order: order.clone(),
                nulls: None,
                over: place.over.clone(),
            };
            arrays.push(self.gather("array_agg", call, place)?);
        }
        let of_arrays = &known.of_arrays;
        let arrays = self.as_parameters(arrays, &of_arrays.parameters).map_err(at)?;
        Ok(Expression::call(of_arrays.function(), arrays, of_arrays.result).at(place.position))
    }

    /// An aggregate whose states may be merged in any order.
    fn user_statistic(
        &mut self,
        name: &str,
        known: &UserAggregate,
        (argument, filter): (Expression, Option<Expression>),
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let result = known.of_arrays.result;
        let call = |function: AggregateFunction, data_type: DataType| AggregateCall {
            function,
            argument: Some(argument.clone()),
            distinct: false,
            filter: filter.clone(),
            data_type,
        };
        let statistic = AggregateFunction::Statistic(Statistic::User(known.of_arrays.handle()));
        let value = self.made_in(call(statistic, result), name, place)?;
        let Some(empty) = &known.of_no_rows else { return Ok(value) };
        let rows = self.made_in(call(AggregateFunction::Count, DataType::BigInt), name, place)?;
        let none = Expression::constant(Value::Int(0), DataType::BigInt);
        let is_empty = Expression::call(Function::Equal, vec![rows, none], DataType::Boolean);
        let empty = Expression::call(empty.function(), Vec::new(), result);
        Ok(Expression::call(Function::Case, vec![is_empty, empty, value], result).at(place.position))
    }

    /// The rows of a table function that the program registered.
    pub(crate) fn table_function(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<FromItem> {
        let at = |error: Error| error.at(position);
        let known = self.catalog.user_functions(name);
        let Some(UserCallee::Table { number, parameters }) = overload(name, &known, &arguments).map_err(at)? else {
            return Err(at(self.no_function(name, &arguments)));
        };
        let given: Option<Vec<Value>> = match self.known_before(arguments, &parameters).map_err(at)? {
            Known::Literals(values) => values.iter().map(|value| fold::constant(value).cloned()).collect(),
            Known::Later => None,
            Known::OfRows(_) => {
                return Err(at(Error::unsupported(format_args!("the table function {name} of what rows have is"))));
            }
            Known::NoMatch(arguments) => return Err(at(self.no_function(name, &arguments))),
        };
        let info = self.catalog.table_of_function(number, given.as_deref()).map_err(at)?;
        Ok(self.scan(info, name.to_owned()))
    }

    fn as_parameters(&mut self, arguments: Vec<Expression>, parameters: &[DataType]) -> Result<Vec<Expression>> {
        let given = arguments.into_iter().zip(parameters);
        given.map(|(argument, &to)| self.coerce(argument, to, Coercion::Implicit)).collect()
    }
}

/// The overload for these arguments, by PostgreSQL's rule: of those that take all of them by implicit casts the one with the most
/// parameters of just the arguments' types; of several the one with the most parameters, where a cast is needed, of the type that
/// its category prefers: double precision of numbers, text of literals in quotes, an array of just its elements of a vector.
///
/// Errors: 42725 if several are as good.
fn overload(name: &str, known: &[UserCallee], arguments: &[Expression]) -> Result<Option<UserCallee>> {
    let takes = |known: &&UserCallee| {
        let parameters = known.parameters();
        parameters.len() == arguments.len()
            && arguments
                .iter()
                .zip(parameters)
                .all(|(argument, &to)| castable(argument.data_type, to, Coercion::Implicit))
    };
    let nearness = |known: &UserCallee| {
        let given = arguments.iter().zip(known.parameters());
        let exact = given.clone().filter(|(argument, to)| is_same(argument.data_type, **to)).count();
        let cast = given.filter(|(argument, to)| !is_same(argument.data_type, **to));
        let liked = cast.filter(|(argument, to)| is_preferred(argument.data_type, **to)).count();
        (exact, liked)
    };
    let fitting: Vec<&UserCallee> = known.iter().filter(takes).collect();
    let Some(best) = fitting.iter().map(|known| nearness(known)).max() else { return Ok(None) };
    match fitting.iter().filter(|known| nearness(known) == best).collect::<Vec<_>>().as_slice() {
        [one] => Ok(Some((**one).clone())),
        _ => {
            let types: Vec<String> = arguments.iter().map(|argument| argument.data_type.to_string()).collect();
            let message = format!("function {name}({}) is not unique", types.join(", "));
            let hint = "Could not choose a best candidate function. You might need to add explicit type casts.";
            Err(Error::new(ErrorKind::AmbiguousFunction, message).with_hint(hint))
        }
    }
}

/// Whether a type is what is liked best of those that a value may be cast to.
pub(super) fn is_preferred(from: DataType, to: DataType) -> bool {
    match from {
        DataType::Null => to == DataType::Text,
        vector if vector.is_vector() => to == vector.vector_as_array(),
        _ => matches!(to, DataType::Double | DataType::Text | DataType::TimestampTz | DataType::Interval),
    }
}
