//! Measures of all vectors of a tile and each of a few others: the positions of several rows are brought side by side once, and then
//! serve for all of these.
//!
//! Each sum has its order, from the first position to the last (`planner/src/evaluate/vector/measure.rs`): what lies side by side is
//! rows, so the bits are those of one sum after the other.

use super::vector_rows::{Reads, Rows, Stored};
use crate::Result;
use crate::cpu::simd::kernel::kernel;
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::evaluate::vector::{
    CosineDistance, CosineSimilarity, Distance, InnerProduct, ManhattanDistance, Measure, NegativeInnerProduct,
    SquaredDistance,
};
use multiloop_planner::function::VectorFunction;
use multiloop_planner::meter;
use multiloop_planner::types::DataType;
use std::ops::Range;

/// Rows side by side: a register of reals, or two of doubles.
const LANES: usize = 16;

/// How many of the others are measured at once, so that a row's element is loaded once for them.
const AT_ONCE: usize = 4;

/// Of how many the vectors stay in the cache.
const OTHERS: usize = 64;

/// Terms between two looks at the statement.
const PIECE: usize = 1 << 20;

/// For each of the others its measures with the vectors of a tile; none of what is no vector of their length.
pub(in crate::cpu) fn measure(
    function: VectorFunction,
    of: DataType,
    vector: &Vector,
    others: &[&[f64]],
) -> Result<Option<Vec<Vector>>> {
    let (Some((of, length)), Some(rows)) = (of.vector_of(), Rows::of(vector)) else { return Ok(None) };
    let is_alike = |length: usize| rows.length() == length && others.iter().all(|other| other.len() == length);
    if vector.len == 0 || !is_alike(length as usize) {
        return Ok(None);
    }
    let mut found: Vec<Vec<f64>> = others.iter().map(|_| Vec::with_capacity(vector.len + LANES)).collect();
    match of {
        DataType::Real => measured::<f32>(function, rows, others, vector.len, &mut found)?,
        _ => measured::<f64>(function, rows, others, vector.len, &mut found)?,
    }
    let nulls = vector.nulls.as_ref().map(|valid| {
        let mut nulls = valid.clone();
        nulls.fill(vector.len, |tuple| !vector.is_null(tuple));
        nulls
    });
    let vector = |values: Vec<f64>| {
        let mut made = Vector::default();
        made.set(vector.len, VectorData::F64(values), nulls.clone());
        made
    };
    Ok(Some(found.into_iter().map(vector).collect()))
}

fn measured<T: Stored>(
    function: VectorFunction,
    rows: Rows<'_>,
    others: &[&[f64]],
    len: usize,
    out: &mut [Vec<f64>],
) -> Result<()> {
    let others: Vec<Vec<T>> =
        others.iter().map(|other| other.iter().map(|&element| T::of(element)).collect()).collect();
    macro_rules! run {
        ($measure:expr) => {
            // Some of the others at a time, so that a cancelled statement gets out.
            for (others, out) in others.chunks(OTHERS).zip(out.chunks_mut(OTHERS)) {
                let each = (PIECE / (others.len() * rows.length())).max(1).next_multiple_of(LANES);
                for start in (0..len).step_by(each) {
                    let tuples = start..len.min(start + each);
                    meter::spend(tuples.len() * others.len() * rows.length() / LANES)?;
                    match rows.are_reals(tuples.clone()) {
                        true => blocks($measure, (rows, Reads::<f32, T>::NEW), others, tuples, out),
                        false => blocks($measure, (rows, Reads::<T, T>::NEW), others, tuples, out),
                    }
                }
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
    Ok(())
}

kernel! {
    fn blocks[M: Measure, T: Stored, S: Stored](
        measure: M,
        column: (Rows<'_>, Reads<S, T>),
        others: &[Vec<T>],
        tuples: Range<usize>,
        out: &mut [Vec<f64>],
    ) {
        let (rows, reads) = column;
        let mut beside: Vec<[T; LANES]> = vec![[T::ZERO; LANES]; rows.length()];
        let mut own = Vec::new();
        for start in tuples.clone().step_by(LANES) {
            for lane in 0..LANES {
                // Lanes beyond the last row have its vector once more.
                let row = rows.get::<S>((start + lane).min(tuples.end - 1), &mut own);
                for (lanes, &element) in beside.iter_mut().zip(row) {
                    lanes[lane] = reads.read(element);
                }
            }
            let lanes = LANES.min(tuples.end - start);
            let (mut others, mut out) = (others, &mut out[..]);
            while others.len() >= AT_ONCE {
                let (four, left) = others.split_at(AT_ONCE);
                let (to, behind) = out.split_at_mut(AT_ONCE);
                let four: [&[T]; AT_ONCE] = std::array::from_fn(|at| &four[at][..beside.len()]);
                for (sums, to) in several(measure, &beside, four).iter().zip(to) {
                    to.extend(sums[..lanes].iter().map(|&sum| measure.end::<T>(sum)));
                }
                (others, out) = (left, behind);
            }
            for (other, to) in others.iter().zip(out) {
                let [sums] = several(measure, &beside, [&other[..beside.len()]]);
                to.extend(sums[..lanes].iter().map(|&sum| measure.end::<T>(sum)));
            }
        }
    }
}

/// The sums of all lanes with each of a few vectors.
#[inline(always)]
fn several<M: Measure, T: Stored, const COUNT: usize>(
    measure: M,
    beside: &[[T; LANES]],
    others: [&[T]; COUNT],
) -> [[M::Sum<T>; LANES]; COUNT] {
    let mut sums = [[measure.start::<T>(); LANES]; COUNT];
    for (at, lanes) in beside.iter().enumerate() {
        for (sums, other) in sums.iter_mut().zip(&others) {
            let element = other[at];
            for (sum, &lane) in sums.iter_mut().zip(lanes) {
                *sum = measure.add(*sum, lane, element);
            }
        }
    }
    sums
}
