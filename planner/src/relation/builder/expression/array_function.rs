//! Functions of arrays, and of values as JSON: those whose argument types depend on each other.

use super::array::array_call;
use super::call::{Special, no_function, take};
use super::coercion::Coercion;
use super::logical::relabel;
use super::{fold, string_function};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{ArrayFunction, Function, IntervalStyle, JsonFunction};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

impl Builder<'_> {
    /// A function of values that another type carries, if the name and the types are of one.
    pub(super) fn special_logical_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use ArrayFunction as A;
        use DataType as T;
        let bound = match (name, arguments.len()) {
            ("array_append", 2) => {
                let [array, value] = take(arguments);
                self.placed(name, A::Append, array, value)
            }
            ("array_prepend", 2) => {
                let [value, array] = take(arguments);
                self.placed(name, A::Prepend, array, value)
            }
            ("array_remove", 2) => {
                let [array, value] = take(arguments);
                self.placed(name, A::Remove, array, value)
            }
            ("array_cat", 2) => {
                let [left, right] = take(arguments);
                self.concatenate_arrays(left, right)
            }
            ("array_position", 2..=3) | ("array_positions", 2) => self.position_of(name, arguments),
            ("array_replace", 3) => self.replaced(arguments),
            ("array_length" | "array_lower" | "array_upper", 2) => {
                let [array, dimension] = take(arguments);
                let Some(element) = array.data_type.element() else {
                    return Ok(Special::NoMatch(vec![array, dimension]));
                };
                let function = match name {
                    "array_length" => A::Length,
                    "array_lower" => A::Lower,
                    _ => A::Upper,
                };
                let dimension = self.coerce(dimension, T::Integer, Coercion::Implicit)?;
                Ok(array_call(function, element, vec![array, dimension], T::Integer))
            }
            ("array_ndims" | "array_dims" | "cardinality", 1) => {
                let Some(element) = arguments[0].data_type.element() else { return Ok(Special::NoMatch(arguments)) };
                let (function, to) = match name {
                    "array_ndims" => (A::DimensionCount, T::Integer),
                    "array_dims" => (A::Dimensions, T::Text),
                    _ => (A::Cardinality, T::Integer),
                };
                Ok(array_call(function, element, arguments, to))
            }
            ("array_to_string", 2..=3) => self.joined(arguments),
            ("string_to_array", 2..=3) => {
                let texts = arguments.into_iter().map(|argument| self.coerce(argument, T::Text, Coercion::Implicit));
                let texts = texts.collect::<Result<_>>()?;
                Ok(array_call(A::Split, T::Text, texts, T::list(T::Text)))
            }
            ("age", 1) => {
                let [value] = take(arguments);
                self.age_today(value)
            }
            ("age", 2) if arguments.iter().any(|argument| argument.data_type == T::TimestampTz) => {
                let locals = arguments.into_iter().map(|argument| self.on_the_clock(argument));
                Ok(fold::call(Function::Age, locals.collect::<Result<_>>()?, T::Interval))
            }
            ("timezone", 2) => {
                let [zone, value] = take(arguments);
                self.at_time_zone(value, zone)
            }
            _ => return self.special_json_function(name, arguments),
        };
        bound.map(Special::Bound)
    }

    /// `age(value)`: since then until today's midnight.
    fn age_today(&mut self, value: Expression) -> Result<Expression> {
        let today = self.clock("current_date");
        let today = self.coerce(today, DataType::Timestamp, Coercion::Implicit)?;
        let value = match value.data_type {
            DataType::TimestampTz | DataType::Null => self.on_the_clock(value)?,
            _ => self.coerce(value, DataType::Timestamp, Coercion::Implicit)?,
        };
        Ok(fold::call(Function::Age, vec![today, value], DataType::Interval))
    }

    /// What the session's clock shows at an instant.
    fn on_the_clock(&mut self, value: Expression) -> Result<Expression> {
        let instant = self.coerce(value, DataType::TimestampTz, Coercion::Implicit)?;
        Ok(self.shown_for(None, instant))
    }

    /// A function of an array and a value of its element type that gives such an array.
    fn placed(
        &mut self,
        name: &str,
        function: ArrayFunction,
        array: Expression,
        value: Expression,
    ) -> Result<Expression> {
        let missing = no_function(name, &[array.clone(), value.clone()]);
        let placed = match function {
            ArrayFunction::Remove => self.array_and_wanted(array, value)?,
            _ => self.array_and_element(array, value)?,
        };
        let Some((array, value, of)) = placed else { return Err(missing) };
        let arguments = if function == ArrayFunction::Prepend { vec![value, array] } else { vec![array, value] };
        Ok(array_call(function, of, arguments, DataType::list(of)))
    }

    fn position_of(&mut self, name: &str, mut arguments: Vec<Expression>) -> Result<Expression> {
        let missing = no_function(name, &arguments);
        let start = if arguments.len() > 2 { arguments.pop() } else { None };
        let [array, value] = take(arguments);
        let Some((array, value, of)) = self.array_and_wanted(array, value)? else { return Err(missing) };
        let mut arguments = vec![array, value];
        if let Some(start) = start {
            arguments.push(self.coerce(start, DataType::Integer, Coercion::Implicit)?);
        }
        Ok(match name {
            "array_position" => array_call(ArrayFunction::Position, of, arguments, DataType::Integer),
            _ => array_call(ArrayFunction::Positions, of, arguments, DataType::list(DataType::Integer)),
        })
    }

    fn replaced(&mut self, arguments: Vec<Expression>) -> Result<Expression> {
        let missing = no_function("array_replace", &arguments);
        let [array, from, to] = take(arguments);
        let Some((array, from, _)) = self.array_and_element(array, from)? else { return Err(missing) };
        let Some((array, to, of)) = self.array_and_wanted(array, to)? else { return Err(missing) };
        let from = self.coerce(from, of, Coercion::Implicit)?;
        Ok(array_call(ArrayFunction::Replace, of, vec![array, from, to], DataType::list(of)))
    }

    fn joined(&mut self, arguments: Vec<Expression>) -> Result<Expression> {
        let missing = no_function("array_to_string", &arguments);
        let mut arguments = arguments.into_iter();
        let (Some(array), Some(separator)) = (arguments.next(), arguments.next()) else { return Err(missing) };
        let Some(element) = array.data_type.element() else { return Err(missing) };
        self.check_interval_style(array.data_type, array.position)?;
        let mut all = vec![array, self.coerce(separator, DataType::Text, Coercion::Implicit)?];
        if let Some(null) = arguments.next() {
            all.push(self.coerce(null, DataType::Text, Coercion::Implicit)?);
        }
        if element.is_zoned() {
            all.resize_with(3, || Expression::constant(Value::Null, DataType::Text));
            all.push(self.zone());
        }
        Ok(array_call(ArrayFunction::Join, element, all, DataType::Text))
    }

    fn special_json_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let binary = name.starts_with("jsonb_") || name == "to_jsonb";
        let to = if binary { DataType::Jsonb } else { DataType::Json };
        let json = match (name, arguments.len()) {
            ("row_to_json", 1) if arguments[0].data_type.fields().is_some() => {
                let [row] = take(arguments);
                self.row_as_json(row)?
            }
            ("to_json" | "to_jsonb", 1) => self.json_of(take::<1>(arguments).into_iter().next(), name)?,
            ("array_to_json", 1) if arguments[0].data_type.element().is_some() => {
                self.json_of(take::<1>(arguments).into_iter().next(), name)?
            }
            ("json_build_array" | "jsonb_build_array", _) => {
                let values = arguments.into_iter().map(|value| self.settled_json(value)).collect::<Result<_>>()?;
                fold::call(Function::Json(JsonFunction::Array), values, DataType::Json)
            }
            ("json_build_object" | "jsonb_build_object", _) => self.json_object(arguments)?,
            ("json_typeof" | "jsonb_typeof" | "json_array_length" | "jsonb_array_length", 1) => {
                let [value] = take(arguments);
                let value = match value.data_type {
                    DataType::Null => self.coerce(value, to, Coercion::Implicit)?,
                    _ => value,
                };
                if value.data_type != to {
                    return Ok(Special::NoMatch(vec![value]));
                }
                let (function, to) = match name.ends_with("_length") {
                    true => (JsonFunction::Length, DataType::Integer),
                    false => (JsonFunction::Kind, DataType::Text),
                };
                let arguments = vec![relabel(value, DataType::Text)];
                return Ok(Special::Bound(fold::call(Function::Json(function), arguments, to)));
            }
            _ => return Ok(Special::NoMatch(arguments)),
        };
        let json = if binary { self.coerce(json, DataType::Jsonb, Coercion::Explicit)? } else { json };
        Ok(Special::Bound(json))
    }

    /// A value as json; 42804 for one of no type.
    fn json_of(&mut self, value: Option<Expression>, name: &str) -> Result<Expression> {
        let value = value.ok_or_else(|| no_function(name, &[]))?;
        if value.data_type == DataType::Null {
            let message = "could not determine polymorphic type because input has type unknown";
            return Err(Error::new(ErrorKind::TypeMismatch, message).at(value.position));
        }
        self.settled_json(value)
    }

    pub(super) fn settled_json(&mut self, value: Expression) -> Result<Expression> {
        let value = self.settle_any(value)?;
        let value = string_function::with_blanks(value);
        let of = value.data_type;
        Ok(match of {
            DataType::Json => value,
            DataType::Jsonb => relabel(value, DataType::Json),
            row if row.fields().is_some() => self.row_as_json(value)?,
            rows if rows.element().is_some_and(|of| of.fields().is_some()) => {
                return Err(Error::unsupported("an array of rows as JSON is").at(value.position));
            }
            DataType::Interval if self.interval_style() != IntervalStyle::Postgres => {
                let shown = self.coerce(value, DataType::Text, Coercion::Assignment)?;
                fold::call(Function::JsonOf(DataType::Text), vec![shown], DataType::Json)
            }
            _ => {
                self.check_interval_style(of, value.position)?;
                self.in_zone_if(Function::JsonOf(of), of, value, DataType::Json)
            }
        })
    }

    /// Keys are texts, at every other place from the first on.
    fn json_object(&mut self, arguments: Vec<Expression>) -> Result<Expression> {
        if arguments.len() % 2 == 1 {
            let message = "argument list must have even number of elements";
            let error = Error::new(ErrorKind::InvalidParameter, message);
            return Err(
                error.with_hint("The arguments of json_build_object() must consist of alternating keys and values.")
            );
        }
        let mut parts = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.into_iter().enumerate() {
            if at % 2 == 1 {
                parts.push(self.settled_json(argument)?);
                continue;
            }
            let key = self.settle_any(argument)?;
            if matches!(key.data_type, DataType::Json | DataType::Jsonb | DataType::Nested(_))
                && key.data_type.labels().is_none()
            {
                let message = "key value must be scalar, not array, composite, or json";
                return Err(Error::new(ErrorKind::InvalidParameter, message).at(key.position));
            }
            parts.push(self.text_of(key)?);
        }
        Ok(fold::call(Function::Json(JsonFunction::Object), parts, DataType::Json))
    }
}
