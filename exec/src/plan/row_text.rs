//! Takes apart the texts of rows that list aggregates gather (`planner/src/evaluate/gather.rs`): where they are made of one value as
//! an element, and of sort keys, the values and the keys are gathered themselves, and no text is made.
//!
//! Such a text is a tree of `||` whose parts are, from left to right, sort keys and texts that are the same in every row, one of which
//! has the NUL behind the front, and an element. An element that is the text of a whole number, a decimal or a date is gathered as
//! this number: its digits are written once, where the group ends.

use super::expressions::Expressions;
use super::nodes::{Node, Operation};
use super::register::Register;
use multiloop_planner::evaluate::array::{Fixed, Form};
use multiloop_planner::evaluate::gather::FRONT_END;
use multiloop_planner::function::{ArrayFunction, Function, SortKeyOrder};
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use serde::{Deserialize, Serialize};

/// The parts of rows' texts that change from row to row, as nodes, and what is made of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RowText {
    /// The value that is an element.
    pub(crate) value: u32,
    /// The values of sort keys that are others than it.
    pub(crate) keys: Vec<u32>,
    pub(crate) entries: Entries,
}

/// What is made of values that are kept in place of the texts of rows: elements behind each other. A row's text is its front, a NUL,
/// what stands before the element, and the element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entries {
    /// The type of the elements that they are.
    pub(crate) element: DataType,
    /// The type of the numbers that the values are, if the elements are the texts of these.
    pub(crate) shown: Option<DataType>,
    /// What stands before each: other elements.
    pub(crate) before: Vec<u8>,
    /// What rows are ordered by, and told apart; nothing of those that stay in the order in which they come.
    pub(crate) front: Vec<Front>,
}

/// A part of the front of a row's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Front {
    /// The same in each row.
    Same(Vec<u8>),
    /// The sort key of a value of this type.
    Key {
        order: SortKeyOrder,
        of: DataType,
        /// Which of the keys that are gathered; none: the value.
        column: Option<usize>,
    },
}

impl Expressions {
    /// The parts of a scalar that is such a text; none of other scalars.
    pub(crate) fn row_text(&self, scalar: ScalarId) -> Option<RowText> {
        let number = self.number(scalar) as u32;
        if self.node(number).volatile {
            return None;
        }
        let mut parts = Vec::new();
        self.joined(number, &mut parts);
        let (&last, front) = parts.split_last()?;
        let (Function::Array(ArrayFunction::Entry, element), value) = self.call_of_one(last)? else { return None };
        let written = self.without_casts(value);
        let (value, shown) = self.shown_number(element, written);
        if shown.is_none() && !self.is_whole(element, value) {
            return None;
        }
        let mut text = RowText {
            value,
            keys: Vec::new(),
            entries: Entries { element, shown, before: Vec::new(), front: Vec::new() },
        };
        self.take_front(&mut text, front, written).then_some(text)
    }

    /// Takes the parts in front of the element: false if there are others than such a text has.
    fn take_front(&self, text: &mut RowText, parts: &[u32], written: u32) -> bool {
        let mut has_ended = false;
        let RowText { keys, entries: Entries { element, before, front, .. }, .. } = text;
        for &part in parts {
            match (&self.node(part).operation, self.call_of_one(part)) {
                (Operation::Constant(Value::Text(same)), _) if has_ended => before.extend_from_slice(same.as_bytes()),
                (Operation::Constant(Value::Text(same)), _) => {
                    let (own, behind) = same.split_once(FRONT_END).map_or((&**same, None), |(a, b)| (a, Some(b)));
                    if !own.is_empty() {
                        front.push(Front::Same(own.as_bytes().to_vec()));
                    }
                    has_ended = behind.is_some();
                    before.extend_from_slice(behind.unwrap_or_default().as_bytes());
                }
                (_, Some((Function::SortKey(order, of), key))) if !has_ended => {
                    let key = self.without_casts(key);
                    let is_like = of == *element || (Form::of(of).is_some() && Form::of(of) == Form::of(*element));
                    let column = if key == written && is_like {
                        None
                    } else if self.is_whole(of, key) {
                        let known = keys.iter().position(|&other| other == key);
                        Some(known.unwrap_or_else(|| {
                            keys.push(key);
                            keys.len() - 1
                        }))
                    } else {
                        return false;
                    };
                    front.push(Front::Key { order, of, column });
                }
                _ => return false,
            }
        }
        has_ended
    }

    fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }

    /// The parts that a node joins, from left to right.
    fn joined(&self, number: u32, parts: &mut Vec<u32>) {
        match &self.node(number).operation {
            Operation::Call { function: Function::Concat, arguments } => {
                arguments.iter().for_each(|&argument| self.joined(argument, parts));
            }
            _ => parts.push(number),
        }
    }

    /// The function of one argument that a node calls.
    fn call_of_one(&self, number: u32) -> Option<(Function, u32)> {
        match &self.node(number).operation {
            Operation::Call { function, arguments } => match arguments[..] {
                [argument] => Some((*function, argument)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text that casts of texts to texts of any length leave as it is.
    fn without_casts(&self, number: u32) -> u32 {
        match self.call_of_one(number) {
            Some((Function::Cast, inner))
                if self.node(number).data_type.is_free_text() && self.node(inner).data_type.is_text() =>
            {
                self.without_casts(inner)
            }
            _ => number,
        }
    }

    /// The number whose text a value is, with its type, if it has few bits; else the value.
    fn shown_number(&self, element: DataType, value: u32) -> (u32, Option<DataType>) {
        let Some((Function::Cast, number)) = self.call_of_one(value) else { return (value, None) };
        let Some(Form::Text) = Form::of(element) else { return (value, None) };
        let node = self.node(number);
        let of = node.data_type;
        let is_number = of.is_integer() || of.is_decimal() || of == DataType::Date;
        let is_narrow = matches!(node.register, Register::I32 | Register::I64);
        if is_number && is_narrow && self.node(value).data_type.is_free_text() && !node.volatile {
            (number, Some(of))
        } else {
            (value, None)
        }
    }

    /// Whether a node's register has all of what its values are as elements of a type.
    fn is_whole(&self, element: DataType, number: u32) -> bool {
        match (Form::of(element), self.node(number).register) {
            (Some(Form::Text), register) => register == Register::Text,
            (Some(Form::Fixed(Fixed::Boolean)), register) => register == Register::Bool,
            (Some(Form::Fixed(fixed)), Register::I32 | Register::I64) => !fixed.is_float(),
            (Some(Form::Fixed(fixed)), register) => fixed.is_float() && register == Register::F64,
            // Of decimals the digits; those that 64 bits do not hold are texts.
            (None, Register::I32 | Register::I64) => element.is_decimal() && self.node(number).data_type == element,
            (None, _) => false,
        }
    }
}
