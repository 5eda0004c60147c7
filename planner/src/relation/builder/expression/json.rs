//! Operators that look into JSON.

use super::array::Subscript;
use super::coercion::Coercion;
use super::fold;
use super::logical::relabel;
use super::operator::{ambiguous_operator, no_operator};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, JsonFunction};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;

impl Builder<'_> {
    /// `jsonb['key'][1]`: what is on a path, whose steps are texts.
    ///
    /// # Errors
    /// 42804 for slices, and for subscripts that are neither integers nor texts.
    pub(super) fn jsonb_subscripts(&mut self, value: Expression, subscripts: Vec<Subscript>) -> Result<Expression> {
        let mut path = Vec::with_capacity(subscripts.len());
        for subscript in subscripts {
            let Subscript::At(at) = subscript else {
                let message = "jsonb subscript does not support slices";
                return Err(Error::new(ErrorKind::TypeMismatch, message).at(value.position));
            };
            let of = at.data_type;
            if !(of.is_text() || matches!(of, DataType::Null | DataType::SmallInt | DataType::Integer)) {
                let error = Error::new(ErrorKind::TypeMismatch, format!("subscript type {of} is not supported"));
                let hint = "jsonb subscript must be coercible to either integer or text.";
                return Err(error.with_hint(hint).at(at.position));
            }
            path.push(self.coerce(at, DataType::Text, Coercion::Assignment)?);
        }
        let (position, path) = (value.position, self.array(path, value.position)?);
        Ok(self.json_operator(JsonFunction::Path, "#>", value, path)?.at(position))
    }

    /// `json -> key` and its kin.
    pub(super) fn json_operator(
        &mut self,
        function: JsonFunction,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<Expression> {
        use DataType as T;
        let left = if left.data_type.is_of_structs() { self.settled_json(left)? } else { left };
        let (l, r, position) = (left.data_type, right.data_type, left.position);
        let is_path = matches!(function, JsonFunction::Path | JsonFunction::PathText);
        let is_step = matches!(function, JsonFunction::Member | JsonFunction::MemberText);
        let wanted = match r {
            T::Null | T::Name if !is_path => T::Text,
            text if text.is_text() && !is_path => T::Text,
            T::SmallInt | T::Integer if is_step => T::Integer,
            T::Null => T::list(T::Text),
            array if array.element().is_some_and(DataType::is_text) && is_path => T::list(T::Text),
            _ => return Err(no_operator(spelling, l, r, position)),
        };
        match l {
            T::Null if r == T::Null => return Err(ambiguous_operator(spelling, l, r, position)),
            T::Jsonb => {}
            T::Json if function != JsonFunction::HasKey => {}
            _ => return Err(no_operator(spelling, l, r, position)),
        }
        let right = self.coerce(right, wanted, Coercion::Implicit)?;
        let right = if is_path { relabel(right, T::Text) } else { right };
        let arguments = vec![relabel(left, T::Text), right];
        let to = if function == JsonFunction::HasKey { T::Boolean } else { T::Text };
        let part = fold::call(Function::Json(function), arguments, to);
        Ok(match function {
            JsonFunction::Member | JsonFunction::Path => relabel(part, l),
            _ => part,
        })
    }
}
