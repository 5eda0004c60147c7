//! Arithmetic on columns as they lie: what a sum, difference or product of two columns of a scan, or of one and a vector, takes
//! from a column, with a constant added or not, goes into it a block at a time, and never through a vector of its own.

use super::fused;
use super::load::Shift;
use crate::Result;
use crate::column::{Column, ColumnData};
use crate::cpu::expression::tile::Tile;
use crate::cpu::simd::kernel::{append_pairs, kernel, prefetch_all};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::technique::Technique;
use multiloop_planner::function::Function;

/// Values that go through the closest cache together.
const LANES: usize = 256;

/// An operand of 32 bits.
enum Operand {
    /// A vector on the top level.
    Vector(u32),
    Column(Shift),
}

/// The values of an operand: they are multiplied, the bits of `flip` are turned, and `plus` is added.
struct Lanes<'a> {
    values: Values<'a>,
    times: i32,
    flip: i32,
    plus: i32,
}

#[derive(Clone, Copy)]
enum Values<'a> {
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    I16(&'a [i16]),
    I32(&'a [i32]),
}

/// Makes `out` the sum, difference or product of two operands of 32 bits, if a node is one that cannot leave its register, one
/// of them is a column of a scan that has not been loaded, and none is NULL anywhere: false if not.
pub(super) fn combine(tile: &mut Tile<'_>, node: &Node, len: usize, out: &mut Vector) -> Result<bool> {
    let Operation::Call { function, arguments } = &node.operation else { return Ok(false) };
    let &[a, b] = &arguments[..] else { return Ok(false) };
    let scale = |number: u32| tile.node(number).data_type.scale();
    let is_known = match function {
        Function::Add | Function::Subtract => true,
        Function::Multiply => scale(a) + scale(b) == node.data_type.scale(),
        _ => false,
    };
    let is_narrow = |number: u32| tile.node(number).register == Register::I32 && !fused::is_constant(tile, number);
    let fits = matches!(node.register, Register::I32 | Register::I64) && node.data_type.integer_bounds().is_some();
    if !is_known || !fits || node.may_fail || !is_narrow(a) || !is_narrow(b) || !Technique::Fused.is_on() {
        return Ok(false);
    }
    let (left, right) = (Operand::of(tile, a)?, Operand::of(tile, b)?);
    if let (Operand::Vector(_), Operand::Vector(_)) = (&left, &right) {
        return Ok(false);
    }
    for operand in [&left, &right] {
        if let Operand::Vector(number) = operand {
            tile.ensure(*number)?;
        }
    }
    let (Some(left), Some(right)) = (left.lanes(tile, len), right.lanes(tile, len)) else { return Ok(false) };
    let data = match node.register {
        Register::I32 => VectorData::I32(narrow(*function, &left, &right, len, out.take_i32())),
        _ => VectorData::I64(wide(*function, &left, &right, len, out.take_i64())),
    };
    out.set(len, data, None);
    Ok(true)
}

fn narrow(function: Function, a: &Lanes<'_>, b: &Lanes<'_>, len: usize, mut out: Vec<i32>) -> Vec<i32> {
    match function {
        Function::Add => pairs(a, b, len, i32::wrapping_add, &mut out),
        Function::Subtract => pairs(a, b, len, i32::wrapping_sub, &mut out),
        _ => pairs(a, b, len, i32::wrapping_mul, &mut out),
    }
    out
}

fn wide(function: Function, a: &Lanes<'_>, b: &Lanes<'_>, len: usize, mut out: Vec<i64>) -> Vec<i64> {
    match function {
        Function::Add => pairs(a, b, len, |a, b| i64::from(a) + i64::from(b), &mut out),
        Function::Subtract => pairs(a, b, len, |a, b| i64::from(a) - i64::from(b), &mut out),
        _ => pairs(a, b, len, |a, b| i64::from(a) * i64::from(b), &mut out),
    }
    out
}

impl Operand {
    fn of(tile: &mut Tile<'_>, number: u32) -> Result<Self> {
        if fused::scanned(tile, number).is_some() {
            return Ok(Operand::Column(Shift { column: number, flip: 0, plus: 0 }));
        }
        if tile.is_computed(number) {
            return Ok(Operand::Vector(number));
        }
        let node = tile.node(number);
        Ok(Shift::of(tile, node)?.map_or(Operand::Vector(number), Operand::Column))
    }

    /// The values, if none is NULL and all are of 32 bits.
    fn lanes<'t>(&self, tile: &'t Tile<'_>, len: usize) -> Option<Lanes<'t>> {
        match self {
            Operand::Vector(number) => match tile.top(*number) {
                Vector { data: VectorData::I32(values), nulls: None, constant: false, .. } => {
                    Some(Lanes { values: Values::I32(values), times: 1, flip: 0, plus: 0 })
                }
                _ => None,
            },
            Operand::Column(Shift { column, flip, plus }) => {
                let (Column { data, nulls: None, .. }, start) = fused::scanned(tile, *column)? else { return None };
                let rows = start..start + len;
                let (values, base, times) = match data {
                    ColumnData::Frame8 { base, offsets } => (Values::U8(&offsets[rows]), *base, 1),
                    ColumnData::Frame16 { base, offsets } => (Values::U16(&offsets[rows]), *base, 1),
                    ColumnData::Frame32 { base, offsets } => (Values::U32(&offsets[rows]), *base, 1),
                    ColumnData::Stepped8 { base, step, offsets } => (Values::U8(&offsets[rows]), *base, *step),
                    ColumnData::Stepped16 { base, step, offsets } => (Values::U16(&offsets[rows]), *base, *step),
                    ColumnData::Stepped32 { base, step, offsets } => (Values::U32(&offsets[rows]), *base, *step),
                    ColumnData::Int16(values) => (Values::I16(&values[rows]), 0, 1),
                    ColumnData::Int32(values) => (Values::I32(&values[rows]), 0, 1),
                    _ => return None,
                };
                // What has its bits turned is what has the base subtracted.
                let base = if *flip == 0 { base as i32 } else { (base as i32).wrapping_neg() };
                let (times, flip) = (times as i32, *flip as i32);
                Some(Lanes { values, times, flip, plus: base.wrapping_add(*plus as i32) })
            }
        }
    }
}

impl Lanes<'_> {
    /// Gives the values from one on.
    #[inline(always)]
    fn fill(&self, start: usize, to: &mut [i32]) {
        let (times, flip, plus, rows) = (self.times, self.flip, self.plus, start..start + to.len());
        /// Fills in the values of a slice.
        macro_rules! fill {
            ($values:expr) => {{
                let values = &$values[rows];
                prefetch_all(values);
                let each = to.iter_mut().zip(values);
                if times == 1 {
                    each.for_each(|(to, &value)| *to = (value as i32 ^ flip).wrapping_add(plus));
                } else {
                    let product = |value: i32| value.wrapping_mul(times);
                    each.for_each(|(to, &value)| *to = (product(value as i32) ^ flip).wrapping_add(plus));
                }
            }};
        }
        match self.values {
            Values::U8(values) => fill!(values),
            Values::U16(values) => fill!(values),
            Values::U32(values) => fill!(values),
            Values::I16(values) => fill!(values),
            Values::I32(values) => fill!(values),
        }
    }
}

kernel! {
    /// Appends what a function makes of each pair of values.
    fn pairs[R](a: &Lanes<'_>, b: &Lanes<'_>, len: usize, function: impl Fn(i32, i32) -> R, out: &mut Vec<R>) {
        let (mut left, mut right) = ([0; LANES], [0; LANES]);
        for start in (0..len).step_by(LANES) {
            let count = LANES.min(len - start);
            a.fill(start, &mut left[..count]);
            b.fill(start, &mut right[..count]);
            append_pairs(out, &left[..count], &right[..count], &function);
        }
    }
}
