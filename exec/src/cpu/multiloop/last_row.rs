//! The last row that a full top-k keeps, with which the rows of a tile are compared, column by column: first by the order, then by the
//! fields that break ties.
//!
//! ```text
//! alive = tied = all rows of the tile
//! for each argument:                      the order keys, then the fields: what is there already is passed over
//!     alive -= tied rows that are worse in it
//!     tied   = those that are still tied with it
//!     where few are alive, or the next argument is dear, they become a level of their own
//! ```
//!
//! So a field is computed of rows alone that are not beaten by what stands before it. Integers and codes of a scan are compared in
//! their column's own form, strings by their first eight bytes first. Rows that equal the last one in all columns are as good as it,
//! and are left out, unless values that are equal may differ (0 and -0).

use crate::Result;
use crate::column::order_key::{text_order, text_order_at};
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::fill_truth_of;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::register_of;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::plan::register::Register;
use crate::plan::tree::TopKPlan;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::SortOrder;
use std::cmp::Ordering;

/// When at most one tuple in so many is left, further columns are compared of those only.
const SPARSE: usize = 8;

/// How ties are broken, as where rows are put in order (`cpu/sort/order.rs`).
const TIES: SortOrder = SortOrder { descending: false, nulls_first: false };

/// For which orders of a value and another one a comparison holds: less, equal, greater.
type Holds = [bool; 3];

const EQUAL: Holds = [false, true, false];

/// An argument of a top-k by which rows are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    pub(super) scalar: ScalarId,
    pub(super) order: SortOrder,
    /// Its place among the arguments.
    pub(super) place: usize,
}

impl Compared {
    /// The arguments in the order in which they are compared, up to one that is not compared so, and whether rows that are equal in
    /// them are the same.
    pub(super) fn all(plan: &TopKPlan) -> (Vec<Compared>, bool) {
        let mut all: Vec<Compared> = Vec::new();
        let mut same = true;
        for (place, (&scalar, &data_type)) in plan.arguments.iter().zip(&plan.types).enumerate() {
            match register_of(data_type) {
                Register::Interval | Register::Vectors(_) => return (all, false),
                Register::F64 => same = false,
                _ => {}
            }
            if all.iter().all(|known| known.scalar != scalar) {
                let order = plan.order.get(place).copied().unwrap_or(TIES);
                all.push(Compared { scalar, order, place });
            }
        }
        (all, same)
    }

    /// The comparison that rows pass which are not worse.
    fn not_worse(&self) -> Holds {
        if self.order.descending { [false, true, true] } else { [true, true, false] }
    }
}

/// Memory for comparisons.
#[derive(Debug, Default)]
pub(super) struct Memory {
    alive: Bitmap,
    tied: Bitmap,
    bits: Bitmap,
    valid: Bitmap,
    positions: Vec<u32>,
}

/// Leaves out the first `skip` tuples of a tile, and those that come behind a row, whose values are constants.
pub(super) fn reject(
    tile: &mut Tile<'_>,
    (compared, same): (&[Compared], bool),
    last: &[Vector],
    skip: usize,
    memory: &mut Memory,
) -> Result<()> {
    let Memory { alive, tied, bits, valid, positions } = memory;
    alive.reset(tile.len(), true);
    (0..skip).for_each(|tuple| alive.set(tuple, false));
    tied.copy_from(alive);
    let mut is_same = same;
    for (at, (argument, last)) in compared.iter().zip(last).enumerate() {
        if !compare(tile, argument, argument.not_worse(), last, (&mut *bits, &mut *valid))? {
            is_same = false;
            break;
        }
        bits.invert();
        bits.and(tied);
        alive.and_not(bits);
        tied.and(alive);
        let left = alive.count_ones();
        if left == 0 || tied.first_one().is_none() {
            is_same = false;
            break;
        }
        let next_is_cheap = compared.get(at + 1).is_none_or(|next| tile.compares_scanned(next.scalar));
        if left < tile.len() && (left * SPARSE <= tile.len() || !next_is_cheap) {
            positions.clear();
            alive.push_positions(positions);
            tile.select(positions);
            bits.copy_from(tied);
            tied.fill(left, |tuple| bits.get(positions[tuple] as usize));
            alive.reset(left, true);
        }
        compare(tile, argument, EQUAL, last, (&mut *bits, &mut *valid))?;
        tied.and(bits);
        if tied.first_one().is_none() {
            is_same = false;
            break;
        }
    }
    if is_same {
        alive.and_not(tied);
    }
    if alive.count_ones() < tile.len() {
        positions.clear();
        alive.push_positions(positions);
        tile.select(positions);
    }
    Ok(())
}

/// Makes `bits` the truth of a comparison of an argument with a constant: NULLs stand where the order has them. False if it is not
/// compared so.
fn compare(
    tile: &mut Tile<'_>,
    argument: &Compared,
    holds: Holds,
    last: &Vector,
    (bits, valid): (&mut Bitmap, &mut Bitmap),
) -> Result<bool> {
    let nulls_hold = holds != EQUAL && argument.order.nulls_first;
    if last.is_null(0) {
        tile.evaluate(argument.scalar)?;
        let vector = tile.vector(argument.scalar);
        if holds != EQUAL && !argument.order.nulls_first {
            bits.reset(vector.len, true);
        } else {
            bits.fill(vector.len, |tuple| vector.is_null(tuple));
        }
        return Ok(true);
    }
    let nullable = match tile.compare_scanned(argument.scalar, last, holds, bits, valid) {
        Some(nullable) => nullable,
        None => {
            tile.evaluate(argument.scalar)?;
            let vector = tile.vector(argument.scalar);
            if !compare_vector(vector, last, holds, bits) {
                return Ok(false);
            }
            match &vector.nulls {
                Some(nulls) if vector.constant => {
                    valid.reset(vector.len, nulls.get(0));
                    true
                }
                Some(nulls) => {
                    valid.copy_from(nulls);
                    true
                }
                None => false,
            }
        }
    };
    if nullable && nulls_hold {
        valid.invert();
        bits.or(valid);
    } else if nullable {
        bits.and(valid);
    }
    Ok(true)
}

/// The same of values, whatever stands at NULLs.
fn compare_vector(vector: &Vector, last: &Vector, holds: Holds, bits: &mut Bitmap) -> bool {
    if vector.constant {
        let one = Vector { constant: false, len: 1, nulls: None, data: vector.data.clone() };
        let compared = compare_vector(&one, last, holds, bits);
        let holds = compared && bits.get(0);
        bits.reset(vector.len, holds);
        return compared;
    }
    match &vector.data {
        VectorData::I32(values) => compare_integers(values, last, holds, bits),
        VectorData::I64(values) => compare_integers(values, last, holds, bits),
        VectorData::I128(values) => compare_integers(values, last, holds, bits),
        VectorData::F64(values) => compare_floats(values, last, holds, bits),
        VectorData::Bool(values) => match last.integer(0) {
            Some(last) => {
                bits.fill(vector.len, |tuple| pick(holds, i128::from(values.get(tuple)).cmp(&last)));
                true
            }
            None => false,
        },
        VectorData::Text(texts) => match last.text(0) {
            Some(last) => {
                compare_texts(texts, last.as_bytes(), holds, bits);
                true
            }
            None => false,
        },
        VectorData::Code { codes, dictionary } => match last.text(0).map(|last| dictionary.find(last.as_bytes())) {
            Some(Ok(code)) => {
                compare_all(codes, code, holds, bits);
                true
            }
            Some(Err(next)) => {
                // A string that is not there stands before the next one.
                fill_truth_of(codes, bits, |code| if code < next { holds[0] } else { holds[2] });
                true
            }
            None => false,
        },
        VectorData::Interval(_) | VectorData::Numerics(_) | VectorData::Vectors(_) => false,
    }
}

fn pick(holds: Holds, ordering: Ordering) -> bool {
    holds[(ordering as i8 + 1) as usize]
}

fn compare_integers<T>(values: &[T], last: &Vector, holds: Holds, bits: &mut Bitmap) -> bool
where
    T: Copy + Ord + TryFrom<i128>,
{
    let Some(last) = last.integer(0) else { return false };
    match T::try_from(last) {
        Ok(last) => compare_all(values, last, holds, bits),
        // It is beyond all of them.
        Err(_) => bits.reset(values.len(), if last > 0 { holds[0] } else { holds[2] }),
    }
    true
}

fn compare_all<T: Copy + Ord>(values: &[T], last: T, holds: Holds, bits: &mut Bitmap) {
    match holds {
        [true, true, false] => fill_truth_of(values, bits, |value| value <= last),
        [false, true, true] => fill_truth_of(values, bits, |value| value >= last),
        _ => fill_truth_of(values, bits, |value| value == last),
    }
}

/// Floats in SQL's order: NaN is the greatest, and 0 equals -0.
fn compare_floats(values: &[f64], last: &Vector, holds: Holds, bits: &mut Bitmap) -> bool {
    let VectorData::F64(last) = &last.data else { return false };
    let last = last[0];
    match (holds, last.is_nan()) {
        ([true, true, false], true) => bits.reset(values.len(), true),
        (_, true) => fill_truth_of(values, bits, f64::is_nan),
        ([true, true, false], false) => fill_truth_of(values, bits, |value| value <= last),
        ([false, true, true], false) => fill_truth_of(values, bits, |value| value >= last || value.is_nan()),
        _ => fill_truth_of(values, bits, |value| value == last),
    }
    true
}

fn compare_texts(texts: &TextVector, last: &[u8], holds: Holds, bits: &mut Bitmap) {
    let first = text_order(last);
    bits.fill(texts.len(), |tuple| {
        let (bytes, start, len) = texts.place(tuple);
        match text_order_at(bytes, start, len).cmp(&first) {
            Ordering::Equal => pick(holds, bytes[start..start + len].cmp(last)),
            other => pick(holds, other),
        }
    });
}
