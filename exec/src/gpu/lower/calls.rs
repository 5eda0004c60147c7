//! Functions.

use super::Lowering;
use super::arithmetic::range_of;
use super::scalars::Scalar;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::Type;
use crate::gpu::stop::{Done, decline};
use crate::plan::nodes::Node;
use crate::plan::register::Register;
use multiloop_planner::function::{DatePart, Function};
use multiloop_planner::types::DataType;

impl Lowering<'_> {
    /// The value of a call.
    pub(super) fn function(&mut self, node: &Node, function: Function, arguments: &[u32], of: Type) -> Done<Scalar> {
        use Function as F;
        let is_text = |&argument: &u32| self.node_at(argument).register == Register::Text;
        if node.register == Register::Text || arguments.iter().any(is_text) {
            return self.function_of_text(node, function, arguments, of);
        }
        if let Some(truth) = self.truth(function, arguments)? {
            return Ok(truth);
        }
        match function {
            F::Add | F::Subtract | F::Multiply | F::Divide | F::Modulo => self.operate(node, function, arguments, of),
            F::Negate | F::Abs => self.sign(node, function, arguments[0], of),
            F::Cast | F::AssignCast => self.cast(node, arguments[0], of),
            F::Case => self.choose(arguments, of),
            F::Coalesce => self.coalesce(arguments, of),
            F::Greatest | F::Least => self.extreme(arguments, function == F::Greatest, of),
            F::NullIf => {
                let (a, b) = (self.node(arguments[0])?, self.node(arguments[1])?);
                let equal = self.compare(Binary::Equal, &a, &b)?.and(b.null.not());
                Ok(Scalar::new(a.value.cast(of), a.null.clone().or(equal)))
            }
            F::Extract(part) => self.extract(node, part, arguments[0], of),
            _ => decline(format!("{function:?}")),
        }
    }

    /// Functions that give text, or are given some.
    fn function_of_text(&mut self, node: &Node, function: Function, arguments: &[u32], of: Type) -> Done<Scalar> {
        use Function as F;
        if let Some(made) = self.over_dictionary(node, function, arguments, of)? {
            return Ok(made);
        }
        if let Some(made) = self.over_rows(node, function, arguments, of)? {
            return Ok(made);
        }
        match function {
            F::Equal
            | F::NotEqual
            | F::Less
            | F::LessEqual
            | F::Greater
            | F::GreaterEqual
            | F::IsDistinct
            | F::IsNotDistinct
            | F::IsNull
            | F::IsNotNull => {
                let padded = |&argument: &u32| matches!(self.node_at(argument).data_type, DataType::Numeric);
                if arguments.iter().any(padded) {
                    return decline("numeric");
                }
                match self.truth(function, arguments)? {
                    Some(made) => Ok(made),
                    None => decline(format!("{function:?} of text")),
                }
            }
            _ => decline(format!("{function:?} of text")),
        }
    }

    /// EXTRACT of a date.
    fn extract(&mut self, node: &Node, part: DatePart, argument: u32, of: Type) -> Done<Scalar> {
        let from = self.node_at(argument);
        if from.data_type != DataType::Date || !matches!(of, Type::I32 | Type::I64) || node.data_type.scale() > 0 {
            return decline(format!("{part:?} of {}", from.data_type));
        }
        let helper = match part {
            DatePart::Year => Helper::YearOf,
            DatePart::Month => Helper::MonthOf,
            DatePart::Day => Helper::DayOf,
            _ => return decline(format!("{part:?} of a date")),
        };
        let bounds = from.bounds;
        let date = self.node(argument)?;
        let days = date.value.clone().cast(Type::I32);
        // The dates that are infinite.
        for end in [range_of(Type::I32).0, range_of(Type::I32).1] {
            if bounds.is_none_or(|(low, high)| (low..=high).contains(&end)) {
                let is_end = Expression::binary(Binary::Equal, days.clone(), Expression::number(end, Type::I32));
                self.fail_when(is_end.and(date.null.clone().not()));
            }
        }
        let value = self.hold(Expression::Call(helper, vec![days]));
        let value = match part {
            // There is no year 0.
            DatePart::Year => {
                let zero = Expression::number(0, Type::I32);
                let before = Expression::binary(Binary::Subtract, value.clone(), Expression::number(1, Type::I32));
                let is_after = Expression::binary(Binary::Greater, value.clone(), zero);
                Expression::select(is_after, value, before)
            }
            _ => value,
        };
        Ok(Scalar::new(value.cast(of), date.null))
    }
}
