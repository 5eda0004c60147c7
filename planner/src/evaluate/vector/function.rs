//! The functions of vectors, value by value.

use super::element::Element;
use super::measure::{InnerProduct, Measure};
use super::{each, measure, total};
use crate::error::{Error, Result};
use crate::evaluate::{Call, mismatch};
use crate::function::{Function, VectorFunction};
use crate::meter;
use crate::types::DataType;
use crate::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// The value, if the function is one of vectors. No argument is NULL.
pub(in crate::evaluate) fn apply(call: &Call) -> Result<Option<Value>> {
    let Function::Vector(function) = call.function else { return Ok(None) };
    let vector = |value: &Value| if let Value::Vector(elements) = value { elements.len() } else { 0 };
    meter::spend(call.arguments.iter().map(vector).sum())?;
    let element = call.types.iter().find_map(|of| of.vector_of()).map(|(element, _)| element);
    let value = match element {
        Some(DataType::Real) => value_of::<f32>(call, function)?,
        _ => value_of::<f64>(call, function)?,
    };
    Ok(Some(value))
}

/// The value of a function of vectors with elements of a type.
fn value_of<T: Element>(call: &Call, function: VectorFunction) -> Result<Value> {
    use VectorFunction as V;
    let a = &call.arguments[0];
    if let Some(of_two) = each::of_two::<T>(function) {
        return pairs(call, of_two);
    }
    let elements = match a {
        Value::Vector(elements) => elements,
        other => return Err(mismatch(other, call.types[0])),
    };
    if let Some(of_one) = each::of_one::<T>(function) {
        return Ok(Value::Vector(typed::<T>(elements).map(|element| of_one(element).double()).collect()));
    }
    Ok(match function {
        V::Sum => Value::Float(total::sum(typed::<T>(elements))),
        V::Min => Value::Float(total::min(typed::<T>(elements))),
        V::Max => Value::Float(total::max(typed::<T>(elements))),
        V::Norm => Value::Float(total::norm(typed::<T>(elements))),
        V::ArgMin => Value::Int(total::place(typed::<T>(elements), Ordering::Less)),
        V::ArgMax => Value::Int(total::place(typed::<T>(elements), Ordering::Greater)),
        V::Dimensions => Value::Int(elements.len() as i64),
        V::Normalize => {
            let norm = total::norm(typed::<T>(elements));
            Value::Vector(typed::<T>(elements).map(|element| total::normal(element, norm).double()).collect())
        }
        V::Element => element(elements, call.int(1)?).map_or(Value::Null, Value::Float),
        V::Part => {
            let (_, count) = call.result.vector_of().unwrap_or((DataType::Double, 0));
            let start = call.int(1)?;
            let place = |place: u32| element(elements, start.saturating_add(place.into())).unwrap_or(0.0);
            Value::Vector((0..count).map(place).collect())
        }
        V::Concatenate => Value::Vector(elements.iter().chain(vector(call, 1)?.iter()).copied().collect()),
        V::OuterProduct => {
            let others = vector(call, 1)?;
            meter::spend(elements.len() * others.len())?;
            let row = |a: T| typed::<T>(others).map(move |b| a.times(b).double());
            Value::Vector(typed::<T>(elements).flat_map(row).collect())
        }
        V::MatrixVector => {
            let others = vector(call, 1)?;
            let rows = elements.chunks_exact(others.len().max(1));
            let product = |row: &[f64]| InnerProduct.of(typed::<T>(row).zip(typed::<T>(others)));
            Value::Vector(rows.map(product).collect())
        }
        V::MatrixProduct => {
            let others = vector(call, 1)?;
            let inner = size(call, 2, &[elements.len(), others.len()])?;
            let columns = others.len() / inner;
            meter::spend(elements.len() * columns)?;
            let column = |column: usize| others[column..].iter().step_by(columns).map(|&element| T::of(element));
            let row = |row: &[f64]| {
                let product = |at: usize| InnerProduct.of(typed::<T>(row).zip(column(at)));
                (0..columns).map(product).collect::<Vec<f64>>()
            };
            Value::Vector(elements.chunks_exact(inner).flat_map(row).collect())
        }
        V::MatrixTranspose => {
            let columns = elements.len() / size(call, 1, &[elements.len()])?;
            let column = |column: usize| elements[column..].iter().step_by(columns).copied();
            Value::Vector((0..columns).flat_map(column).collect())
        }
        _ => {
            let others = vector(call, 1)?;
            let measured = measure::measured(function, typed::<T>(elements).zip(typed::<T>(others)));
            Value::Float(measured.ok_or_else(|| mismatch(a, call.types[0]))?)
        }
    })
}

/// The elements in their own type.
fn typed<T: Element>(elements: &[f64]) -> impl Iterator<Item = T> {
    elements.iter().map(|&element| T::of(element))
}

/// The element at a place, from 1.
fn element(elements: &[f64], place: i64) -> Option<f64> {
    elements.get(usize::try_from(place.checked_sub(1)?).ok()?).copied()
}

/// The size of a matrix that an argument says, which divides these lengths.
fn size(call: &Call, at: usize, lengths: &[usize]) -> Result<usize> {
    let size = call.int(at)?;
    let fits = |size: &usize| *size > 0 && lengths.iter().all(|length| length.is_multiple_of(*size));
    let known = usize::try_from(size).ok().filter(fits);
    known.ok_or_else(|| Error::internal(format!("no matrix of {lengths:?} elements with {size} rows or columns")))
}

fn vector<'a>(call: &Call<'a>, at: usize) -> Result<&'a Arc<[f64]>> {
    match &call.arguments[at] {
        Value::Vector(elements) => Ok(elements),
        other => Err(mismatch(other, call.types[at])),
    }
}

/// What a function makes of the elements of two vectors, or of those of one and a number.
fn pairs<T: Element>(call: &Call, of_two: fn(T, T) -> T) -> Result<Value> {
    let each = |a: T, b: T| of_two(a, b).double();
    Ok(Value::Vector(match (&call.arguments[0], &call.arguments[1]) {
        (Value::Vector(a), Value::Vector(b)) => typed(a).zip(typed(b)).map(|(a, b)| each(a, b)).collect(),
        (Value::Vector(a), Value::Float(b)) => typed(a).map(|a| each(a, T::of(*b))).collect(),
        (Value::Float(a), Value::Vector(b)) => typed(b).map(|b| each(T::of(*a), b)).collect(),
        (Value::Vector(_), other) => return Err(mismatch(other, call.types[1])),
        (other, _) => return Err(mismatch(other, call.types[0])),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::testing::{NULL, double, expect_value, integer};
    use VectorFunction as V;

    fn of(element: DataType, elements: &[f64]) -> (Value, DataType) {
        let value = Value::Vector(elements.iter().copied().collect());
        (value, DataType::vector(element, elements.len() as u32))
    }

    #[test]
    fn values() {
        for element in [DataType::Real, DataType::Double] {
            let v = |elements: &[f64]| of(element, elements);
            let check = |function, arguments, expected| expect_value(Function::Vector(function), arguments, expected);
            let a = || v(&[1.0, -2.0, 4.0]);
            check(V::Distance, vec![a(), v(&[1.0, 1.0, 0.0])], double(5.0));
            check(V::CosineSimilarity, vec![a(), v(&[0.0; 3])], double(f64::NAN));
            check(V::Add, vec![a(), v(&[0.5, 0.5, 0.5])], v(&[1.5, -1.5, 4.5]));
            check(V::Multiply, vec![a(), double(0.5)], v(&[0.5, -1.0, 2.0]));
            check(V::Divide, vec![double(1.0), a()], v(&[1.0, -0.5, 0.25]));
            check(V::Subtract, vec![double(1.0), a()], v(&[0.0, 3.0, -3.0]));
            check(V::Greatest, vec![a(), v(&[0.0, f64::NAN, 5.0])], v(&[1.0, f64::NAN, 5.0]));
            check(V::Negate, vec![a()], v(&[-1.0, 2.0, -4.0]));
            check(V::SquareRoot, vec![a()], v(&[1.0, f64::NAN, 2.0]));
            check(V::Normalize, vec![v(&[3.0, 0.0, 4.0])], (v(&[0.6, 0.0, 0.8]).0, a().1).rounded(element));
            check(V::Normalize, vec![v(&[0.0, 0.0])], v(&[0.0, 0.0]));
            check(V::Sum, vec![a()], double(3.0));
            check(V::Min, vec![a()], double(-2.0));
            check(V::Max, vec![a()], double(4.0));
            check(V::Norm, vec![v(&[3.0, 4.0])], double(5.0));
            check(V::ArgMin, vec![a()], integer(2));
            check(V::ArgMax, vec![a()], integer(3));
            check(V::Dimensions, vec![a()], integer(3));
            check(V::Part, vec![a(), integer(2)], v(&[-2.0, 4.0]));
            check(V::Part, vec![a(), integer(3)], v(&[4.0, 0.0]));
            check(V::Part, vec![a(), integer(0)], v(&[0.0, 1.0]));
            check(V::Concatenate, vec![a(), v(&[7.0])], v(&[1.0, -2.0, 4.0, 7.0]));
            check(V::OuterProduct, vec![a(), v(&[0.5, f64::NAN])], {
                let nan = f64::NAN;
                v(&[0.5, nan, -1.0, nan, 2.0, nan])
            });
            check(V::OuterProduct, vec![v(&[3.0]), a()], v(&[3.0, -6.0, 12.0]));
            let matrix = || v(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            check(V::MatrixVector, vec![matrix(), a()], v(&[9.0, 18.0]));
            check(V::MatrixVector, vec![matrix(), v(&[1.0, -1.0])], v(&[-1.0, -1.0, -1.0]));
            check(V::MatrixProduct, vec![matrix(), a(), integer(3)], v(&[9.0, 18.0]));
            check(
                V::MatrixProduct,
                vec![matrix(), v(&[0.0, 1.0, 1.0, 0.0]), integer(2)],
                v(&[2.0, 1.0, 4.0, 3.0, 6.0, 5.0]),
            );
            check(V::MatrixTranspose, vec![matrix(), integer(2)], v(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
            check(V::MatrixTranspose, vec![matrix(), integer(6)], matrix());
            check(V::OuterProduct, vec![a(), NULL], (Value::Null, a().1));
            let place = |place: i64| (Value::Int(place), DataType::BigInt);
            check(V::Element, vec![a(), place(2)], (Value::Float(-2.0), element));
            for outside in [i64::MIN, -1, 0, 4, i64::MAX] {
                check(V::Element, vec![a(), place(outside)], (Value::Null, element));
            }
            check(V::Add, vec![a(), NULL], (Value::Null, a().1));
            check(V::Distance, vec![NULL, a()], (Value::Null, DataType::Double));
        }
    }

    /// Rounds what a test says in doubles to the elements' type.
    trait Rounded {
        fn rounded(self, element: DataType) -> Self;
    }

    impl Rounded for (Value, DataType) {
        fn rounded(self, element: DataType) -> Self {
            match (self.0, element) {
                (Value::Vector(elements), DataType::Real) => {
                    (Value::Vector(elements.iter().map(|each| f64::from(*each as f32)).collect()), self.1)
                }
                (value, _) => (value, self.1),
            }
        }
    }

    #[test]
    fn products_are_rounded_to_the_elements_type() {
        let tenth = |of: DataType| if of == DataType::Real { f64::from(0.1f32) } else { 0.1 };
        for (of_element, product) in [(DataType::Real, f64::from(0.1f32 * 0.1f32)), (DataType::Double, 0.1 * 0.1)] {
            let arguments = vec![of(of_element, &[tenth(of_element)]), of(of_element, &[tenth(of_element), 0.0])];
            expect_value(Function::Vector(V::OuterProduct), arguments, of(of_element, &[product, 0.0]));
        }
    }

    #[test]
    fn numbers_are_rounded_to_the_elements_type() {
        let function = Function::Vector(V::Multiply);
        let tenth = f64::from(0.1f32);
        expect_value(function, vec![of(DataType::Real, &[1.0]), double(0.1)], of(DataType::Real, &[tenth]));
        expect_value(function, vec![of(DataType::Double, &[1.0]), double(0.1)], of(DataType::Double, &[0.1]));
        let infinity = of(DataType::Real, &[f64::INFINITY]);
        expect_value(function, vec![of(DataType::Real, &[1.0]), double(1e300)], infinity);
    }

    #[test]
    fn types_of_calls() {
        let (real, double) = (DataType::vector(DataType::Real, 3), DataType::vector(DataType::Double, 2));
        for (function, arguments, expected) in [
            (V::Distance, vec![real, real], Some(DataType::Double)),
            (V::Add, vec![DataType::Double, real], Some(real)),
            (V::Abs, vec![double], Some(double)),
            (V::ArgMax, vec![real], Some(DataType::Integer)),
            (V::Element, vec![real, DataType::BigInt], Some(DataType::Real)),
            (V::Concatenate, vec![double, double], Some(DataType::vector(DataType::Double, 4))),
            (V::Part, vec![real, DataType::Integer], None),
            (
                V::MatrixVector,
                vec![DataType::vector(DataType::Real, 12), real],
                Some(DataType::vector(DataType::Real, 4)),
            ),
            (V::MatrixVector, vec![double, real], None),
            (V::MatrixTranspose, vec![double, DataType::Integer], Some(double)),
            (V::OuterProduct, vec![real, real], Some(DataType::vector(DataType::Real, 9))),
            (V::OuterProduct, vec![DataType::vector(DataType::Real, 128); 2], None),
        ] {
            assert_eq!(function.result(&arguments), expected, "{function:?}");
        }
    }
}
