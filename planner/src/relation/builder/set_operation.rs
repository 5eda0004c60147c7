//! UNION, INTERSECT and EXCEPT: both sides get the same types; the result has the left side's names.

use super::expression::settled_type;
use super::{Builder, Coercion, Rows, checked_key};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, SetKind};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

fn written(kind: SetKind) -> &'static str {
    match kind {
        SetKind::Union => "UNION",
        SetKind::Intersect => "INTERSECT",
        SetKind::Except => "EXCEPT",
    }
}

/// Whether a column of rows, by its place, is NULL throughout.
fn is_null((relation, output): &Rows, at: usize) -> bool {
    let is_null = |value: &Expression| matches!(value.kind, ExpressionKind::Constant(Value::Null));
    match &**relation {
        Relation::Project { columns, .. } => {
            columns.iter().any(|(column, value)| *column == output[at].1 && is_null(value))
        }
        Relation::Values { columns, rows } => {
            let place = columns.iter().position(|column| *column == output[at].1);
            place.is_some_and(|place| rows.iter().all(|row| is_null(&row[place])))
        }
        _ => false,
    }
}

impl Builder<'_> {
    /// The types that the columns of both sides meet in. A side with columns of unknown type (NULL) is to be built again with
    /// these: only where the literals stand can they take a type.
    pub fn common_types(
        &self,
        kind: SetKind,
        left: &Rows,
        right: &Rows,
        position: Option<Position>,
    ) -> Result<Vec<DataType>> {
        let operator = written(kind);
        if left.1.len() != right.1.len() {
            let message = format!("each {operator} query must have the same number of columns");
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        let types = self.output_types(left).into_iter().zip(self.output_types(right));
        let mut common = Vec::with_capacity(left.1.len());
        for (at, pair) in types.enumerate() {
            // What is no NULL has digits of its own, which are not those of the other side.
            let pair = match pair {
                (known, DataType::Null) if known.is_decimal() && !is_null(right, at) => [known, DataType::Numeric],
                (DataType::Null, known) if known.is_decimal() && !is_null(left, at) => [DataType::Numeric, known],
                (left, right) => [left, right],
            };
            common.push(settled_type(&pair, operator).map_err(|error| error.at(position))?);
        }
        Ok(common)
    }

    /// The types of rows.
    pub fn output_types(&self, (_, output): &Rows) -> Vec<DataType> {
        output.iter().map(|(_, id)| self.columns.get(*id).data_type).collect()
    }

    /// A set operation of rows with the types that both meet in.
    pub fn set_operation(
        &mut self,
        kind: SetKind,
        all: bool,
        left: Rows,
        right: Rows,
        types: &[DataType],
    ) -> Result<Rows> {
        let names: Vec<String> = left.1.iter().map(|(name, _)| name.clone()).collect();
        // Rows that are told apart are compared without the blanks of a char.
        let told_apart = kind != SetKind::Union || !all;
        let left = self.cast_rows(left, types, told_apart)?;
        let right = self.cast_rows(right, types, told_apart)?;
        let mut output = Vec::new();
        for (name, data_type) in names.into_iter().zip(types) {
            let id = self.columns.add(name.clone(), *data_type, true);
            output.push((name, id));
        }
        let columns = output.iter().map(|(_, id)| *id).collect();
        Ok((Arc::new(Relation::SetOperation { kind, all, columns, left, right }), output))
    }

    /// The rows with every column of its type in `types`: a Project over them where a cast is needed.
    pub(super) fn cast_rows(
        &mut self,
        (input, output): Rows,
        types: &[DataType],
        told_apart: bool,
    ) -> Result<(Arc<Relation>, Vec<ColumnId>)> {
        let ids: Vec<ColumnId> = output.iter().map(|(_, id)| *id).collect();
        let is_odd = |data_type: &DataType| {
            matches!(*data_type, DataType::BPCHAR | DataType::Jsonb)
                || data_type.fields().is_some()
                || (data_type.is_of_structs() && data_type.has_forms())
                || !data_type.has_equality()
        };
        let has_keys = told_apart && types.iter().any(is_odd);
        if !has_keys && ids.iter().zip(types).all(|(id, data_type)| self.columns.get(*id).data_type == *data_type) {
            return Ok((input, ids));
        }
        let mut columns = Vec::new();
        for (id, data_type) in ids.iter().zip(types) {
            let name = self.columns.get(*id).name.clone();
            let value = self.coerce(self.columns.reference(*id), *data_type, Coercion::Implicit)?;
            let value = if told_apart { checked_key(value, false)? } else { value };
            columns.push((self.columns.add(name, *data_type, true), value));
        }
        let ids = columns.iter().map(|(id, _)| *id).collect();
        Ok((Arc::new(Relation::Project { input, columns }), ids))
    }
}
