//! JSON objects as rows, whose columns the query defines: `json_to_record` and `json_to_recordset`.

use super::{Builder, Coercion, FromItem, Operator, text};
use crate::catalog::Restriction;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::{Expression, Relation};
use crate::types::DataType;
use std::sync::Arc;

/// A column as it is defined: its name, its type and what values of this lose, and where it stands.
pub(crate) type DefinedColumn = (String, DataType, Option<Restriction>, Option<Position>);

impl Builder<'_> {
    /// Rows of JSON objects: of the only argument, or of the elements of an array.
    ///
    /// # Errors
    /// 42883 for other arguments, 0A000 for columns of arrays and rows.
    pub(crate) fn rows_of_json(
        &mut self,
        arguments: Vec<Expression>,
        (is_binary, is_set): (bool, bool),
        columns: Vec<DefinedColumn>,
        position: Option<Position>,
    ) -> Result<FromItem> {
        let name = match (is_binary, is_set) {
            (false, false) => "json_to_record",
            (false, true) => "json_to_recordset",
            (true, false) => "jsonb_to_record",
            (true, true) => "jsonb_to_recordset",
        };
        let of = if is_binary { DataType::Jsonb } else { DataType::Json };
        let [json] = <[Expression; 1]>::try_from(arguments).map_err(|arguments| {
            let message = format!("function {name} takes one argument, not {}", arguments.len());
            Error::new(ErrorKind::UnknownFunction, message).at(position)
        })?;
        if !matches!(json.data_type, DataType::Null) && json.data_type != of {
            let message = format!("function {name}({}) does not exist", json.data_type);
            return Err(Error::new(ErrorKind::UnknownFunction, message).at(position));
        }
        let json = self.coerce(json, of, Coercion::Implicit)?;
        let mut output = Vec::new();
        let input = if is_set {
            let elements = if is_binary { "jsonb_array_elements" } else { "json_array_elements" };
            let call = self.set_function(elements, vec![json], position)?;
            let rows = self.from_functions(vec![call], false, None)?;
            output = rows.columns;
            rows.relation
        } else {
            let id = self.columns.add("object", of, true);
            output.push(super::ScopeColumn::new(None, "object".to_owned(), id));
            let input = FromItem::nothing().relation;
            Arc::new(Relation::Project { input, columns: vec![(id, json)] })
        };
        let object = output.first().map(|column| self.columns.reference(column.id));
        let object = object.ok_or_else(|| Error::internal("JSON without a column"))?;
        let (mut computed, mut named) = (Vec::new(), Vec::new());
        for (name, data_type, restriction, at) in columns {
            if data_type.element().is_some() || data_type.fields().is_some() {
                let what = format!("a column of type {data_type} of JSON objects is");
                return Err(Error::unsupported(what).at(at));
            }
            let is_json = matches!(data_type, DataType::Json | DataType::Jsonb) || data_type.is_vector();
            let operator = if is_json { Operator::Member } else { Operator::MemberText };
            let member = self.operator(operator, object.clone(), text(&name))?;
            let value = self.cast(member, data_type, restriction).map_err(|error| error.at(at))?;
            let id = self.columns.add(name.clone(), data_type, true);
            computed.push((id, value));
            named.push((name, id));
        }
        Ok(FromItem::anonymous((Arc::new(Relation::Project { input, columns: computed }), named)))
    }
}
