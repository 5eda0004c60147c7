//! Comparisons of quotients and roots of NUMERICs with a constant, decided by doubles: `narrow_up(deviation_of(v) / a) > 1`, as HAVING
//! asks of many groups; and such values rounded to few digits, as keys of groups are (`rounded`). All digits of a root or a quotient
//! take long, and a group whose quotient is not near 1 needs none of them.
//!
//! 1. A value is estimated by doubles, with a bound of how wrong they are. What PostgreSQL rounds away is at most 1e-16 of a quotient
//!    (it has 16 significant digits at least) and 1e-8 of a deviation (which has as many digits behind the point as its variance); what
//!    doubles round away is less than 1e-15 for each function. Of a sum the bound is each tuple's own: what it is a part of may
//!    have cancelled.
//! 2. Where an estimate and the constant differ by more than that, the comparison is decided.
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

/// What a function's result is wrong by, as a part of it, beside what its arguments are.
pub(super) const STEP: f64 = 1e-15;

/// The same of a root.
const ROOT_STEP: f64 = 1e-7;

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
pub(super) struct Estimate {
    pub(super) values: Vec<f64>,
    pub(super) valid: Option<Bitmap>,
    /// No value is wrong by more than this part of it.
    near: f64,
    /// No value is wrong by more than its bound here, if there are any.
    errors: Option<Vec<f64>>,
}

impl Estimate {
    /// What a value is wrong by at most.
    #[inline]
    pub(super) fn error(&self, tuple: usize) -> f64 {
        match &self.errors {
            Some(errors) => errors[tuple],
            None => self.near * self.values[tuple].abs(),
        }
    }

    fn bounds_of_all(&mut self) -> &mut Vec<f64> {
        let Estimate { values, near, errors, .. } = self;
        errors.get_or_insert_with(|| values.iter().map(|value| *near * value.abs()).collect())
    }
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
    let Some(estimate) = estimate(tile, value, len)? else { return Ok(false) };
    let (mut bits, mut open) = (Bitmap::new(len, false), Vec::new());
    for (tuple, &value) in estimate.values.iter().enumerate() {
        if estimate.valid.as_ref().is_some_and(|valid| !valid.get(tuple)) {
            continue;
        }
        // Of NaN, and of infinities, this is not true.
        if (value - threshold).abs() > estimate.error(tuple) + STEP * value.abs().max(threshold.abs()) {
            bits.set(tuple, (value > threshold) == above);
        } else {
            open.push(tuple as u32);
        }
    }
    if open.len() == len {
        return Ok(false);
    }
    let mut valid = estimate.valid;
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
        F::Divide | F::Average | F::Multiply | F::Add | F::Subtract | F::Negate | F::Abs | F::Case => {
            arguments.iter().any(|&argument| is_dear(tile, argument))
        }
        _ => false,
    }
}

/// About the values of a node; None where there is no way to know, or where finding out might fail.
pub(super) fn estimate(tile: &mut Tile<'_>, number: u32, len: usize) -> Result<Option<Estimate>> {
    use Function as F;
    let node = tile.node(number);
    let Operation::Call { function, arguments } = &node.operation else { return leaf(tile, number, len) };
    if node.data_type != DataType::Numeric || tile.is_computed(number) || node.volatile {
        return leaf(tile, number, len);
    }
    match (function, &arguments[..]) {
        (F::Divide | F::Average, &[a, b]) => {
            let of = |a: f64, b: f64| if b == 0.0 { f64::NAN } else { checked(a / b, a == 0.0) };
            // Where a divisor may be 0, there is no bound.
            let error = |(a, a_error): (f64, f64), (b, b_error): (f64, f64)| {
                let least = b.abs() - b_error;
                if least > 0.0 { (a_error + (a / b).abs() * b_error) / least } else { f64::NAN }
            };
            of_two(tile, (a, b), len, of, error)
        }
        (F::Multiply, &[a, b]) => {
            let of = |a: f64, b: f64| checked(a * b, a == 0.0 || b == 0.0);
            let error = |(a, a_error): (f64, f64), (b, b_error): (f64, f64)| {
                a.abs() * b_error + b.abs() * a_error + a_error * b_error
            };
            of_two(tile, (a, b), len, of, error)
        }
        (F::Add, &[a, b]) => of_sum(tile, (a, b), len, |a, b| a + b),
        (F::Subtract, &[a, b]) => of_sum(tile, (a, b), len, |a, b| a - b),
        (F::DeviationOf | F::SquareRoot, &[a]) => root(tile, a, len),
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

/// Of a function that changes no magnitude.
fn of_one(tile: &mut Tile<'_>, a: u32, len: usize, of: impl Fn(f64) -> f64) -> Result<Option<Estimate>> {
    let Some(mut estimate) = estimate(tile, a, len)? else { return Ok(None) };
    estimate.values.iter_mut().for_each(|value| *value = of(*value));
    Ok(Some(estimate))
}

/// Roots: that of what is negative is NaN. One of a sum, whose bound is its own, is not known.
fn root(tile: &mut Tile<'_>, a: u32, len: usize) -> Result<Option<Estimate>> {
    let Some(mut estimate) = of_one(tile, a, len, f64::sqrt)? else { return Ok(None) };
    estimate.near += ROOT_STEP;
    Ok(if estimate.errors.is_some() { None } else { Some(estimate) })
}

/// Sums and differences: what is wrong of both, and what is rounded of the larger one.
fn of_sum(
    tile: &mut Tile<'_>,
    operands: (u32, u32),
    len: usize,
    of: impl Fn(f64, f64) -> f64,
) -> Result<Option<Estimate>> {
    let Some((mut left, mut right)) = both(tile, operands, len)? else { return Ok(None) };
    let operands = left.values.iter_mut().zip(&right.values);
    let mut errors = vec![0.0; len];
    let near = (left.near, right.near);
    for (error, (a, &b)) in errors.iter_mut().zip(operands) {
        *error = near.0 * a.abs() + near.1 * b.abs();
        *a = of(*a, b);
    }
    for known in [left.errors.take(), right.errors.take()].into_iter().flatten() {
        errors.iter_mut().zip(known).for_each(|(error, known)| *error += known);
    }
    errors.iter_mut().zip(&left.values).for_each(|(error, value)| *error += STEP * value.abs());
    left.errors = Some(errors);
    Ok(Some(left))
}

/// The estimates of two nodes, of which the first says where both are not NULL.
fn both(tile: &mut Tile<'_>, (a, b): (u32, u32), len: usize) -> Result<Option<(Estimate, Estimate)>> {
    let Some(mut left) = estimate(tile, a, len)? else { return Ok(None) };
    let Some(mut right) = estimate(tile, b, len)? else { return Ok(None) };
    left.valid = match (left.valid, right.valid.take()) {
        (Some(mut valid), Some(other)) => {
            valid.and(&other);
            Some(valid)
        }
        (valid, other) => valid.or(other),
    };
    Ok(Some((left, right)))
}

/// Products and quotients; `error` makes a bound of operands and bounds.
fn of_two(
    tile: &mut Tile<'_>,
    operands: (u32, u32),
    len: usize,
    of: impl Fn(f64, f64) -> f64,
    error: impl Fn((f64, f64), (f64, f64)) -> f64,
) -> Result<Option<Estimate>> {
    let Some((mut left, mut right)) = both(tile, operands, len)? else { return Ok(None) };
    if left.errors.is_some() || right.errors.is_some() {
        right.bounds_of_all();
        left.bounds_of_all();
    }
    if let (Some(errors), Some(others)) = (&mut left.errors, &right.errors) {
        let operands = left.values.iter_mut().zip(&right.values);
        for ((known, other), (a, &b)) in errors.iter_mut().zip(others).zip(operands) {
            let bound = error((*a, *known), (b, *other));
            *a = of(*a, b);
            *known = bound + STEP * a.abs();
        }
    } else {
        left.values.iter_mut().zip(&right.values).for_each(|(a, &b)| *a = of(*a, b));
        left.near += right.near + STEP;
    }
    Ok(Some(left))
}

/// CASE, whose conditions cannot fail: from the last branch on, each takes what is its own.
fn case(tile: &mut Tile<'_>, arguments: &[u32], len: usize) -> Result<Option<Estimate>> {
    let (branches, otherwise) = arguments.split_at(arguments.len() - 1);
    if branches.chunks_exact(2).any(|branch| tile.node(branch[0]).may_fail || tile.node(branch[0]).volatile) {
        return Ok(None);
    }
    let Some(mut all) = estimate(tile, otherwise[0], len)? else { return Ok(None) };
    let (mut truth, mut falsity) = (Bitmap::default(), Bitmap::default());
    for branch in branches.chunks_exact(2).rev() {
        let Some(mut taken) = estimate(tile, branch[1], len)? else { return Ok(None) };
        if all.errors.is_some() || taken.errors.is_some() {
            all.bounds_of_all();
            taken.bounds_of_all();
        }
        all.near = all.near.max(taken.near);
        tile.ensure(branch[0])?;
        truths(tile.top(branch[0]), len, &mut truth, &mut falsity);
        let valid = all.valid.get_or_insert_with(|| Bitmap::new(len, true));
        for tuple in (0..len).filter(|&tuple| truth.get(tuple)) {
            all.values[tuple] = taken.values[tuple];
            if let (Some(errors), Some(taken)) = (&mut all.errors, &taken.errors) {
                errors[tuple] = taken[tuple];
            }
            valid.set(tuple, taken.valid.as_ref().is_none_or(|valid| valid.get(tuple)));
        }
    }
    Ok(Some(all))
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
    let mut scale_max = scale;
    let double = |unscaled: i128, scale: usize| {
        let double = i64::try_from(unscaled).map_or_else(|_| unscaled as f64, |unscaled| unscaled as f64);
        checked(double / POWERS_OF_TEN[scale], unscaled == 0)
    };
    let mut values: Vec<f64> = match &vector.data {
        VectorData::Numerics(numbers) => {
            scale_max = numbers.scales().iter().copied().max().unwrap_or(0).into();
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
            scale_max = scale as usize;
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
    // Powers of ten above 10^22 are rounded, each with those below.
    Ok(Some(Estimate { values, valid, near: STEP * (1.0 + scale_max as f64), errors: None }))
}
