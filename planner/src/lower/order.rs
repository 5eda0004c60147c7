//! ORDER BY and LIMIT: a sort, or a top-k where both meet.

use super::{Lowerer, Rows};
use crate::error::Result;
use crate::multiloop::{Aggregate, Generator, Let, Reduction, ScalarId, Shape};
use crate::relation::{Expression, ExpressionKind, Relation, SortKey};
use crate::types::DataType;
use crate::value::Value;

impl Lowerer<'_> {
    /// Orders rows by fields; keys that are no columns are computed in front of it.
    pub(super) fn sort(&mut self, input: &Rows, keys: &[SortKey]) -> Result<Rows> {
        // A sort has its input's fields, and a table's fields grow while other scans of it are lowered.
        let is_table = matches!(self.program.collection(input.collection).shape, Shape::Table { .. });
        let input = &if is_table { self.collect_columns(input) } else { input.clone() };
        let plain: Option<Vec<_>> = keys
            .iter()
            .map(|key| match key.expression.kind {
                ExpressionKind::Column(column) if key.expression.data_type != DataType::Numeric => {
                    input.position(column).ok().map(|field| (field, key.order))
                }
                _ => None,
            })
            .collect();
        let (input, order) = match plain {
            Some(order) => (input.clone(), order),
            None => self.with_keys(input, keys)?,
        };
        let fields = self.program.collection(input.collection).fields.clone();
        let define = self.program.add_collection(fields, Shape::Rows);
        self.add(Let::Sort { define, input: input.collection, order });
        Ok(Rows { collection: define, columns: input.columns })
    }

    /// The rows with the sort keys as fields behind their columns.
    fn with_keys(&mut self, input: &Rows, keys: &[SortKey]) -> Result<(Rows, Vec<(u32, crate::types::SortOrder)>)> {
        let index = self.open_rows(input);
        let values = self.values(&input.columns)?;
        let mut fields = self.fields(&values);
        let mut value: Vec<ScalarId> = values.iter().map(|(_, scalar)| *scalar).collect();
        let mut order = Vec::with_capacity(keys.len());
        for key in keys {
            let scalar = self.expression(&key.expression)?;
            let scalar = self.as_key(scalar);
            let nullable = self.nullability.scalar(&self.program, scalar);
            let data_type = self.program.scalars.data_type(scalar);
            order.push((fields.len() as u32, key.order));
            fields.push(crate::types::Field::new("sort_key", data_type, nullable));
            value.push(scalar);
        }
        self.close(1);
        let generator = Generator::Collect { condition: Vec::new(), value };
        let collection = self.add_loop(vec![index], generator, fields, Shape::Rows);
        Ok((Rows::in_order(collection, input.columns.iter().map(|(column, _)| *column)), order))
    }

    /// The first rows: of a sort's order, or any.
    pub(super) fn limit(
        &mut self,
        input: &Relation,
        limit: Option<&Expression>,
        offset: Option<&Expression>,
    ) -> Result<Rows> {
        let (input, keys): (&Relation, &[SortKey]) = match input {
            Relation::Sort { input, keys } => (input, keys),
            other => (other, &[]),
        };
        let rows = self.relation(input)?;
        let index = self.open_rows(&rows);
        let mut arguments = Vec::with_capacity(keys.len() + rows.columns.len());
        for key in keys {
            let key = self.expression(&key.expression)?;
            arguments.push(self.as_key(key));
        }
        let values = self.values(&rows.columns)?;
        arguments.extend(values.iter().map(|(_, scalar)| *scalar));
        self.close(1);
        let limit = self.bound(limit)?;
        let offset = self.bound(offset)?;
        let order = keys.iter().map(|key| key.order).collect();
        let top_k = Aggregate::new(Reduction::TopK { order, limit, offset }, arguments, DataType::Null);
        let fields = self.fields(&values);
        let generator = Generator::Reduce { condition: Vec::new(), aggregates: vec![top_k] };
        let collection = self.add_loop(vec![index], generator, fields, Shape::Rows);
        Ok(Rows::in_order(collection, values.iter().map(|(column, _)| *column)))
    }

    fn bound(&mut self, bound: Option<&Expression>) -> Result<ScalarId> {
        match bound {
            Some(bound) => self.expression(bound),
            None => Ok(self.program.scalars.constant(Value::Null, DataType::BigInt)),
        }
    }
}
