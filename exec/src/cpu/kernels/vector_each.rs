//! Functions of vectors' elements: sums, differences, products and quotients of two vectors or of a vector and a number, functions of
//! one, parts of vectors. What they make lies row by row in one block.

use super::vector_measure::totals;
use super::vector_rows::{DEAR, QUICK, Reads, Rows, Stored, pieces};
use super::{Call, strict_nulls};
use crate::Result;
use crate::column::vectors::Vectors;
use crate::cpu::simd::kernel::{append, append_pairs, kernel};
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::evaluate::vector::{Squares, greatest, least, normal};
use multiloop_planner::function::{Function, VectorFunction};
use multiloop_planner::types::DataType;
use std::ops::Range;

/// What stands beside a vector.
#[derive(Clone, Copy)]
enum Side<'a> {
    Vectors(Rows<'a>),
    Numbers(&'a Vector, &'a [f64]),
}

impl<'a> Side<'a> {
    fn of(argument: &'a Vector) -> Option<Self> {
        match &argument.data {
            VectorData::F64(numbers) => Some(Side::Numbers(argument, numbers)),
            _ => Rows::of(argument).map(Side::Vectors),
        }
    }
}

/// Makes vectors, if it is a function that does; an error (57014) if the statement was cancelled.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<bool> {
    let (Function::Vector(function), Some((of, length))) = (call.function, call.result.vector_of()) else {
        return Ok(false);
    };
    let length = length as usize;
    let done = match of {
        DataType::Real => made::<f32>(function, arguments, len, length)?.map(f32::block),
        _ => made::<f64>(function, arguments, len, length)?.map(f64::block),
    };
    let Some(block) = done else { return Ok(false) };
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, VectorData::Vectors(Vectors::of_block(length, block)), nulls);
    Ok(true)
}

/// A vector as one of elements of the other type, if that is what is called; an error (57014) if the statement was cancelled.
pub(super) fn cast(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<bool> {
    let ([argument], Function::Cast | Function::AssignCast) = (arguments, call.function) else { return Ok(false) };
    let (VectorData::Vectors(vectors), Some((of, length))) = (&argument.data, call.result.vector_of()) else {
        return Ok(false);
    };
    let length = length as usize;
    if vectors.length() != length {
        return Ok(false);
    }
    let mut made = Vectors::new(length);
    if of == DataType::Real {
        let rows = Rows { vector: argument, vectors };
        let mut all = Vec::with_capacity(len * length);
        for tuples in pieces(len, length, QUICK) {
            append_all::<f32>(rows, tuples?, &mut all);
        }
        made = Vectors::of_block(length, f32::block(all));
    } else {
        // A real is a double: the vectors may stay where they are.
        made.gather(vectors, (0..len).map(|tuple| argument.position(tuple)));
        made.set_wide();
    }
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, VectorData::Vectors(made), nulls);
    Ok(true)
}

/// The elements of what a function makes; none if it is none of this file's.
fn made<T: Stored>(
    function: VectorFunction,
    arguments: &[&Vector],
    len: usize,
    length: usize,
) -> Result<Option<Vec<T>>> {
    use VectorFunction as V;
    let cost = match function {
        V::Exp | V::Ln | V::HyperbolicTangent | V::Sigmoid => DEAR,
        _ => QUICK,
    };
    let mut out = Vec::with_capacity(len * length);
    for tuples in pieces(len, length, cost) {
        if made_of(function, arguments, tuples?, length, &mut out).is_none() {
            return Ok(None);
        }
    }
    Ok((out.len() == len * length).then_some(out))
}

/// Appends the elements of what a function makes of these tuples; none if it is none of this file's.
fn made_of<T: Stored>(
    function: VectorFunction,
    arguments: &[&Vector],
    tuples: Range<usize>,
    length: usize,
    out: &mut Vec<T>,
) -> Option<()> {
    use VectorFunction as V;
    match (function, arguments) {
        (V::Part, [vector, start]) => {
            part::<T>(Rows::of(vector)?, |tuple| start.integer(tuple).unwrap_or(0), tuples, length, out);
        }
        (V::Concatenate, [a, b]) => {
            let (a, b) = (Rows::of(a)?, Rows::of(b)?);
            for tuple in tuples {
                a.append(tuple, out);
                b.append(tuple, out);
            }
        }
        (V::OuterProduct, [a, b]) => {
            let (a, b) = (Rows::of(a)?, Rows::of(b)?);
            match b.are_reals(tuples.clone()) {
                true => products(a, (b, Reads::<f32, T>::NEW), tuples, out),
                false => products(a, (b, Reads::<T, T>::NEW), tuples, out),
            }
        }
        (_, [argument]) => {
            let rows = Rows::of(argument)?;
            match function {
                V::Negate => each_of(rows, tuples, out, T::negated),
                V::Abs => each_of(rows, tuples, out, T::absolute),
                V::SquareRoot => each_of(rows, tuples, out, T::root),
                V::Exp => plain_of_one(rows, tuples, out, T::exponential),
                V::Ln => plain_of_one(rows, tuples, out, T::logarithm),
                V::HyperbolicTangent => plain_of_one(rows, tuples, out, T::tangent),
                V::Sigmoid => plain_of_one(rows, tuples, out, T::sigmoid),
                V::Normalize => {
                    let mut norms = Vec::with_capacity(tuples.len());
                    totals::<_, T>(Squares, rows, tuples.clone(), &mut norms);
                    norms.iter_mut().for_each(|squares| *squares = squares.sqrt());
                    match rows.are_reals(tuples.clone()) {
                        true => normalised((rows, Reads::<f32, T>::NEW), tuples, &norms, out),
                        false => normalised((rows, Reads::<T, T>::NEW), tuples, &norms, out),
                    }
                }
                _ => return None,
            }
        }
        (_, [a, b]) => {
            let (a, b) = (Side::of(a)?, Side::of(b)?);
            match function {
                V::Add => pairs_of(a, b, tuples, out, T::plus),
                V::Subtract => pairs_of(a, b, tuples, out, T::minus),
                V::Multiply => pairs_of(a, b, tuples, out, T::times),
                V::Divide => pairs_of(a, b, tuples, out, T::over),
                V::Greatest => pairs_of(a, b, tuples, out, greatest),
                V::Least => pairs_of(a, b, tuples, out, least),
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(())
}

/// So many elements of each from a place on, zeros where there are none.
fn part<T: Stored>(
    rows: Rows<'_>,
    start: impl Fn(usize) -> i128,
    tuples: Range<usize>,
    length: usize,
    out: &mut Vec<T>,
) {
    let mut own = Vec::new();
    for tuple in tuples {
        let row: &[T] = rows.get(tuple, &mut own);
        let first = start(tuple).saturating_sub(1);
        match usize::try_from(first).ok().and_then(|first| row.get(first..first.checked_add(length)?)) {
            Some(part) => out.extend_from_slice(part),
            None => out.extend((0..length).map(|at| {
                let place = usize::try_from(first.saturating_add(at as i128)).ok();
                place.and_then(|place| row.get(place)).copied().unwrap_or(T::ZERO)
            })),
        }
    }
}

/// Calls of the standard library: there is nothing to vectorise.
fn plain_of_one<T: Stored>(rows: Rows<'_>, tuples: Range<usize>, out: &mut Vec<T>, each: impl Fn(T) -> T) {
    let mut own = Vec::new();
    for tuple in tuples {
        let row: &[T] = rows.get(tuple, &mut own);
        out.extend(row.iter().map(|&element| each(element)));
    }
}

/// What a function makes of each element, as they are stored.
fn each_of<T: Stored>(rows: Rows<'_>, tuples: Range<usize>, out: &mut Vec<T>, each: impl Fn(T) -> T) {
    match rows.are_reals(tuples.clone()) {
        true => of_one((rows, Reads::<f32, T>::NEW), tuples, out, each),
        false => of_one((rows, Reads::<T, T>::NEW), tuples, out, each),
    }
}

/// What a function makes of the elements of two sides, of which one at least is of vectors, as they are stored.
fn pairs_of<T: Stored>(a: Side<'_>, b: Side<'_>, tuples: Range<usize>, out: &mut Vec<T>, each: impl Fn(T, T) -> T) {
    match (a, b) {
        (Side::Vectors(a), Side::Vectors(b)) => {
            let (reals, own) = (Reads::<f32, T>::NEW, Reads::<T, T>::NEW);
            match (a.are_reals(tuples.clone()), b.are_reals(tuples.clone())) {
                (true, true) => of_two((a, reals), (b, reals), tuples, out, each),
                (true, false) => of_two((a, reals), (b, own), tuples, out, each),
                (false, true) => of_two((a, own), (b, reals), tuples, out, each),
                (false, false) => of_two((a, own), (b, own), tuples, out, each),
            }
        }
        (Side::Vectors(rows), Side::Numbers(vector, numbers)) => {
            with_numbers(rows, (vector, numbers), tuples, out, each);
        }
        (Side::Numbers(vector, numbers), Side::Vectors(rows)) => {
            with_numbers(rows, (vector, numbers), tuples, out, |element, number| each(number, element));
        }
        (Side::Numbers(..), Side::Numbers(..)) => {}
    }
}

/// What a function makes of the elements of each vector and a number, as they are stored.
fn with_numbers<T: Stored>(
    rows: Rows<'_>,
    numbers: (&Vector, &[f64]),
    tuples: Range<usize>,
    out: &mut Vec<T>,
    each: impl Fn(T, T) -> T,
) {
    match rows.are_reals(tuples.clone()) {
        true => of_numbers((rows, Reads::<f32, T>::NEW), numbers, tuples, out, each),
        false => of_numbers((rows, Reads::<T, T>::NEW), numbers, tuples, out, each),
    }
}

kernel! {
    fn append_all[T: Stored](rows: Rows<'_>, tuples: Range<usize>, out: &mut Vec<T>) {
        for tuple in tuples {
            rows.append(tuple, out);
        }
    }
}

kernel! {
    /// Each element of the one times each of the other.
    fn products[T: Stored, S: Stored](
        a: Rows<'_>,
        right: (Rows<'_>, Reads<S, T>),
        tuples: Range<usize>,
        out: &mut Vec<T>,
    ) {
        let (b, reads) = right;
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for tuple in tuples {
            let b: &[S] = b.get(tuple, &mut other);
            for &a in a.get::<T>(tuple, &mut own) {
                append(out, b, |b: S| a.times(reads.read(b)));
            }
        }
    }
}

kernel! {
    /// Vectors of these norms.
    fn normalised[T: Stored, S: Stored](
        column: (Rows<'_>, Reads<S, T>),
        tuples: Range<usize>,
        norms: &[f64],
        out: &mut Vec<T>,
    ) {
        let (rows, reads) = column;
        let mut own = Vec::new();
        for (tuple, &norm) in tuples.zip(norms) {
            append(out, rows.get(tuple, &mut own), |element: S| normal(reads.read(element), norm));
        }
    }
}

kernel! {
    fn of_one[T: Stored, S: Stored](
        column: (Rows<'_>, Reads<S, T>),
        tuples: Range<usize>,
        out: &mut Vec<T>,
        each: impl Fn(T) -> T,
    ) {
        let (rows, reads) = column;
        let mut own = Vec::new();
        for tuple in tuples {
            append(out, rows.get(tuple, &mut own), |element: S| each(reads.read(element)));
        }
    }
}

kernel! {
    fn of_two[T: Stored, A: Stored, B: Stored](
        left: (Rows<'_>, Reads<A, T>),
        right: (Rows<'_>, Reads<B, T>),
        tuples: Range<usize>,
        out: &mut Vec<T>,
        each: impl Fn(T, T) -> T,
    ) {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for tuple in tuples {
            let (a, b): (&[A], &[B]) = (left.0.get(tuple, &mut own), right.0.get(tuple, &mut other));
            append_pairs(out, a, b, |a, b| each(left.1.read(a), right.1.read(b)));
        }
    }
}

kernel! {
    fn of_numbers[T: Stored, S: Stored](
        column: (Rows<'_>, Reads<S, T>),
        numbers: (&Vector, &[f64]),
        tuples: Range<usize>,
        out: &mut Vec<T>,
        each: impl Fn(T, T) -> T,
    ) {
        let (rows, reads) = column;
        let mut own = Vec::new();
        for tuple in tuples {
            let number = T::of(numbers.1[numbers.0.position(tuple)]);
            append(out, rows.get(tuple, &mut own), |element: S| each(reads.read(element), number));
        }
    }
}
