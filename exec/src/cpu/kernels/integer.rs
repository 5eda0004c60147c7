//! Arithmetic and casts of integer-like types: smallint to bigint, date, time, timestamp, decimal.
//!
//! Where ranges prove that nothing can leave the result's register, operands are brought into that register (cutting
//! them if they are wider: addition, subtraction and multiplication are exact modulo 2^n) and computed without checks.
//! Elsewhere the work is done in the widest register around with a check of every result against its type; if one
//! fails, perhaps only at a NULL, `fallback` does it all over again and raises the error that is due.

use super::reciprocal::{Divided, Reciprocal};
use super::{Call, Scratch, strict_nulls};
use crate::Result;
use crate::cpu::simd::kernel::{append, append_pairs, kernel};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::register::Register;
use multiloop_planner::evaluate::calendar::is_infinite_date;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// An integer that a register holds.
trait Integer: Copy + Default + Ord + Divided {
    /// The low bits of an integer.
    fn cut(value: i128) -> Self;
    fn wide(self) -> i128;
    fn wrapping(operation: Operation, a: Self, b: Self) -> Self;
    fn overflowing(operation: Operation, a: Self, b: Self) -> (Self, bool);
    /// The quotient or remainder; the divisor is neither 0 nor -1.
    fn divided(operation: Operation, a: Self, b: Self) -> Self;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

macro_rules! integer {
    ($type:ty) => {
        impl Integer for $type {
            #[inline(always)]
            fn cut(value: i128) -> Self {
                value as $type
            }
            #[inline(always)]
            fn wide(self) -> i128 {
                self as i128
            }
            #[inline(always)]
            fn wrapping(operation: Operation, a: Self, b: Self) -> Self {
                match operation {
                    Operation::Add => a.wrapping_add(b),
                    Operation::Subtract => a.wrapping_sub(b),
                    _ => a.wrapping_mul(b),
                }
            }
            #[inline(always)]
            fn overflowing(operation: Operation, a: Self, b: Self) -> (Self, bool) {
                match operation {
                    Operation::Add => a.overflowing_add(b),
                    Operation::Subtract => a.overflowing_sub(b),
                    _ => a.overflowing_mul(b),
                }
            }
            #[inline(always)]
            fn divided(operation: Operation, a: Self, b: Self) -> Self {
                if operation == Operation::Divide { a.wrapping_div(b) } else { a.wrapping_rem(b) }
            }
        }
    };
}

integer!(i32);
integer!(i64);
integer!(i128);

/// Does the arithmetic, if it can: false if not, or if a result may be an error.
pub fn call(
    call: &Call<'_>,
    arguments: &[&Vector],
    len: usize,
    scratch: &mut Scratch,
    out: &mut Vector,
) -> Result<bool> {
    let Some(bounds) = call.result.integer_bounds().filter(|_| is_integer(call.register)) else { return Ok(false) };
    if !arguments.iter().all(|argument| is_integer(argument.register())) {
        return Ok(false);
    }
    let scales = |at: usize| call.types.get(at).map_or(0, |data_type| data_type.scale());
    let operation = match call.function {
        Function::Add => Operation::Add,
        // Infinite dates have no difference, which `evaluate` says.
        Function::DateDifference if arguments.iter().any(|days| has_infinity(days)) => return Ok(false),
        Function::Subtract | Function::DateDifference => Operation::Subtract,
        Function::Multiply if scales(0) + scales(1) == call.result.scale() => Operation::Multiply,
        Function::Divide if !call.result.is_decimal() => Operation::Divide,
        Function::Modulo => Operation::Modulo,
        Function::Negate => {
            let zero = constant(0, arguments[0].register());
            return Ok(binary(call, Operation::Subtract, &zero, arguments[0], len, bounds, scratch, out));
        }
        Function::Cast | Function::AssignCast => return Ok(cast(call, arguments[0], len, bounds, scratch, out)),
        _ => return Ok(false),
    };
    Ok(binary(call, operation, arguments[0], arguments[1], len, bounds, scratch, out))
}

fn is_integer(register: Register) -> bool {
    matches!(register, Register::I32 | Register::I64 | Register::I128)
}

/// Whether one of some dates is `infinity` or `-infinity`.
fn has_infinity(days: &Vector) -> bool {
    match &days.data {
        VectorData::I32(days) => days.iter().any(|&days| days == i32::MAX || days == i32::MIN),
        VectorData::I64(days) => days.iter().any(|&days| is_infinite_date(days)),
        _ => false,
    }
}

fn constant(value: i128, register: Register) -> Vector {
    let mut vector = Vector::default();
    vector.set_values(&[multiloop_planner::value::Value::Decimal(value)], register);
    vector.constant = true;
    vector
}

/// The narrowest register that holds both; None if one is not integer-like.
pub(crate) fn common(a: &Vector, b: &Vector) -> Option<Register> {
    let (a, b) = (a.register(), b.register());
    (is_integer(a) && is_integer(b)).then(|| a.max(b))
}

/// The vector in another integer register, in `scratch` if it is not there already. Values that do not fit are cut.
pub(super) fn widened<'a>(vector: &'a Vector, register: Register, scratch: &'a mut Vector) -> &'a Vector {
    if vector.register() == register {
        return vector;
    }
    let data = match register {
        Register::I32 => VectorData::I32(convert(&vector.data, scratch.take_i32())),
        Register::I64 => VectorData::I64(convert(&vector.data, scratch.take_i64())),
        _ => VectorData::I128(convert(&vector.data, scratch.take_i128())),
    };
    (scratch.data, scratch.len, scratch.constant) = (data, vector.len, vector.constant);
    scratch.nulls = None;
    scratch
}

/// Brings an integer-like vector into a register that holds all its values. Others stay.
pub(crate) fn coerce(vector: &mut Vector, register: Register) {
    if vector.register() == register || !is_integer(register) || !is_integer(vector.register()) {
        return;
    }
    vector.data = match register {
        Register::I32 => VectorData::I32(convert(&vector.data, Vec::new())),
        Register::I64 => VectorData::I64(convert(&vector.data, Vec::new())),
        _ => VectorData::I128(convert(&vector.data, Vec::new())),
    };
}

fn convert<R: Integer>(data: &VectorData, mut out: Vec<R>) -> Vec<R> {
    match data {
        VectorData::I32(values) => convert_all(values, &mut out),
        VectorData::I64(values) => convert_all(values, &mut out),
        VectorData::I128(values) => out.extend(values.iter().map(|&value| R::cut(value))),
        _ => {}
    }
    out
}

kernel! {
    fn convert_all[T: Copy + Into<i128>, R: Integer](values: &[T], out: &mut Vec<R>) {
        append(out, values, |value| R::cut(value.into()));
    }
}

#[allow(clippy::too_many_arguments, reason = "one private function between the entry point and the typed kernels")]
fn binary(
    call: &Call<'_>,
    operation: Operation,
    a: &Vector,
    b: &Vector,
    len: usize,
    bounds: (i128, i128),
    scratch: &mut Scratch,
    out: &mut Vector,
) -> bool {
    let divides = matches!(operation, Operation::Divide | Operation::Modulo);
    let unchecked = !call.checked && !divides;
    let work = if unchecked { call.register } else { call.register.max(a.register()).max(b.register()) };
    let nulls = strict_nulls(&[a, b], len, out);
    if let (true, Register::I64, VectorData::I32(x), VectorData::I32(y)) = (unchecked, work, &a.data, &b.data) {
        // Widened on the way.
        let mut values = out.take_i64();
        let operands = Operands { a: &x[..], a_constant: a.constant, b: &y[..], b_constant: b.constant, len };
        unchecked_all(&operands, operation, &mut values);
        out.set(len, VectorData::I64(values), nulls);
        return true;
    }
    let Scratch { left, right } = scratch;
    let (a, b) = (widened(a, work, left), widened(b, work, right));
    macro_rules! run {
        ($take:ident, $variant:ident, $a:expr, $b:expr) => {{
            let mut values = out.$take();
            let operands = Operands { a: $a, a_constant: a.constant, b: $b, b_constant: b.constant, len };
            let done = match (unchecked, divides) {
                (true, _) => {
                    unchecked_all(&operands, operation, &mut values);
                    true
                }
                (_, true) => operands.divided(operation, bounds, &mut values),
                _ => checked_all(&operands, operation, bounds, &mut values),
            };
            if !done {
                return false;
            }
            VectorData::$variant(values)
        }};
    }
    let data = match (&a.data, &b.data) {
        (VectorData::I32(x), VectorData::I32(y)) => run!(take_i32, I32, x, y),
        (VectorData::I64(x), VectorData::I64(y)) => run!(take_i64, I64, x, y),
        (VectorData::I128(x), VectorData::I128(y)) => run!(take_i128, I128, x, y),
        _ => return false,
    };
    out.set(len, data, nulls);
    coerce(out, call.register);
    true
}

struct Operands<'a, T> {
    a: &'a [T],
    a_constant: bool,
    b: &'a [T],
    b_constant: bool,
    len: usize,
}

kernel! {
    /// Computes where nothing can leave the register, in which the results are: that of the operands or a wider one.
    fn unchecked_all[S: Copy, T: Integer + From<S>](
        operands: &Operands<'_, S>,
        operation: Operation,
        out: &mut Vec<T>,
    ) {
        match operation {
            Operation::Add => operands.each(out, |a, b| T::wrapping(Operation::Add, a.into(), b.into())),
            Operation::Subtract => operands.each(out, |a, b| T::wrapping(Operation::Subtract, a.into(), b.into())),
            _ => operands.each(out, |a, b| T::wrapping(Operation::Multiply, a.into(), b.into())),
        }
    }
}

kernel! {
    /// Computes with a check of every result; false if one is outside its bounds.
    fn checked_all[T: Integer](
        operands: &Operands<'_, T>,
        operation: Operation,
        bounds: (i128, i128),
        out: &mut Vec<T>,
    ) -> bool {
        // Bounds beyond the register are the register's own, which `overflowing` watches.
        let (low, high) = (clamp::<T>(bounds.0), clamp::<T>(bounds.1));
        let mut failed = false;
        macro_rules! run {
            ($operation:expr) => {
                operands.each(out, |a, b| {
                    let (value, overflow) = T::overflowing($operation, a, b);
                    failed |= overflow | (value < low) | (value > high);
                    value
                })
            };
        }
        match operation {
            Operation::Add => run!(Operation::Add),
            Operation::Subtract => run!(Operation::Subtract),
            _ => run!(Operation::Multiply),
        }
        !failed
    }
}

impl<S: Copy> Operands<'_, S> {
    /// Applies `each` to all pairs, with a loop for each combination of constants.
    #[inline(always)]
    fn each<T: Clone>(&self, out: &mut Vec<T>, mut each: impl FnMut(S, S) -> T) {
        match (self.a_constant, self.b_constant) {
            (false, false) => append_pairs(out, self.a, self.b, each),
            (false, true) => {
                let b = self.b[0];
                append(out, self.a, |a| each(a, b));
            }
            (true, false) => {
                let a = self.a[0];
                append(out, self.b, |b| each(a, b));
            }
            (true, true) => {
                let value = each(self.a[0], self.b[0]);
                out.resize(self.len, value);
            }
        }
    }
}

kernel! {
    /// Divides by a constant; false if a result is outside its bounds.
    fn divided_by_constant[T: Integer](
        operands: &Operands<'_, T>,
        operation: Operation,
        by: Reciprocal,
        bounds: (T, T),
        out: &mut Vec<T>,
    ) -> bool {
        let (low, high) = bounds;
        let divisor = operands.b[0];
        let mut failed = false;
        macro_rules! run {
            ($result:expr) => {
                append(out, operands.a, |a: T| {
                    let value = $result(a, a.quotient(by));
                    failed |= (value < low) | (value > high);
                    value
                })
            };
        }
        match operation {
            Operation::Divide => run!(|_: T, quotient: T| quotient),
            _ => run!(|a: T, quotient: T| {
                T::wrapping(Operation::Subtract, a, T::wrapping(Operation::Multiply, quotient, divisor))
            }),
        }
        !failed
    }
}

impl<T: Integer> Operands<'_, T> {
    fn divided(&self, operation: Operation, (low, high): (i128, i128), out: &mut Vec<T>) -> bool {
        let (zero, minus_one) = (T::default(), T::cut(-1));
        if self.b.iter().any(|&b| b == zero || b == minus_one) {
            return false;
        }
        let divisor = self.b.first().filter(|_| self.b_constant && !self.a_constant).and_then(|b| b.divisor());
        if let Some(by) = divisor.and_then(|divisor| Reciprocal::new(divisor, T::BITS)) {
            return divided_by_constant(self, operation, by, (clamp::<T>(low), clamp::<T>(high)), out);
        }
        let (low, high) = (clamp::<T>(low), clamp::<T>(high));
        let mut failed = false;
        self.each(out, |a, b| {
            let value = T::divided(operation, a, b);
            failed |= value < low || value > high;
            value
        });
        !failed
    }
}

/// The value of the register nearest to a bound.
fn clamp<T: Integer>(bound: i128) -> T {
    if T::cut(bound).wide() == bound {
        return T::cut(bound);
    }
    let bits = 8 * size_of::<T>() as u32;
    let highest = (1i128 << (bits - 1)) - 1;
    T::cut(if bound < 0 { -highest - 1 } else { highest })
}

/// Casts between integers and decimals, and date to timestamp: multiplication by a constant, or division.
fn cast(
    call: &Call<'_>,
    argument: &Vector,
    len: usize,
    bounds: (i128, i128),
    scratch: &mut Scratch,
    out: &mut Vector,
) -> bool {
    let (from, to) = (call.types[0], call.result);
    let is_number = |data_type: DataType| data_type.is_integer() || data_type.is_decimal();
    if !is_number(from) || !is_number(to) {
        return from == to && copy(call, argument, len, bounds, out);
    }
    let Some(up) = to.scale().checked_sub(from.scale()) else { return false };
    scale_up(call, argument, up, len, bounds, scratch, out)
}

/// The same numbers with so many more digits behind the point.
pub(super) fn scale_up(
    call: &Call<'_>,
    argument: &Vector,
    up: u8,
    len: usize,
    bounds: (i128, i128),
    scratch: &mut Scratch,
    out: &mut Vector,
) -> bool {
    if !is_integer(argument.register()) {
        return false;
    }
    if up == 0 {
        return copy(call, argument, len, bounds, out);
    }
    let factor = 10i128.pow(up.into());
    let register = match i64::try_from(factor) {
        Ok(factor) if i32::try_from(factor).is_ok() => Register::I32,
        Ok(_) => Register::I64,
        Err(_) => Register::I128,
    };
    binary(call, Operation::Multiply, argument, &constant(factor, register), len, bounds, scratch, out)
}

/// The same integers in another register, if all are within the type.
fn copy(call: &Call<'_>, argument: &Vector, len: usize, (low, high): (i128, i128), out: &mut Vector) -> bool {
    let within = |value: i128| (low..=high).contains(&value);
    let fits = !call.checked
        || match &argument.data {
            VectorData::I32(values) => values.iter().all(|&value| within(value.into())),
            VectorData::I64(values) => values.iter().all(|&value| within(value.into())),
            VectorData::I128(values) => values.iter().all(|&value| within(value)),
            _ => false,
        };
    if !fits {
        return false;
    }
    let nulls = strict_nulls(&[argument], len, out);
    macro_rules! copied {
        ($take:ident, $variant:ident) => {{
            let mut values = convert(&argument.data, out.$take());
            if argument.constant {
                let value = values[0];
                values.resize(len, value);
            }
            VectorData::$variant(values)
        }};
    }
    let data = match call.register {
        Register::I32 => copied!(take_i32, I32),
        Register::I64 => copied!(take_i64, I64),
        _ => copied!(take_i128, I128),
    };
    out.set(len, data, nulls);
    true
}
