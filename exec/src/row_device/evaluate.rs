//! Nodes: the value of one where all indices stand.

use super::data::Row;
use super::nest::{Cursor, Rows};
use crate::plan::nodes::Operation;
use crate::plan::tree::LoopPlan;
use crate::{Error, Result};
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::ScalarId;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

impl Rows<'_> {
    /// The value of a scalar of a loop.
    pub(super) fn scalar(&mut self, of: &LoopPlan, scalar: ScalarId) -> Result<Value> {
        self.node(of, of.expressions.number(scalar) as u32)
    }

    /// The values of some.
    pub(super) fn row(&mut self, of: &LoopPlan, scalars: &[ScalarId]) -> Result<Row> {
        scalars.iter().map(|&scalar| self.scalar(of, scalar)).collect()
    }

    /// Whether all conditions are TRUE; those behind one that is not are not evaluated.
    pub(super) fn passes(&mut self, of: &LoopPlan, conditions: &[ScalarId]) -> Result<bool> {
        for &condition in conditions {
            if !self.scalar(of, condition)?.is_true() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The key to look for, of its parts and whether NULL finds NULL; none if a part is NULL that finds nothing.
    pub(super) fn key(&mut self, of: &LoopPlan, parts: &[(u32, bool)]) -> Result<Option<Row>> {
        let mut key = Row::with_capacity(parts.len());
        for &(part, null_matches) in parts {
            let value = self.node(of, part)?;
            if value.is_null() && !null_matches {
                return Ok(None);
            }
            key.push(value.group_key());
        }
        Ok(Some(key))
    }

    fn node(&mut self, of: &LoopPlan, number: u32) -> Result<Value> {
        let node = &of.expressions.nodes[number as usize];
        Ok(match &node.operation {
            Operation::Column { index, field, .. } => match &self.cursors[*index] {
                Cursor::Row(data, row) => data.value(*row, *field, node.data_type),
                Cursor::Member(data, at) => data.member(*at, *field, node.data_type),
                Cursor::Nothing => Value::Null,
                Cursor::Number(number) => Value::Int(*number),
                Cursor::Nowhere => return Err(Error::internal("a row is read before there is one")),
            },
            Operation::Constant(value) => value.clone(),
            Operation::Parameter(number) => self.inputs.parameters()[*number as usize].clone(),
            Operation::Call { function, arguments } => {
                self.call(of, *function, arguments, node.data_type).map_err(|error| error.at(node.position))?
            }
            // Numbers of rows are bits of 32; none is a row of its own.
            Operation::Find { collection, key } => {
                let data = self.data(*collection)?;
                let found = self.key(of, key)?.and_then(|key| data.find(&key));
                found.map_or(Value::Null, |row| Value::Int(row as i64))
            }
            Operation::Lookup { collection, rows, field } => {
                let data = self.data(*collection)?;
                match self.node(of, *rows)? {
                    Value::Int(row) => data.value(row as usize, *field, node.data_type),
                    _ => data.empty(*field),
                }
            }
            Operation::Exists { collection, key } => {
                let data = self.data(*collection)?;
                Value::Boolean(self.key(of, key)?.is_some_and(|key| data.find(&key).is_some()))
            }
            Operation::Element { collection, rows, field } => {
                let data = self.data(*collection)?;
                match self.node(of, *rows)? {
                    Value::Int(row) => data.value(row as usize, *field, node.data_type),
                    _ => Value::Null,
                }
            }
            Operation::Single { collection, field } => self.data(*collection)?.value(0, *field, node.data_type),
            Operation::Captured { .. } | Operation::Nested { .. } => {
                return Err(Error::internal("a loop that reads rows around it"));
            }
        })
    }

    fn call(&mut self, of: &LoopPlan, function: Function, arguments: &[u32], result: DataType) -> Result<Value> {
        match function {
            Function::And => return self.connect(of, arguments, false),
            Function::Or => return self.connect(of, arguments, true),
            Function::Case => {
                let (branches, otherwise) = arguments.split_at(arguments.len() - 1);
                for branch in branches.chunks_exact(2) {
                    if self.node(of, branch[0])?.is_true() {
                        return self.node(of, branch[1]);
                    }
                }
                return self.node(of, otherwise[0]);
            }
            Function::Coalesce => {
                for &argument in arguments {
                    let value = self.node(of, argument)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                return Ok(Value::Null);
            }
            _ => {}
        }
        let nodes = &of.expressions.nodes;
        let types: Vec<DataType> = arguments.iter().map(|&argument| nodes[argument as usize].data_type).collect();
        let values = arguments.iter().map(|&argument| self.node(of, argument)).collect::<Result<Row>>()?;
        evaluate(function, &values, &types, result)
    }

    /// AND, which FALSE decides, or OR, which TRUE decides: what is behind the deciding argument is not evaluated.
    fn connect(&mut self, of: &LoopPlan, arguments: &[u32], decisive: bool) -> Result<Value> {
        let mut unknown = false;
        for &argument in arguments {
            match self.node(of, argument)? {
                Value::Boolean(value) if value == decisive => return Ok(Value::Boolean(decisive)),
                value => unknown |= value.is_null(),
            }
        }
        Ok(if unknown { Value::Null } else { Value::Boolean(!decisive) })
    }
}
