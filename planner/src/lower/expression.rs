//! Scalars, and subqueries in them: every subquery is a nested block where it stands.

use super::once::is_once;
use super::{Lowerer, Rows};
use crate::error::{Error, Result};
use crate::function::{Function, is_comparison};
use crate::multiloop::{Aggregate, BlockId, Generator, Reduction, Scalar, ScalarId, Shape};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, Subquery, SubqueryKind};
use crate::types::{DataType, Field};
use crate::value::Value;
use rustc_hash::FxHashMap;

impl Lowerer<'_> {
    /// What a column is where the lowering stands.
    pub(super) fn column(&self, column: ColumnId) -> Result<ScalarId> {
        let found = self.frames.iter().rev().find_map(|frame| frame.get(&column));
        found.copied().ok_or_else(|| {
            let name = &self.query.columns.get(column).name;
            Error::internal(format!("column {name} ({}) is not in scope", column.0))
        })
    }

    /// The scalar of an expression, of the type that carries its own.
    pub(super) fn expression(&mut self, expression: &Expression) -> Result<ScalarId> {
        let data_type = expression.data_type.carrier();
        let id = match &expression.kind {
            ExpressionKind::Column(column) => return self.column(*column),
            ExpressionKind::Constant(value) => self.program.scalars.constant(value.clone(), data_type),
            ExpressionKind::Parameter(number) => self.program.scalars.intern(Scalar::Parameter(*number), data_type),
            ExpressionKind::Call(Function::Relabel, arguments) => return self.expression(&arguments[0]),
            ExpressionKind::Call(function, arguments) => {
                let arguments: Result<Vec<_>> = arguments.iter().map(|argument| self.expression(argument)).collect();
                let mut arguments = arguments?;
                if is_comparison(*function) {
                    self.as_keys(&mut arguments);
                }
                self.program.scalars.call(*function, arguments, data_type)
            }
            ExpressionKind::Element(domain, code) => {
                let row = self.expression(code)?;
                let (collection, field) = self.domain(&domain.table);
                self.program.scalars.intern(Scalar::Element { collection, row, field }, data_type)
            }
            ExpressionKind::Subquery(subquery) => self.subquery(subquery)?,
        };
        self.program.scalars.set_position(id, expression.position);
        Ok(id)
    }

    /// What values are told apart and ordered by: of numerics their keys, whose texts are alike for numbers of any scale; of vectors,
    /// which no query tells apart itself but a LATERAL that reads them does, their texts.
    pub(super) fn as_key(&mut self, scalar: ScalarId) -> ScalarId {
        if self.program.scalars.data_type(scalar).is_vector() {
            return self.program.scalars.call(Function::Cast, vec![scalar], DataType::Text);
        }
        if self.program.scalars.data_type(scalar) != DataType::Numeric {
            return scalar;
        }
        let number = match self.program.scalars.get(scalar) {
            Scalar::Call { function: Function::Cast, arguments } => arguments[0],
            Scalar::Constant(value) => {
                let key = match value {
                    Value::Numeric(number) => Value::text(number.key()),
                    _ => Value::Null,
                };
                return self.program.scalars.constant(key, DataType::Text);
            }
            _ => scalar,
        };
        let of = self.program.scalars.data_type(number);
        let number = if of.is_exact() || of.is_integer() { number } else { scalar };
        self.program.scalars.call(Function::NumericKey, vec![number], DataType::Text)
    }

    /// The arguments as keys, if one is numeric.
    fn as_keys(&mut self, arguments: &mut [ScalarId]) {
        arguments.iter_mut().for_each(|argument| *argument = self.as_key(*argument));
    }

    /// A condition, part by part.
    pub(super) fn conjuncts(&mut self, condition: &Expression) -> Result<Vec<ScalarId>> {
        match &condition.kind {
            ExpressionKind::Call(Function::And, arguments) => {
                let mut all = Vec::new();
                for argument in arguments {
                    all.extend(self.conjuncts(argument)?);
                }
                Ok(all)
            }
            ExpressionKind::Constant(Value::Boolean(true)) => Ok(Vec::new()),
            _ => Ok(vec![self.expression(condition)?]),
        }
    }

    pub(super) fn boolean(&mut self, value: bool) -> ScalarId {
        self.program.scalars.constant(Value::Boolean(value), DataType::Boolean)
    }

    fn subquery(&mut self, subquery: &Subquery) -> Result<ScalarId> {
        let (reduction, predicate) = match &subquery.kind {
            SubqueryKind::Scalar(column) => return self.scalar_subquery(&subquery.relation, *column),
            SubqueryKind::Exists => (Reduction::Any, None),
            SubqueryKind::Any(predicate) => (Reduction::Any, Some(predicate)),
            SubqueryKind::All(predicate) => (Reduction::All, Some(predicate)),
        };
        let block = self.in_block(|this| {
            let rows = this.subquery_rows(&subquery.relation)?;
            this.reduce_to_one(&rows, reduction, |this| match predicate {
                Some(predicate) => this.expression(predicate),
                None => Ok(this.boolean(true)),
            })
        })?;
        Ok(self.program.nested(block, 0))
    }

    /// Reduces rows by one aggregate of one argument.
    fn reduce_to_one(
        &mut self,
        rows: &Rows,
        reduction: Reduction,
        argument: impl FnOnce(&mut Self) -> Result<ScalarId>,
    ) -> Result<crate::multiloop::CollectionId> {
        let index = self.open_rows(rows);
        let argument = argument(self)?;
        self.close(1);
        let data_type = self.program.scalars.data_type(argument);
        let aggregate = Aggregate::new(reduction, vec![argument], data_type);
        let nullable = self.nullability.aggregate(&self.program, &aggregate, false);
        let fields = vec![Field::new("value", data_type, nullable)];
        let generator = Generator::Reduce { condition: Vec::new(), aggregates: vec![aggregate] };
        Ok(self.add_loop(vec![index], generator, fields, Shape::Single))
    }

    /// The value of a subquery. One that aggregates without keys has one row for certain, so it needs no check
    /// for a second, and what is computed of the aggregates is computed in the enclosing loop.
    fn scalar_subquery(&mut self, relation: &Relation, column: ColumnId) -> Result<ScalarId> {
        if is_one_row(relation) && !is_once(relation) {
            let values = self.one_row(relation)?;
            return values.get(&column).copied().ok_or_else(|| Error::internal("a scalar subquery without its column"));
        }
        let block = self.in_block(|this| {
            let rows = this.subquery_rows(relation)?;
            this.reduce_to_one(&rows, Reduction::Single, |this| this.column(column))
        })?;
        Ok(self.program.nested(block, 0))
    }

    /// What the columns of a relation of exactly one row are.
    fn one_row(&mut self, relation: &Relation) -> Result<FxHashMap<ColumnId, ScalarId>> {
        match relation {
            Relation::Project { input, columns } => {
                let frame = self.one_row(input)?;
                self.frames.push(frame);
                let values: Result<FxHashMap<_, _>> =
                    columns.iter().map(|(id, expression)| Ok((*id, self.expression(expression)?))).collect();
                self.close(1);
                values
            }
            Relation::Aggregate { input, aggregates, .. } => {
                let mut finals = Vec::new();
                let block: BlockId = self.in_block(|this| {
                    let input = this.relation(input)?;
                    let (collection, values) = this.reduce(&input, aggregates)?;
                    finals = values;
                    Ok(collection)
                })?;
                let values = self.finish_aggregates(&finals, &mut |this, field| this.program.nested(block, field));
                Ok(values.into_iter().collect())
            }
            _ => Err(Error::internal("not a relation of one row")),
        }
    }
}

/// Whether a relation is projections over an aggregate without keys.
fn is_one_row(relation: &Relation) -> bool {
    match relation {
        Relation::Project { input, .. } => is_one_row(input),
        Relation::Aggregate { keys, .. } => keys.is_empty(),
        _ => false,
    }
}
