//! UNPIVOT: makes of each row one for each of some of its columns.
//!
//! ```text
//! Filter value IS NOT NULL        unless NULLs are kept
//!   Project                       the other columns, the name and the value at p
//!     Expand p of as many as there are columns
//!       input
//! ```

use super::{Builder, Coercion, FromItem, unify_types, walk};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::{ColumnId, Expression, Relation};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

impl Builder<'_> {
    /// The rows of an UNPIVOT: `rows` has a name and its values for each, `name` and `values` are what they are called.
    ///
    /// # Errors
    /// 42601 for a name with more values or fewer, 42804 for values of no common type.
    pub fn unpivot(
        &mut self,
        item: FromItem,
        rows: Vec<(String, Vec<Expression>)>,
        (name, values): (String, Vec<String>),
        keeps_nulls: bool,
    ) -> Result<FromItem> {
        let count = values.len();
        if rows.is_empty() || rows.iter().any(|(_, own)| own.len() != count) {
            let message = format!("UNPIVOT needs {count} columns for each name");
            return Err(Error::new(ErrorKind::Syntax, message));
        }
        let mut mentioned = Vec::new();
        for value in rows.iter().flat_map(|(_, own)| own) {
            walk::expression_columns(value, &mut mentioned);
        }
        let FromItem { relation: input, mut columns, tables: _ } = item;
        columns.retain(|column| !mentioned.contains(&column.id) && !column.merged && !column.hidden);
        let mut kept: Vec<(ColumnId, Expression)> = Vec::with_capacity(columns.len() + 1 + count);
        for column in &columns {
            if kept.iter().all(|(id, _)| *id != column.id) {
                kept.push((column.id, self.columns.reference(column.id)));
            }
        }
        let big = DataType::BigInt;
        let number = |number: usize| Expression::constant(Value::Int(number as i64), big);
        let position = self.columns.add("position", big, false);
        let at = self.columns.reference(position);
        let choice = |of: Vec<Expression>, data_type: DataType| {
            let mut cases = Vec::with_capacity(2 * of.len() + 1);
            for (place, value) in of.into_iter().enumerate() {
                cases.push(Expression::call(Function::Equal, vec![at.clone(), number(place)], DataType::Boolean));
                cases.push(value);
            }
            cases.push(Expression::constant(Value::Null, data_type));
            Expression::call(Function::Case, cases, data_type)
        };
        let mut made = Vec::with_capacity(1 + count);
        let names = rows.iter().map(|(name, _)| Expression::constant(Value::text(name.as_str()), DataType::Text));
        made.push((name, choice(names.collect(), DataType::Text)));
        for (place, value_name) in values.into_iter().enumerate() {
            let own: Vec<Expression> = rows.iter().map(|(_, own)| own[place].clone()).collect();
            let types: Vec<DataType> = own.iter().map(|value| value.data_type).collect();
            let common = match unify_types(&types, "UNPIVOT")? {
                DataType::Null => DataType::Text,
                common => common,
            };
            let own = own.into_iter().map(|value| self.coerce(value, common, Coercion::Implicit));
            let own = own.collect::<Result<Vec<_>>>()?;
            made.push((value_name, choice(own, common)));
        }
        let mut output: Vec<_> = columns.into_iter().map(|column| (column.name, column.id)).collect();
        for (name, value) in made {
            let id = self.columns.add(name.clone(), value.data_type, true);
            kept.push((id, value));
            output.push((name, id));
        }
        let values: Vec<_> = output[output.len() - count..].iter().map(|(_, id)| *id).collect();
        let input = Arc::new(Relation::Expand { input, count: number(rows.len()), position });
        let mut relation = Arc::new(Relation::Project { input, columns: kept });
        if !keeps_nulls {
            let there = values
                .into_iter()
                .map(|id| Expression::call(Function::IsNotNull, vec![self.columns.reference(id)], DataType::Boolean));
            relation = self.filter(relation, Expression::and(there));
        }
        Ok(FromItem::anonymous((relation, output)))
    }
}
