//! The value of a parameter for the type that its statement says.
//!
//! The statement is bound first without knowing the parameters' types, so that each gets the type of its context: `km > $1`
//! compares numerics if `km` is a decimal. A parameter that is a value of this type, without losing anything, becomes one. Any other
//! is given its own type, and the statement is bound again: `km > 50.25` and `i > 3000000000` mean what they mean as literals,
//! `name = 5` is an error (42883) because text and integers are not compared, and an INSERT casts by assignment.
//!
//! Numbers become the elements of a vector where one is needed, rounded to the type of these; not so many as it has are an error.
//!
//! What would change the operation keeps its own type, too: a double is no integer, because `i / 2.0` is no division of integers.

use super::{Kind, Parameter};
use crate::format::{Array, Bound};
use crate::sight::Sight;
use crate::{DataType, Error, ErrorKind, Numeric, OidKind, Result, Value};
use multiloop_planner::evaluate::{admit, check_text, parse, wrong_vector_length};
use multiloop_planner::types::DECIMAL_DIGITS_MAX;
use std::borrow::Cow;

/// Bytes of a uuid as hexadecimal digits.
const UUID_DIGITS: usize = 32;

impl Parameter {
    /// As a value of a type; none if it is not exactly one, so that the statement is to be bound with [`Parameter::own_type`].
    ///
    /// # Errors
    /// 22P02 and its kin for a text that is no value of the type, 2202E for an array of arrays of several lengths.
    pub(crate) fn value_as(&self, to: DataType, sight: &Sight) -> Result<Option<Value>> {
        Ok(match &self.0 {
            // What nothing says a type of is text.
            Kind::Null(own) if matches!(to, DataType::Null | DataType::Text) && !is_textual(*own) => None,
            Kind::Null(_) => Some(Value::Null),
            Kind::Boolean(value) => (to == DataType::Boolean).then_some(Value::Boolean(*value)),
            Kind::Integer(value, _) => integer_as(*value, to),
            Kind::Float(value, own) => float_as(*value, *own, to)?,
            Kind::Exact(number) => match to {
                DataType::Double => Some(Value::Float(number.to_double())),
                DataType::Real => real_as(number).map(Value::Float),
                to => exact_as(number, to),
            },
            Kind::Text(text) => text_as(text, to, sight)?,
            Kind::Bytes(digits) => match to {
                DataType::Bytea => Some(Value::Text(digits.clone())),
                DataType::Uuid if digits.len() == UUID_DIGITS => Some(parse(digits, to)?),
                _ => None,
            },
            Kind::Interval(value) => (to == DataType::Interval).then_some(Value::Interval(*value)),
            Kind::Floats(values, _) if let Some(vector) = to.vector_of() => {
                Some(vector_as(values.iter().copied(), vector)?)
            }
            Kind::Array(elements, _) if let Some(vector) = to.vector_of() => match numbers(elements)? {
                Some(values) => Some(vector_as(values.into_iter(), vector)?),
                None => None,
            },
            Kind::Array(..) | Kind::Floats(..) => match to.element() {
                Some(element) if !to.is_zero_based() => array_as(&self.elements().unwrap_or_default(), element, sight)?,
                _ => None,
            },
            Kind::Value(value) => Some(value.clone()),
            Kind::Typed(value, own) => (*own == to).then(|| value.clone()),
        })
    }

    /// The elements of an array; none of what is no array.
    fn elements(&self) -> Option<Cow<'_, [Parameter]>> {
        match &self.0 {
            Kind::Array(elements, _) => Some(Cow::Borrowed(elements)),
            Kind::Floats(values, of) => {
                Some(values.iter().map(|&value| Parameter(Kind::Float(value, *of))).collect::<Vec<_>>().into())
            }
            _ => None,
        }
    }

    /// The type that it has by itself; [`DataType::Null`] for the text of a literal. Exact numbers in the place of decimals have just
    /// their digits, as a literal has.
    pub(crate) fn own_type(&self, inferred: DataType) -> DataType {
        let as_number = |number: Option<Numeric>| number.as_ref().and_then(digits_type);
        match &self.0 {
            Kind::Null(own) | Kind::Integer(_, own) | Kind::Typed(_, own) => *own,
            Kind::Boolean(_) => DataType::Boolean,
            Kind::Float(value, own) if inferred.is_exact() => as_number(shown_number(*value, *own)).unwrap_or(*own),
            Kind::Float(_, own) => *own,
            Kind::Exact(number) => digits_type(number).unwrap_or(DataType::Numeric),
            Kind::Text(text) if inferred.is_exact() => {
                as_number(Numeric::parse(text).ok()).unwrap_or(DataType::Numeric)
            }
            Kind::Text(_) | Kind::Value(_) => DataType::Null,
            Kind::Bytes(_) => DataType::Bytea,
            Kind::Interval(_) => DataType::Interval,
            Kind::Floats(_, of) => DataType::list(*of),
            Kind::Array(elements, element) => {
                // What is larger than the Rust type says is a numeric.
                let is_large = elements.iter().any(|each| matches!(each.0, Kind::Exact(_)));
                let of = match *element {
                    // Numbers, whichever digits these have.
                    DataType::Null if inferred.element().is_some_and(DataType::is_exact) => DataType::Numeric,
                    DataType::Null => DataType::Text,
                    of if of.is_integer() && is_large => DataType::Numeric,
                    of => of,
                };
                DataType::list(of)
            }
        }
    }

    /// The decimal type of just its digits, as a literal has it, if it is an exact number where the statement needs a numeric.
    pub(crate) fn digits_as(&self, inferred: DataType) -> Option<DataType> {
        let is_number = match &self.0 {
            Kind::Integer(..) | Kind::Exact(_) | Kind::Text(_) => true,
            Kind::Float(value, _) => value.is_finite(),
            _ => false,
        };
        if inferred != DataType::Numeric || !is_number {
            return None;
        }
        let of = match &self.0 {
            Kind::Integer(value, _) => digits_type(&Numeric::from_integer(*value))?,
            _ => self.own_type(inferred),
        };
        of.is_decimal().then_some(of)
    }

    /// The error for a parameter, by its place, that is no value of a type.
    pub(crate) fn mismatch(&self, at: usize, to: DataType) -> Error {
        let own = match self.own_type(DataType::Null) {
            DataType::Null => DataType::Text,
            own => own,
        };
        let message = format!("parameter ${} is of type {to}, but a value of type {own} was given", at + 1);
        Error::new(ErrorKind::TypeMismatch, message)
    }
}

fn is_textual(own: DataType) -> bool {
    own == DataType::Null || own.is_text()
}

fn integer_as(value: i64, to: DataType) -> Option<Value> {
    match to {
        to if to.is_integer() => {
            let (low, high) = to.integer_bounds()?;
            (low..=high).contains(&value.into()).then_some(Value::Int(value))
        }
        to if to.is_exact() => admit(&Value::Int(value), to, "UTC").ok()?,
        DataType::Double => Some(Value::Float(value as f64)),
        // Of an integer that is none a literal is no real, either.
        DataType::Real => {
            let real = value as f32;
            (real as i128 == value.into()).then(|| Value::Float(real.into()))
        }
        DataType::Oid(kind) if kind != OidKind::Place => u32::try_from(value).is_ok().then_some(Value::Int(value)),
        _ => None,
    }
}

fn float_as(value: f64, own: DataType, to: DataType) -> Result<Option<Value>> {
    let is_real = own == DataType::Real || value.is_nan() || f64::from(value as f32) == value;
    Ok(match to {
        DataType::Double => Some(Value::Float(value)),
        DataType::Real => is_real.then_some(Value::Float(value)),
        to if to.is_exact() => shown_number(value, own).and_then(|number| exact_as(&number, to)),
        _ => None,
    })
}

/// Digits behind the point that the smallest real has.
const REAL_DIGITS: usize = 149;

/// The real that is a number; none if it is not just that.
fn real_as(number: &Numeric) -> Option<f64> {
    let real = number.to_real();
    if !real.is_finite() {
        // What has overflowed is none.
        return number.scale().is_none().then_some(real);
    }
    let digits = Numeric::parse(&format!("{real:.REAL_DIGITS$}")).ok()?;
    digits.compare(number).is_eq().then_some(real)
}

/// The number that a float prints, which is the shortest that is read as the float; none of what is not finite.
fn shown_number(value: f64, own: DataType) -> Option<Numeric> {
    if !value.is_finite() {
        return None;
    }
    let shown = if own == DataType::Real { format!("{}", value as f32) } else { format!("{value}") };
    Numeric::parse(&shown).ok()
}

/// A number as one of a type of exact numbers, if that has its digits.
fn exact_as(number: &Numeric, to: DataType) -> Option<Value> {
    match to {
        DataType::Numeric => Some(Value::numeric(number.clone().checked().ok()?)),
        DataType::Decimal { precision, scale } => {
            let unscaled = number.unscaled_at(scale)?;
            let is_same = Numeric::new(unscaled, scale.into()).compare(number).is_eq();
            (is_same && unscaled.unsigned_abs() < 10u128.pow(precision.into())).then_some(Value::Decimal(unscaled))
        }
        _ => None,
    }
}

/// The decimal type of a number's digits; none of one that no decimal holds.
fn digits_type(number: &Numeric) -> Option<DataType> {
    let scale = u8::try_from(number.scale()?).ok().filter(|&scale| scale <= DECIMAL_DIGITS_MAX)?;
    let unscaled = number.unscaled_at(scale)?;
    let digits = unscaled.unsigned_abs().checked_ilog10().map_or(1, |last| last + 1);
    let precision = u8::try_from(digits).ok()?.max(scale).max(1);
    (precision <= DECIMAL_DIGITS_MAX).then(|| DataType::decimal(precision, scale))
}

fn text_as(text: &str, to: DataType, sight: &Sight) -> Result<Option<Value>> {
    check_text(text)?;
    Ok(match to {
        DataType::Null => Some(Value::text(text)),
        to if to.is_text() => Some(Value::text(text)),
        to if to.is_exact() => exact_as(&Numeric::parse(text)?, to),
        to => Some(sight.value_of(text, to)?),
    })
}

/// The elements of a vector as doubles; none if one is no number.
///
/// # Errors
/// 22004 for a NULL among them.
fn numbers(elements: &[Parameter]) -> Result<Option<Vec<f64>>> {
    let number = |each: &Parameter| {
        Ok(match &each.0 {
            Kind::Float(value, _) => Some(*value),
            Kind::Integer(value, _) => Some(*value as f64),
            Kind::Exact(number) => Some(number.to_double()),
            Kind::Null(_) => return Err(Error::new(ErrorKind::NullNotAllowed, "a vector has no NULL elements")),
            _ => None,
        })
    };
    elements.iter().map(number).collect()
}

/// A vector of these elements, each rounded to the type that it has there, as an array that is assigned to one.
///
/// # Errors
/// 22000 if there are not so many as the vector has.
fn vector_as(values: impl ExactSizeIterator<Item = f64>, (of, length): (DataType, u32)) -> Result<Value> {
    if values.len() != length as usize {
        return Err(wrong_vector_length(length, values.len()));
    }
    let is_real = of == DataType::Real;
    let rounded = |value: f64| if is_real { f64::from(value as f32) } else { value };
    Ok(Value::Vector(values.map(rounded).collect()))
}

/// An array of these elements, which are arrays themselves where there are several dimensions; none if an element is of another type.
fn array_as(elements: &[Parameter], element: DataType, sight: &Sight) -> Result<Option<Value>> {
    let (mut bounds, mut values) = (Vec::new(), Vec::new());
    let is_whole = flatten(elements, element, sight, 0, &mut bounds, &mut values)?;
    if values.is_empty() {
        bounds.clear();
    }
    Ok(is_whole.then(|| Value::text(Array { bounds, elements: values }.encode(element))))
}

/// Appends the elements of arrays within each other; whether all are of the type.
fn flatten(
    elements: &[Parameter],
    element: DataType,
    sight: &Sight,
    level: usize,
    bounds: &mut Vec<Bound>,
    values: &mut Vec<Value>,
) -> Result<bool> {
    let uneven = || {
        let message = "multidimensional arrays must have sub-arrays with matching dimensions";
        Err(Error::new(ErrorKind::ArraySubscript, message))
    };
    match bounds.get(level) {
        None => bounds.push(Bound { lower: 1, length: elements.len() }),
        Some(bound) if bound.length != elements.len() => return uneven(),
        Some(_) => {}
    }
    let are_arrays = elements.iter().any(|each| matches!(each.0, Kind::Array(..) | Kind::Floats(..)));
    if !are_arrays && bounds.len() > level + 1 && !elements.is_empty() {
        return uneven();
    }
    for each in elements {
        if let Some(within) = each.elements() {
            if !flatten(&within, element, sight, level + 1, bounds, values)? {
                return Ok(false);
            }
            continue;
        }
        match &each.0 {
            _ if are_arrays => return uneven(),
            Kind::Null(_) => values.push(Value::Null),
            _ => match each.value_as(element, sight)? {
                Some(value) => values.push(value),
                None => return Ok(false),
            },
        }
    }
    Ok(true)
}
