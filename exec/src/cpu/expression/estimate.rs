//! Comparisons of quotients and roots of NUMERICs with a constant, decided by doubles: `narrow_up(deviation_of(v) / a) > 1`, as HAVING
//! asks of many groups. All digits of a root or a quotient take long, and a group whose quotient is not near 1 needs none of them.
//!
//! 1. A value is estimated by doubles. Each function here is wrong by a small part of its result: what PostgreSQL rounds away is at
//!    most 1e-8 of it (a deviation has as many digits behind the point as its variance, and that has 16 significant ones), what
//!    doubles round away is less. Functions that can be wrong by more than a part of their result, as a difference, are not here.
//! 2. Where an estimate and the constant differ by more than [`NEAR`] of either, the comparison is decided.
//! 3. The tuples that are left, and those of which there is no estimate (a divisor is 0, a number is not finite), become a level of
//!    their own, on which the comparison is made as ever, and fails as ever.

use super::choice::truths;
use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::exact::POWERS_OF_TEN;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::technique::Technique;
use multiloop_planner::function::{Function, mirrored};
use multiloop_planner::numeric::powers::power_of_ten;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Estimates are wrong by less than this part of them.
const NEAR: f64 = 1e-6;

/// Estimates that are less are none: products of them may be nothing.
const SMALL: f64 = 1e-250;

/// A comparison of a numeric's value with a constant.
struct Condition {
    value: u32,
    threshold: f64,
    /// Whether it is true above the threshold, or below.
    above: bool,
}

/// About the values of a vector: NaN where there is no estimate.
struct Estimate {
    values: Vec<f64>,
    valid: Option<Bitmap>,
}

/// Evaluates a comparison so; false if it is none of these, or if nothing is decided so.
pub(super) fn decide<'a>(
    tile: &mut Tile<'a>,
    (number, node): (u32, &'a Node),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let Some(Condition { value, threshold, above }) = Condition::of(tile, node) else { return Ok(false) };
    if node.volatile || !Technique::Estimates.is_on() {
        return Ok(false);
    }
    let Some(Estimate { values, valid }) = estimate(tile, value, len)? else { return Ok(false) };
    let (mut bits, mut open) = (Bitmap::new(len, false), Vec::new());
    for (tuple, &value) in values.iter().enumerate() {
        if valid.as_ref().is_some_and(|valid| !valid.get(tuple)) {
            continue;
        }
        // Of NaN, and of infinities, this is not true.
        if (value - threshold).abs() > NEAR * value.abs().max(threshold.abs()) {
            bits.set(tuple, (value > threshold) == above);
        } else {
            open.push(tuple as u32);
        }
    }
    if open.len() == len {
        return Ok(false);
    }
    let mut valid = valid;
    if !open.is_empty() {
        let mark = tile.depth();
        tile.select(&open);
        tile.ensure(number)?;
        let exact = tile.top(number);
        for (at, &tuple) in open.iter().enumerate() {
            bits.set(tuple as usize, exact.is_true(at));
            if exact.is_null(at) {
                valid.get_or_insert_with(|| Bitmap::new(len, true)).set(tuple as usize, false);
            }
        }
        tile.truncate(mark);
    }
    out.set(len, VectorData::Bool(bits), valid);
    Ok(true)
}

impl Condition {
    fn of(tile: &Tile<'_>, node: &Node) -> Option<Self> {
        use Function as F;
        let Operation::Call { function, arguments } = &node.operation else { return None };
        let &[left, right] = &arguments[..] else { return None };
        let is_constant = |number: u32| matches!(tile.node(number).operation, Operation::Constant(_));
        let (function, narrow, constant) =
            if is_constant(left) { (mirrored(*function), right, left) } else { (*function, left, right) };
        let above = match function {
            F::Greater | F::GreaterEqual => true,
            F::Less | F::LessEqual => false,
            _ => return None,
        };
        let Operation::Constant(Value::Decimal(constant_units)) = tile.node(constant).operation else { return None };
        let (narrow, units_type) = (tile.node(narrow), tile.node(constant).data_type);
        let DataType::Decimal { precision, scale } = narrow.data_type else { return None };
        let Operation::Call { function: narrowed, arguments } = &narrow.operation else { return None };
        let &[value] = &arguments[..] else { return None };
        // The numbers beyond the bounds become the bounds, which must lie beyond the constant.
        let bound = power_of_ten(precision.into())? - 1;
        if units_type.scale() != scale || constant_units.abs() >= bound || !is_dear(tile, value) {
            return None;
        }
        let units = match (narrowed, function) {
            (F::NarrowUp, F::Greater | F::LessEqual) | (F::NarrowDown, F::Less | F::GreaterEqual) => constant_units,
            (F::NarrowUp, _) => constant_units - 1,
            (F::NarrowDown, _) => constant_units + 1,
            _ => return None,
        };
        Some(Condition { value, threshold: units as f64 / POWERS_OF_TEN[usize::from(scale)], above })
    }
}

/// Whether a value is a root, or made of one, or a quotient of numerics.
fn is_dear(tile: &Tile<'_>, number: u32) -> bool {
    use Function as F;
    let node = tile.node(number);
    let Operation::Call { function, arguments } = &node.operation else { return false };
    let is_numeric = |&argument: &u32| tile.node(argument).data_type == DataType::Numeric;
    if node.data_type != DataType::Numeric || tile.is_computed(number) {
        return false;
    }
    match function {
        F::DeviationOf | F::SquareRoot => true,
        F::Divide if arguments.iter().any(is_numeric) => true,
        F::Divide | F::Average | F::Multiply | F::Negate | F::Abs | F::Case => {
            arguments.iter().any(|&argument| is_dear(tile, argument))
        }
        _ => false,
    }
}

/// About the values of a node; None where there is no way to know, or where finding out might fail.
fn estimate(tile: &mut Tile<'_>, number: u32, len: usize) -> Result<Option<Estimate>> {
    use Function as F;
    let node = tile.node(number);
    let Operation::Call { function, arguments } = &node.operation else { return leaf(tile, number, len) };
    if node.data_type != DataType::Numeric || tile.is_computed(number) || node.volatile {
        return leaf(tile, number, len);
    }
    match (function, &arguments[..]) {
        (F::Divide | F::Average, &[a, b]) => {
            of_two(tile, (a, b), len, |a, b| if b == 0.0 { f64::NAN } else { checked(a / b, a == 0.0) })
        }
        (F::Multiply, &[a, b]) => of_two(tile, (a, b), len, |a, b| checked(a * b, a == 0.0 || b == 0.0)),
        // The root of what is negative is NaN.
        (F::DeviationOf | F::SquareRoot, &[a]) => of_one(tile, a, len, f64::sqrt),
        (F::Negate, &[a]) => of_one(tile, a, len, |a| -a),
        (F::Abs, &[a]) => of_one(tile, a, len, f64::abs),
        (F::Case, arguments) => case(tile, arguments, len),
        _ => leaf(tile, number, len),
    }
}

/// An estimate, if it is of a size that it can be one.
fn checked(value: f64, is_zero: bool) -> f64 {
    if is_zero || value.abs() >= SMALL { value } else { f64::NAN }
}

fn of_one(tile: &mut Tile<'_>, a: u32, len: usize, of: impl Fn(f64) -> f64) -> Result<Option<Estimate>> {
    let Some(mut estimate) = estimate(tile, a, len)? else { return Ok(None) };
    estimate.values.iter_mut().for_each(|value| *value = of(*value));
    Ok(Some(estimate))
}

fn of_two(
    tile: &mut Tile<'_>,
    (a, b): (u32, u32),
    len: usize,
    of: impl Fn(f64, f64) -> f64,
) -> Result<Option<Estimate>> {
    let Some(mut left) = estimate(tile, a, len)? else { return Ok(None) };
    let Some(right) = estimate(tile, b, len)? else { return Ok(None) };
    left.values.iter_mut().zip(&right.values).for_each(|(a, &b)| *a = of(*a, b));
    left.valid = match (left.valid, right.valid) {
        (Some(mut valid), Some(other)) => {
            valid.and(&other);
            Some(valid)
        }
        (valid, other) => valid.or(other),
    };
    Ok(Some(left))
}

/// CASE, whose conditions cannot fail: from the last branch on, each takes what is its own.
fn case(tile: &mut Tile<'_>, arguments: &[u32], len: usize) -> Result<Option<Estimate>> {
    let (branches, otherwise) = arguments.split_at(arguments.len() - 1);
    if branches.chunks_exact(2).any(|branch| tile.node(branch[0]).may_fail || tile.node(branch[0]).volatile) {
        return Ok(None);
    }
    let Some(Estimate { mut values, valid }) = estimate(tile, otherwise[0], len)? else { return Ok(None) };
    let mut valid = valid.unwrap_or_else(|| Bitmap::new(len, true));
    let (mut truth, mut falsity) = (Bitmap::default(), Bitmap::default());
    for branch in branches.chunks_exact(2).rev() {
        let Some(taken) = estimate(tile, branch[1], len)? else { return Ok(None) };
        tile.ensure(branch[0])?;
        truths(tile.top(branch[0]), len, &mut truth, &mut falsity);
        for tuple in (0..len).filter(|&tuple| truth.get(tuple)) {
            values[tuple] = taken.values[tuple];
            valid.set(tuple, taken.valid.as_ref().is_none_or(|valid| valid.get(tuple)));
        }
    }
    Ok(Some(Estimate { values, valid: Some(valid) }))
}

/// The values of a node that are numbers, which are computed.
fn leaf(tile: &mut Tile<'_>, number: u32, len: usize) -> Result<Option<Estimate>> {
    let node = tile.node(number);
    let is_exact = node.data_type.is_exact() || node.data_type.is_integer();
    if node.may_fail || node.volatile || !is_exact {
        return Ok(None);
    }
    tile.ensure_numerics(number)?;
    let vector = tile.top(number);
    let scale = usize::from(node.data_type.scale());
    let double = |unscaled: i128, scale: usize| {
        let double = i64::try_from(unscaled).map_or_else(|_| unscaled as f64, |unscaled| unscaled as f64);
        checked(double / POWERS_OF_TEN[scale], unscaled == 0)
    };
    let mut values: Vec<f64> = match &vector.data {
        VectorData::Numerics(numbers) => {
            let numbers = numbers.unscaled().iter().zip(numbers.scales());
            numbers.map(|(&unscaled, &scale)| double(unscaled, scale.into())).collect()
        }
        VectorData::I32(values) => values.iter().map(|&value| double(value.into(), scale)).collect(),
        VectorData::I64(values) => values.iter().map(|&value| double(value.into(), scale)).collect(),
        VectorData::I128(values) => values.iter().map(|&value| double(value, scale)).collect(),
        _ if vector.constant => {
            let Some(SmallNumeric { unscaled, scale: scale @ 0..=255 }) = vector.text(0).and_then(SmallNumeric::decode)
            else {
                return Ok(None);
            };
            vec![double(unscaled, scale as usize)]
        }
        _ => return Ok(None),
    };
    let valid = match &vector.nulls {
        Some(nulls) if vector.constant && !nulls.get(0) => Some(Bitmap::new(len, false)),
        Some(nulls) if !vector.constant => Some(nulls.clone()),
        _ => None,
    };
    if vector.constant {
        values = vec![values.first().copied().unwrap_or(f64::NAN); len];
    }
    Ok(Some(Estimate { values, valid }))
}
