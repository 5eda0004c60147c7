//! GROUP BY: rows are put into buckets by key, and a nested loop reduces each bucket.
//!
//! Aggregates that are no monoids are computed from ones that are: an average is `sum / count` (NULL where the
//! sum is: of no rows), a deviation the root of a variance; `bool_and` is the smallest boolean, `bool_or` the
//! largest.

use super::{Lowerer, Rows};
use crate::error::{Error, Result};
use crate::function::{Function, VectorFunction};
use crate::multiloop::{Aggregate, CollectionId, Generator, KeyPart, Reduction, ScalarId, Shape, Source};
use crate::relation::effects::average_sum_type;
use crate::relation::{AggregateCall, AggregateFunction, ColumnId, Expression};
use crate::types::{DataType, Field};
use crate::value::Value;

/// How an aggregate call's value comes from reduced fields.
#[derive(Clone, Copy, Debug)]
pub(super) enum Final {
    /// It is this field.
    Field(u32),
    /// `sum / count` in a type.
    Average { sum: u32, count: u32, data_type: DataType },
    /// A sum of numerics that were told apart without their zeros, with the most digits that any of them shows; divided
    /// by the count, if there is one.
    Shown { sum: u32, scale: u32, count: Option<u32> },
    /// The variance in this field, its root if `root`, in a type.
    Spread { variance: u32, root: bool, data_type: DataType },
}

impl Lowerer<'_> {
    pub(super) fn aggregate(
        &mut self,
        input: &Rows,
        keys: &[(ColumnId, Expression)],
        aggregates: &[(ColumnId, AggregateCall)],
    ) -> Result<Rows> {
        if keys.is_empty() {
            return self.aggregate_all(input, aggregates);
        }
        if aggregates.is_empty() {
            return self.group_keys(input, keys);
        }
        let shown = shown_numerics(keys);
        let index = self.open_rows(input);
        let mut key = Vec::with_capacity(keys.len());
        for (column, expression) in keys {
            let scalar = self.expression(expression)?;
            key.push((*column, self.as_key(scalar)));
        }
        let values = self.values(&input.columns)?;
        self.close(1);
        let (fields, members) = (self.fields(&key), self.fields(&values));
        let generator = Generator::BucketCollect {
            condition: Vec::new(),
            key: key.iter().map(|(_, scalar)| *scalar).collect(),
            value: values.iter().map(|(_, scalar)| *scalar).collect(),
        };
        let buckets = self.add_loop(vec![index], generator, fields, Shape::Buckets { members });

        let groups = Rows::in_order(buckets, keys.iter().map(|(column, _)| *column));
        let group = self.open_rows(&groups);
        let mut values = self.values(&groups.columns)?;
        let key = values.iter().map(|&(_, scalar)| KeyPart { scalar, null_matches: true }).collect();
        let members: Vec<(ColumnId, u32)> =
            input.columns.iter().zip(0..).map(|((column, _), position)| (*column, position)).collect();
        let aggregates = [aggregates, &shown].concat();
        values.retain(|(column, _)| !shown.iter().any(|(numeric, _)| numeric == column));
        let mut finals = Vec::new();
        let block = self.in_block(|this| {
            let source = Source::Bucket { collection: buckets, key };
            let (collection, found) = this.reduce_over(source, &members, &aggregates)?;
            finals = found;
            Ok(collection)
        })?;
        values.extend(self.finish_aggregates(&finals, &mut |this, field| this.program.nested(block, field)));
        self.close(1);
        Ok(self.add_collect(vec![group], Vec::new(), &values))
    }

    /// Groups that nothing is computed of: a DISTINCT over the keys.
    fn group_keys(&mut self, input: &Rows, keys: &[(ColumnId, Expression)]) -> Result<Rows> {
        let index = self.open_rows(input);
        let mut values = Vec::with_capacity(keys.len());
        for (column, expression) in keys {
            values.push((*column, self.expression(expression)?));
        }
        self.close(1);
        let keys_only = self.add_collect(vec![index], Vec::new(), &values);
        self.distinct(&keys_only)
    }

    fn aggregate_all(&mut self, input: &Rows, aggregates: &[(ColumnId, AggregateCall)]) -> Result<Rows> {
        let (collection, finals) = self.reduce(input, aggregates)?;
        let fields: Option<Vec<(ColumnId, u32)>> = finals
            .iter()
            .map(|(column, found)| if let Final::Field(field) = found { Some((*column, *field)) } else { None })
            .collect();
        if let Some(columns) = fields {
            return Ok(Rows { collection, columns });
        }
        let index = self.open(Source::Rows(collection), &[]);
        let row = index.id;
        let values = self.finish_aggregates(&finals, &mut |this, field| {
            let data_type = this.program.collection(collection).fields[field as usize].data_type;
            this.program.scalars.column(row, field, data_type)
        });
        self.close(1);
        Ok(self.add_collect(vec![index], Vec::new(), &values))
    }

    /// Reduces all rows to one; and how the columns come from its fields.
    pub(super) fn reduce(
        &mut self,
        input: &Rows,
        aggregates: &[(ColumnId, AggregateCall)],
    ) -> Result<(CollectionId, Vec<(ColumnId, Final)>)> {
        self.reduce_over(Source::Rows(input.collection), &input.columns, aggregates)
    }

    fn reduce_over(
        &mut self,
        source: Source,
        columns: &[(ColumnId, u32)],
        calls: &[(ColumnId, AggregateCall)],
    ) -> Result<(CollectionId, Vec<(ColumnId, Final)>)> {
        let index = self.open(source, columns);
        let mut aggregates: Vec<Aggregate> = Vec::new();
        let mut finals = Vec::with_capacity(calls.len());
        for (column, call) in calls {
            finals.push((*column, self.expand(call, &mut aggregates)?));
        }
        self.close(1);
        let mut fields = Vec::with_capacity(aggregates.len());
        for (position, aggregate) in aggregates.iter().enumerate() {
            let nullable = self.nullability.aggregate(&self.program, aggregate, false);
            let named = finals.iter().find(|(_, last)| matches!(last, Final::Field(at) if *at as usize == position));
            let name = match named {
                Some((column, _)) => self.query.columns.get(*column).name.clone(),
                None => format!("part{position}"),
            };
            fields.push(Field::new(name, aggregate.data_type, nullable));
        }
        let generator = Generator::Reduce { condition: Vec::new(), aggregates };
        let collection = self.add_loop(vec![index], generator, fields, Shape::Single);
        Ok((collection, finals))
    }

    /// The monoids of an aggregate call, added unless they are there.
    pub(super) fn expand(&mut self, call: &AggregateCall, aggregates: &mut Vec<Aggregate>) -> Result<Final> {
        let argument = call.argument.as_ref().map(|argument| self.expression(argument)).transpose()?;
        // What cannot be NULL is counted by counting rows, which may be counted already.
        let counts_rows =
            !call.distinct && argument.is_some_and(|argument| !self.nullability.scalar(&self.program, argument));
        let condition = call.filter.as_ref().map(|filter| self.conjuncts(filter)).transpose()?.unwrap_or_default();
        // Numerics are told apart by their keys, and counted so; those of a sum lose the zeros that tell equal ones apart.
        let mut shown = None;
        let argument = match argument {
            Some(argument) if call.distinct && self.program.scalars.data_type(argument) == DataType::Numeric => {
                Some(if call.function == AggregateFunction::Count {
                    self.as_key(argument)
                } else {
                    shown = Some(self.program.scalars.call(Function::Scale, vec![argument], DataType::Integer));
                    self.program.scalars.call(Function::TrimScale, vec![argument], DataType::Numeric)
                })
            }
            argument => argument,
        };
        let shown = shown.filter(|_| matches!(call.function, AggregateFunction::Sum | AggregateFunction::Average));
        let Some(argument) = argument else {
            if call.function != AggregateFunction::CountRows {
                return Err(Error::internal("an aggregate without its argument"));
            }
            let aggregate =
                Aggregate { condition, ..Aggregate::new(Reduction::CountRows, Vec::new(), DataType::BigInt) };
            return Ok(Final::Field(position_of(aggregate, aggregates)));
        };
        let mut add = |reduction: Reduction, data_type: DataType, distinct: bool| {
            let reduction = if reduction == Reduction::Count && counts_rows { Reduction::CountRows } else { reduction };
            let arguments = if reduction == Reduction::CountRows { Vec::new() } else { vec![argument] };
            let aggregate = Aggregate { reduction, arguments, condition: condition.clone(), distinct, data_type };
            position_of(aggregate, aggregates)
        };
        use AggregateFunction as A;
        let data_type = call.data_type.carrier();
        if let Some(shown) = shown {
            let sum = add(Reduction::Sum, DataType::Numeric, true);
            let count = (call.function == A::Average).then(|| add(Reduction::Count, DataType::BigInt, true));
            let largest = Aggregate::new(Reduction::Max, vec![shown], DataType::Integer);
            let scale = position_of(Aggregate { condition, ..largest }, aggregates);
            return Ok(Final::Shown { sum, scale, count });
        }
        Ok(match call.function {
            A::CountRows => Final::Field(add(Reduction::CountRows, DataType::BigInt, false)),
            A::Count => Final::Field(add(Reduction::Count, DataType::BigInt, call.distinct)),
            A::Sum => Final::Field(add(Reduction::Sum, data_type, call.distinct)),
            // Equal arguments change nothing in an extreme.
            A::Min | A::BoolAnd => Final::Field(add(Reduction::Min, data_type, false)),
            A::Max | A::BoolOr => Final::Field(add(Reduction::Max, data_type, false)),
            A::Gather(how) => Final::Field(add(Reduction::Gather(how), data_type, false)),
            A::Statistic(kind) => Final::Field(add(Reduction::Statistic(kind), data_type, call.distinct)),
            A::Average => {
                let sum_type = average_sum_type(self.program.scalars.data_type(argument));
                let sum = add(Reduction::Sum, sum_type, call.distinct);
                let count = add(Reduction::Count, DataType::BigInt, call.distinct);
                Final::Average { sum, count, data_type }
            }
            A::VarianceSample | A::StddevSample | A::VariancePopulation | A::StddevPopulation => {
                let sample = matches!(call.function, A::VarianceSample | A::StddevSample);
                let variance = add(Reduction::Variance { sample }, data_type, call.distinct);
                let root = matches!(call.function, A::StddevSample | A::StddevPopulation);
                Final::Spread { variance, root, data_type }
            }
        })
    }

    /// The values of aggregate calls, given how to read a reduced field.
    pub(super) fn finish_aggregates(
        &mut self,
        finals: &[(ColumnId, Final)],
        field: &mut dyn FnMut(&mut Self, u32) -> ScalarId,
    ) -> Vec<(ColumnId, ScalarId)> {
        let mut values = Vec::with_capacity(finals.len());
        for &(column, found) in finals {
            let value = match found {
                Final::Field(position) => field(self, position),
                Final::Average { sum, count, data_type } => {
                    let (sum, count) = (field(self, sum), field(self, count));
                    self.quotient(sum, count, data_type)
                }
                Final::Shown { sum, scale, count } => {
                    let (sum, scale) = (field(self, sum), field(self, scale));
                    let shown = self.shown_with(sum, scale);
                    match count {
                        Some(count) => {
                            let count = field(self, count);
                            self.quotient(shown, count, DataType::Numeric)
                        }
                        None => shown,
                    }
                }
                Final::Spread { variance, root, data_type } => {
                    let mut value = field(self, variance);
                    if root && data_type == DataType::Numeric {
                        value = self.program.scalars.call(Function::DeviationOf, vec![value], data_type);
                    } else if root {
                        value = self.program.scalars.call(Function::SquareRoot, vec![value], DataType::Double);
                    }
                    self.cast(value, data_type)
                }
            };
            values.push((column, value));
        }
        values
    }

    /// A numeric with so many digits behind the point; where there is no such number, as it is.
    fn shown_with(&mut self, number: ScalarId, scale: ScalarId) -> ScalarId {
        let zero = self.program.scalars.constant(Value::Int(0), DataType::Integer);
        let scale = self.program.scalars.call(Function::Coalesce, vec![scale, zero], DataType::Integer);
        self.program.scalars.call(Function::Round, vec![number, scale], DataType::Numeric)
    }

    /// `sum / count`. Without rows the sum is NULL, and so is the quotient.
    fn quotient(&mut self, sum: ScalarId, count: ScalarId, data_type: DataType) -> ScalarId {
        let sum_type = self.program.scalars.data_type(sum);
        if data_type == DataType::Numeric {
            return self.program.scalars.call(Function::Average, vec![sum, count], data_type);
        }
        if sum_type == DataType::Interval {
            let count = self.cast(count, DataType::Double);
            return self.program.scalars.call(Function::IntervalDivide, vec![sum, count], data_type);
        }
        if sum_type.is_vector() {
            let count = self.cast(count, DataType::Double);
            let divide = Function::Vector(VectorFunction::Divide);
            let quotient = self.program.scalars.call(divide, vec![sum, count], sum_type);
            return self.cast(quotient, data_type);
        }
        let (sum, count) = (self.cast(sum, DataType::Double), self.cast(count, DataType::Double));
        let quotient = self.program.scalars.call(Function::Divide, vec![sum, count], DataType::Double);
        self.cast(quotient, data_type)
    }

    fn cast(&mut self, scalar: ScalarId, to: DataType) -> ScalarId {
        if self.program.scalars.data_type(scalar) == to {
            return scalar;
        }
        self.program.scalars.call(Function::Cast, vec![scalar], to)
    }
}

/// Groups by numerics are groups by their keys; of equal numbers of different scales the one of the smallest is shown. Groups by
/// vectors are groups by their texts.
fn shown_numerics(keys: &[(ColumnId, Expression)]) -> Vec<(ColumnId, AggregateCall)> {
    let by_key = |data_type: DataType| data_type == DataType::Numeric || data_type.is_vector();
    let numerics = keys.iter().filter(|(_, expression)| by_key(expression.data_type));
    let shown = |(column, expression): &(ColumnId, Expression)| {
        let call = AggregateCall {
            function: AggregateFunction::Min,
            argument: Some(expression.clone()),
            distinct: false,
            filter: None,
            data_type: expression.data_type,
        };
        (*column, call)
    };
    numerics.map(shown).collect()
}

fn position_of(aggregate: Aggregate, aggregates: &mut Vec<Aggregate>) -> u32 {
    let position = aggregates.iter().position(|other| *other == aggregate).unwrap_or_else(|| {
        aggregates.push(aggregate);
        aggregates.len() - 1
    });
    position as u32
}
