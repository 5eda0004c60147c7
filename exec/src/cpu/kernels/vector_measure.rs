//! Distances and products of vectors, of two columns or of a column and a constant, and sums of one column's.
//!
//! A sum has its order (`planner/src/evaluate/vector/measure.rs`): its terms cannot be added several at a time. So several rows are:
//! the sums of [`LANES`] rows, none of which waits for another, grow side by side, position by position. For instructions of many
//! lanes the elements at one position have to lie side by side, too: rows are turned over in small blocks. As many streams are
//! more than the hardware foresees when they are short, the next rows are asked for while these are read. Of 128 reals that is
//! twice as fast as four rows without instructions of many lanes, and about as fast as the memory.

use super::vector_rows::{LANES, QUICK, Reads, Rows, Stored, pieces};
use super::{Call, strict_nulls};
use crate::Result;
use crate::cpu::simd::kernel::{kernel, prefetch_here};
use crate::cpu::vector::{Vector, VectorData};
use multiloop_planner::evaluate::vector::{
    CosineDistance, CosineDistanceBeside, CosineSimilarity, CosineSimilarityBeside, Distance, InnerProduct,
    ManhattanDistance, Measure, NegativeInnerProduct, SquaredDistance, squares,
};
use multiloop_planner::function::{Function, VectorFunction};
use multiloop_planner::types::DataType;
use std::ops::Range;

/// Positions that are turned over at once: the elements of all lanes at one position then lie side by side.
const BLOCK: usize = 4;

/// Measures, if it is a measure of vectors; an error (57014) if the statement was cancelled.
pub(super) fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> Result<bool> {
    let Function::Vector(function) = call.function else { return Ok(false) };
    if !function.is_measure() {
        return Ok(false);
    }
    let [left, right] = arguments else { return Ok(false) };
    let Some((of, _)) = call.types[0].vector_of() else { return Ok(false) };
    // A measure is the same of both from either side.
    let (left, right) = if left.constant { (*right, *left) } else { (*left, *right) };
    let (Some(a), Some(b)) = (Rows::of(left), Rows::of(right)) else { return Ok(false) };
    let mut values = out.take_f64();
    values.reserve(len);
    match of {
        // A constant of no tuples is none.
        _ if len == 0 => {}
        DataType::Real => measured::<f32>(function, (a, b), right.constant, len, &mut values)?,
        _ => measured::<f64>(function, (a, b), right.constant, len, &mut values)?,
    }
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, VectorData::F64(values), nulls);
    Ok(true)
}

fn measured<T: Stored>(
    function: VectorFunction,
    (a, b): (Rows<'_>, Rows<'_>),
    is_constant: bool,
    len: usize,
    out: &mut Vec<f64>,
) -> Result<()> {
    let mut memory = Vec::new();
    let constant: &[T] = if is_constant { b.get(0, &mut memory) } else { &[] };
    let mut own = (Lanes::<T>::default(), Lanes::<T>::default(), Lanes::<f32>::default(), Lanes::<f32>::default());
    for tuples in pieces(len, a.length(), QUICK) {
        let tuples = tuples?;
        let mut stored = (a.are_reals(tuples.clone()), !is_constant && b.are_reals(tuples.clone()));
        let (mut a, mut b) = (a, b);
        if !is_constant && stored == (true, false) {
            (a, b, stored) = (b, a, (false, true));
        }
        // Of reals all are the same.
        let (left, right, left_reals, right_reals) = (&mut own.0, &mut own.1, &mut own.2, &mut own.3);
        macro_rules! run {
            ($measure:expr, $beside:expr) => {
                match (is_constant, stored) {
                    (true, (true, _)) => {
                        with_constant($beside, (a, Reads::<f32, T>::NEW), constant, tuples, left_reals, out)
                    }
                    (true, (false, _)) => with_constant($beside, (a, Reads::NEW), constant, tuples, left, out),
                    (false, (true, _)) => {
                        let own = (left_reals, right_reals);
                        with_column($measure, (a, b), (Reads::<f32, T>::NEW, Reads::<f32, T>::NEW), tuples, own, out);
                    }
                    (false, (false, true)) => {
                        with_column(
                            $measure,
                            (a, b),
                            (Reads::<T, T>::NEW, Reads::<f32, T>::NEW),
                            tuples,
                            (left, right_reals),
                            out,
                        );
                    }
                    (false, (false, false)) => {
                        let reads = Reads::<T, T>::NEW;
                        with_column($measure, (a, b), (reads, reads), tuples, (left, right), out);
                    }
                }
            };
            ($measure:expr) => {
                run!($measure, $measure)
            };
        }
        let squares = || squares(constant.iter().copied());
        match function {
            VectorFunction::Distance => run!(Distance),
            VectorFunction::SquaredDistance => run!(SquaredDistance),
            VectorFunction::ManhattanDistance => run!(ManhattanDistance),
            VectorFunction::InnerProduct => run!(InnerProduct),
            VectorFunction::NegativeInnerProduct => run!(NegativeInnerProduct),
            VectorFunction::CosineSimilarity => run!(CosineSimilarity, CosineSimilarityBeside(squares())),
            _ => run!(CosineDistance, CosineDistanceBeside(squares())),
        }
    }
    Ok(())
}

/// Appends what a measure makes of each vector alone.
pub(super) fn totals<M: Measure, T: Stored>(measure: M, rows: Rows<'_>, tuples: Range<usize>, out: &mut Vec<f64>) {
    // What is beside does not count, and is not read.
    let zeros = vec![T::ZERO; rows.length()];
    match rows.are_reals(tuples.clone()) {
        true => with_constant(measure, (rows, Reads::<f32, T>::NEW), &zeros, tuples, &mut Lanes::default(), out),
        false => with_constant(measure, (rows, Reads::<T, T>::NEW), &zeros, tuples, &mut Lanes::default(), out),
    }
}

/// Memory for vectors that are not of their type where they are: those of each lane.
type Lanes<T> = [Vec<T>; LANES];

/// The vectors of the lanes from a tuple on. Lanes beyond the last tuple have its vector once more.
#[inline(always)]
fn lanes<'a, T: Stored>(
    rows: Rows<'a>,
    tuples: Range<usize>,
    length: usize,
    own: &'a mut Lanes<T>,
) -> [&'a [T]; LANES] {
    let mut tuple = tuples.start;
    own.each_mut().map(|own| {
        let row = rows.get(tuple.min(tuples.end - 1), own);
        tuple += 1;
        &row[..length]
    })
}

/// The elements of all lanes in blocks, each of as many positions; those behind the last whole block are left out.
#[inline(always)]
fn blocks<'a, T>(rows: &[&'a [T]; LANES], count: usize) -> [&'a [[T; BLOCK]]; LANES] {
    rows.map(|row| &row.as_chunks().0[..count])
}

/// A block of each lane, by position; asks for the same one of the next rows, which as a rule are those behind these.
#[inline(always)]
fn turned<T: Stored>(rows: &[&[[T; BLOCK]]; LANES], block: usize, length: usize) -> [[T; LANES]; BLOCK] {
    rows.iter().for_each(|row| prefetch_here(row[block].as_ptr().wrapping_add(LANES * length)));
    let mut turned = [[T::ZERO; LANES]; BLOCK];
    for (lane, row) in rows.iter().enumerate() {
        for (at, elements) in turned.iter_mut().enumerate() {
            elements[lane] = row[block][at];
        }
    }
    turned
}

kernel! {
    /// Of each vector of a column, whose elements are stored as `S`, and one that is the same for all.
    fn with_constant[M: Measure, T: Stored, S: Stored](
        measure: M,
        column: (Rows<'_>, Reads<S, T>),
        constant: &[T],
        tuples: Range<usize>,
        own: &mut Lanes<S>,
        out: &mut Vec<f64>,
    ) {
        let (a, reads) = column;
        let (whole, rest) = constant.as_chunks::<BLOCK>();
        for start in tuples.clone().step_by(LANES) {
            let rows = lanes(a, start..tuples.end, constant.len(), own);
            let row_blocks = blocks(&rows, whole.len());
            let mut sums = [measure.start::<T>(); LANES];
            for (block, elements) in whole.iter().enumerate() {
                for (row, &element) in turned(&row_blocks, block, constant.len()).iter().zip(elements) {
                    for (sum, &each) in sums.iter_mut().zip(row) {
                        *sum = measure.add(*sum, reads.read(each), element);
                    }
                }
            }
            for (at, &element) in rest.iter().enumerate() {
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    *sum = measure.add(*sum, reads.read(row[whole.len() * BLOCK + at]), element);
                }
            }
            out.extend(sums[..LANES.min(tuples.end - start)].iter().map(|&sum| measure.end::<T>(sum)));
        }
    }
}

kernel! {
    /// Of the vectors of two columns, whose elements are stored as `A` and as `B`.
    fn with_column[M: Measure, T: Stored, A: Stored, B: Stored](
        measure: M,
        columns: (Rows<'_>, Rows<'_>),
        reads: (Reads<A, T>, Reads<B, T>),
        tuples: Range<usize>,
        own: (&mut Lanes<A>, &mut Lanes<B>),
        out: &mut Vec<f64>,
    ) {
        let (a, b) = columns;
        let length = a.length().min(b.length());
        let whole = length / BLOCK;
        for start in tuples.clone().step_by(LANES) {
            let rows = lanes(a, start..tuples.end, length, own.0);
            let others = lanes(b, start..tuples.end, length, own.1);
            let (row_blocks, other_blocks) = (blocks(&rows, whole), blocks(&others, whole));
            let mut sums = [measure.start::<T>(); LANES];
            for block in 0..whole {
                let (left, right) = (turned(&row_blocks, block, length), turned(&other_blocks, block, length));
                for (row, other) in left.iter().zip(&right) {
                    for ((sum, &each), &beside) in sums.iter_mut().zip(row).zip(other) {
                        *sum = measure.add(*sum, reads.0.read(each), reads.1.read(beside));
                    }
                }
            }
            for at in whole * BLOCK..length {
                for ((sum, row), other) in sums.iter_mut().zip(&rows).zip(&others) {
                    *sum = measure.add(*sum, reads.0.read(row[at]), reads.1.read(other[at]));
                }
            }
            out.extend(sums[..LANES.min(tuples.end - start)].iter().map(|&sum| measure.end::<T>(sum)));
        }
    }
}
