//! Expressions of emitted code. They are small: what is used twice is a variable.

use super::helpers::Helper;
use super::types::{Kind, Type};

/// A variable or parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variable {
    pub(crate) number: u32,
    pub(crate) kind: Kind,
}

/// Which of the threads of a launch this is, and of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Thread,
    Threads,
    Block,
    Blocks,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    /// Of what is not zero, and not the quotient that no type holds.
    Divide,
    Modulo,
    And,
    Or,
    BitAnd,
    BitOr,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Variable(Variable),
    /// A number that belongs to the code rather than to a statement.
    Number(i128, Type),
    Place(Place),
    Not(Box<Expression>),
    Binary(Binary, Box<[Expression; 2]>),
    Cast(Type, Box<Expression>),
    Select(Box<[Expression; 3]>),
    /// An element of an array.
    Load(Variable, Box<Expression>),
    /// Where an element of an array is.
    Address(Variable, Box<Expression>),
    Call(Helper, Vec<Expression>),
}

impl Binary {
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Modulo => "%",
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::BitAnd => "&",
            Binary::BitOr => "|",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
        }
    }

    /// Whether it gives a truth of operands of one type.
    pub(crate) fn compares(self) -> bool {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }
}

impl Variable {
    /// Its value.
    pub(crate) fn get(self) -> Expression {
        Expression::Variable(self)
    }

    /// An element of the array that it is.
    pub(crate) fn at(self, index: Expression) -> Expression {
        Expression::Load(self, Box::new(index))
    }

    /// Where an element of the array that it is lies.
    pub(crate) fn address(self, index: Expression) -> Expression {
        Expression::Address(self, Box::new(index))
    }
}

impl Expression {
    /// TRUE or FALSE.
    pub(crate) fn truth(of: bool) -> Self {
        Expression::Number(of.into(), Type::Bool)
    }

    /// A number of the code.
    pub(crate) fn number(of: i128, data_type: Type) -> Self {
        Expression::Number(of, data_type)
    }

    /// An operation on two operands of one type (of shifts the second is 32 bits wide).
    pub(crate) fn binary(operator: Binary, left: Expression, right: Expression) -> Self {
        debug_assert!(
            matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) || left.data_type() == right.data_type(),
            "{left:?} {operator:?} {right:?}"
        );
        Expression::Binary(operator, Box::new([left, right]))
    }

    /// The same value in another type.
    pub(crate) fn cast(self, to: Type) -> Self {
        match self {
            Expression::Number(number, _) if to.is_integer() => Expression::Number(number, to),
            other if other.data_type() == to => other,
            other => Expression::Cast(to, Box::new(other)),
        }
    }

    /// What is not.
    pub(crate) fn not(self) -> Self {
        match self {
            Expression::Number(of, Type::Bool) => Expression::truth(of == 0),
            Expression::Not(inner) => *inner,
            other => Expression::Not(Box::new(other)),
        }
    }

    /// Both.
    pub(crate) fn and(self, other: Expression) -> Self {
        match (self.known(), other.known()) {
            (Some(false), _) | (_, Some(true)) => self,
            (_, Some(false)) | (Some(true), _) => other,
            _ => Expression::binary(Binary::And, self, other),
        }
    }

    /// One or both.
    pub(crate) fn or(self, other: Expression) -> Self {
        match (self.known(), other.known()) {
            (Some(true), _) | (_, Some(false)) => self,
            (_, Some(true)) | (Some(false), _) => other,
            _ => Expression::binary(Binary::Or, self, other),
        }
    }

    /// One of two values of one type.
    pub(crate) fn select(condition: Expression, then: Expression, otherwise: Expression) -> Self {
        debug_assert_eq!(then.data_type(), otherwise.data_type(), "a choice has one type");
        match condition.known() {
            Some(true) => then,
            Some(false) => otherwise,
            None => Expression::Select(Box::new([condition, then, otherwise])),
        }
    }

    /// Whether it is true, where that is known.
    pub(crate) fn known(&self) -> Option<bool> {
        match self {
            Expression::Number(of, Type::Bool) => Some(*of != 0),
            _ => None,
        }
    }

    /// The number that it is, if it is one of the code.
    pub(crate) fn known_number(&self) -> Option<i128> {
        match self {
            Expression::Number(of, _) => Some(*of),
            _ => None,
        }
    }

    /// Whether to write it twice costs nothing.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Expression::Variable(_) | Expression::Number(..))
    }

    /// Its type; of an array or address that of the elements.
    pub(crate) fn data_type(&self) -> Type {
        match self {
            Expression::Variable(variable) | Expression::Load(variable, _) | Expression::Address(variable, _) => {
                match variable.kind {
                    Kind::Value(of) | Kind::Pointer(of) => of,
                    Kind::Shared => Type::U32,
                }
            }
            Expression::Number(_, of) | Expression::Cast(of, _) => *of,
            Expression::Place(_) => Type::U32,
            Expression::Not(_) => Type::Bool,
            Expression::Binary(operator, _) if operator.compares() => Type::Bool,
            Expression::Binary(_, operands) => operands[0].data_type(),
            Expression::Select(parts) => parts[1].data_type(),
            Expression::Call(helper, _) => helper.result().unwrap_or(Type::Bool),
        }
    }
}
