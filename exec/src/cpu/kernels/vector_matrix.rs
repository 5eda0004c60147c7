//! Matrices as vectors of their elements, row by row: products with a vector and with another matrix, transposition. Each sum goes
//! from the first position to the last, so several sums grow side by side and none is cut into parts.

use super::vector_rows::{QUICK, Rows, Stored, pieces};
use super::{Call, strict_nulls};
use crate::Result;
use crate::column::vectors::Vectors;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::function::{Function, VectorFunction};
use multiloop_planner::types::DataType;
use std::ops::Range;

/// Sums that grow side by side.
const SUMS: usize = 8;

/// Makes vectors, if it is a function of matrices; an error (57014) if the statement was cancelled.
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

/// The elements of what a function makes; none if it is none of this file's, or the lengths do not fit.
fn made<T: Stored>(
    function: VectorFunction,
    arguments: &[&Vector],
    len: usize,
    length: usize,
) -> Result<Option<Vec<T>>> {
    let mut out = Vec::new();
    match (function, arguments) {
        (VectorFunction::MatrixVector, [matrix, vector]) => {
            let (Some(matrix), Some(vector)) = (Rows::of(matrix), Rows::of(vector)) else { return Ok(None) };
            if matrix.length() != length * vector.length() {
                return Ok(None);
            }
            out.reserve(len * length);
            for tuples in pieces(len, matrix.length(), QUICK) {
                matrix_vector(matrix, vector, tuples?, &mut out);
            }
        }
        (VectorFunction::MatrixProduct, [left, right, inner]) => {
            let (Some(left), Some(right)) = (Rows::of(left), Rows::of(right)) else { return Ok(None) };
            // Of all tuples the same: it is part of the call's type.
            let Some(inner) = inner.integer(0).and_then(|inner| usize::try_from(inner).ok()).filter(|at| *at > 0)
            else {
                return Ok(None);
            };
            let (rows, columns) = (left.length() / inner, right.length() / inner);
            if (rows * inner, columns * inner, rows * columns) != (left.length(), right.length(), length) {
                return Ok(None);
            }
            out.reserve(len * length);
            for tuples in pieces(len, length * inner, QUICK) {
                matrix_product((left, right), (inner, columns), tuples?, &mut out);
            }
        }
        (VectorFunction::MatrixTranspose, [matrix, rows]) => {
            let Some(matrix) = Rows::of(matrix).filter(|matrix| matrix.length() == length) else { return Ok(None) };
            let rows = rows.integer(0).and_then(|rows| usize::try_from(rows).ok());
            let Some(rows) = rows.filter(|rows| *rows > 0 && length.is_multiple_of(*rows)) else { return Ok(None) };
            let columns = length / rows;
            out.reserve(len * length);
            let mut own = Vec::new();
            for tuples in pieces(len, length, QUICK) {
                for tuple in tuples? {
                    let elements = matrix.get::<T>(tuple, &mut own);
                    let column = |column: usize| elements[column..].iter().step_by(columns).copied();
                    out.extend((0..columns).flat_map(column));
                }
            }
        }
        _ => return Ok(None),
    }
    Ok(Some(out))
}

kernel! {
    /// The inner products of a matrix's rows with a vector.
    fn matrix_vector[T: Stored](matrix: Rows<'_>, vector: Rows<'_>, tuples: Range<usize>, out: &mut Vec<T>) {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for tuple in tuples {
            let (matrix, vector): (&[T], &[T]) = (matrix.get(tuple, &mut own), vector.get(tuple, &mut other));
            let width = vector.len();
            let blocks = matrix.chunks_exact(SUMS * width);
            let rest = blocks.remainder();
            for block in blocks {
                let rows: [&[T]; SUMS] = std::array::from_fn(|row| &block[row * width..][..width]);
                let mut sums = [T::ZERO; SUMS];
                for (at, &factor) in vector.iter().enumerate() {
                    for (sum, row) in sums.iter_mut().zip(rows) {
                        *sum = sum.plus(row[at].times(factor));
                    }
                }
                out.extend_from_slice(&sums);
            }
            for row in rest.chunks_exact(width) {
                out.push(row.iter().zip(vector).fold(T::ZERO, |sum, (&a, &b)| sum.plus(a.times(b))));
            }
        }
    }
}

kernel! {
    /// The products of matrices: all sums of a row grow together.
    fn matrix_product[T: Stored](
        factors: (Rows<'_>, Rows<'_>),
        shape: (usize, usize),
        tuples: Range<usize>,
        out: &mut Vec<T>,
    ) {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let (inner, columns) = shape;
        for tuple in tuples {
            let left: &[T] = factors.0.get(tuple, &mut own);
            let right: &[T] = factors.1.get(tuple, &mut other);
            for row in left.chunks_exact(inner) {
                let start = out.len();
                out.resize(start + columns, T::ZERO);
                let sums = &mut out[start..];
                for (&factor, elements) in row.iter().zip(right.chunks_exact(columns)) {
                    for (sum, &element) in sums.iter_mut().zip(elements) {
                        *sum = sum.plus(factor.times(element));
                    }
                }
            }
        }
    }
}
