//! Numerics: numbers of any scale, as digits of up to 127 bits and how many of these stand behind the point, each value's own.
//!
//! They are computed by the rules of `SmallNumeric`, which has PostgreSQL's: an average's quotient is rounded to as many digits as its
//! operands' leading digits ask for, and what is compared with it is compared with that. So nothing is decided by other means
//! than the processors have, and where these go on with more than 128 bits a function gives no number, the row fails, and the
//! processors do it. That is right whatever comes of it: a result differs from theirs nowhere, because
//! * sums, products and numbers at a larger scale are exact, or are none;
//! * a quotient is the exact one, rounded half away from zero at a scale that only the operands' digits decide, or is none;
//! * what is cut to a smaller scale is exact before, and there is no limit to what can be cut;
//! * of two numbers of which one has no room at the scale of the other one, that one is further from zero.
//!
//! Columns have no numerics, and nothing that is collected, a key, or an argument is one: they are texts to others. What reads no row
//! is computed once, on the host.

use super::Lowering;
use super::scalars::{Scalar, type_of};
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::Type;
use crate::gpu::stop::{Done, Stop, decline};
use crate::plan::expressions::Expressions;
use crate::plan::nodes::{Node, Operation};
use crate::plan::placement::Task;
use crate::plan::tree::GeneratorKind;
use multiloop_planner::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType};
use multiloop_planner::value::Value;

/// How digits are cut off, as the sources have it.
#[derive(Clone, Copy)]
enum Cut {
    HalfAway = 0,
    ToZero = 1,
    Down = 2,
    Up = 3,
}

/// A number.
struct Number {
    /// Its digits, of 128 bits.
    digits: Expression,
    scale: Expression,
    null: Expression,
}

/// What no number has as its digits.
const NO_NUMBER: i128 = i128::MIN;

/// Functions that are lowered and give numerics.
fn gives_numerics(function: Function) -> bool {
    use Function as F;
    matches!(
        function,
        F::Add
            | F::Subtract
            | F::Multiply
            | F::Divide
            | F::Average
            | F::Negate
            | F::Abs
            | F::Ceil
            | F::Floor
            | F::Round
            | F::Truncate
            | F::Cast
    )
}

/// Functions that need not all of their arguments.
fn is_lazy(function: Function) -> bool {
    matches!(function, Function::And | Function::Or | Function::Case | Function::Coalesce)
}

fn compares(function: Function) -> Option<Binary> {
    use Function as F;
    Some(match function {
        F::Equal => Binary::Equal,
        F::NotEqual => Binary::NotEqual,
        F::Less => Binary::Less,
        F::LessEqual => Binary::LessEqual,
        F::Greater => Binary::Greater,
        F::GreaterEqual => Binary::GreaterEqual,
        _ => return None,
    })
}

/// Numbers that are exact, and NULL.
fn is_exact(data_type: DataType) -> bool {
    data_type.is_exact() || data_type.is_integer() || data_type == DataType::Null
}

/// Whether a node is the text by which a numeric is compared.
fn is_key(node: &Node) -> bool {
    matches!(&node.operation, Operation::Call { function: Function::NumericKey, .. })
}

/// Digits to which a call rounds; none if that is not known.
fn rounds_to(expressions: &Expressions, arguments: &[u32]) -> Option<u32> {
    match arguments.get(1).map(|&digits| &expressions.nodes[digits as usize].operation) {
        None => Some(0),
        Some(Operation::Constant(Value::Int(digits))) => {
            u32::try_from(*digits).ok().filter(|&digits| digits <= u32::from(DECIMAL_DIGITS_MAX))
        }
        _ => None,
    }
}

/// Whether all numerics of a loop are of kinds that are known here, and nobody takes one as text.
pub(crate) fn check(task: &Task<'_>) -> Done<()> {
    let expressions = &task.of.expressions;
    let node_of = |number: u32| &expressions.nodes[number as usize];
    let odd = || decline("a value of type numeric");
    let is_of_numerics = |number: &u32| node_of(*number).data_type == DataType::Numeric || is_key(node_of(*number));
    for node in &expressions.nodes {
        let arguments = node.operation.arguments();
        let is_numeric = node.data_type == DataType::Numeric;
        match &node.operation {
            Operation::Call { function, .. } if is_numeric => {
                let all_exact = arguments.iter().all(|&argument| is_exact(node_of(argument).data_type));
                let rounds = matches!(function, Function::Round | Function::Truncate);
                if !gives_numerics(*function) || !all_exact || (rounds && rounds_to(expressions, &arguments).is_none())
                {
                    return odd();
                }
            }
            Operation::Constant(_) | Operation::Parameter(_) | Operation::Single { .. } if is_numeric => {}
            _ if is_numeric => return odd(),
            Operation::Call { function, .. } if arguments.iter().any(is_of_numerics) => {
                let of_keys = arguments.iter().all(|&argument| is_key(node_of(argument)));
                let known = match function {
                    Function::NarrowUp | Function::NarrowDown | Function::NarrowSame => node.data_type.is_decimal(),
                    Function::Cast => node.data_type.is_integer() || node.data_type.is_decimal(),
                    Function::IsNull | Function::IsNotNull | Function::NumericKey => !of_keys,
                    function => of_keys && compares(*function).is_some(),
                };
                if !known {
                    return odd();
                }
            }
            _ if arguments.iter().any(is_of_numerics) => return odd(),
            _ => {}
        }
    }
    let as_text = |scalar: &ScalarId| is_of_numerics(&(expressions.number(*scalar) as u32));
    if taken_of(task).iter().any(as_text) { odd() } else { Ok(()) }
}

/// What a loop collects, folds, and has as keys.
fn taken_of(task: &Task<'_>) -> Vec<ScalarId> {
    let mut taken = Vec::new();
    for level in task.of.levels.iter().skip(1) {
        if let Some((key, _)) = level.source.probe() {
            taken.extend(key.iter().map(|part| part.scalar));
        }
    }
    for generator in &task.of.generators {
        match &generator.kind {
            GeneratorKind::Collect { value, .. } => taken.extend(value),
            GeneratorKind::TopK(plan) => taken.extend(&plan.arguments),
            GeneratorKind::BucketCollect(plan) => taken.extend(plan.key.iter().chain(&plan.value)),
            GeneratorKind::Reduce(plan) => {
                taken.extend(plan.parts());
                taken.extend(plan.aggregates.iter().filter_map(|aggregate| aggregate.argument));
            }
        }
    }
    taken
}

fn zero() -> Expression {
    Expression::number(0, Type::I128)
}

impl Lowering<'_> {
    /// The value of a node that is a numeric, or reads some; none of another one.
    pub(super) fn numeric(&mut self, number: u32) -> Done<Option<Scalar>> {
        let node = self.node_at(number);
        let is_numeric = node.data_type == DataType::Numeric;
        let reads_some = |&argument: &u32| {
            let argument = self.node_at(argument);
            argument.data_type == DataType::Numeric || is_key(argument)
        };
        let Operation::Call { function, arguments } = &node.operation else {
            return if is_numeric { self.numeric_leaf(number).map(Some) } else { Ok(None) };
        };
        if !is_numeric && !arguments.iter().any(reads_some) {
            return Ok(None);
        }
        if let Some(value) = self.reduced_value(number)? {
            return self.known(&value, node).map(Some);
        }
        let made = match arguments[..] {
            _ if is_numeric && !gives_numerics(*function) => return decline("numeric"),
            [a] if is_numeric => self.numeric_of_one(*function, a),
            [a, _] if is_numeric && matches!(function, Function::Round | Function::Truncate) => {
                let Some(to) = rounds_to(&self.task.of.expressions, arguments) else { return decline("numeric") };
                let a = self.number_of(a)?;
                let how = if *function == Function::Round { Cut::HalfAway } else { Cut::ToZero };
                self.cut_number(a, to, how)
            }
            [a, b] if is_numeric => self.numeric_of_two(*function, a, b),
            [a] => self.of_numeric(node, *function, a),
            [a, b] => self.compare_keys(*function, a, b),
            _ => decline("numeric"),
        };
        made.map(Some)
    }

    /// A numeric that is no call.
    fn numeric_leaf(&mut self, number: u32) -> Done<Scalar> {
        match self.reduced_value(number)? {
            Some(value) => self.known(&value, self.node_at(number)),
            None => decline("numeric"),
        }
    }

    /// A value that reads no row, as a parameter.
    fn known(&mut self, value: &Value, node: &Node) -> Done<Scalar> {
        if node.data_type != DataType::Numeric {
            return self.constant(value, type_of(node.register)?);
        }
        let (digits, scale) = match value {
            Value::Null => {
                let scale = Some(Expression::number(0, Type::U32));
                return Ok(Scalar { scale, ..Scalar::new(zero(), Expression::truth(true)) });
            }
            Value::Numeric(number) => match number.small() {
                Some(small) if small.unscaled != NO_NUMBER && small.scale <= u8::MAX.into() => {
                    (small.unscaled, small.scale)
                }
                _ => return decline("a number of more than 128 bits"),
            },
            _ => return decline("a constant of another type"),
        };
        let scale = Some(self.number(scale));
        Ok(Scalar { scale, ..Scalar::new(self.integer(digits, Type::I128), Expression::truth(false)) })
    }

    /// The value of a node that reads no row, if it is of constants, parameters, and what was reduced.
    fn reduced_value(&mut self, number: u32) -> Done<Option<Value>> {
        if let Some(known) = self.grounds.get(&number) {
            return Ok(known.clone());
        }
        let node = self.node_at(number);
        let value = match &node.operation {
            Operation::Constant(value) => Some(value.clone()),
            Operation::Parameter(at) => Some(self.inputs.parameters()[*at as usize].clone()),
            Operation::Single { collection, field } => {
                Some(self.inputs.rows(*collection)?.single(*field, node.data_type)?)
            }
            Operation::Call { function, arguments } if !node.volatile && !is_lazy(*function) => {
                let values =
                    arguments.iter().map(|&argument| self.reduced_value(argument)).collect::<Done<Vec<_>>>()?;
                match values.into_iter().collect::<Option<Vec<Value>>>() {
                    Some(values) => {
                        let types: Vec<DataType> =
                            arguments.iter().map(|&argument| self.node_at(argument).data_type).collect();
                        match evaluate::evaluate(*function, &values, &types, node.data_type) {
                            Ok(value) => Some(value),
                            Err(error) if !error.kind().is_of_any_plan() => return decline("a row fails"),
                            Err(error) => return Err(Stop::Failed(error)),
                        }
                    }
                    None => None,
                }
            }
            _ => None,
        };
        self.grounds.insert(number, value.clone());
        Ok(value)
    }

    /// An exact number of any type.
    fn number_of(&mut self, number: u32) -> Done<Number> {
        let of = self.node_at(number).data_type;
        let scalar = self.node(number)?;
        let scale = match scalar.scale {
            Some(scale) => scale,
            None if of.is_integer() || of.is_decimal() => Expression::number(of.scale().into(), Type::U32),
            None if of == DataType::Null => {
                let scale = Expression::number(0, Type::U32);
                return Ok(Number { digits: zero(), scale, null: Expression::truth(true) });
            }
            None => return decline(format!("numeric of {of}")),
        };
        Ok(Number { digits: scalar.value.cast(Type::I128), scale, null: scalar.null })
    }

    /// A numeric, which has been looked at.
    fn checked(&mut self, helper: Helper, arguments: Vec<Expression>, scale: Expression, null: Expression) -> Scalar {
        let digits = self.hold(Expression::Call(helper, arguments));
        let none = Expression::number(NO_NUMBER, Type::I128);
        let is_none = Expression::binary(Binary::Equal, digits.clone(), none);
        self.fail_when(is_none.and(null.clone().not()));
        Scalar { scale: Some(scale), ..Scalar::new(digits, null) }
    }

    /// A number at a scale that the code knows.
    fn cut_number(&mut self, a: Number, to: u32, how: Cut) -> Done<Scalar> {
        let [to, how] = [to, how as u32].map(|of| Expression::number(of.into(), Type::U32));
        Ok(self.checked(Helper::NumericCut, vec![a.digits, a.scale, to.clone(), how], to, a.null))
    }

    fn numeric_of_one(&mut self, function: Function, a: u32) -> Done<Scalar> {
        let a = self.number_of(a)?;
        let Number { digits, scale, null } = a;
        match function {
            Function::Cast => Ok(Scalar { scale: Some(scale), ..Scalar::new(digits, null) }),
            Function::Negate | Function::Abs => {
                let negative = Expression::binary(Binary::Subtract, zero(), digits.clone());
                let value = match function {
                    Function::Negate => negative,
                    _ => {
                        let is_negative = Expression::binary(Binary::Less, digits.clone(), zero());
                        Expression::select(is_negative, negative, digits)
                    }
                };
                Ok(Scalar { scale: Some(scale), ..Scalar::new(value, null) })
            }
            Function::Ceil => self.cut_number(Number { digits, scale, null }, 0, Cut::Up),
            Function::Floor => self.cut_number(Number { digits, scale, null }, 0, Cut::Down),
            Function::Round => self.cut_number(Number { digits, scale, null }, 0, Cut::HalfAway),
            Function::Truncate => self.cut_number(Number { digits, scale, null }, 0, Cut::ToZero),
            _ => decline(format!("{function:?} of numeric")),
        }
    }

    fn numeric_of_two(&mut self, function: Function, a: u32, b: u32) -> Done<Scalar> {
        let (a, b) = (self.number_of(a)?, self.number_of(b)?);
        let null = self.hold(a.null.or(b.null));
        let of_scales = |operator: Binary| Expression::binary(operator, a.scale.clone(), b.scale.clone());
        match function {
            Function::Multiply => {
                let scale = self.hold(of_scales(Binary::Add));
                Ok(self.checked(Helper::NumericProduct, vec![a.digits, b.digits, scale.clone()], scale, null))
            }
            Function::Add | Function::Subtract => {
                let scale = Expression::select(of_scales(Binary::Greater), a.scale.clone(), b.scale.clone());
                let scale = self.hold(scale);
                let other = match function {
                    Function::Add => b.digits,
                    _ => Expression::binary(Binary::Subtract, zero(), b.digits),
                };
                Ok(self.checked(Helper::NumericSum, vec![a.digits, a.scale, other, b.scale], scale, null))
            }
            Function::Divide | Function::Average => {
                // An average of nothing is NULL; other divisors that are zero give no number.
                let null = match function {
                    Function::Average => null.or(Expression::binary(Binary::Equal, b.digits.clone(), zero())),
                    _ => null,
                };
                let null = self.hold(null);
                let mut operands = vec![a.digits, a.scale, b.digits, b.scale];
                let to = self.hold(Expression::Call(Helper::NumericQuotientScale, operands.clone()));
                operands.push(to.clone());
                Ok(self.checked(Helper::NumericQuotient, operands, to, null))
            }
            _ => decline(format!("{function:?} of numeric")),
        }
    }

    /// A function of a numeric that gives none.
    fn of_numeric(&mut self, node: &Node, function: Function, argument: u32) -> Done<Scalar> {
        if matches!(function, Function::IsNull | Function::IsNotNull) {
            let null = self.node(argument)?.null;
            let value = if function == Function::IsNull { null } else { null.not() };
            return Ok(Scalar::new(value, Expression::truth(false)));
        }
        let of = type_of(node.register)?;
        let (Type::I32 | Type::I64 | Type::I128) = of else { return decline(format!("{function:?} of numeric")) };
        let a = self.number_of(argument)?;
        let scale: u32 = node.data_type.scale().into();
        let how = match function {
            Function::Cast => {
                let null = a.null.clone();
                let value = self.cut_number(a, scale, Cut::HalfAway)?.value;
                self.check(node, &value, None, &null);
                return Ok(Scalar::new(value.cast(of), null));
            }
            Function::NarrowUp => Cut::Up,
            Function::NarrowDown | Function::NarrowSame => Cut::Down,
            _ => return decline(format!("{function:?} of numeric")),
        };
        let DataType::Decimal { precision, .. } = node.data_type else { return decline("a number that is narrowed") };
        // As far as the processors have it (`narrow` of `evaluate/numeric.rs`).
        let limit = 10i128.pow(precision.into()) - i128::from(precision < DECIMAL_DIGITS_MAX);
        let limit = self.integer(limit, Type::I128);
        let narrow = |how: Cut| {
            let [to, how] = [scale, how as u32].map(|of| Expression::number(of.into(), Type::U32));
            let operands = vec![a.digits.clone(), a.scale.clone(), to, how, limit.clone()];
            Expression::Call(Helper::NumericNarrow, operands)
        };
        let mut value = narrow(how);
        if function == Function::NarrowSame {
            let [down, up] = [value, narrow(Cut::Up)].map(|bound| self.hold(bound));
            value = Expression::select(Expression::binary(Binary::Equal, down.clone(), up), down, limit.clone());
        }
        Ok(Scalar::new(value.cast(of), a.null))
    }

    /// Numerics that are compared, by the texts that stand for them.
    fn compare_keys(&mut self, function: Function, a: u32, b: u32) -> Done<Scalar> {
        let number_of_key = |to: &mut Self, number: u32| match &to.node_at(number).operation {
            Operation::Call { function: Function::NumericKey, arguments } => to.number_of(arguments[0]),
            _ => decline("a numeric beside a text"),
        };
        let Some(operator) = compares(function) else { return decline(format!("{function:?} of numeric")) };
        let (a, b) = (number_of_key(self, a)?, number_of_key(self, b)?);
        let order = Expression::Call(Helper::NumericOrder, vec![a.digits, a.scale, b.digits, b.scale]);
        let value = Expression::binary(operator, order, Expression::number(0, Type::I32));
        Ok(Scalar::new(value, a.null.or(b.null)))
    }
}
