//! Functions that give sets of rows: `generate_series`, `generate_subscripts`, `unnest` and those that are an `unnest`
//! of an array that another function makes.
//!
//! A [`SetCall`] says how many rows there are and which value stands at a position. What it is called with is computed
//! once for each row of the input, as columns of their own; `builder/expand.rs` makes the rows.

use super::array::array_call;
use super::call::{Special, no_function, take};
use super::coercion::{Coercion, cast};
use super::fold;
use super::logical::relabel;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::{ArrayFunction, Function, JsonFunction, PatternFunction, RowFunction};
use crate::relation::builder::Builder;
use crate::relation::effects::effects;
use crate::relation::{ColumnId, Expression};
use crate::types::DataType;
use crate::value::Value;

/// The names of these functions.
pub(super) const NAMES: &[&str] = &[
    "_pg_expandarray",
    "generate_series",
    "generate_subscripts",
    "json_array_elements",
    "json_array_elements_text",
    "json_each",
    "json_each_text",
    "json_object_keys",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "jsonb_each",
    "jsonb_each_text",
    "jsonb_object_keys",
    "jsonb_path_query",
    "regexp_matches",
    "regexp_split_to_table",
    "string_to_table",
    "unnest",
];

/// A call of a function that gives rows of one column.
#[derive(Clone, Debug)]
pub struct SetCall {
    /// The column's name where no alias gives another.
    pub(in crate::relation::builder) name: String,
    /// Whether that is the name of a parameter, which an alias of the table does not change.
    pub(in crate::relation::builder) is_named: bool,
    /// The column.
    pub(in crate::relation::builder) column: ColumnId,
    /// What is computed once a row of the input, and read by the others.
    pub(in crate::relation::builder) computed: Vec<(ColumnId, Expression)>,
    /// How many rows: a bigint; none for a function of one value, which is one row.
    pub(in crate::relation::builder) count: Option<Expression>,
    /// How many blocks of rows there are at most, and how many rows a block has: of a series of times, which would be walked to
    /// its end to count its rows.
    blocks: Option<Blocks>,
    /// Whether values are NULL behind the last by themselves.
    pub(in crate::relation::builder) ends_in_null: bool,
    element: Element,
}

/// See [`SetCall::blocks`].
#[derive(Clone, Debug)]
struct Blocks {
    count: Expression,
    /// What `SeriesInBlock` is called with but the block: start, stop, step, and the zone of instants.
    series: Vec<Expression>,
}

/// Which value stands at a position.
#[derive(Clone, Debug, PartialEq)]
enum Element {
    /// Of an array.
    Nth(Expression),
    /// Of an array of texts that stand for values of a type.
    NthAs(Expression, DataType),
    /// The start and so many steps, in 64 bits that have room for it.
    Steps(Expression, Expression),
    /// The same where it takes more care; the zone of instants.
    Series(Vec<Expression>, DataType, Option<Expression>),
    /// A subscript: the first, the last, and whether the last comes first.
    Subscript(Expression, Expression, Expression),
    /// The only one.
    Single(Expression),
}

impl SetCall {
    /// The value at a position, a bigint from 0.
    pub(in crate::relation::builder) fn value_at(&self, position: Expression) -> Expression {
        let big = DataType::BigInt;
        match &self.element {
            Element::Nth(array) => {
                let element = array.data_type.element().unwrap_or(DataType::Text);
                array_call(ArrayFunction::Nth, element, vec![array.clone(), position], element)
            }
            Element::NthAs(array, to) => {
                let text =
                    array_call(ArrayFunction::Nth, DataType::Text, vec![array.clone(), position], DataType::Text);
                relabel(text, *to)
            }
            Element::Steps(start, step) => {
                let to = start.data_type;
                let wide = |value: &Expression| cast(value.clone(), big, Coercion::Implicit);
                let way = match fold::constant(step) {
                    Some(Value::Int(1)) => position,
                    _ => fold::call(Function::Multiply, vec![position, wide(step)], big),
                };
                cast(fold::call(Function::Add, vec![wide(start), way], big), to, Coercion::Assignment)
            }
            Element::Series(start_and_step, to, zone) => {
                let mut arguments = start_and_step.clone();
                arguments.push(position);
                arguments.extend(zone.clone());
                fold::call(Function::SeriesAt, arguments, *to)
            }
            Element::Subscript(first, last, reverse) => {
                let wide = |value: &Expression| cast(value.clone(), big, Coercion::Implicit);
                let up = fold::call(Function::Add, vec![wide(first), position.clone()], big);
                let down = fold::call(Function::Subtract, vec![wide(last), position], big);
                let subscript = match fold::constant(reverse) {
                    Some(Value::Boolean(reverse)) => {
                        if *reverse {
                            down
                        } else {
                            up
                        }
                    }
                    _ => fold::call(Function::Case, vec![reverse.clone(), down, up], big),
                };
                cast(subscript, DataType::Integer, Coercion::Assignment)
            }
            Element::Single(value) => value.clone(),
        }
    }

    /// How many blocks of [`SERIES_BLOCK`] rows there are at most; none if the number of rows is known.
    pub(in crate::relation::builder) fn blocks(&self) -> Option<Expression> {
        self.blocks.as_ref().map(|blocks| blocks.count.clone())
    }

    /// How many rows a block has.
    pub(in crate::relation::builder) fn rows_in(&self, block: Expression) -> Option<Expression> {
        let mut arguments = self.blocks.as_ref()?.series.clone();
        arguments.insert(3, block);
        Some(fold::call(Function::SeriesInBlock, arguments, DataType::BigInt))
    }

    /// The column of its values.
    pub(in crate::relation::builder) fn column(&self) -> ColumnId {
        self.column
    }

    /// Whether it gives the rows of another call in every case.
    pub(in crate::relation::builder) fn is_same(&self, other: &SetCall) -> bool {
        if self.computed.iter().any(|(_, value)| effects(value).volatile) {
            return false;
        }
        let computed = |call: &SetCall| call.computed.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>();
        // Columns of what is computed have names of their own in each.
        self.name == other.name && computed(self) == computed(other) && self.constants() == other.constants()
    }

    /// The parts that are not computed.
    fn constants(&self) -> Vec<Value> {
        let parts = match &self.element {
            Element::Nth(array) | Element::NthAs(array, _) => vec![array],
            Element::Steps(start, step) => vec![start, step],
            Element::Series(parts, ..) => parts.iter().collect(),
            Element::Subscript(first, last, reverse) => vec![first, last, reverse],
            Element::Single(value) => vec![value],
        };
        parts.into_iter().chain(&self.count).filter_map(|part| fold::constant(part).cloned()).collect()
    }
}

/// A call that is being put together.
struct Parts {
    computed: Vec<(ColumnId, Expression)>,
}

impl Parts {
    /// A value that is computed once: itself if it is a literal, else a column.
    fn once(&mut self, builder: &mut Builder<'_>, value: Expression) -> Expression {
        if fold::constant(&value).is_some() {
            return value;
        }
        let column = builder.columns.add("argument", value.data_type, true);
        let reference = builder.columns.reference(column).at(value.position);
        self.computed.push((column, value));
        reference
    }
}

impl Builder<'_> {
    /// Whether a name (in lower case) with so many arguments is that of a function that gives rows.
    pub fn gives_rows(&self, name: &str, arguments: usize) -> bool {
        NAMES.contains(&name) || self.catalog.function(name, arguments).is_some_and(|function| function.gives_rows)
    }

    /// A call of a function that gives rows, where its rows are one column.
    pub fn set_function(
        &mut self,
        name: &str,
        mut arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<SetCall> {
        let call = match (name, arguments.len()) {
            ("unnest", 1) => {
                let array = arguments.remove(0);
                self.unnest(array)
            }
            ("generate_series", 2..=3) => self.series(arguments),
            ("generate_subscripts", 2..=3) => self.subscripts_of(arguments),
            ("string_to_table", 2..=3) => {
                let texts =
                    arguments.into_iter().map(|argument| self.coerce(argument, DataType::Text, Coercion::Implicit));
                let texts = texts.collect::<Result<_>>().map_err(|error| error.at(position))?;
                let array = array_call(ArrayFunction::Split, DataType::Text, texts, DataType::list(DataType::Text));
                self.set_of_array(array, "string_to_table")
            }
            ("regexp_split_to_table", 2..=3) => {
                match self.special_pattern_function("regexp_split_to_array", arguments)? {
                    Special::Bound(array) => self.set_of_array(array, name),
                    Special::NoMatch(arguments) => Err(no_function(name, &arguments)),
                }
            }
            ("regexp_matches", 2..=3) => self.matches_of(arguments),
            (_, 1) if name.contains("_array_elements") => self.elements_of_json(name, take(arguments)),
            ("_pg_expandarray", 1) if arguments[0].data_type.element().is_some() => self.with_numbers(take(arguments)),
            (_, 1..=4) if name.starts_with("json") => match self.array_of_json_rows(name, arguments)? {
                Some(array) => self.set_of_array(array, name),
                None => Err(no_function(name, &[])),
            },
            // The catalog's are arrays of their rows.
            _ => match self.call_of_catalog(name, arguments, position)? {
                Special::Bound(array) => self.set_of_array(array, name),
                Special::NoMatch(arguments) => Err(no_function(name, &arguments)),
            },
        };
        call.map_err(|error| error.at(position))
    }

    /// A function of one value as a set of one row.
    pub fn set_of_value(&mut self, name: &str, value: Expression) -> Result<SetCall> {
        let value = self.settle(value)?;
        let column = self.columns.add(name, value.data_type, true);
        Ok(SetCall {
            name: name.to_owned(),
            is_named: false,
            column,
            computed: Vec::new(),
            count: None,
            blocks: None,
            ends_in_null: false,
            element: Element::Single(value),
        })
    }

    /// `unnest(array)`: its elements in the order in which they lie, whatever its dimensions.
    pub fn unnest(&mut self, array: Expression) -> Result<SetCall> {
        let position = array.position;
        let array = self.array_if_vector(array)?;
        match array.data_type {
            DataType::Null => {
                let error = Error::new(ErrorKind::AmbiguousFunction, "function unnest(unknown) is not unique");
                let hint = "Could not choose a best candidate function. You might need to add explicit type casts.";
                Err(error.with_hint(hint).at(position))
            }
            of if of.element().is_none() => Err(no_function("unnest", &[array])),
            _ => self.set_of_array(array, "unnest"),
        }
    }

    /// `range([start, ]stop[, step])` in FROM: bigints up to the stop, without it.
    pub fn range_rows(&mut self, arguments: Vec<Expression>) -> Result<SetCall> {
        let missing = no_function("range", &arguments);
        let is_whole = |value: &Expression| value.data_type.is_integer() || value.data_type == DataType::Null;
        if !(1..=3).contains(&arguments.len()) || !arguments.iter().all(is_whole) {
            return Err(missing);
        }
        let big = DataType::BigInt;
        let mut given = Vec::with_capacity(3);
        for argument in arguments {
            given.push(self.coerce(argument, big, Coercion::Implicit)?);
        }
        let number = |number: i64| Expression::constant(Value::Int(number), big);
        if given.len() == 1 {
            given.insert(0, number(0));
        }
        if given.len() == 2 {
            given.push(number(1));
        }
        let [start, stop, step] = take(given);
        // The last that can be among them is one before the stop, on its way there.
        let way = cast(
            fold::call(
                Function::Sign,
                vec![cast(step.clone(), DataType::Double, Coercion::Implicit)],
                DataType::Double,
            ),
            big,
            Coercion::Explicit,
        );
        let last = fold::call(Function::Subtract, vec![stop, way], big);
        let series = self.series(vec![start, last, step])?;
        Ok(SetCall { name: "range".to_owned(), ..series })
    }

    /// `regexp_matches(text, pattern[, options])`: of each match the array of its groups.
    fn matches_of(&mut self, arguments: Vec<Expression>) -> Result<SetCall> {
        let missing = no_function("regexp_matches", &arguments);
        let is_text = |value: &Expression| value.data_type.is_text() || value.data_type == DataType::Null;
        let arguments: Vec<Expression> = arguments.into_iter().map(|argument| self.as_string(argument)).collect();
        if !arguments.iter().all(is_text) {
            return Err(missing);
        }
        let texts = arguments.into_iter().map(|argument| self.coerce(argument, DataType::Text, Coercion::Implicit));
        let (list, texts) = (DataType::list(DataType::Text), texts.collect::<Result<_>>()?);
        let array = fold::call(Function::Pattern(PatternFunction::AllGroups), texts, list);
        let mut parts = Parts { computed: Vec::new() };
        let array = parts.once(self, array);
        let count = array_call(ArrayFunction::Cardinality, DataType::Text, vec![array.clone()], DataType::Integer);
        let count = cast(count, DataType::BigInt, Coercion::Implicit);
        Ok(self.made("regexp_matches", list, parts, count, Element::NthAs(array, list)))
    }

    /// `_pg_expandarray(array)`: rows of an element and its number, from 1.
    fn with_numbers(&mut self, [array]: [Expression; 1]) -> Result<SetCall> {
        let element = array.data_type.element().ok_or_else(|| Error::internal("no array"))?;
        let fields = vec![("x".to_owned(), element), ("n".to_owned(), DataType::Integer)];
        let texts = self.coerce(array, DataType::list(DataType::Text), Coercion::Explicit)?;
        let rows = fold::call(Function::Row(RowFunction::Numbered), vec![texts], DataType::list(DataType::Text));
        self.set_of_array(relabel(rows, DataType::list(DataType::row(None, fields))), "_pg_expandarray")
    }

    pub(super) fn set_of_array(&mut self, array: Expression, name: &str) -> Result<SetCall> {
        let element = array.data_type.element().ok_or_else(|| Error::internal("no array"))?;
        let mut parts = Parts { computed: Vec::new() };
        let array = parts.once(self, array);
        let count = array_call(ArrayFunction::Cardinality, element, vec![array.clone()], DataType::Integer);
        let count = cast(count, DataType::BigInt, Coercion::Implicit);
        Ok(self.made(name, element, parts, count, Element::Nth(array)))
    }

    fn made(&mut self, name: &str, of: DataType, parts: Parts, count: Expression, element: Element) -> SetCall {
        let column = self.columns.add(name, of, true);
        SetCall {
            name: name.to_owned(),
            is_named: false,
            column,
            computed: parts.computed,
            count: Some(count),
            blocks: None,
            ends_in_null: matches!(element, Element::Nth(_) | Element::NthAs(..)),
            element,
        }
    }

    fn elements_of_json(&mut self, name: &str, [value]: [Expression; 1]) -> Result<SetCall> {
        use JsonFunction as J;
        let binary = name.starts_with("jsonb");
        let of = if binary { DataType::Jsonb } else { DataType::Json };
        if value.data_type != of && value.data_type != DataType::Null {
            return Err(no_function(name, &[value]));
        }
        let value = self.coerce(value, of, Coercion::Implicit)?;
        let (function, element) = match (name.ends_with("_text"), binary) {
            (false, false) => (J::Elements, DataType::Json),
            (false, true) => (J::BinaryElements, DataType::Jsonb),
            (true, false) => (J::ElementTexts, DataType::Text),
            (true, true) => (J::BinaryElementTexts, DataType::Text),
        };
        let json = vec![relabel(value, DataType::Text)];
        let array = fold::call(Function::Json(function), json, DataType::list(element));
        Ok(SetCall { is_named: true, ..self.set_of_array(array, name)? })
    }

    /// `generate_series(start, stop[, step])`.
    fn series(&mut self, arguments: Vec<Expression>) -> Result<SetCall> {
        let of = series_type(&arguments)?;
        let is_time = matches!(of, DataType::Timestamp | DataType::TimestampTz);
        let mut parts = Parts { computed: Vec::new() };
        let mut given = Vec::with_capacity(3);
        for (at, argument) in arguments.into_iter().enumerate() {
            let to = if is_time && at == 2 { DataType::Interval } else { of };
            let value = self.coerce(argument, to, Coercion::Implicit)?;
            given.push(parts.once(self, value));
        }
        let mut given = given.into_iter();
        let (Some(start), Some(stop)) = (given.next(), given.next()) else { return Err(Error::internal("no series")) };
        let step = given.next().unwrap_or_else(|| match of {
            DataType::Numeric => {
                Expression::constant(Value::numeric(crate::numeric::Numeric::from_integer(1)), DataType::Numeric)
            }
            _ => Expression::constant(Value::Int(1), of),
        });
        let zone = (of == DataType::TimestampTz).then(|| self.zone());
        let wide = |value: &Expression| {
            if of == DataType::Integer {
                cast(value.clone(), DataType::BigInt, Coercion::Implicit)
            } else {
                value.clone()
            }
        };
        let mut counted = vec![wide(&start), wide(&stop), wide(&step)];
        counted.extend(zone.clone());
        if is_time && !is_of_fixed_length(&step, of) {
            return Ok(self.series_in_blocks(of, parts, (start, step, zone), counted));
        }
        let count = fold::call(Function::SeriesCount, counted, DataType::BigInt);
        let element = match of {
            DataType::Integer => Element::Steps(start, step),
            DataType::BigInt if way_fits([&start, &stop]) && fold::constant(&step).is_some() => {
                Element::Steps(start, step)
            }
            _ => Element::Series(vec![start, step], of, zone),
        };
        Ok(self.made("generate_series", of, parts, count, element))
    }

    /// A series of times whose steps are not known to be of one length. One of constants that has few values is counted.
    fn series_in_blocks(
        &mut self,
        of: DataType,
        parts: Parts,
        (start, step, zone): (Expression, Expression, Option<Expression>),
        series: Vec<Expression>,
    ) -> SetCall {
        let blocks = fold::call(Function::SeriesBlocks, series.clone(), DataType::BigInt);
        let is_short = matches!(fold::constant(&blocks), Some(Value::Int(blocks)) if *blocks <= BLOCKS_COUNTED);
        let count = match is_short {
            true => fold::call(Function::SeriesCount, series.clone(), DataType::BigInt),
            // Asked only where several sets step together.
            false => Expression::call(Function::SeriesCount, series.clone(), DataType::BigInt),
        };
        let blocks = (!is_short).then_some(Blocks { count: blocks, series });
        SetCall {
            blocks,
            ..self.made("generate_series", of, parts, count, Element::Series(vec![start, step], of, zone))
        }
    }

    /// `generate_subscripts(array, dimension[, reverse])`.
    fn subscripts_of(&mut self, arguments: Vec<Expression>) -> Result<SetCall> {
        let missing = no_function("generate_subscripts", &arguments);
        let mut arguments = arguments.into_iter();
        let (Some(array), Some(dimension)) = (arguments.next(), arguments.next()) else { return Err(missing) };
        let array = self.array_if_vector(array)?;
        let Some(element) = array.data_type.element() else { return Err(missing) };
        let dimension = self.coerce(dimension, DataType::Integer, Coercion::Implicit)?;
        let reverse = match arguments.next() {
            Some(reverse) => self.coerce(reverse, DataType::Boolean, Coercion::Implicit)?,
            None => Expression::boolean(false),
        };
        let mut parts = Parts { computed: Vec::new() };
        let mut bound = |builder: &mut Self, function| {
            let arguments = vec![array.clone(), dimension.clone()];
            parts.once(builder, array_call(function, element, arguments, DataType::Integer))
        };
        let (first, last) = (bound(self, ArrayFunction::Lower), bound(self, ArrayFunction::Upper));
        let reverse = parts.once(self, reverse);
        let big = DataType::BigInt;
        let wide = |value: &Expression| cast(value.clone(), big, Coercion::Implicit);
        let way = fold::call(Function::Subtract, vec![wide(&last), wide(&first)], big);
        let count = fold::call(Function::Add, vec![way, Expression::constant(Value::Int(1), big)], big);
        // A NULL for the direction is no direction.
        let known = fold::call(Function::IsNotNull, vec![reverse.clone()], DataType::Boolean);
        let count = match fold::constant(&known) {
            Some(known) if known.is_true() => count,
            _ => fold::call(Function::Case, vec![known, count, Expression::constant(Value::Null, big)], big),
        };
        let element = Element::Subscript(first, last, reverse);
        Ok(self.made("generate_subscripts", DataType::Integer, parts, count, element))
    }
}

/// Blocks of a series of constants whose rows are counted when it is bound.
const BLOCKS_COUNTED: i64 = 1 << 12;

/// Whether a step of times is a constant that is as long everywhere; in a zone days are not.
fn is_of_fixed_length(step: &Expression, of: DataType) -> bool {
    match fold::constant(step) {
        Some(Value::Interval(step)) => step.months == 0 && (step.days == 0 || of == DataType::Timestamp),
        Some(Value::Null) => true,
        _ => false,
    }
}

/// Whether 64 bits hold the way from one constant to another.
fn way_fits(ends: [&Expression; 2]) -> bool {
    match ends.map(fold::constant) {
        [Some(Value::Int(start)), Some(Value::Int(stop))] => stop.checked_sub(*start).is_some(),
        _ => false,
    }
}

/// The type of a series; 42883 if there is none of such arguments, 42725 if they say too little.
fn series_type(arguments: &[Expression]) -> Result<DataType> {
    use DataType as T;
    let types: Vec<T> = arguments.iter().map(|argument| argument.data_type).collect();
    let is = |wanted: T| types[..2].contains(&wanted);
    let is_time = |of: &T| matches!(of, T::Date | T::Timestamp | T::TimestampTz | T::Null);
    if types[..2].iter().any(|of| *of != T::Null) && types[..2].iter().all(is_time) {
        let has_step = matches!(types.get(2), Some(T::Interval | T::Null));
        return match has_step {
            true if is(T::Timestamp) && !is(T::TimestampTz) => Ok(T::Timestamp),
            true => Ok(T::TimestampTz),
            false => Err(no_function("generate_series", arguments)),
        };
    }
    let mut common = None;
    for of in types {
        let rank = match of {
            T::Null => continue,
            T::SmallInt | T::Integer => T::Integer,
            T::BigInt => T::BigInt,
            T::Decimal { .. } | T::Numeric => T::Numeric,
            _ => return Err(no_function("generate_series", arguments)),
        };
        common = match (common, rank) {
            (Some(T::Numeric), _) | (_, T::Numeric) => Some(T::Numeric),
            (Some(T::BigInt), _) | (_, T::BigInt) => Some(T::BigInt),
            _ => Some(T::Integer),
        };
    }
    common.ok_or_else(|| {
        let unknown = vec!["unknown"; arguments.len()].join(", ");
        let message = format!("function generate_series({unknown}) is not unique");
        let hint = "Could not choose a best candidate function. You might need to add explicit type casts.";
        Error::new(ErrorKind::AmbiguousFunction, message).with_hint(hint)
    })
}
