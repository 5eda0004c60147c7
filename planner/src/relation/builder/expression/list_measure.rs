//! Functions of lists that only DuckDB has: chosen from, put in order, side by side, and as vectors.

use super::array::{array_call, element_of};
use super::call::{Special, no_function, take};
use super::coercion::{Coercion, castable};
use super::list_function::{is_ordered, sort_order};
use super::logical::relabel;
use super::{fold, string_function};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{ArrayFunction, Function, ListFunction};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

/// A call of such a function.
fn list_call(function: ListFunction, element: DataType, arguments: Vec<Expression>, to: DataType) -> Expression {
    array_call(ArrayFunction::List(function), element, arguments, to)
}

impl Builder<'_> {
    /// A function whose first argument is an array of elements of a type.
    pub(super) fn measure_of_lists(
        &mut self,
        name: &str,
        element: DataType,
        arguments: Vec<Expression>,
    ) -> Result<Special> {
        let same = DataType::list(element);
        let call = match (name, arguments.len()) {
            ("list_grade_up" | "array_grade_up" | "grade_up", 1..=3) if is_ordered(element) => {
                let order = sort_order(name, &arguments[1..])?;
                let list = arguments.into_iter().take(1).collect();
                list_call(ListFunction::GradeUp(order), element, list, DataType::list(DataType::BigInt))
            }
            ("list_select" | "array_select", 2) => {
                let [list, places] = take(arguments);
                let places = self.coerce(places, DataType::list(DataType::BigInt), Coercion::Implicit)?;
                list_call(ListFunction::Select, element, vec![list, places], same)
            }
            ("list_where" | "array_where", 2) => {
                let [list, mask] = take(arguments);
                let mask = self.coerce(mask, DataType::list(DataType::Boolean), Coercion::Implicit)?;
                list_call(ListFunction::Where, element, vec![list, mask], same)
            }
            ("list_resize" | "array_resize", 2..=3) => {
                let mut arguments = arguments;
                let filling = if arguments.len() > 2 { arguments.pop() } else { None };
                let [list, length] = take(arguments);
                let length = self.coerce(length, DataType::BigInt, Coercion::Implicit)?;
                let filling = filling.map(|filling| self.coerce(filling, element, Coercion::Implicit)).transpose()?;
                let arguments = [list, length].into_iter().chain(filling).collect();
                list_call(ListFunction::Resize, element, arguments, same)
            }
            _ => return self.list_function_of_others(name, arguments),
        };
        Ok(Special::Bound(call))
    }

    /// A measure of two lists, if the name and the types are of one.
    pub(super) fn special_measure(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        Ok(match self.measure(name, &arguments)? {
            Some(measured) => Special::Bound(measured),
            None => Special::NoMatch(arguments),
        })
    }

    /// `list_inner_product(a, b)` and its kin: doubles, or reals of two lists of reals. None of any other name.
    fn measure(&mut self, name: &str, arguments: &[Expression]) -> Result<Option<Expression>> {
        let kind = name.strip_prefix("list_").or_else(|| name.strip_prefix("array_"));
        let function = match kind {
            Some("inner_product" | "dot_product" | "negative_inner_product" | "negative_dot_product") => {
                ListFunction::InnerProduct
            }
            Some("distance") => ListFunction::Distance,
            Some("cosine_similarity" | "cosine_distance") => ListFunction::CosineSimilarity,
            _ => return Ok(None),
        };
        let [left, right] = arguments else { return Ok(None) };
        let elements = [left, right].map(|list| list.data_type.element());
        let is = |of: DataType| elements.iter().all(|element| element.is_none_or(|element| element == of));
        let to = if is(DataType::Real) && elements != [None, None] { DataType::Real } else { DataType::Double };
        let fits = |(list, element): (&Expression, &Option<DataType>)| match element {
            Some(element) => element.is_numeric() && castable(*element, to, Coercion::Implicit),
            None => list.data_type == DataType::Null,
        };
        if ![left, right].into_iter().zip(&elements).all(fits) {
            return Ok(None);
        }
        let mut lists = Vec::with_capacity(2);
        for list in [left, right] {
            lists.push(self.coerce(list.clone(), DataType::list(to), Coercion::Implicit)?);
        }
        let measured = list_call(function, to, lists, to);
        Ok(Some(if name.contains("negative") {
            fold::call(Function::Negate, vec![measured], to)
        } else if name.ends_with("cosine_distance") {
            fold::call(Function::Subtract, vec![Expression::constant(Value::Float(1.0), to), measured], to)
        } else {
            measured
        }))
    }

    /// `list_zip(a, b, …[, truncate])`: rows of the elements of several lists.
    pub(super) fn zipped_lists(&mut self, mut arguments: Vec<Expression>) -> Result<Special> {
        let is_flag = |last: &Expression| last.data_type == DataType::Boolean;
        let flag = if arguments.last().is_some_and(is_flag) { arguments.pop() } else { None };
        let function = match flag.as_ref().map(fold::constant) {
            None | Some(Some(Value::Boolean(false) | Value::Null)) => ListFunction::Zip,
            Some(Some(Value::Boolean(true))) => ListFunction::ZipShortest,
            _ => return Err(Error::unsupported("list_zip that is told by a value whether to truncate is")),
        };
        if arguments.is_empty() || arguments.iter().any(|list| list.data_type.element().is_none()) {
            return Err(no_function("list_zip", &arguments));
        }
        let (mut fields, mut texts) = (Vec::new(), Vec::new());
        for (number, list) in (1..).zip(arguments) {
            let Some(element) = list.data_type.element() else { continue };
            if element.fields().is_some() {
                return Err(Error::unsupported("list_zip of lists of rows is").at(list.position));
            }
            fields.push((format!("f{number}"), element));
            texts.push(match element {
                DataType::Boolean => self.letters_of(list)?,
                _ => self.coerce(list, DataType::list(DataType::Text), Coercion::Explicit)?,
            });
        }
        let rows = list_call(function, DataType::Text, texts, DataType::list(DataType::Text));
        Ok(Special::Bound(relabel(rows, DataType::list(DataType::row(None, fields)))))
    }

    /// A list of booleans as rows show them: `t` and `f`.
    fn letters_of(&mut self, list: Expression) -> Result<Expression> {
        let of = element_of(DataType::Boolean);
        let list = self.lambda_list("list_zip", list, &|_| Some(1), None)?;
        let variables = self.lambda_variables(&list, vec!["x".to_owned()], None, false);
        let Some((_, column)) = variables.declared.first() else { return Err(Error::internal("a lambda of nothing")) };
        let letter = string_function::boolean_letter(Expression::column(*column, of));
        let body = super::LambdaBody { value: Some(letter), condition: None };
        self.lambda_each(list, &variables, body, None)
    }

    /// `list[first:last:step]`: DuckDB's, since PostgreSQL has no steps. What is left out is the end on its side.
    pub fn stepped_slice(
        &mut self,
        list: Expression,
        first: Option<Expression>,
        last: Option<Expression>,
        step: Expression,
    ) -> Result<Expression> {
        let list = self.array_if_vector(list)?;
        let Some(element) = list.data_type.element() else {
            let message = format!("cannot subscript type {} because it does not support subscripting", list.data_type);
            return Err(Error::new(ErrorKind::TypeMismatch, message).at(list.position));
        };
        let position = list.position;
        let place = |place: i64| Expression::constant(Value::Int(place), DataType::BigInt);
        let step = self.coerce(step, DataType::BigInt, Coercion::Implicit)?;
        let is_back = matches!(fold::constant(&step), Some(Value::Int(step)) if *step < 0);
        let (start, end) = if is_back { (place(-1), place(1)) } else { (place(1), place(-1)) };
        let arguments = vec![list, first.unwrap_or(start), last.unwrap_or(end), step];
        let arguments = self.with_places(arguments)?;
        let call = array_call(ArrayFunction::SliceOfList, element, arguments, DataType::list(element));
        Ok(call.at(position))
    }
}
