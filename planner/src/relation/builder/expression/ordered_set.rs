//! Aggregates of values in an order: `percentile_cont(0.5) WITHIN GROUP (ORDER BY a)`, `percentile_disc`, `mode`.
//!
//! Of numbers, times and texts an aggregate gives it (`evaluate/quantile.rs`). Other values that are not NULL are gathered in
//! order (`gather`), and the answer is found in their array, of n values:
//!
//! * `percentile_disc(f)` is the value at ⌈f · n⌉, from 1, or the first;
//! * `percentile_cont(f)` lies between those around f · (n - 1), from 0;
//! * `mode()` is the one that is there most often, of several the first.

use super::aggregate::Place;
use super::array::{array_call, element_of};
use super::call::no_function;
use super::coercion::{Coercion, cast};
use super::fold;
use super::operator::Operator;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::array::Array;
use crate::evaluate::quantile::{Fraction, Quantile};
use crate::function::{ArrayFunction, Function, StatisticFunction};
use crate::multiloop::reduction::Gather;
use crate::relation::builder::{Builder, Scope};
use crate::relation::{AggregateCall, AggregateFunction, Expression, ExpressionKind};
use crate::types::{DataType, SortOrder};
use crate::value::Value;

/// The names of these aggregates.
const NAMES: [&str; 3] = ["mode", "percentile_cont", "percentile_disc"];

/// Whether a name (in lower case) is that of an aggregate that needs WITHIN GROUP.
pub fn is_ordered_set(name: &str) -> bool {
    NAMES.contains(&name)
}

fn constant(value: i64) -> Expression {
    Expression::constant(Value::Int(value), DataType::BigInt)
}

impl Builder<'_> {
    /// `name(direct) WITHIN GROUP (ORDER BY key) FILTER (WHERE filter)`, of which `key` and `filter` were built in the scope's
    /// clause [`Clause::AggregateArgument`](crate::relation::builder::Clause).
    ///
    /// # Errors
    /// 42883 for other types than these take, 42725 for a fraction of unknown type that could be an array, too: where the key is no
    /// number, it says nothing of the fraction. 22003 for a fraction that is none.
    pub fn ordered_set(
        &mut self,
        name: &str,
        direct: Vec<Expression>,
        (key, order): (Expression, SortOrder),
        filter: Option<Expression>,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let place = Place { scope, over: None, position };
        let is_continuous = name == "percentile_cont";
        let could_be_both = key.data_type == DataType::Interval
            || !(is_continuous || key.data_type.is_numeric() || key.data_type.element().is_some());
        if let [fraction] = &direct[..]
            && name != "mode"
            && fraction.data_type == DataType::Null
            && could_be_both
        {
            let message = format!("function {name}(unknown, {}) is not unique", key.data_type);
            let hint = "Could not choose a best candidate function. You might need to add explicit type casts.";
            return Err(Error::new(ErrorKind::AmbiguousFunction, message).at(position).with_hint(hint));
        }
        let fits = !is_continuous || key.data_type.is_numeric() || key.data_type == DataType::Interval;
        if direct.len() != usize::from(name != "mode") || !fits {
            let all: Vec<Expression> = direct.into_iter().chain([key]).collect();
            return Err(no_function(name, &all).at(position));
        }
        self.percentile(name, (direct.into_iter().next(), is_continuous), (key, order), filter, &place)
    }

    /// The value at a fraction of values in an order, or at each of several, or their mode.
    pub(super) fn percentile(
        &mut self,
        name: &str,
        (fraction, is_continuous): (Option<Expression>, bool),
        (key, order): (Expression, SortOrder),
        filter: Option<Expression>,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let position = place.position;
        let of = match key.data_type {
            number if is_continuous && number.is_numeric() => DataType::Double,
            DataType::Date if is_continuous => DataType::Timestamp,
            other => element_of(other),
        };
        let value = self.coerce(key, of, Coercion::Implicit)?;
        let fraction = fraction.map(|fraction| fractions(self, fraction, position)).transpose()?;
        if matches!(fraction, Some(Fractions::Several(_))) && of.element().is_some() {
            let message = format!("could not find array type for data type {of}");
            return Err(Error::new(ErrorKind::UnknownObject, message).at(position));
        }
        let known = fraction.as_ref().is_none_or(Fractions::are_known);
        if is_plain(of) && known && (!is_continuous || of == DataType::Double) {
            let mut one = |builder: &mut Self, quantile: Quantile| {
                let function = AggregateFunction::Gather(Gather::One { of: quantile, descending: order.descending });
                let (argument, filter) = (Some(value.clone()), filter.clone());
                let call = AggregateCall { function, argument, distinct: false, filter, data_type: of };
                builder.made_in(call, name, place)
            };
            return Ok(self.quantiles(&mut one, fraction, is_continuous, of)?.at(position));
        }
        let array = self.gathered_array(name, value, order, filter, place)?;
        let Some(fraction) = fraction else {
            return Ok(array_call(ArrayFunction::Mode, of, vec![array], of).at(position));
        };
        let at = |builder: &mut Self, fraction: Asked| {
            let fraction = match fraction {
                Asked::Null => return Ok(Expression::constant(Value::Null, of)),
                Asked::Known(fraction) => Expression::constant(Value::Float(fraction.get()), DataType::Double),
                Asked::Expression(fraction) => fraction,
            };
            match is_continuous {
                true => builder.between_values(array.clone(), of, fraction),
                false => builder.value_at(array.clone(), of, fraction),
            }
        };
        let found = match fraction {
            Fractions::Array(fractions) => {
                let function = ArrayFunction::Percentiles { continuous: is_continuous };
                array_call(function, of, vec![array, fractions], DataType::list(of))
            }
            Fractions::One(fraction) => at(self, fraction)?,
            Fractions::Several(all) => {
                let found = all.into_iter().map(|fraction| at(self, fraction)).collect::<Result<_>>()?;
                list_of(found, array, of)
            }
        };
        Ok(found.at(position))
    }

    /// The values that an aggregate gives for each fraction, or its mode.
    fn quantiles(
        &mut self,
        one: &mut dyn FnMut(&mut Self, Quantile) -> Result<Expression>,
        fractions: Option<Fractions>,
        is_continuous: bool,
        of: DataType,
    ) -> Result<Expression> {
        let percentile =
            |fraction| if is_continuous { Quantile::Continuous(fraction) } else { Quantile::Discrete(fraction) };
        let null = Expression::constant(Value::Null, of);
        let known = |asked: &Asked| if let Asked::Known(fraction) = asked { Some(*fraction) } else { None };
        match fractions {
            None => one(self, Quantile::Mode),
            Some(Fractions::Array(_)) => Err(Error::internal("fractions that rows say are looked up in an array")),
            Some(Fractions::One(asked)) => match known(&asked) {
                Some(fraction) => one(self, percentile(fraction)),
                // It is an aggregate all the same, of one row a group.
                None => one(self, Quantile::Mode).map(|_| null),
            },
            Some(Fractions::Several(all)) => {
                let all: Vec<Option<Fraction>> = all.iter().map(known).collect();
                let mut found = Vec::with_capacity(all.len());
                for fraction in &all {
                    found.push(match fraction {
                        Some(fraction) => one(self, percentile(*fraction))?,
                        None => null.clone(),
                    });
                }
                // Each of them tells whether there is a value.
                let any = match all.iter().position(Option::is_some) {
                    Some(at) => found[at].clone(),
                    None => one(self, Quantile::Mode)?,
                };
                Ok(list_of(found, any, of))
            }
        }
    }

    /// The value at ⌈fraction · n⌉, from 1, or the first.
    fn value_at(&mut self, array: Expression, of: DataType, fraction: Expression) -> Result<Expression> {
        let place = self.place(&array, of, fraction, 0)?;
        let place = self.call_by_name("ceil", vec![place], None)?;
        let place = cast(place, DataType::BigInt, Coercion::Assignment);
        let before = fold::call(Function::Subtract, vec![place, constant(1)], DataType::BigInt);
        // NULL of a fraction that is.
        let none = fold::call(Function::IsNull, vec![before.clone()], DataType::Boolean);
        let first = fold::call(Function::Greatest, vec![before, constant(0)], DataType::BigInt);
        let null = Expression::constant(Value::Null, DataType::BigInt);
        let before = fold::call(Function::Case, vec![none, null, first], DataType::BigInt);
        Ok(array_call(ArrayFunction::Nth, of, vec![array, before], of))
    }

    /// What lies at fraction · (n - 1), from 0, between two values.
    fn between_values(&mut self, array: Expression, of: DataType, fraction: Expression) -> Result<Expression> {
        let place = self.place(&array, of, fraction, 1)?;
        let below = self.call_by_name("floor", vec![place.clone()], None)?;
        let above = self.call_by_name("ceil", vec![place.clone()], None)?;
        let value = |place: &Expression| {
            let place = cast(place.clone(), DataType::BigInt, Coercion::Assignment);
            array_call(ArrayFunction::Nth, of, vec![array.clone(), place], of)
        };
        let (low, high) = (value(&below), value(&above));
        let way = self.operator(Operator::Subtract, high, low.clone())?;
        let part = self.operator(Operator::Subtract, place, below.clone())?;
        let step = self.operator(Operator::Multiply, way, part)?;
        let between = self.operator(Operator::Add, low.clone(), step)?;
        // Infinities have no way between them.
        let exact = fold::call(Function::Equal, vec![below, above], DataType::Boolean);
        Ok(Expression::call(Function::Case, vec![exact, low, between], of))
    }

    /// fraction · (n - `less`), a double.
    fn place(&mut self, array: &Expression, of: DataType, fraction: Expression, less: i64) -> Result<Expression> {
        let count = array_call(ArrayFunction::Cardinality, of, vec![array.clone()], DataType::Integer);
        let count = cast(count, DataType::BigInt, Coercion::Implicit);
        let count = fold::call(Function::Subtract, vec![count, constant(less)], DataType::BigInt);
        let count = cast(count, DataType::Double, Coercion::Implicit);
        self.operator(Operator::Multiply, fraction, count)
    }
}

/// An array of values, or NULL if there is nothing that they are of.
fn list_of(values: Vec<Expression>, something: Expression, of: DataType) -> Expression {
    let list = DataType::list(of);
    let every = array_call(ArrayFunction::Make, of, values, list);
    let none = fold::call(Function::IsNull, vec![something], DataType::Boolean);
    Expression::call(Function::Case, vec![none, Expression::constant(Value::Null, list), every], list)
}

/// Whether values are a number, or a text, by which they are ordered.
fn is_plain(data_type: DataType) -> bool {
    use DataType as T;
    data_type.is_integer()
        || data_type.is_float()
        || data_type.is_decimal()
        || matches!(data_type, T::Text | T::Date | T::Time | T::Timestamp | T::TimestampTz)
}

/// A fraction.
enum Asked {
    Null,
    Known(Fraction),
    /// A double, NULL or from 0 to 1.
    Expression(Expression),
}

/// What is asked for: a fraction, or several.
enum Fractions {
    One(Asked),
    Several(Vec<Asked>),
    /// An array that only rows know, or of several dimensions.
    Array(Expression),
}

impl Fractions {
    fn are_known(&self) -> bool {
        let is_known = |asked: &Asked| !matches!(asked, Asked::Expression(_));
        match self {
            Fractions::Array(_) => false,
            Fractions::One(asked) => is_known(asked),
            Fractions::Several(all) => all.iter().all(is_known),
        }
    }
}

fn known(value: &Value) -> Result<Asked> {
    match value {
        Value::Float(fraction) => {
            let found = Fraction::new(*fraction).ok_or_else(|| {
                let message = format!("percentile value {fraction} is not between 0 and 1");
                Error::new(ErrorKind::NumericOverflow, message)
            })?;
            Ok(Asked::Known(found))
        }
        _ => Ok(Asked::Null),
    }
}

fn fractions(builder: &mut Builder<'_>, given: Expression, position: Option<Position>) -> Result<Fractions> {
    let given = builder.array_if_vector(given)?;
    let is_list = given.data_type.element().is_some();
    let to = if is_list { DataType::list(DataType::Double) } else { DataType::Double };
    let given = builder.coerce(given, to, Coercion::Implicit)?;
    if let Some(value) = fold::constant(&given) {
        return match value {
            Value::Text(encoded) if is_list => {
                let array = Array::decode(encoded, DataType::Double).unwrap_or_default();
                if array.bounds.len() != 1 || array.bounds[0].lower != 1 {
                    return Ok(Fractions::Array(given));
                }
                Ok(Fractions::Several(array.elements.iter().map(known).collect::<Result<_>>()?))
            }
            value => Ok(Fractions::One(known(value)?)),
        };
    }
    let checked = |fraction: Expression| {
        let function = Function::Statistic(StatisticFunction::Fraction);
        Asked::Expression(Expression::call(function, vec![fraction], DataType::Double).at(position))
    };
    match given.kind {
        _ if !is_list => Ok(Fractions::One(checked(given))),
        ExpressionKind::Call(Function::Array(ArrayFunction::Make, DataType::Double), elements) => {
            let each = |element: Expression| match fold::constant(&element) {
                Some(value) => known(value),
                None => Ok(checked(element)),
            };
            Ok(Fractions::Several(elements.into_iter().map(each).collect::<Result<_>>()?))
        }
        _ => Ok(Fractions::Array(given)),
    }
}
