//! Functions of arrays as lists: DuckDB's names for PostgreSQL's functions, and what only DuckDB has; enums' labels.

use super::array::{array_call, element_of};
use super::call::{Special, no_function, take};
use super::coercion::{Coercion, cast};
use super::fold;
use super::logical::relabel;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{ArrayFunction, Function, ListTotal, SortKeyOrder};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::{DECIMAL_DIGITS_MAX, DataType, SortOrder};
use crate::value::Value;

/// PostgreSQL's function that a name of DuckDB's is another name of; the arguments are the same.
fn synonym(name: &str) -> Option<&'static str> {
    Some(match name {
        "list_append" | "array_push_back" => "array_append",
        "list_prepend" => "array_prepend",
        "list_concat" | "list_cat" | "array_concat" => "array_cat",
        "list_position" | "list_indexof" | "array_indexof" => "array_position",
        _ => return None,
    })
}

/// The total of a name, as `list_sum` and `list_aggregate(list, 'sum')` have it.
fn total(name: &str) -> Option<ListTotal> {
    Some(match name {
        "sum" => ListTotal::Sum,
        "avg" | "mean" => ListTotal::Average,
        "min" => ListTotal::Min,
        "max" => ListTotal::Max,
        "product" => ListTotal::Product,
        "any_value" => ListTotal::AnyValue,
        "count" => ListTotal::Count,
        "unique" | "approx_count_distinct" => ListTotal::CountDistinct,
        "bool_and" => ListTotal::All,
        "bool_or" => ListTotal::Any,
        "median" => ListTotal::Median,
        "mode" => ListTotal::Mode,
        "bit_and" => ListTotal::BitAnd,
        "bit_or" => ListTotal::BitOr,
        "bit_xor" => ListTotal::BitXor,
        "entropy" => ListTotal::Entropy,
        "kurtosis" => ListTotal::Kurtosis,
        "kurtosis_pop" => ListTotal::KurtosisOfAll,
        "skewness" => ListTotal::Skewness,
        "mad" => ListTotal::MedianDeviation,
        "sem" => ListTotal::StandardError,
        "stddev" | "stddev_samp" => ListTotal::Deviation,
        "stddev_pop" => ListTotal::DeviationOfAll,
        "variance" | "var_samp" => ListTotal::Variance,
        "var_pop" => ListTotal::VarianceOfAll,
        _ => return None,
    })
}

/// The type of a total of elements of a type; none if they have none.
fn total_type(total: ListTotal, element: DataType) -> Option<DataType> {
    use ListTotal as L;
    match total {
        L::Min | L::Max | L::Mode | L::CountDistinct if !element.has_equality() => None,
        L::Count | L::CountDistinct => Some(DataType::BigInt),
        L::Sum if element.is_float() => Some(DataType::Double),
        // No array has so many integers that their sum has more digits.
        L::Sum if element.is_integer() => Some(DataType::decimal(DECIMAL_DIGITS_MAX, 0)),
        L::Sum => element.is_numeric().then_some(DataType::Numeric),
        L::BitAnd | L::BitOr | L::BitXor => element.is_integer().then_some(element),
        L::Entropy => is_ordered(element).then_some(DataType::Double),
        L::All | L::Any => (element == DataType::Boolean).then_some(DataType::Boolean),
        L::Min | L::Max | L::AnyValue | L::Mode => Some(element),
        _ => element.is_numeric().then_some(DataType::Double),
    }
}

/// Whether values of a type can be sorted and told apart by what an array holds.
pub(super) fn is_ordered(element: DataType) -> bool {
    element.has_equality() && element != DataType::Jsonb && element.fields().is_none()
}

impl Builder<'_> {
    /// A function of lists or enums, if the name and the types are of one.
    pub(super) fn special_list_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use ArrayFunction as A;
        if let Some(known) = synonym(name) {
            return self.special_logical_function(known, arguments);
        }
        let element = arguments.first().and_then(|first| first.data_type.element());
        let Some(element) = element else { return self.list_function_of_others(name, arguments) };
        let same = DataType::list(element);
        let call = match (name, arguments.len()) {
            ("list_contains" | "list_has" | "array_contains" | "array_has" | "contains", 2) => {
                let missing = no_function(name, &arguments);
                let [array, value] = take(arguments);
                let Some((array, value, of)) = self.array_and_wanted(array, value)? else { return Err(missing) };
                array_call(A::HasElement, of, vec![array, value], DataType::Boolean)
            }
            ("list_has_any" | "array_has_any" | "list_has_all" | "array_has_all", 2) => {
                let function = if name.ends_with("any") { A::Overlaps } else { A::Contains };
                let [left, right] = take(arguments);
                self.array_relation(function, if name.ends_with("any") { "&&" } else { "@>" }, left, right)?
            }
            ("list_intersect" | "array_intersect", 2) => {
                let [left, right] = take(arguments);
                let (left, right, of) = self.one_array_type_of_equals("&&", left, right)?;
                array_call(A::Intersect, of, vec![left, right], DataType::list(of))
            }
            ("len" | "array_length" | "list_length" | "length", 1) => {
                // Of several dimensions the first is a list of lists.
                let one = Expression::constant(Value::Int(1), DataType::Integer);
                let [array] = take(arguments);
                let length = array_call(A::Length, element, vec![array.clone(), one], DataType::Integer);
                let none = array_call(A::Cardinality, element, vec![array], DataType::Integer);
                cast(
                    fold::call(Function::Coalesce, vec![length, none], DataType::Integer),
                    DataType::BigInt,
                    Coercion::Implicit,
                )
            }
            ("list_distinct" | "array_distinct", 1) if is_ordered(element) => {
                array_call(A::Distinct, element, arguments, same)
            }
            ("list_unique" | "array_unique", 1) if is_ordered(element) => {
                self.list_total(ListTotal::CountDistinct, arguments)?
            }
            ("flatten", 1) => array_call(A::Flatten, element, arguments, same),
            ("list_reverse" | "array_reverse", 1) => array_call(A::Reverse, element, arguments, same),
            ("list_sort" | "array_sort" | "list_reverse_sort" | "array_reverse_sort", 1..=3) if is_ordered(element) => {
                let order = sort_order(name, &arguments[1..])?;
                let array = arguments.into_iter().take(1).collect();
                array_call(A::Sort(order), element, array, same)
            }
            ("trim_array", 2) => {
                let [array, count] = take(arguments);
                let count = self.coerce(count, DataType::Integer, Coercion::Implicit)?;
                array_call(A::Trim, element, vec![array, count], same)
            }
            ("list_aggregate" | "list_aggr" | "array_aggregate" | "array_aggr" | "aggregate", 2..) => {
                return self.list_aggregate(name, arguments);
            }
            (name, 1) if name.strip_prefix("list_").and_then(total).is_some() => {
                let wanted = name.strip_prefix("list_").and_then(total).unwrap_or(ListTotal::Count);
                if total_type(wanted, element).is_none() {
                    return Ok(Special::NoMatch(arguments));
                }
                self.list_total(wanted, arguments)?
            }
            _ => return self.part_of_list(name, element, arguments),
        };
        Ok(Special::Bound(call))
    }

    /// Elements of a list by their places.
    fn part_of_list(&mut self, name: &str, element: DataType, arguments: Vec<Expression>) -> Result<Special> {
        use ArrayFunction as A;
        let same = DataType::list(element);
        let call = match (name, arguments.len()) {
            ("list_slice" | "array_slice", 3..=4) => {
                let arguments = self.with_places(arguments)?;
                array_call(A::SliceOfList, element, arguments, same)
            }
            ("list_extract" | "list_element" | "array_extract", 2) => {
                let arguments = self.with_places(arguments)?;
                array_call(A::Extract, element, arguments, element)
            }
            ("list_first" | "array_first" | "list_last" | "array_last", 1) => {
                let place = if name.ends_with("first") { 1 } else { -1 };
                let [array] = take(arguments);
                let place = Expression::constant(Value::Int(place), DataType::BigInt);
                array_call(A::Extract, element, vec![array, place], element)
            }
            ("array_pop_back" | "array_pop_front", 1) => {
                let (first, last) = if name.ends_with("back") { (1, -2) } else { (2, -1) };
                let place = |place: i64| Expression::constant(Value::Int(place), DataType::BigInt);
                let [array] = take(arguments);
                array_call(A::SliceOfList, element, vec![array, place(first), place(last)], same)
            }
            ("array_push_front", 2) => {
                let [array, value] = take(arguments);
                return self.special_logical_function("array_prepend", vec![value, array]);
            }
            ("list_string_agg", 1) => {
                let mut arguments = arguments;
                arguments.push(Expression::constant(Value::text(","), DataType::Text));
                return self.special_logical_function("array_to_string", arguments);
            }
            _ => return self.measure_of_lists(name, element, arguments),
        };
        Ok(Special::Bound(call))
    }

    /// The array as it is, what is behind it as bigints.
    pub(super) fn with_places(&mut self, arguments: Vec<Expression>) -> Result<Vec<Expression>> {
        let place = |(at, argument): (usize, Expression)| match at {
            0 => Ok(argument),
            _ => self.coerce(argument, DataType::BigInt, Coercion::Implicit),
        };
        arguments.into_iter().enumerate().map(place).collect()
    }

    fn list_total(&mut self, total: ListTotal, arguments: Vec<Expression>) -> Result<Expression> {
        let missing = no_function("list_aggregate", &arguments);
        let Some(element) = arguments[0].data_type.element() else { return Err(missing) };
        let Some(to) = total_type(total, element) else { return Err(missing) };
        Ok(array_call(ArrayFunction::Total(total), element, arguments, to))
    }

    /// `list_aggregate(list, 'name')`, of a literal name.
    fn list_aggregate(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let aggregate = match fold::constant(&arguments[1]) {
            Some(Value::Text(aggregate)) => aggregate.to_ascii_lowercase(),
            _ => return Err(Error::unsupported(format_args!("{name} by a name that is no literal is"))),
        };
        let mut arguments = arguments;
        let rest = arguments.split_off(2);
        arguments.truncate(1);
        if let Some(total) = total(&aggregate).filter(|_| rest.is_empty()) {
            return self.list_total(total, arguments).map(Special::Bound);
        }
        match (aggregate.as_str(), rest.len()) {
            ("string_agg" | "listagg" | "group_concat", 0..=1) => {
                let comma = Expression::constant(Value::text(","), DataType::Text);
                arguments.push(rest.into_iter().next().unwrap_or(comma));
                self.special_logical_function("array_to_string", arguments)
            }
            ("first" | "last", 0) => self.special_list_function(&format!("list_{aggregate}"), arguments),
            _ => Err(Error::unsupported(format_args!("{name} by \"{aggregate}\" is"))),
        }
    }

    /// Those whose first argument is no array.
    pub(super) fn list_function_of_others(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use ArrayFunction as A;
        let call = match (name, arguments.len()) {
            ("list_value" | "list_pack" | "array_value", 1..) => self.array(arguments, None)?,
            ("list_zip" | "array_zip", 1..) => return self.zipped_lists(arguments),
            ("array_fill", 2..=3) => {
                let mut arguments = arguments.into_iter();
                let Some(value) = arguments.next() else { return Ok(Special::NoMatch(Vec::new())) };
                if value.data_type == DataType::Null {
                    let message = "could not determine polymorphic type because input has type unknown";
                    return Err(Error::new(ErrorKind::TypeMismatch, message).at(value.position));
                }
                if value.data_type.element().is_some() {
                    let message = format!("could not find array type for data type {}", value.data_type);
                    return Err(Error::new(ErrorKind::UnknownObject, message).at(value.position));
                }
                let element = element_of(value.data_type);
                let mut given = vec![self.coerce(value, element, Coercion::Implicit)?];
                for bounds in arguments {
                    given.push(self.coerce(bounds, DataType::list(DataType::Integer), Coercion::Implicit)?);
                }
                array_call(A::Fill, element, given, DataType::list(element))
            }
            ("range", 1..=3) => self.range(arguments, false)?,
            ("width_bucket", 2) if arguments[1].data_type.element().is_some() => {
                let missing = no_function(name, &arguments);
                let [value, thresholds] = take(arguments);
                let Some((thresholds, value, of)) = self.array_and_element(thresholds, value)? else {
                    return Err(missing);
                };
                array_call(A::BucketAmong, of, vec![value, thresholds], DataType::Integer)
            }
            ("enum_first" | "enum_last", 1) => {
                let of = arguments[0].data_type;
                let Some(labels) = of.labels() else { return Ok(Special::NoMatch(arguments)) };
                let place = if name == "enum_first" { 0 } else { labels.len() as i64 - 1 };
                Expression::constant(if place < 0 { Value::Null } else { Value::Int(place) }, of)
            }
            ("enum_range", 1..=2) => self.enum_range(arguments)?,
            _ => return Ok(Special::NoMatch(arguments)),
        };
        Ok(Special::Bound(call))
    }

    /// `enum_range(any of it)` or `enum_range(first, last)`.
    fn enum_range(&mut self, arguments: Vec<Expression>) -> Result<Expression> {
        let missing = no_function("enum_range", &arguments);
        let known = arguments.iter().map(|argument| argument.data_type).find(|of| of.labels().is_some());
        let Some(of) = known else { return Err(missing) };
        let null = || Expression::constant(Value::Null, of);
        let bounds = match arguments.len() {
            1 => vec![null(), null()],
            _ => {
                let mut bounds = Vec::with_capacity(2);
                for bound in arguments {
                    if bound.data_type != of && bound.data_type != DataType::Null {
                        return Err(missing);
                    }
                    bounds.push(self.coerce(bound, of, Coercion::Implicit)?);
                }
                bounds
            }
        };
        Ok(array_call(ArrayFunction::Labels, of, bounds, DataType::list(of)))
    }

    /// `range([start, ]stop[, step])` as an array of bigints.
    pub(super) fn range(&mut self, arguments: Vec<Expression>, with_end: bool) -> Result<Expression> {
        let missing = no_function("range", &arguments);
        if arguments.iter().any(|argument| !argument.data_type.is_integer() && argument.data_type != DataType::Null) {
            return Err(missing);
        }
        let mut given = Vec::with_capacity(3);
        for argument in arguments {
            given.push(self.coerce(argument, DataType::BigInt, Coercion::Implicit)?);
        }
        let number = |number: i64| Expression::constant(Value::Int(number), DataType::BigInt);
        if given.len() == 1 {
            given.insert(0, number(0));
        }
        if given.len() == 2 {
            given.push(number(1));
        }
        let list = DataType::list(DataType::BigInt);
        Ok(relabel(array_call(ArrayFunction::Range { with_end }, DataType::BigInt, given, list), list))
    }
}

/// The order that words say, which have to be literals: `'ASC'` or `'DESC'`, then `'NULLS FIRST'` or `'NULLS LAST'`.
pub(super) fn sort_order(name: &str, words: &[Expression]) -> Result<SortKeyOrder> {
    let mut order = SortOrder { descending: name.contains("reverse"), nulls_first: false };
    for word in words {
        let Some(Value::Text(text)) = fold::constant(word) else {
            return Err(Error::unsupported(format_args!("an order of {name} that is no literal is")).at(word.position));
        };
        match text.to_ascii_uppercase().as_str() {
            "ASC" => order.descending = name.contains("reverse"),
            "DESC" => order.descending = !name.contains("reverse"),
            "NULLS FIRST" => order.nulls_first = true,
            "NULLS LAST" => order.nulls_first = false,
            _ => {
                let message = format!("unrecognized order of {name}: \"{text}\"");
                return Err(Error::new(ErrorKind::InvalidParameter, message).at(word.position));
            }
        }
    }
    Ok(order.into())
}
