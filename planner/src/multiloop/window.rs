//! The fields that a window adds to its rows.

use super::reduction::{Identity, sum_is_total};
use super::{Gather, Program, Reduction};
use crate::types::{DataType, Field};
use crate::window::{Frame, WindowFunction};
use serde::{Deserialize, Serialize};

/// A field that a window adds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WindowField {
    /// What it is.
    pub function: WindowCallee,
    /// Fields of the input: what the function takes, and then what its frame does.
    pub arguments: Vec<u32>,
    /// The rows that it goes over.
    pub frame: Frame,
    /// Its type.
    pub data_type: DataType,
}

/// What a window computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WindowCallee {
    /// A function that is no aggregate.
    Function(WindowFunction),
    /// A reduction of the frame, whose rows come in order. Not one that gives rows.
    Aggregate(Reduction),
}

impl WindowField {
    /// The fields that the function takes.
    pub fn taken(&self) -> &[u32] {
        &self.arguments[..self.arity().min(self.arguments.len())]
    }

    /// The field that is an argument of its frame.
    pub fn of_frame(&self, argument: u8) -> u32 {
        self.arguments[self.arity() + usize::from(argument)]
    }

    /// How many arguments the function has, without those of its frame.
    pub fn arity(&self) -> usize {
        match &self.function {
            WindowCallee::Function(function) => function.arity(),
            WindowCallee::Aggregate(Reduction::CountRows) => 0,
            WindowCallee::Aggregate(_) => 1,
        }
    }

    /// Whether it may be NULL.
    pub fn is_nullable(&self) -> bool {
        match &self.function {
            WindowCallee::Function(function) => !function.is_place(),
            WindowCallee::Aggregate(reduction) => reduction.properties().identity != Identity::Zero,
        }
    }

    /// Whether making it of these fields may be an error.
    pub fn may_fail(&self, fields: &[Field]) -> bool {
        let argument = self.taken().first().and_then(|&field| fields.get(field as usize));
        match &self.function {
            WindowCallee::Function(function) => function.may_fail(),
            WindowCallee::Aggregate(Reduction::Sum) => {
                argument.is_none_or(|argument| !sum_is_total(argument.data_type, self.data_type))
            }
            WindowCallee::Aggregate(Reduction::Single) => true,
            WindowCallee::Aggregate(Reduction::Gather(how)) => !matches!(how, Gather::One { .. }),
            WindowCallee::Aggregate(Reduction::Statistic(kind)) => kind.may_fail(),
            WindowCallee::Aggregate(_) => false,
        }
    }
}

impl Program {
    /// Whether making some fields of a window over these rows may be an error.
    pub(crate) fn window_may_fail(&self, input: super::CollectionId, functions: &[WindowField]) -> bool {
        functions.iter().any(|field| field.may_fail(&self.collection(input).fields))
    }
}
