//! Arithmetic. Whole numbers are computed in the narrowest type that their ranges prove; where a result may leave its type, in one that
//! holds all results, and it is looked at.

use super::Lowering;
use super::scalars::Scalar;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::{Kind, Type};
use crate::gpu::driver::Argument;
use crate::gpu::stop::{Done, decline};
use crate::plan::nodes::Node;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// Up to this all integers are doubles.
const EXACT: i128 = 1 << f64::MANTISSA_DIGITS;

/// Powers of ten up to this one are doubles.
const POWERS_MAX: u8 = 22;

/// Between which numbers something is.
type Range = (i128, i128);

/// All that a type has.
pub(super) fn range_of(of: Type) -> Range {
    match of {
        Type::I32 => (i32::MIN.into(), i32::MAX.into()),
        Type::I64 => (i64::MIN.into(), i64::MAX.into()),
        _ => (i128::MIN, i128::MAX),
    }
}

/// The narrowest type that has these; none if no type is known to.
pub(super) fn type_for(range: Option<Range>) -> Option<Type> {
    let (low, high) = range?;
    [Type::I32, Type::I64].into_iter().find(|&of| low >= range_of(of).0 && high <= range_of(of).1).or(Some(Type::I128))
}

/// Between which numbers the results of an operation are.
fn results(function: Function, (a, b): (Range, Range)) -> Option<Range> {
    let all = |of: [Option<i128>; 4]| {
        let of = of.into_iter().collect::<Option<Vec<i128>>>()?;
        Some((*of.iter().min()?, *of.iter().max()?))
    };
    match function {
        Function::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        Function::Subtract => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        Function::Multiply => {
            all([a.0.checked_mul(b.0), a.0.checked_mul(b.1), a.1.checked_mul(b.0), a.1.checked_mul(b.1)])
        }
        Function::Divide => {
            let most = a.0.checked_abs()?.max(a.1.checked_abs()?);
            Some((-most, most))
        }
        Function::Modulo => {
            let most = a.0.checked_abs()?.max(a.1.checked_abs()?);
            Some((-most, most))
        }
        _ => None,
    }
}

impl Lowering<'_> {
    /// What is known of a node's values.
    fn range(&self, number: u32, of: Type) -> Range {
        let node = self.node_at(number);
        node.bounds.or(node.data_type.integer_bounds()).unwrap_or(range_of(of))
    }

    /// An operation on two numbers of one type.
    pub(super) fn operate(&mut self, node: &Node, function: Function, arguments: &[u32], of: Type) -> Done<Scalar> {
        let (a, b) = (self.node(arguments[0])?, self.node(arguments[1])?);
        let null = a.null.clone().or(b.null.clone());
        let null = self.hold(null);
        if of == Type::F64 {
            return self.operate_on_floats(node, function, (a.value, b.value), null);
        }
        if !matches!(of, Type::I32 | Type::I64 | Type::I128) {
            return decline(format!("{function:?} of {}", node.data_type));
        }
        let operator = match function {
            Function::Add => Binary::Add,
            Function::Subtract => Binary::Subtract,
            Function::Multiply => Binary::Multiply,
            Function::Divide => Binary::Divide,
            Function::Modulo => Binary::Modulo,
            _ => return decline(format!("{function:?}")),
        };
        let ranges = (self.range(arguments[0], a.value.data_type()), self.range(arguments[1], b.value.data_type()));
        let range = results(function, ranges);
        let divides = matches!(function, Function::Divide | Function::Modulo);
        if !node.fails_itself && !divides {
            // Whatever goes round on the way, the result is right, since it fits.
            let value = Expression::binary(operator, a.value.cast(of), b.value.cast(of));
            return Ok(Scalar::new(value, null));
        }
        let Some(exact) = type_for(range) else { return decline("numbers of more than 128 bits on the way") };
        let exact = exact.max(of).max(a.value.data_type()).max(b.value.data_type());
        let (left, mut right) = (a.value.cast(exact), b.value.cast(exact));
        if divides {
            let zero = Expression::binary(Binary::Equal, right.clone(), Expression::number(0, exact));
            let zero = self.hold(zero);
            self.fail_when(zero.clone().and(null.clone().not()));
            // What stands at a NULL may be anything: one divides everything.
            right = Expression::select(zero, Expression::number(1, exact), right);
            let odd = Expression::binary(Binary::Equal, right.clone(), Expression::number(-1, exact));
            if ranges.0.0 <= range_of(exact).0 {
                return decline("a quotient that no type holds");
            }
            right = Expression::select(odd.and(null.clone()), Expression::number(1, exact), right);
            right = self.hold(right);
        }
        let value = self.hold(Expression::binary(operator, left, right));
        self.check(node, &value, range, &null);
        Ok(Scalar::new(value.cast(of), null))
    }

    /// Has the processors do it again where a value leaves a node's type.
    pub(super) fn check(&mut self, node: &Node, value: &Expression, range: Option<Range>, null: &Expression) {
        let Some((low, high)) = node.data_type.integer_bounds() else { return };
        let of = value.data_type();
        let mut outside = Expression::truth(false);
        if range.is_none_or(|range| range.0 < low) && low > range_of(of).0 {
            let least = self.integer(low, of);
            outside = outside.or(Expression::binary(Binary::Less, value.clone(), least));
        }
        if range.is_none_or(|range| range.1 > high) && high < range_of(of).1 {
            let most = self.integer(high, of);
            outside = outside.or(Expression::binary(Binary::Greater, value.clone(), most));
        }
        self.fail_when(outside.and(null.clone().not()));
    }

    /// Floats: what is not finite, or may be an underflow, is looked at by the processors.
    fn operate_on_floats(
        &mut self,
        node: &Node,
        function: Function,
        (a, b): (Expression, Expression),
        null: Expression,
    ) -> Done<Scalar> {
        if a.data_type() != Type::F64 || b.data_type() != Type::F64 {
            return decline("arithmetic of two types");
        }
        let operator = match function {
            Function::Add => Binary::Add,
            Function::Subtract => Binary::Subtract,
            Function::Multiply => Binary::Multiply,
            Function::Divide => Binary::Divide,
            _ => return decline(format!("{function:?} of floats")),
        };
        let mut value = Expression::binary(operator, a.clone(), b.clone());
        if node.data_type == DataType::Real {
            value = Expression::Call(Helper::Rounded, vec![value]);
        }
        let value = self.hold(value);
        let zero = || Expression::number(0, Type::F64);
        let is = |what: &Expression| Expression::binary(Binary::Equal, what.clone(), zero());
        let is_not = |what: &Expression| Expression::binary(Binary::NotEqual, what.clone(), zero());
        let odd = Expression::Call(Helper::IsOdd, vec![value.clone()]);
        let odd = match function {
            Function::Multiply => odd.or(is(&value).and(is_not(&a)).and(is_not(&b))),
            Function::Divide => odd.or(is(&b)).or(is(&value).and(is_not(&a))),
            _ => odd,
        };
        self.fail_when(odd.and(null.clone().not()));
        Ok(Scalar::new(value, null))
    }

    /// `-a` and `abs(a)`.
    pub(super) fn sign(&mut self, node: &Node, function: Function, argument: u32, of: Type) -> Done<Scalar> {
        let a = self.node(argument)?;
        let zero = Expression::number(0, a.value.data_type());
        if of == Type::F64 && function == Function::Negate {
            let minus = Expression::number(-1, Type::F64);
            return Ok(Scalar::new(Expression::binary(Binary::Multiply, minus, a.value), a.null));
        }
        if of == Type::F64 && function == Function::Abs {
            let bits = Expression::Call(Helper::FloatBits, vec![a.value]);
            let bits = Expression::binary(Binary::BitAnd, bits, Expression::number(i64::MAX.into(), Type::U64));
            return Ok(Scalar::new(Expression::Call(Helper::FloatOfBits, vec![bits]), a.null));
        }
        if !matches!(of, Type::I32 | Type::I64 | Type::I128) {
            return decline(format!("{function:?} of {}", node.data_type));
        }
        let range = self.range(argument, a.value.data_type());
        let most = range.0.checked_neg().zip(Some(range.1)).map(|(a, b)| a.max(b));
        let Some(exact) = type_for(most.map(|most| (-most, most))) else {
            return decline("a number without its negative");
        };
        let exact = exact.max(of).max(a.value.data_type());
        let value = self.hold(a.value.clone().cast(exact));
        let negative = Expression::binary(Binary::Subtract, Expression::number(0, exact), value.clone());
        let value = match function {
            Function::Negate => negative,
            _ => {
                let is_negative = Expression::binary(Binary::Less, a.value, zero);
                Expression::select(is_negative, negative, value)
            }
        };
        let value = self.hold(value);
        if node.fails_itself {
            self.check(node, &value, None, &a.null);
        }
        Ok(Scalar::new(value.cast(of), a.null))
    }

    /// A cast to floats: of what is exact in a double, divided by an exact power of ten, which rounds once.
    fn cast_to_float(&mut self, a: Scalar, argument: u32, (from, to): (DataType, DataType)) -> Done<Scalar> {
        if (from, to) == (DataType::Real, DataType::Double) {
            return Ok(Scalar::new(a.value, a.null));
        }
        let (held, range) = (a.value.data_type(), self.range(argument, a.value.data_type()));
        let is_exact = from.is_integer() || (from.is_decimal() && from.scale() <= POWERS_MAX);
        if to != DataType::Double || !is_exact || !held.is_integer() {
            return decline(format!("a cast from {from} to {to}"));
        }
        let value = self.hold(a.value);
        if from.is_decimal() && held != Type::I32 {
            // Of larger ones the quotient would be rounded twice.
            let mut outside = Expression::truth(false);
            if range.0 < -EXACT {
                let limit = self.integer(-EXACT, held);
                outside = outside.or(Expression::binary(Binary::Less, value.clone(), limit));
            }
            if range.1 > EXACT {
                let limit = self.integer(EXACT, held);
                outside = outside.or(Expression::binary(Binary::Greater, value.clone(), limit));
            }
            self.fail_when(outside.and(a.null.clone().not()));
        }
        let value = value.cast(if held == Type::I32 { Type::I32 } else { Type::I64 });
        let value = match from.scale() {
            0 => value.cast(Type::F64),
            scale => {
                let unit = self.parameter(Kind::Value(Type::F64), Argument::F64(10f64.powi(scale.into()))).get();
                Expression::binary(Binary::Divide, value.cast(Type::F64), unit)
            }
        };
        Ok(Scalar::new(value, a.null))
    }

    /// A cast between numbers.
    pub(super) fn cast(&mut self, node: &Node, argument: u32, of: Type) -> Done<Scalar> {
        let a = self.node(argument)?;
        let (from, to) = (self.node_at(argument).data_type, node.data_type);
        if from == to && a.dictionary.is_none() {
            return Ok(Scalar::new(a.value.cast(of), a.null));
        }
        if of == Type::F64 {
            return self.cast_to_float(a, argument, (from, to));
        }
        let whole = |of: DataType| of.is_integer() || of.is_decimal();
        if !whole(from) || !whole(to) {
            return decline(format!("a cast from {from} to {to}"));
        }
        let range = self.range(argument, a.value.data_type());
        let (less, more) = (from.scale().saturating_sub(to.scale()), to.scale().saturating_sub(from.scale()));
        if more > 0 {
            let by = 10i128.pow(more.into());
            let range = results(Function::Multiply, (range, (by, by)));
            let exact = if node.fails_itself { type_for(range) } else { Some(of) };
            let Some(exact) = exact else { return decline("numbers of more than 128 bits on the way") };
            let exact = exact.max(of);
            let by = self.integer(by, exact);
            let value = self.hold(Expression::binary(Binary::Multiply, a.value.cast(exact), by));
            if node.fails_itself {
                self.check(node, &value, range, &a.null);
            }
            return Ok(Scalar::new(value.cast(of), a.null));
        }
        let value = match less {
            0 => a.value,
            less => {
                let by = self.integer(10i128.pow(less.into()), Type::I128);
                Expression::Call(Helper::DivideHalfAway, vec![a.value.cast(Type::I128), by])
            }
        };
        let value = self.hold(value);
        if node.fails_itself {
            self.check(node, &value, (less == 0).then_some(range), &a.null);
        }
        Ok(Scalar::new(value.cast(of), a.null))
    }
}
