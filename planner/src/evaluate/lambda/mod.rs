//! Lambdas: expressions over the elements of a list, as values.
//!
//! A [`Lambda`] is closed: its nodes are variables (the element, its place, what has been made of the elements before), values that
//! are captured of the row around it, and functions of these. So it is data, the JSON text of which is an argument of the function that
//! applies it (`function/lambda.rs`), beside the list and what is captured. Literals are captured, too: lambdas that differ in them
//! alone are one text. No rule looks into it, and none has to: all that it reads of the row are arguments.
//!
//! `run` evaluates it, element by element.

mod run;

use crate::error::{Error, Result};
use crate::function::{ArrayFunction, Function, LambdaFunction, LambdaKind};
use crate::types::DataType;
use crate::value::Value;
pub(super) use run::apply_to_nulls;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Lambdas that a thread keeps in the form in which they run.
const KNOWN_MAX: usize = 8;

/// A lambda.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lambda {
    /// What its variables are called, in the order in which they are declared: for whoever shows it.
    pub names: Vec<String>,
    /// The type of the list's elements, as functions of arrays have it.
    pub element: DataType,
    /// Whether the variable for the element stands for a part of an array of more dimensions: an array itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_parts: bool,
    /// The type of the elements of what it makes, as functions of arrays have it; of a reduction that of its value.
    pub result: DataType,
    /// Whether its values are arrays, which become an array of a dimension more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub makes_parts: bool,
    /// The dimensions of the result, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// What it is made of; a node stands behind those that it reads.
    pub nodes: Vec<Node>,
    /// The node of its value.
    pub value: u32,
    /// The node of the condition that an element has to meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<u32>,
}

/// A node of a lambda.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// The type that carries its value.
    pub data_type: DataType,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NodeKind {
    /// The element.
    Element,
    /// The element's place, from 1.
    Index,
    /// What a reduction has come to.
    Accumulator,
    /// A value that is captured, by its number.
    Captured(u32),
    /// A function of other nodes. `And`, `Or`, `Case` and `Coalesce` evaluate lazily, left to right.
    Call(Function, Vec<u32>),
}

impl Lambda {
    /// The text that [`Lambda::read`] reads.
    pub fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::internal(format!("a lambda without a text: {error}")))
    }

    /// The lambda of a text.
    pub fn read(text: &str) -> Result<Lambda> {
        serde_json::from_str(text).map_err(|error| Error::internal(format!("no lambda: {error}")))
    }
}

/// Bytes of each argument of a call that is evaluated where it is bound, at most.
const SMALL: usize = 1 << 10;

/// Whether what is made of these arguments is small for certain: where it is not, it has to count against a statement.
pub(super) fn is_small(function: LambdaFunction, arguments: &[Value]) -> bool {
    let is_short = |value: &Value| !matches!(value, Value::Text(text) if text.len() > SMALL);
    let Some((list, [Value::Text(text), captured @ ..])) = arguments.split_first() else { return true };
    if !is_short(list) || !captured.iter().all(is_short) {
        return false;
    }
    let Ok(lambda) = Lambda::read(text) else { return false };
    let is_plain = |node: &Node| !matches!(&node.kind, NodeKind::Call(function, _) if grows(*function));
    let of_list = function.kind == LambdaKind::Each || !lambda.result.carrier().is_text();
    of_list && lambda.nodes.iter().all(is_plain)
}

/// Whether what a function makes can be much longer than what it is given.
fn grows(function: Function) -> bool {
    use Function as F;
    matches!(
        function,
        F::Repeat | F::LeftPad | F::RightPad | F::Replace | F::Format | F::Text(_) | F::Pattern(_) | F::Lambda(_)
    ) || matches!(function, F::Array(ArrayFunction::Range { .. } | ArrayFunction::Fill | ArrayFunction::Join, _))
}

/// A lambda in the form in which it runs.
#[derive(Debug)]
struct Prepared {
    lambda: Lambda,
    /// Of each node the types of what it reads.
    types: Vec<Vec<DataType>>,
    /// Whether a node can differ from element to element.
    varies: Vec<bool>,
}

thread_local! {
    /// The last ones, by their text, the one that was used last in front.
    static KNOWN: RefCell<Vec<(Arc<str>, Rc<Prepared>)>> = const { RefCell::new(Vec::new()) };
}

impl Prepared {
    /// That of a text.
    fn of(text: &Arc<str>) -> Result<Rc<Prepared>> {
        let is_same = |known: &Arc<str>| Arc::ptr_eq(known, text) || **known == **text;
        let found = KNOWN.with_borrow_mut(|all| {
            let at = all.iter().position(|(known, _)| is_same(known))?;
            all[..=at].rotate_right(1);
            Some(Rc::clone(&all[0].1))
        });
        if let Some(found) = found {
            return Ok(found);
        }
        let made = Rc::new(Prepared::new(Lambda::read(text)?)?);
        KNOWN.with_borrow_mut(|all| {
            all.truncate(KNOWN_MAX - 1);
            all.insert(0, (Arc::clone(text), Rc::clone(&made)));
        });
        Ok(made)
    }

    fn new(lambda: Lambda) -> Result<Prepared> {
        let (mut types, mut varies) = (Vec::new(), Vec::<bool>::new());
        for (at, node) in lambda.nodes.iter().enumerate() {
            let reads: &[u32] = if let NodeKind::Call(_, arguments) = &node.kind { arguments } else { &[] };
            if reads.iter().any(|&argument| argument as usize >= at) {
                return Err(Error::internal("a lambda whose nodes are not in order"));
            }
            types.push(reads.iter().map(|&argument| lambda.nodes[argument as usize].data_type).collect());
            varies.push(match &node.kind {
                NodeKind::Captured(_) => false,
                NodeKind::Element | NodeKind::Index | NodeKind::Accumulator => true,
                NodeKind::Call(function, arguments) => {
                    function.is_volatile() || arguments.iter().any(|&argument| varies[argument as usize])
                }
            });
        }
        let is_node = |node: u32| (node as usize) < lambda.nodes.len();
        if !is_node(lambda.value) || !lambda.condition.is_none_or(is_node) {
            return Err(Error::internal("a lambda without its value"));
        }
        Ok(Prepared { lambda, types, varies })
    }
}

#[cfg(test)]
mod tests;
