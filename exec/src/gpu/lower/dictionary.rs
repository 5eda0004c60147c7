//! What is computed of one text is computed once for each string of its dictionary, on the host, and read by code: comparisons with
//! constants, LIKE, and also texts of texts, which have a dictionary of their own.

use super::Lowering;
use super::scalars::Scalar;
use crate::column::Dictionary;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::types::Type;
use crate::gpu::driver::{Buffer, bytes_of};
use crate::gpu::stop::{Done, Stop, decline};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::{Error, Result};
use multiloop_planner::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Strings of a dictionary for which something is computed, at most.
const STRINGS_MAX: usize = 1 << 20;

/// Arrays that are kept, at most.
const TABLES_MAX: usize = 256;

/// What was computed of the strings of a dictionary, by code, and behind these of NULL.
#[derive(Debug)]
pub(crate) struct TextTable {
    data: Arc<Buffer>,
    nulls: Option<Arc<Buffer>>,
    /// What codes are of, if texts were computed.
    dictionary: Option<Arc<Dictionary>>,
}

/// Arrays of dictionaries that are still there, by what was computed.
#[derive(Debug, Default)]
pub(crate) struct Texts(Mutex<Vec<KnownText>>);

/// A dictionary, what was computed of its strings, and the array.
type KnownText = (Weak<Dictionary>, String, Arc<TextTable>);

impl Texts {
    fn get(&self, dictionary: &Arc<Dictionary>, what: &str) -> Option<Arc<TextTable>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |of: &Weak<Dictionary>| std::ptr::eq(of.as_ptr(), Arc::as_ptr(dictionary));
        kept.iter().find(|(of, known, _)| is_it(of) && known == what).map(|(_, _, table)| Arc::clone(table))
    }

    fn put(&self, dictionary: &Arc<Dictionary>, what: String, table: &Arc<TextTable>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, _, _)| of.strong_count() > 0);
        if kept.len() >= TABLES_MAX {
            kept.remove(0);
        }
        kept.push((Arc::downgrade(dictionary), what, Arc::clone(table)));
    }
}

impl Lowering<'_> {
    /// The value of a call that reads one text and nothing else, by the text's code.
    pub(super) fn over_dictionary(
        &mut self,
        node: &Node,
        function: Function,
        arguments: &[u32],
        of: Type,
    ) -> Done<Option<Scalar>> {
        let Some(leaf) = self.only_text(arguments) else { return Ok(None) };
        if node.volatile {
            return decline("what differs from row to row");
        }
        let text = self.node(leaf)?;
        let Some(dictionary) = text.dictionary.clone() else { return Ok(None) };
        if dictionary.len() > STRINGS_MAX {
            return decline("a dictionary of many strings");
        }
        let mut what = format!("{of:?} {:?} {function:?}", node.data_type);
        arguments.iter().for_each(|&argument| self.describe(argument, leaf, &mut what));
        let table = match self.device.texts.get(&dictionary, &what) {
            Some(table) => table,
            None => {
                let values = self.by_string(node, function, arguments, (leaf, &dictionary))?;
                let table = Arc::new(self.make_table(node, &values, of)?);
                self.device.texts.put(&dictionary, what, &table);
                table
            }
        };
        let at = match text.null.known() {
            Some(false) => text.value.clone(),
            _ => {
                // How many strings there are is no matter of sources.
                let behind = self.number(dictionary.len() as u32);
                Expression::select(text.null.clone(), behind, text.value.clone())
            }
        };
        let at = self.hold(at);
        Ok(Some(self.read_table(&table, at, of)))
    }

    /// What a node computes of a text, as a text of which two are alike if they compute the same.
    fn describe(&self, number: u32, leaf: u32, what: &mut String) {
        let node = self.node_at(number);
        match &node.operation {
            _ if number == leaf => what.push_str(" it"),
            Operation::Constant(value) => what.push_str(&format!(" {value:?}")),
            Operation::Parameter(at) => what.push_str(&format!(" {:?}", self.inputs.parameters()[*at as usize])),
            Operation::Call { function, arguments } => {
                what.push_str(&format!(" {:?} {function:?}(", node.data_type));
                arguments.iter().for_each(|&argument| self.describe(argument, leaf, what));
                what.push(')');
            }
            other => what.push_str(&format!(" {other:?}")),
        }
    }

    /// The one node that is no constant and from which all others of these come; it is text.
    fn only_text(&self, arguments: &[u32]) -> Option<u32> {
        let mut rest = arguments.to_vec();
        let mut leaf = None;
        while let Some(number) = rest.pop() {
            match &self.node_at(number).operation {
                Operation::Constant(_) | Operation::Parameter(_) => {}
                Operation::Call { arguments, .. } => rest.extend(arguments),
                Operation::Column { .. } | Operation::Lookup { .. } => {
                    if self.node_at(number).register != Register::Text || leaf.is_some_and(|leaf| leaf != number) {
                        return None;
                    }
                    leaf = Some(number);
                }
                _ => return None,
            }
        }
        leaf
    }

    /// The values for each string, and behind these for NULL.
    fn by_string(
        &self,
        node: &Node,
        function: Function,
        arguments: &[u32],
        (leaf, dictionary): (u32, &Dictionary),
    ) -> Done<Vec<Value>> {
        let texts = (0..dictionary.len()).map(|code| Value::text(dictionary.get(code as u32))).chain([Value::Null]);
        let mut values = Vec::with_capacity(dictionary.len() + 1);
        for (at, text) in texts.enumerate() {
            if at % 256 == 0 {
                self.inputs.context().check()?;
            }
            match self.value_of_call(function, arguments, node.data_type, (leaf, &text)) {
                Ok(value) => values.push(value),
                Err(error) if !error.kind().is_of_any_plan() => return decline("a string of which it fails"),
                Err(error) => return Err(Stop::Failed(error)),
            }
        }
        Ok(values)
    }

    pub(super) fn value_of(&self, number: u32, known: (u32, &Value)) -> Result<Value> {
        let node = self.node_at(number);
        if number == known.0 {
            return Ok(known.1.clone());
        }
        match &node.operation {
            Operation::Constant(value) => Ok(value.clone()),
            Operation::Parameter(at) => Ok(self.inputs.parameters()[*at as usize].clone()),
            Operation::Call { function, arguments } => self.value_of_call(*function, arguments, node.data_type, known),
            _ => Err(Error::internal("another leaf than the text")),
        }
    }

    fn value_of_call(
        &self,
        function: Function,
        arguments: &[u32],
        result: DataType,
        known: (u32, &Value),
    ) -> Result<Value> {
        let value = |argument: u32| self.value_of(argument, known);
        match function {
            Function::And | Function::Or => {
                let decisive = function == Function::Or;
                let mut unknown = false;
                for &argument in arguments {
                    match value(argument)? {
                        Value::Boolean(truth) if truth == decisive => return Ok(Value::Boolean(decisive)),
                        other => unknown |= other.is_null(),
                    }
                }
                Ok(if unknown { Value::Null } else { Value::Boolean(!decisive) })
            }
            Function::Case => {
                let (&otherwise, branches) =
                    arguments.split_last().ok_or_else(|| Error::internal("a CASE without ELSE"))?;
                for branch in branches.chunks_exact(2) {
                    if value(branch[0])?.is_true() {
                        return value(branch[1]);
                    }
                }
                value(otherwise)
            }
            Function::Coalesce => {
                for &argument in arguments {
                    let found = value(argument)?;
                    if !found.is_null() {
                        return Ok(found);
                    }
                }
                Ok(Value::Null)
            }
            _ => {
                let types: Vec<DataType> = arguments.iter().map(|&argument| self.node_at(argument).data_type).collect();
                let values = arguments.iter().map(|&argument| value(argument)).collect::<Result<Vec<_>>>()?;
                evaluate::evaluate(function, &values, &types, result)
            }
        }
    }

    /// An array of values.
    fn make_table(&self, node: &Node, values: &[Value], of: Type) -> Done<TextTable> {
        let driver = &self.device.driver;
        let (data, dictionary): (Vec<u8>, _) = match (of, node.register) {
            (Type::Bool, _) => (values.iter().map(|value| value.is_true().into()).collect(), None),
            (Type::I32 | Type::I64, _) => {
                let number = |value: &Value| match value {
                    Value::Int(value) => *value,
                    Value::Decimal(value) => *value as i64,
                    _ => 0,
                };
                (bytes_of(&values.iter().map(number).collect::<Vec<i64>>(), i64::to_le_bytes), None)
            }
            (Type::U32, Register::Text) if node.data_type.is_text() => {
                let text = |value: &Value| if let Value::Text(text) = value { Some(Arc::clone(text)) } else { None };
                let mut texts: Vec<Arc<str>> = values.iter().filter_map(text).collect();
                texts.sort_unstable();
                texts.dedup();
                let code = |value: &Value| {
                    let text = text(value)?;
                    Some(texts.binary_search(&text).expect("every text is among them") as u32)
                };
                let codes: Vec<u32> = values.iter().map(|value| code(value).unwrap_or(0)).collect();
                let dictionary = Arc::new(Dictionary::new(texts.iter().map(|text| &**text)));
                (bytes_of(&codes, u32::to_le_bytes), Some(dictionary))
            }
            _ => return decline(format!("{} of text", node.data_type)),
        };
        let data = Buffer::of(driver, &data)?;
        let nulls = match values.iter().any(Value::is_null) {
            true => {
                let nulls: Vec<u8> = values.iter().map(|value| value.is_null().into()).collect();
                Some(Buffer::of(driver, &nulls)?)
            }
            false => None,
        };
        Ok(TextTable { data, nulls, dictionary })
    }

    /// What an array has at a place.
    fn read_table(&mut self, table: &TextTable, at: Expression, of: Type) -> Scalar {
        let element = match of {
            Type::Bool => Type::U8,
            Type::U32 => Type::U32,
            _ => Type::I64,
        };
        let value = self.memory(element, &table.data).at(at.clone());
        let value = match of {
            Type::Bool => Expression::binary(Binary::NotEqual, value, Expression::number(0, Type::U8)),
            other => value.cast(other),
        };
        let null = match &table.nulls {
            Some(nulls) => {
                let is_null = self.memory(Type::U8, nulls).at(at);
                Expression::binary(Binary::NotEqual, is_null, Expression::number(0, Type::U8))
            }
            None => Expression::truth(false),
        };
        Scalar { dictionary: table.dictionary.clone(), ..Scalar::new(value, null) }
    }
}
