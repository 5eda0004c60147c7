//! Aggregates that keep all values: array_agg, string_agg, json_agg and json_object_agg, jsonb's; `ARRAY(SELECT …)`.
//!
//! What they aggregate is one text a row: what rows are ordered and told apart by, and the values
//! (`evaluate/gather.rs`). So the aggregate itself knows neither order nor types, and what it gives is a function of
//! all texts.

use super::aggregate::Place;
use super::array::{array_call, carried, element_of};
use super::call::no_function;
use super::coercion::Coercion;
use super::{blanks, fold};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::array::Array;
use crate::evaluate::gather::FRONT_END;
use crate::function::{ArrayFunction, Function, JsonFunction, SortKeyOrder};
use crate::multiloop::reduction::Gather;
use crate::relation::builder::{AggregateArguments, Builder, Rows};
use crate::relation::{AggregateCall, AggregateFunction, Expression, ExpressionKind, Relation, Subquery, SubqueryKind};
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use std::sync::Arc;

/// What is kept of a row, and what all of it becomes.
struct Kept {
    /// The values, with the type of the elements that they are.
    values: Vec<Expression>,
    element: DataType,
    /// The functions of the text of all values, innermost first, with their types.
    finish: Vec<(Function, DataType)>,
    /// What must not be NULL for the row to count.
    needed: Option<Expression>,
    data_type: DataType,
}

/// The default order.
pub(super) const UP: SortOrder = SortOrder { descending: false, nulls_first: false };

/// What makes an array of texts of gathered ones.
fn texts() -> (Function, DataType) {
    (Function::Array(ArrayFunction::OfEntries, DataType::Text), DataType::list(DataType::Text))
}

impl Builder<'_> {
    fn settle_gathered(&mut self, name: &str, argument: Expression) -> Result<Expression> {
        if name == "string_agg" { self.settle(argument) } else { self.settle_any(argument) }
    }

    pub(super) fn gather(&mut self, name: &str, call: AggregateArguments, place: &Place<'_, '_>) -> Result<Expression> {
        let position = place.position;
        let AggregateArguments { arguments, distinct, filter, order, .. } = call;
        let arguments = arguments.ok_or_else(|| no_function(name, &[]).at(position))?;
        let arguments =
            arguments.into_iter().map(|argument| self.settle_gathered(name, argument)).collect::<Result<Vec<_>>>()?;
        let order = if distinct { whole_order(order, &arguments) } else { Ok(order) };
        let order = order.map_err(|error| error.at(position))?;
        let kept = self.kept(name, arguments).map_err(|error| error.at(position))?;
        self.gathered(name, kept, (order, distinct), filter, place)
    }

    /// The values that are not NULL as an array in an order.
    pub(super) fn gathered_array(
        &mut self,
        name: &str,
        value: Expression,
        order: SortOrder,
        filter: Option<Expression>,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let element = carried(value.data_type);
        let data_type = DataType::list(value.data_type);
        let finish = vec![(Function::Array(ArrayFunction::OfEntries, element), data_type)];
        let order = vec![(value.clone(), order)];
        let kept = Kept { values: vec![value.clone()], element, finish, needed: Some(value), data_type };
        self.gathered(name, kept, (order, false), filter, place)
    }

    fn gathered(
        &mut self,
        name: &str,
        kept: Kept,
        (order, distinct): (Vec<(Expression, SortOrder)>, bool),
        filter: Option<Expression>,
        place: &Place<'_, '_>,
    ) -> Result<Expression> {
        let how = match (distinct, order.is_empty()) {
            (true, _) => Gather::Distinct,
            (false, false) => Gather::Sorted,
            (false, true) => Gather::Arrived,
        };
        if kept.needed.as_ref().is_some_and(Expression::draws) {
            // It would be evaluated to see whether it is NULL, and once more.
            let what = format!("{name} of what draws from a sequence or changes something is");
            return Err(Error::unsupported(what).at(place.position));
        }
        let text = row_text(&kept.values, kept.element, order, distinct).map_err(|error| error.at(place.position))?;
        let needed =
            kept.needed.map(|value| fold::call(Function::IsNotNull, vec![shown_value(value)], DataType::Boolean));
        let filter = match (needed, filter) {
            (Some(needed), Some(filter)) => Some(Expression::and([filter, needed])),
            (needed, filter) => needed.or(filter),
        };
        let function = AggregateFunction::Gather(how);
        let call = AggregateCall { function, argument: Some(text), distinct: false, filter, data_type: DataType::Text };
        let gathered = self.made_in(call, name, place)?;
        Ok(finished(gathered, &kept.finish))
    }

    fn kept(&mut self, name: &str, mut arguments: Vec<Expression>) -> Result<Kept> {
        use ArrayFunction as A;
        let texts = texts();
        let json = |values: Vec<Expression>, function: JsonFunction| {
            let binary = name.starts_with("jsonb");
            let mut finish = vec![texts, (Function::Json(function), DataType::Json)];
            if binary {
                finish.push((Function::ReadAs(DataType::Jsonb), DataType::Jsonb));
            }
            let data_type = if binary { DataType::Jsonb } else { DataType::Json };
            Kept { values, element: DataType::Text, finish, needed: None, data_type }
        };
        match (name, arguments.len()) {
            ("array_agg", 1) => {
                let value = arguments.remove(0);
                if let Some(element) = value.data_type.element() {
                    // Arrays are texts among texts until they are put together.
                    let data_type = value.data_type;
                    let stack = (Function::Array(ArrayFunction::OfArrays, carried(element)), data_type);
                    let (element, finish) = (DataType::Text, vec![texts, stack]);
                    return Ok(Kept { values: vec![value], element, finish, needed: None, data_type });
                }
                let element = element_of(value.data_type);
                let value = self.coerce(value, element, Coercion::Implicit)?;
                let data_type = DataType::list(element);
                let finish = vec![(Function::Array(A::OfEntries, carried(element)), data_type)];
                let element = carried(element);
                Ok(Kept { values: vec![value], element, finish, needed: None, data_type })
            }
            ("string_agg", 1 | 2) => self.kept_texts(name, arguments),
            ("json_agg" | "jsonb_agg", 1) => {
                let value = arguments.remove(0);
                // Objects and arrays have lines of their own.
                let of = value.data_type.vector_as_array();
                let is_long = of.fields().is_some() || of.element().is_some();
                let function = if is_long { JsonFunction::OfLines } else { JsonFunction::OfArray };
                Ok(json(vec![self.settled_json(value)?], function))
            }
            ("json_object_agg" | "jsonb_object_agg", 2) => {
                let key = arguments.remove(0);
                if matches!(key.data_type, DataType::Json | DataType::Jsonb | DataType::Nested(_))
                    && key.data_type.labels().is_none()
                {
                    let message = "key value must be scalar, not array, composite, or json";
                    return Err(Error::new(ErrorKind::InvalidParameter, message));
                }
                let key = self.text_of(key)?;
                let value = self.settled_json(arguments.remove(0))?;
                Ok(json(vec![key, value], JsonFunction::OfPairs))
            }
            _ => Err(no_function(name, &arguments)),
        }
    }

    /// Texts, or bytes, and what stands between them: a comma, if nothing is said.
    fn kept_texts(&mut self, name: &str, mut arguments: Vec<Expression>) -> Result<Kept> {
        if arguments.len() == 1 {
            arguments.push(Expression::constant(Value::text(","), DataType::Text));
        }
        let arguments: Vec<Expression> = arguments.into_iter().map(|argument| self.as_string(argument)).collect();
        let bytes = arguments.iter().any(|argument| argument.data_type == DataType::Bytea);
        let to = if bytes { DataType::Bytea } else { DataType::Text };
        let fits = |argument: &Expression| {
            let of = argument.data_type;
            of == to
                || matches!(&argument.kind, ExpressionKind::Constant(_)) && of == DataType::Text
                || to == DataType::Text && (of.is_text() || of == DataType::Name)
        };
        if !arguments.iter().all(fits) {
            return Err(no_function(name, &arguments));
        }
        let mut cast = Vec::with_capacity(2);
        for argument in arguments {
            cast.push(self.coerce(argument, to, Coercion::Explicit)?);
        }
        cast.reverse();
        let needed = cast.last().cloned();
        let finish = vec![texts(), (Function::Array(ArrayFunction::JoinPairs, DataType::Text), to)];
        Ok(Kept { values: cast, element: DataType::Text, finish, needed, data_type: to })
    }

    /// `ARRAY(SELECT …)`: the values of a query's only column, in its order; an empty array of no rows.
    pub fn array_of_rows(&mut self, (relation, output): Rows, position: Option<Position>) -> Result<Expression> {
        let [(_, column)] = output.as_slice() else {
            return Err(Error::new(ErrorKind::Syntax, "subquery must return only one column").at(position));
        };
        // The order is what the aggregate sorts by.
        let (relation, order) = match &*relation {
            Relation::Sort { input, keys } => {
                let keys = keys.iter().map(|key| (key.expression.clone(), key.order)).collect();
                (Arc::clone(input), keys)
            }
            _ => (relation, Vec::new()),
        };
        let value = self.columns.reference(*column);
        let kept = self.kept("array_agg", vec![value]).map_err(|error| error.at(position))?;
        let how = if order.is_empty() { Gather::Arrived } else { Gather::Sorted };
        let argument = Some(row_text(&kept.values, kept.element, order, false).map_err(|error| error.at(position))?);
        let function = AggregateFunction::Gather(how);
        let call = AggregateCall { function, argument, distinct: false, filter: None, data_type: DataType::Text };
        let gathered = self.columns.add("array", DataType::Text, true);
        let aggregates = vec![(gathered, call)];
        let rows = Arc::new(Relation::Aggregate { input: relation, keys: Vec::new(), aggregates });
        let array = self.columns.add("array", kept.data_type, true);
        let value = finished(self.columns.reference(gathered), &kept.finish);
        let empty = Expression::constant(Value::text(Array::default().encode(kept.element)), kept.data_type);
        let value = Expression::call(Function::Coalesce, vec![value, empty], kept.data_type);
        let relation = Arc::new(Relation::Project { input: rows, columns: vec![(array, value)] });
        let subquery = Subquery { kind: SubqueryKind::Scalar(array), relation };
        let kind = ExpressionKind::Subquery(Box::new(subquery));
        Ok(Expression::new(kind, kept.data_type).at(position))
    }
}

/// What is NULL where a value is: the number or the text that it is the text of.
fn shown_value(value: Expression) -> Expression {
    match &value.kind {
        ExpressionKind::Call(Function::Cast, arguments) if value.data_type.is_free_text() => match &arguments[..] {
            [inner] if is_shown(inner.data_type) => shown_value(inner.clone()),
            _ => value,
        },
        _ => value,
    }
}

/// Whether every value of a type has a text, of which none is NULL.
fn is_shown(data_type: DataType) -> bool {
    data_type.is_integer() || data_type.is_decimal() || data_type.is_float() || data_type.is_text()
}

/// With DISTINCT all arguments are what rows are told apart by; 42P10 if something else is to order them.
fn whole_order(order: Vec<(Expression, SortOrder)>, arguments: &[Expression]) -> Result<Vec<(Expression, SortOrder)>> {
    if order.iter().any(|(key, _)| !arguments.contains(key)) {
        let message = "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list";
        return Err(Error::new(ErrorKind::InvalidColumnReference, message));
    }
    let mut whole = order;
    for argument in arguments {
        if whole.iter().all(|(key, _)| key != argument) {
            whole.push((argument.clone(), UP));
        }
    }
    Ok(whole)
}

/// The text of a row: what it is ordered by, and the values.
pub(super) fn row_text(
    values: &[Expression],
    element: DataType,
    order: Vec<(Expression, SortOrder)>,
    distinct: bool,
) -> Result<Expression> {
    let mut parts = Vec::with_capacity(order.len() + values.len() + 1);
    for (key, direction) in order {
        // What can be told apart at all has an order here.
        let key = blanks::checked_key(key, !distinct)?;
        let of = key.data_type;
        parts.push(fold::call(Function::SortKey(SortKeyOrder::from(direction), of), vec![key], DataType::Text));
    }
    parts.push(Expression::constant(Value::text(FRONT_END.to_string()), DataType::Text));
    for value in values {
        parts.push(array_call(ArrayFunction::Entry, element, vec![value.clone()], DataType::Text));
    }
    let mut parts = parts.into_iter();
    let first = parts.next().ok_or_else(|| Error::internal("a row without its text"))?;
    Ok(parts.fold(first, |text, part| fold::call(Function::Concat, vec![text, part], DataType::Text)))
}

/// What the text of all rows becomes.
fn finished(gathered: Expression, finish: &[(Function, DataType)]) -> Expression {
    let position = gathered.position;
    let made = finish
        .iter()
        .fold(gathered, |value, (function, data_type)| Expression::call(*function, vec![value], *data_type));
    made.at(position)
}
