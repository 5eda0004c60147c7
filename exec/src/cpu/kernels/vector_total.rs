//! What is made of all elements of a vector: sums, extremes and their places, norms, and single elements.

use super::vector_measure::totals;
use super::vector_rows::{QUICK, Rows, Stored, pieces};
use super::{Call, strict_nulls};
use crate::Result;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::vector::{Squares, Sum, max, min, place};
use multiloop_planner::function::{Function, VectorFunction};
use multiloop_planner::types::DataType;
use std::cmp::Ordering;

/// Makes numbers of vectors, if it is a function that does; an error (57014) if the statement was cancelled.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<bool> {
    use VectorFunction as V;
    let Function::Vector(function) = call.function else { return Ok(false) };
    let (Some((of, _)), Some(rows)) = (call.types[0].vector_of(), arguments.first().and_then(|first| Rows::of(first)))
    else {
        return Ok(false);
    };
    match function {
        V::Sum | V::Min | V::Max | V::Norm if call.register == Register::F64 => {
            let mut values = out.take_f64();
            match of {
                DataType::Real => doubles::<f32>(function, rows, len, &mut values)?,
                _ => doubles::<f64>(function, rows, len, &mut values)?,
            }
            let nulls = strict_nulls(arguments, len, out);
            out.set(len, VectorData::F64(values), nulls);
        }
        V::ArgMin | V::ArgMax if call.register == Register::I32 => {
            let mut values = out.take_i32();
            let better = if function == V::ArgMin { Ordering::Less } else { Ordering::Greater };
            match of {
                DataType::Real => places::<f32>(better, rows, len, &mut values)?,
                _ => places::<f64>(better, rows, len, &mut values)?,
            }
            let nulls = strict_nulls(arguments, len, out);
            out.set(len, VectorData::I32(values), nulls);
        }
        V::Dimensions if call.register == Register::I32 => {
            let mut values = out.take_i32();
            values.resize(len, rows.length() as i32);
            let nulls = strict_nulls(arguments, len, out);
            out.set(len, VectorData::I32(values), nulls);
        }
        V::Element if call.register == Register::F64 => element(rows, arguments, len, out),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The elements at places, which are NULL where there is none.
fn element(rows: Rows<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) {
    let place = |tuple: usize| {
        let place = arguments[1].integer(tuple).filter(|_| !arguments[1].is_null(tuple))?;
        usize::try_from(place.checked_sub(1)?).ok().filter(|place| *place < rows.length())
    };
    let mut values = out.take_f64();
    values.extend((0..len).map(|tuple| place(tuple).map_or(0.0, |place| rows.at(tuple, place))));
    let mut nulls = out.take_nulls();
    nulls.fill(len, |tuple| place(tuple).is_some() && !arguments[0].is_null(tuple));
    let nulls = if nulls.is_full() { None } else { Some(nulls) };
    out.set(len, VectorData::F64(values), nulls);
}

fn doubles<T: Stored>(function: VectorFunction, rows: Rows<'_>, len: usize, out: &mut Vec<f64>) -> Result<()> {
    let mut own = Vec::new();
    for tuples in pieces(len, rows.length(), QUICK) {
        let tuples = tuples?;
        macro_rules! each {
            ($of:ident) => {
                out.extend(tuples.map(|tuple| $of(rows.get::<T>(tuple, &mut own).iter().copied())))
            };
        }
        match function {
            VectorFunction::Sum => totals::<_, T>(Sum, rows, tuples, out),
            VectorFunction::Min => each!(min),
            VectorFunction::Max => each!(max),
            _ => {
                let before = out.len();
                totals::<_, T>(Squares, rows, tuples, out);
                out[before..].iter_mut().for_each(|squares| *squares = squares.sqrt());
            }
        }
    }
    Ok(())
}

fn places<T: Stored>(better: Ordering, rows: Rows<'_>, len: usize, out: &mut Vec<i32>) -> Result<()> {
    let mut own: Vec<T> = Vec::new();
    for tuples in pieces(len, rows.length(), QUICK) {
        // A vector has not more elements than an integer counts.
        out.extend(tuples?.map(|tuple| place(rows.get(tuple, &mut own).iter().copied(), better) as i32));
    }
    Ok(())
}
