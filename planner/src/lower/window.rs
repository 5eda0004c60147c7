//! Windows and recursion.
//!
//! A window's rows are collected with all that it partitions by, orders by and takes, since its let names fields. A FILTER
//! becomes part of the argument, which is NULL where it does not pass: all aggregates leave NULLs out. What is no reduction
//! is computed of the added fields behind it.

use super::aggregate::Final;
use super::{Lowerer, Rows};
use crate::error::Result;
use crate::function::Function;
use crate::multiloop::{
    Aggregate, Enough, Generator, Let, Reduction, RowBound, ScalarId, Shape, WindowCallee as Callee, WindowField,
};
use crate::relation::{ColumnId, CteId, Expression, Relation, SortKey, WindowCall, WindowCallee};
use crate::types::{DataType, Field};
use crate::value::Value;
use crate::window::Frame;
use std::sync::Arc;

/// The rows that a window goes over, while they are put together.
struct Windowed {
    fields: Vec<Field>,
    values: Vec<ScalarId>,
    functions: Vec<WindowField>,
}

impl Lowerer<'_> {
    pub(super) fn window(
        &mut self,
        input: &Rows,
        partition: &[Expression],
        order: &[SortKey],
        calls: &[(ColumnId, WindowCall)],
    ) -> Result<Rows> {
        let index = self.open_rows(input);
        let own = self.values(&input.columns)?;
        let fields = self.fields(&own);
        let values = own.iter().map(|(_, value)| *value).collect();
        let mut rows = Windowed { fields, values, functions: Vec::new() };
        let mut keys = Vec::with_capacity(partition.len());
        for key in partition {
            let key = self.expression(key)?;
            let key = self.as_key(key);
            keys.push(self.field_of(&mut rows, key, "partition"));
        }
        let mut by = Vec::with_capacity(order.len());
        for key in order {
            let scalar = self.expression(&key.expression)?;
            let scalar = self.as_key(scalar);
            by.push((self.field_of(&mut rows, scalar, "order"), key.order));
        }
        let mut finals = Vec::with_capacity(calls.len());
        for (column, call) in calls {
            finals.push((*column, self.window_call(&mut rows, call)?));
        }
        self.close(1);
        let Windowed { mut fields, values, functions } = rows;
        let collect = Generator::Collect { condition: Vec::new(), value: values };
        let collected = self.add_loop(vec![index], collect, fields.clone(), Shape::Rows);
        let first = fields.len() as u32;
        for (function, number) in functions.iter().zip(0..) {
            let named = finals
                .iter()
                .find(|(_, (found, places))| matches!(found, Final::Field(at) if places[*at as usize] == number));
            let name = match named {
                Some((column, _)) => self.query.columns.get(*column).name.clone(),
                None => format!("part{number}"),
            };
            fields.push(Field::new(name, function.data_type, function.is_nullable()));
        }
        let define = self.program.add_collection(fields, Shape::Rows);
        self.add(Let::Window { define, input: collected, partition: keys, order: by, functions });
        self.finish_window((define, first), &own, finals)
    }

    /// The columns of the input and those that come from the added fields, of which `first` is the first.
    fn finish_window(
        &mut self,
        (define, first): (crate::multiloop::CollectionId, u32),
        own: &[(ColumnId, ScalarId)],
        finals: Vec<(ColumnId, (Final, Vec<u32>))>,
    ) -> Result<Rows> {
        let mut columns: Vec<(ColumnId, u32)> = own.iter().map(|(column, _)| *column).zip(0..).collect();
        let plain = finals.iter().map(|(column, (found, places))| match found {
            Final::Field(at) => Some((*column, first + places[*at as usize])),
            _ => None,
        });
        if let Some(plain) = plain.collect::<Option<Vec<_>>>() {
            columns.extend(plain);
            return Ok(Rows { collection: define, columns });
        }
        let index = self.open_rows(&Rows { collection: define, columns: columns.clone() });
        let row = index.id;
        let mut values = self.values(&columns)?;
        for (column, (found, places)) in finals {
            values.extend(self.finish_aggregates(&[(column, found)], &mut |this, field| {
                let field = first + places[field as usize];
                let data_type = this.program.collection(define).fields[field as usize].data_type;
                this.program.scalars.column(row, field, data_type)
            }));
        }
        self.close(1);
        Ok(self.add_collect(vec![index], Vec::new(), &values))
    }

    /// The functions of a call, added unless they are there: how its value comes of them, and their places among all.
    fn window_call(&mut self, rows: &mut Windowed, call: &WindowCall) -> Result<(Final, Vec<u32>)> {
        let mut places = Vec::new();
        let mut bounds = Vec::with_capacity(call.bounds.len());
        for bound in &call.bounds {
            let bound = self.expression(bound)?;
            bounds.push(self.field_of(rows, bound, "bound"));
        }
        let found = match &call.callee {
            WindowCallee::Function(function, arguments, data_type) => {
                let mut fields = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let argument = self.expression(argument)?;
                    fields.push(self.field_of(rows, argument, "argument"));
                }
                fields.extend_from_slice(&bounds);
                let function = Callee::Function(*function);
                places.push(rows.add(function, fields, call.frame, data_type.carrier()));
                Final::Field(0)
            }
            WindowCallee::Aggregate(aggregate) => {
                let mut aggregates = Vec::new();
                let found = self.expand(aggregate, &mut aggregates)?;
                for aggregate in aggregates {
                    let data_type = aggregate.data_type;
                    let (reduction, argument) = self.filtered(aggregate);
                    let fields = argument.map(|argument| self.field_of(rows, argument, "argument"));
                    let fields = fields.into_iter().chain(bounds.iter().copied()).collect();
                    places.push(rows.add(Callee::Aggregate(reduction), fields, call.frame, data_type));
                }
                found
            }
        };
        Ok((found, places))
    }

    /// The reduction and its argument, with the condition in it.
    fn filtered(&mut self, aggregate: Aggregate) -> (Reduction, Option<ScalarId>) {
        let Aggregate { reduction, arguments, condition, .. } = aggregate;
        let argument = arguments.first().copied();
        let condition = match condition[..] {
            [] => return (reduction, argument),
            [only] => only,
            _ => self.program.scalars.call(Function::And, condition, DataType::Boolean),
        };
        let reduction = if reduction == Reduction::CountRows { Reduction::Count } else { reduction };
        let value = argument.unwrap_or_else(|| self.program.scalars.constant(Value::Boolean(true), DataType::Boolean));
        let data_type = self.program.scalars.data_type(value);
        let otherwise = self.program.scalars.constant(Value::Null, data_type);
        let argument = self.program.scalars.call(Function::Case, vec![condition, value, otherwise], data_type);
        (reduction, Some(argument))
    }

    /// The field that a scalar has, added unless it is there.
    fn field_of(&mut self, rows: &mut Windowed, scalar: ScalarId, name: &str) -> u32 {
        let volatile = self.program.scalars.effects(scalar).volatile;
        if let Some(known) = rows.values.iter().position(|value| *value == scalar && !volatile) {
            return known as u32;
        }
        let nullable = self.nullability.scalar(&self.program, scalar);
        rows.fields.push(Field::new(name, self.program.scalars.data_type(scalar), nullable));
        rows.values.push(scalar);
        (rows.values.len() - 1) as u32
    }

    /// A seed and the rounds over what it leads to.
    pub(super) fn recursive(
        &mut self,
        (cte, all, enough, last): (CteId, bool, Option<Enough>, Option<RowBound>),
        columns: &[ColumnId],
        seed: &(Arc<Relation>, Vec<ColumnId>),
        step: &(Arc<Relation>, Vec<ColumnId>),
    ) -> Result<Rows> {
        let seed = self.arranged(seed, columns)?.collection;
        let field = |id: &ColumnId| {
            let column = self.query.columns.get(*id);
            Field::new(column.name.clone(), column.data_type.carrier(), true)
        };
        let fields: Vec<Field> = columns.iter().map(field).collect();
        let working = self.program.add_collection(fields.clone(), Shape::Rows);
        let step = self.in_block(|this| {
            this.ctes.insert(cte, (this.around.len(), Rows::in_order(working, columns.iter().copied())));
            Ok(this.arranged(step, columns)?.collection)
        })?;
        let define = self.program.add_collection(fields, Shape::Rows);
        self.add(Let::Iterate { define, seed, working, step, distinct: !all, enough, last });
        Ok(Rows::in_order(define, columns.iter().copied()))
    }
}

impl Windowed {
    /// The place of a function among all, added unless it is there.
    fn add(&mut self, function: Callee, arguments: Vec<u32>, frame: Frame, data_type: DataType) -> u32 {
        let field = WindowField { function, arguments, frame, data_type };
        let known = self.functions.iter().position(|other| *other == field);
        known.unwrap_or_else(|| {
            self.functions.push(field);
            self.functions.len() - 1
        }) as u32
    }
}
