//! Nodes of expressions as values in variables.

use super::Lowering;
use crate::column::Dictionary;
use crate::gpu::code::expression::{Binary, Expression};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::{Kind, Type};
use crate::gpu::columns::{Carried, DeviceColumn, Form, Valid};
use crate::gpu::driver::Argument;
use crate::gpu::stop::{Done, decline};
use crate::plan::nodes::Operation;
use crate::plan::register::Register;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    /// What it is, if it is not NULL; of text its code.
    pub(crate) value: Expression,
    /// Whether it is NULL.
    pub(crate) null: Expression,
    /// What the codes of text are of.
    pub(crate) dictionary: Option<Arc<Dictionary>>,
    /// Where text is that has no codes: then the value is the number of a row.
    pub(crate) carried: Option<Arc<Carried>>,
    /// Of a numeric how many of the value's digits stand behind the point.
    pub(crate) scale: Option<Expression>,
}

impl Scalar {
    /// A number or truth.
    pub(crate) fn new(value: Expression, null: Expression) -> Self {
        Scalar { value, null, dictionary: None, carried: None, scale: None }
    }

    /// The same of text: what is always NULL is of a dictionary without strings.
    pub(crate) fn of_text(mut self) -> Self {
        if self.null.known() == Some(true) && self.carried.is_none() {
            self.dictionary.get_or_insert_default();
        }
        self
    }

    /// Whether it is TRUE, rather than FALSE or NULL.
    pub(crate) fn is_true(&self) -> Expression {
        self.value.clone().and(self.null.clone().not())
    }

    /// Whether it is FALSE, rather than TRUE or NULL.
    pub(crate) fn is_false(&self) -> Expression {
        self.value.clone().not().and(self.null.clone().not())
    }
}

/// The type of a register's values; of text that of codes.
pub(crate) fn type_of(register: Register) -> Done<Type> {
    Ok(match register {
        Register::Bool => Type::Bool,
        Register::I32 => Type::I32,
        Register::I64 => Type::I64,
        Register::I128 => Type::I128,
        Register::F64 => Type::F64,
        Register::Text => Type::U32,
        Register::Interval => return decline("an interval"),
        Register::Vectors(_) => return decline("a vector"),
    })
}

impl Lowering<'_> {
    /// The value of a root.
    pub(crate) fn root(&mut self, scalar: multiloop_planner::multiloop::ScalarId) -> Done<Scalar> {
        self.node(self.task.of.expressions.number(scalar) as u32)
    }

    /// The value of a node, computed here unless it is known.
    pub(crate) fn node(&mut self, number: u32) -> Done<Scalar> {
        if let Some(known) = self.values.get(&number) {
            return Ok(known.clone());
        }
        let mut made = self.compute(number)?;
        if !self.node_at(number).nullable && !matches!(self.node_at(number).operation, Operation::Find { .. }) {
            made.null = Expression::truth(false);
        }
        let scale = made.scale.map(|scale| self.hold(scale));
        let made = Scalar { value: self.hold(made.value), null: self.hold(made.null), scale, ..made };
        self.values.insert(number, made.clone());
        self.scopes.last_mut().expect("a kernel has a scope").push(number);
        Ok(made)
    }

    fn compute(&mut self, number: u32) -> Done<Scalar> {
        let node = self.node_at(number);
        if let Some(made) = self.numeric(number)? {
            return Ok(made);
        }
        let of = type_of(node.register)?;
        match &node.operation {
            Operation::Column { index, field, .. } => {
                let row = self.rows[*index].clone();
                if let Some(groups) = self.groups_of(*index) {
                    return self.group_field(&groups, *field, row, of);
                }
                let column = self.column_of(*index, *field)?;
                let element = if *index == 0 { self.lane_of(&column) } else { None };
                let found = self.load_element(&column, row, element, of)?;
                Ok(self.unless_absent(*index, found))
            }
            Operation::Constant(value) => self.constant(value, of),
            Operation::Parameter(at) => {
                let value = self.inputs.parameters()[*at as usize].clone();
                self.constant(&value, of)
            }
            Operation::Single { collection, field } => {
                let value = self.inputs.rows(*collection)?.single(*field, node.data_type)?;
                self.constant(&value, of)
            }
            Operation::Call { function, arguments } => self.function(node, *function, arguments, of),
            Operation::Exists { collection, key } => self.exists(*collection, key),
            Operation::Find { collection, key } => self.found(*collection, key),
            Operation::Lookup { collection, rows, field } => self.lookup(*collection, *rows, *field, of),
            Operation::Element { .. } => decline("rows by their numbers"),
            Operation::Nested { .. } => decline("a block for each row"),
            Operation::Captured { .. } => decline("a row around the loop"),
        }
    }

    /// A value of the statement, as a parameter.
    pub(crate) fn constant(&mut self, value: &Value, of: Type) -> Done<Scalar> {
        let not_null = |value| Scalar::new(value, Expression::truth(false));
        Ok(match (value, of) {
            (Value::Null, Type::F64) => Scalar::new(Expression::number(0, of), Expression::truth(true)),
            (Value::Null, _) => Scalar::new(Expression::number(0, of), Expression::truth(true)),
            (Value::Boolean(truth), Type::Bool) => not_null(self.integer((*truth).into(), of)),
            (Value::Int(value), Type::I32 | Type::I64 | Type::I128) => not_null(self.integer((*value).into(), of)),
            (Value::Decimal(value), Type::I32 | Type::I64 | Type::I128) => not_null(self.integer(*value, of)),
            (Value::Float(value), Type::F64) => {
                not_null(self.parameter(Kind::Value(Type::F64), Argument::F64(*value)).get())
            }
            (Value::Text(_), _) => return decline("text that no dictionary has"),
            _ => return decline("a constant of another type"),
        })
    }

    /// The element at hand of a column of which a thread has some.
    fn lane_of(&self, column: &DeviceColumn) -> Option<Expression> {
        let lane = self.lane.clone()?;
        let (_, array) = self.lanes.iter().find(|(data, _)| Arc::ptr_eq(data, &column.data))?;
        let helper = match column.element.bytes() {
            1 => Helper::Lane8,
            2 => Helper::Lane16,
            4 => Helper::Lane32,
            _ => Helper::Lane64,
        };
        let words = array.address(Expression::number(0, Type::U32));
        let own = Expression::Call(helper, vec![words, lane]);
        Some(match column.element {
            Type::F64 => Expression::Call(Helper::FloatOfBits, vec![own]),
            element => own.cast(element),
        })
    }

    /// The value of a column in a row, as a type.
    pub(crate) fn load(&mut self, column: &DeviceColumn, row: Expression, of: Type) -> Done<Scalar> {
        self.load_element(column, row, None, of)
    }

    /// The same; the element may be known.
    fn load_element(
        &mut self,
        column: &DeviceColumn,
        row: Expression,
        known: Option<Expression>,
        of: Type,
    ) -> Done<Scalar> {
        let element = |to: &mut Self, row: Expression| match known {
            Some(known) => known,
            None => to.memory(column.element, &column.data).at(row),
        };
        let null = match &column.valid {
            Valid::Bits(valid) => {
                let bits = self.memory(Type::U8, valid);
                let at = row.clone().cast(Type::U64);
                let zero = Expression::number(0, Type::U64);
                Expression::Call(Helper::Bit, vec![bits.address(zero), at]).not()
            }
            Valid::Bytes(valid) => {
                let byte = self.memory(Type::U8, valid).at(row.clone());
                Expression::binary(Binary::Equal, byte, Expression::number(0, Type::U8))
            }
            Valid::All => Expression::truth(false),
        };
        let (value, dictionary) = match &column.form {
            Form::Bits if of == Type::Bool => {
                let bits = self.memory(Type::U8, &column.data);
                let zero = Expression::number(0, Type::U64);
                (Expression::Call(Helper::Bit, vec![bits.address(zero), row.cast(Type::U64)]), None)
            }
            Form::Bytes if of == Type::Bool => {
                let byte = element(self, row).cast(Type::U8);
                (Expression::binary(Binary::NotEqual, byte, Expression::number(0, Type::U8)), None)
            }
            Form::Floats if of == Type::F64 => (element(self, row), None),
            Form::Carried(carried) if of == Type::U32 => {
                let value = if column.element == Type::U32 { element(self, row) } else { row.cast(Type::U32) };
                return Ok(Scalar { carried: Some(Arc::clone(carried)), ..Scalar::new(value, null) });
            }
            Form::Codes(dictionary) if of == Type::U32 => {
                let code = element(self, row).cast(Type::U32);
                (code, Some(Arc::clone(dictionary)))
            }
            Form::Integers { base, step } if matches!(of, Type::I32 | Type::I64 | Type::I128) => {
                let element = element(self, row).cast(of);
                if matches!(column.element, Type::I64 | Type::I32 | Type::I128) {
                    return Ok(Scalar::new(element, null));
                }
                let scaled = match step {
                    1 => element,
                    step => {
                        let step = self.integer((*step).into(), of);
                        Expression::binary(Binary::Multiply, step, element)
                    }
                };
                let base = self.integer((*base).into(), of);
                (Expression::binary(Binary::Add, base, scaled), None)
            }
            // Of a column without rows the form is not known.
            _ if column.rows == 0 => {
                (Expression::number(0, of), (of == Type::U32).then(|| Arc::new(Dictionary::default())))
            }
            _ => return decline("a column in another form than its type"),
        };
        Ok(Scalar { dictionary, ..Scalar::new(value, null) })
    }
}
