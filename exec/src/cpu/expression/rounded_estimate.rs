//! Quotients and roots of NUMERICs rounded to few digits, by doubles: `narrow_down(round(100 * a / b + c, 2))` as the key of groups,
//! `floor(a / b)` as a value. Where what an estimate (see `estimate`) is wrong by does not reach the middle of two such numbers, or
//! for floor and ceil one of them, the result is known. The tuples that are left become a level of their own, on which all
//! digits are made, as ever.

use super::estimate::{Estimate, STEP, estimate};
use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::exact::{EXACT_POWERS, POWERS_OF_TEN, nearest, to_integer};
use crate::cpu::simd::kernel::vectorised;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::technique::Technique;
use multiloop_planner::function::Function;
use multiloop_planner::numeric::powers::power_of_ten;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// Results below this are exact as doubles, and so are their halves.
const RESULT_MAX: f64 = (1u64 << 50) as f64;

/// A rounded value.
struct Rounded {
    value: u32,
    function: Function,
    digits: u8,
    /// Results from here on are bounds of the type.
    limit: f64,
}

/// Evaluates a node so; false if it is none of these, or if little is decided so.
pub(super) fn evaluate<'a>(
    tile: &mut Tile<'a>,
    (number, node): (u32, &'a Node),
    len: usize,
    out: &mut Vector,
) -> Result<bool> {
    let Some(rounded) = Rounded::of(tile, node) else { return Ok(false) };
    if node.volatile || !Technique::Estimates.is_on() {
        return Ok(false);
    }
    let Some(estimate) = estimate(tile, rounded.value, len)? else { return Ok(false) };
    let (mut units, mut decided) = (vec![0; len], vec![false; len]);
    rounded.decide(&estimate, &mut units, &mut decided);
    let mut valid = estimate.valid;
    let is_open = |&tuple: &usize| !decided[tuple] && valid.as_ref().is_none_or(|valid| valid.get(tuple));
    let open: Vec<u32> = (0..len).filter(is_open).map(|tuple| tuple as u32).collect();
    if open.len() > len / 2 {
        return Ok(false);
    }
    if !open.is_empty() {
        let mark = tile.depth();
        tile.select(&open);
        tile.ensure_numerics(number)?;
        let exact = tile.top(number);
        let mut all = true;
        for (at, &tuple) in open.iter().enumerate() {
            if exact.is_null(at) {
                valid.get_or_insert_with(|| Bitmap::new(len, true)).set(tuple as usize, false);
            } else {
                let found = units_at(exact, at, rounded.digits);
                all &= found.is_some();
                units[tuple as usize] = found.unwrap_or(0);
            }
        }
        tile.truncate(mark);
        if !all {
            return Ok(false);
        }
    }
    set(units, rounded.digits, node.register, valid, out);
    Ok(true)
}

/// A result in units of its last digit, if 64 bits hold it.
fn units_at(exact: &Vector, tuple: usize, digits: u8) -> Option<i64> {
    let position = exact.position(tuple);
    let number = match &exact.data {
        VectorData::I32(values) => return Some(values[position].into()),
        VectorData::I64(values) => return Some(values[position]),
        VectorData::I128(values) => return i64::try_from(values[position]).ok(),
        VectorData::Numerics(numbers) => numbers.get(position),
        _ => SmallNumeric::decode(exact.text(tuple)?)?,
    };
    if number.scale == u32::from(digits) { i64::try_from(number.unscaled).ok() } else { None }
}

/// Makes `out` these results, of a decimal in its register or of NUMERICs.
fn set(units: Vec<i64>, digits: u8, register: Register, valid: Option<Bitmap>, out: &mut Vector) {
    let len = units.len();
    let data = match register {
        Register::I32 => {
            let mut values = out.take_i32();
            values.extend(units.iter().map(|&units| units as i32));
            VectorData::I32(values)
        }
        Register::I64 => VectorData::I64(units),
        Register::I128 => {
            let mut values = out.take_i128();
            values.extend(units.iter().map(|&units| i128::from(units)));
            VectorData::I128(values)
        }
        _ => {
            let mut numbers = out.take_numerics();
            let signed = units.iter().map(|&units| (units.unsigned_abs().into(), i128::from(units >> 63)));
            numbers.append(signed, std::iter::repeat_n(digits, len), (digits, digits));
            // At a NULL stands 0.
            if let Some(valid) = &valid {
                (0..len)
                    .filter(|&tuple| !valid.get(tuple))
                    .for_each(|tuple| _ = numbers.set(tuple, Default::default()));
            }
            VectorData::Numerics(numbers)
        }
    };
    out.set(len, data, valid);
}

impl Rounded {
    fn of(tile: &Tile<'_>, node: &Node) -> Option<Self> {
        use Function as F;
        let call = |node: &Node| match &node.operation {
            Operation::Call { function, arguments } => Some((*function, arguments.clone())),
            _ => None,
        };
        let (function, arguments) = call(node)?;
        if node.data_type == DataType::Numeric {
            return Self::of_call(tile, function, &arguments, RESULT_MAX);
        }
        let DataType::Decimal { precision, scale } = node.data_type else { return None };
        let (F::NarrowUp | F::NarrowDown | F::NarrowSame, &[inner]) = (function, &arguments[..]) else { return None };
        if tile.is_computed(inner) {
            return None;
        }
        let (function, arguments) = call(tile.node(inner))?;
        let limit = (power_of_ten(precision.into())? - 1) as f64;
        Self::of_call(tile, function, &arguments, limit.min(RESULT_MAX)).filter(|rounded| rounded.digits == scale)
    }

    fn of_call(tile: &Tile<'_>, function: Function, arguments: &[u32], limit: f64) -> Option<Self> {
        use Function as F;
        let digits = |number: u32| match tile.node(number).operation {
            Operation::Constant(Value::Int(digits)) => u8::try_from(digits).ok(),
            _ => None,
        };
        let (value, digits) = match (function, arguments) {
            (F::Round | F::Truncate | F::Floor | F::Ceil, &[value]) => (value, 0),
            (F::Round | F::Truncate, &[value, number]) => (value, digits(number)?),
            _ => return None,
        };
        let fits = usize::from(digits) < EXACT_POWERS && divides(tile, value);
        fits.then_some(Rounded { value, function, digits, limit })
    }

    /// The results that are known.
    fn decide(&self, estimate: &Estimate, units: &mut [i64], decided: &mut [bool]) {
        let one_if = |is: bool| if is { 1.0 } else { 0.0 };
        match self.function {
            Function::Floor => self.decide_by(estimate, (units, decided), |near, away, error| {
                (near - one_if(away < 0.0), away.abs() > error)
            }),
            Function::Ceil => self.decide_by(estimate, (units, decided), |near, away, error| {
                (near + one_if(away > 0.0), away.abs() > error)
            }),
            Function::Truncate => self.decide_by(estimate, (units, decided), |near, away, error| {
                let (below, above) = ((away < 0.0) & (near > 0.0), (away > 0.0) & (near < 0.0));
                (near + one_if(above) - one_if(below), away.abs() > error)
            }),
            _ => self.decide_by(estimate, (units, decided), |near, away, error| (near, away.abs() + error < 0.5)),
        }
    }

    /// The same; `result` says what it is, and whether it is known, by the nearest number, how far away the estimate is from that, and
    /// what it is wrong by.
    fn decide_by(
        &self,
        estimate: &Estimate,
        (units, decided): (&mut [i64], &mut [bool]),
        result: impl Fn(f64, f64, f64) -> (f64, bool),
    ) {
        let (unit, limit) = (POWERS_OF_TEN[usize::from(self.digits)], self.limit);
        vectorised(|| {
            let values = estimate.values.iter().enumerate();
            for ((tuple, &value), (units, decided)) in values.zip(units.iter_mut().zip(decided.iter_mut())) {
                let scaled = value * unit;
                let error = estimate.error(tuple) * unit + STEP * scaled.abs();
                let near = nearest(scaled);
                // Of NaN, and of what is no bound, nothing is true.
                let (result, known) = result(near, scaled - near, error);
                *decided = known & (scaled.abs() + 1.0 < limit);
                *units = if *decided { to_integer(result) } else { 0 };
            }
        });
    }
}

/// Whether digits of a quotient or a root would have to be made for a value.
fn divides(tile: &Tile<'_>, number: u32) -> bool {
    use Function as F;
    let node = tile.node(number);
    let Operation::Call { function, arguments } = &node.operation else { return false };
    if node.data_type != DataType::Numeric || tile.is_computed(number) {
        return false;
    }
    match function {
        F::Divide | F::Average | F::DeviationOf | F::SquareRoot => true,
        F::Multiply | F::Add | F::Subtract | F::Negate | F::Abs | F::Case => {
            arguments.iter().any(|&argument| divides(tile, argument))
        }
        _ => false,
    }
}
