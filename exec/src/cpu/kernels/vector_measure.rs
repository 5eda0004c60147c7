//! Distances and products of vectors, of two columns or of a column and a constant.
//!
//! A sum has its order (`planner/src/evaluate/vector/measure.rs`): its terms cannot be added several at a time. So several rows are:
//! the sums of [`LANES`] rows, none of which waits for another, grow side by side, position by position.

use super::vector_rows::{Rows, Stored};
use super::{Call, strict_nulls};
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::evaluate::vector::{
    CosineDistance, CosineSimilarity, Distance, InnerProduct, ManhattanDistance, Measure, NegativeInnerProduct,
    SquaredDistance,
};
use multiloop_planner::function::{Function, VectorFunction};
use multiloop_planner::types::DataType;

/// Rows whose sums grow side by side: as many as an addition takes cycles.
const LANES: usize = 4;

/// Measures, if it is a measure of vectors.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let Function::Vector(function) = call.function else { return false };
    if !function.is_measure() {
        return false;
    }
    let [left, right] = arguments else { return false };
    let Some((of, _)) = call.types[0].vector_of() else { return false };
    // A measure is the same of both from either side.
    let (left, right) = if left.constant { (*right, *left) } else { (*left, *right) };
    let (Some(a), Some(b)) = (Rows::of(left), Rows::of(right)) else { return false };
    let mut values = out.take_f64();
    values.reserve(len);
    match of {
        // A constant of no tuples is none.
        _ if len == 0 => {}
        DataType::Real => measured::<f32>(function, a, b, right.constant, len, &mut values),
        _ => measured::<f64>(function, a, b, right.constant, len, &mut values),
    }
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, VectorData::F64(values), nulls);
    true
}

fn measured<T: Stored>(
    function: VectorFunction,
    a: Rows<'_>,
    b: Rows<'_>,
    is_constant: bool,
    len: usize,
    out: &mut Vec<f64>,
) {
    let mut own = Own::<T>::default();
    macro_rules! run {
        ($measure:expr) => {
            if is_constant {
                with_constant($measure, a, b, len, &mut own, out)
            } else {
                with_column($measure, a, b, len, &mut own, out)
            }
        };
    }
    match function {
        VectorFunction::Distance => run!(Distance),
        VectorFunction::SquaredDistance => run!(SquaredDistance),
        VectorFunction::ManhattanDistance => run!(ManhattanDistance),
        VectorFunction::InnerProduct => run!(InnerProduct),
        VectorFunction::NegativeInnerProduct => run!(NegativeInnerProduct),
        VectorFunction::CosineSimilarity => run!(CosineSimilarity),
        _ => run!(CosineDistance),
    }
}

/// Memory for vectors that are not of their type where they are: those of each lane on both sides.
#[derive(Default)]
struct Own<T> {
    left: [Vec<T>; LANES],
    right: [Vec<T>; LANES],
}

/// The vectors of the lanes from a tuple on. Lanes beyond the last tuple have its vector once more.
#[inline(always)]
fn lanes<'a, T: Stored>(
    rows: Rows<'a>,
    start: usize,
    len: usize,
    length: usize,
    own: &'a mut [Vec<T>; LANES],
) -> [&'a [T]; LANES] {
    let mut tuple = start;
    own.each_mut().map(|own| {
        let row = rows.get(tuple.min(len - 1), own);
        tuple += 1;
        &row[..length]
    })
}

kernel! {
    /// Of each vector of a column and one that is the same for all.
    fn with_constant[M: Measure, T: Stored](
        measure: M,
        a: Rows<'_>,
        b: Rows<'_>,
        len: usize,
        own: &mut Own<T>,
        out: &mut Vec<f64>,
    ) {
        let constant = b.get(0, &mut own.right[0]);
        for start in (0..len).step_by(LANES) {
            let rows = lanes(a, start, len, constant.len(), &mut own.left);
            let mut sums = [measure.start::<T>(); LANES];
            for (at, &element) in constant.iter().enumerate() {
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    *sum = measure.add(*sum, row[at], element);
                }
            }
            out.extend(sums[..LANES.min(len - start)].iter().map(|&sum| measure.end::<T>(sum)));
        }
    }
}

kernel! {
    /// Of the vectors of two columns.
    fn with_column[M: Measure, T: Stored](
        measure: M,
        a: Rows<'_>,
        b: Rows<'_>,
        len: usize,
        own: &mut Own<T>,
        out: &mut Vec<f64>,
    ) {
        let length = a.length().min(b.length());
        for start in (0..len).step_by(LANES) {
            let rows = lanes(a, start, len, length, &mut own.left);
            let others = lanes(b, start, len, length, &mut own.right);
            let mut sums = [measure.start::<T>(); LANES];
            for at in 0..length {
                for ((sum, row), other) in sums.iter_mut().zip(&rows).zip(&others) {
                    *sum = measure.add(*sum, row[at], other[at]);
                }
            }
            out.extend(sums[..LANES.min(len - start)].iter().map(|&sum| measure.end::<T>(sum)));
        }
    }
}
