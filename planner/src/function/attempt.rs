//! Casts that give NULL where they would fail: TRY_CAST.

use super::{ArrayFunction, BitsFunction, Function};
use crate::types::DataType;
use serde::{Deserialize, Serialize};

/// A cast that gives NULL where it would fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AttemptFunction {
    /// As [`Function::Cast`].
    Cast,
    /// As [`Function::ReadAs`].
    ReadAs(DataType),
    /// As [`ArrayFunction::Cast`], of which elements that cannot be cast are NULL: their types before and behind it.
    Array(DataType, DataType),
    /// As [`BitsFunction::ToInteger`].
    BitsToInteger,
    /// As [`Function::FitDigits`].
    FitDigits,
}

impl AttemptFunction {
    /// The function that may fail.
    pub fn function(self) -> Function {
        match self {
            AttemptFunction::Cast => Function::Cast,
            AttemptFunction::ReadAs(data_type) => Function::ReadAs(data_type),
            AttemptFunction::Array(from, to) => Function::Array(ArrayFunction::Cast(to), from),
            AttemptFunction::BitsToInteger => Function::Bits(BitsFunction::ToInteger),
            AttemptFunction::FitDigits => Function::FitDigits,
        }
    }

    /// The attempt of a function, if there is one.
    pub fn of(function: Function) -> Option<Function> {
        match function {
            Function::Cast => Some(Function::Attempt(AttemptFunction::Cast)),
            Function::ReadAs(data_type) => Some(Function::Attempt(AttemptFunction::ReadAs(data_type))),
            Function::Array(ArrayFunction::Cast(to), from) => Some(Function::Attempt(AttemptFunction::Array(from, to))),
            Function::Bits(BitsFunction::ToInteger) => Some(Function::Attempt(AttemptFunction::BitsToInteger)),
            Function::FitDigits => Some(Function::Attempt(AttemptFunction::FitDigits)),
            _ => None,
        }
    }
}
