//! Functions and operators of jsonb beyond its parts: what changes a value, what contains what, paths of SQL/JSON.

use super::call::{Special, no_function, take};
use super::coercion::{Coercion, cast};
use super::fold;
use super::logical::relabel;
use super::operator::{ambiguous_operator, no_operator};
use crate::error::Result;
use crate::function::{Function, JsonFunction, JsonbFunction};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

/// A call over carriers, whose result is of a type.
fn call(function: JsonbFunction, arguments: Vec<Expression>, to: DataType) -> Expression {
    let arguments = arguments.into_iter().map(carried).collect();
    let made = if to == DataType::Jsonb || to == DataType::Json || to.element().is_some() { to } else { to.carrier() };
    fold::call(Function::Jsonb(function), arguments, made)
}

/// JSON and arrays of texts as programs have them.
fn carried(value: Expression) -> Expression {
    match value.data_type {
        DataType::Jsonb | DataType::Json => relabel(value, DataType::Text),
        of if of.element().is_some() => relabel(value, DataType::Text),
        _ => value,
    }
}

/// The text that orders a jsonb as PostgreSQL does.
pub(super) fn order_key(value: Expression) -> Expression {
    let position = value.position;
    call(JsonbFunction::SortKey, vec![value], DataType::Text).at(position)
}

/// The jsonb that stands for all that are equal to it.
pub(super) fn group_key(value: Expression) -> Expression {
    let position = value.position;
    call(JsonbFunction::Shortest, vec![value], DataType::Jsonb).at(position)
}

/// A jsonb as a number or a boolean; 22023 for one that is none.
pub(super) fn scalar_of(value: Expression, to: DataType) -> Expression {
    let name = Expression::constant(Value::text(type_name(to)), DataType::Text);
    if to == DataType::Boolean {
        return call(JsonbFunction::AsBoolean, vec![value, name], DataType::Boolean);
    }
    let number = call(JsonbFunction::AsNumber, vec![value, name], DataType::Numeric);
    cast(number, to, Coercion::Explicit)
}

fn type_name(to: DataType) -> String {
    if to.is_exact() { "numeric".to_owned() } else { to.to_string() }
}

/// What a function of JSON by its name takes, beside what it is.
struct Taken {
    function: JsonbFunction,
    types: &'static [DataType],
    required: usize,
    to: DataType,
}

const TEXTS: DataType = DataType::Null;

/// The functions of jsonb or json of fixed types; NULL as a type stands for an array of texts.
fn taken(name: &str) -> Option<Taken> {
    use DataType::{Boolean, Json, JsonPath, Jsonb, Text};
    use JsonbFunction as J;
    const PATH: &[DataType] = &[Jsonb, JsonPath, Jsonb, Boolean];
    let of = |function, types, required, to| Some(Taken { function, types, required, to });
    match name {
        "jsonb_set" => of(J::Set, &[Jsonb, TEXTS, Jsonb, Boolean], 3, Jsonb),
        "jsonb_insert" => of(J::Insert, &[Jsonb, TEXTS, Jsonb, Boolean], 3, Jsonb),
        "jsonb_strip_nulls" => of(J::StripNulls, &[Jsonb], 1, Jsonb),
        "json_strip_nulls" => of(J::StripNullsOfJson, &[Json], 1, Json),
        "jsonb_pretty" => of(J::Pretty, &[Jsonb], 1, Text),
        "jsonb_contains" => of(J::Contains, &[Jsonb, Jsonb], 2, Boolean),
        "jsonb_concat" => of(J::Concatenate, &[Jsonb, Jsonb], 2, Jsonb),
        "jsonb_delete_path" => of(J::WithoutPath, &[Jsonb, TEXTS], 2, Jsonb),
        "jsonb_path_query_array" => of(J::PathArray, PATH, 2, Jsonb),
        "jsonb_path_query_first" => of(J::PathFirst, PATH, 2, Jsonb),
        "jsonb_path_exists" => of(J::PathExists, PATH, 2, Boolean),
        "jsonb_path_match" => of(J::PathMatch, PATH, 2, Boolean),
        "json_valid" => of(J::IsValid, &[Text], 1, Boolean),
        _ => None,
    }
}

impl Builder<'_> {
    /// A function of jsonb, if the name and the types are of one.
    pub(super) fn special_jsonb_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        use JsonbFunction as J;
        if let Some(taken) = taken(name) {
            return self.call_taken(&taken, arguments);
        }
        let call = match (name, arguments.len()) {
            ("json_object" | "jsonb_object", 1..=2) => {
                let list = T::list(T::Text);
                let is_text = |value: &Expression| value.data_type == list || value.data_type == T::Null;
                if !arguments.iter().all(is_text) {
                    return Ok(Special::NoMatch(arguments));
                }
                let function = if arguments.len() == 1 { J::ObjectOfTexts } else { J::ObjectOfKeys };
                let texts = arguments.into_iter().map(|argument| self.coerce(argument, list, Coercion::Implicit));
                let object = call(function, texts.collect::<Result<_>>()?, T::Json);
                match name {
                    "jsonb_object" => self.coerce(object, T::Jsonb, Coercion::Explicit)?,
                    _ => object,
                }
            }
            (
                "json_extract_path" | "jsonb_extract_path" | "json_extract_path_text" | "jsonb_extract_path_text",
                2..,
            ) => {
                let of = if name.starts_with("jsonb") { T::Jsonb } else { T::Json };
                if arguments[0].data_type != of && arguments[0].data_type != T::Null {
                    return Ok(Special::NoMatch(arguments));
                }
                let mut arguments = arguments.into_iter();
                let Some(json) = arguments.next() else { return Ok(Special::NoMatch(Vec::new())) };
                let json = self.coerce(json, of, Coercion::Implicit)?;
                let path = self.array(arguments.collect(), None)?;
                let path = self.coerce(path, T::list(T::Text), Coercion::Implicit)?;
                let is_text = name.ends_with("_text");
                let function = if is_text { JsonFunction::PathText } else { JsonFunction::Path };
                self.json_operator(function, "#>", json, path)?
            }
            ("json_extract" | "json_extract_string" | "json_extract_text", 2) => {
                let [json, path] = take(arguments);
                let json = self.json_or_text(json)?;
                let path = match path.data_type {
                    of if of.is_integer() => {
                        let at = self.text_of(path)?;
                        let sign = |text: &str| Expression::constant(Value::text(text), T::Text);
                        let opened = fold::call(Function::Concat, vec![sign("$["), at], T::Text);
                        fold::call(Function::Concat, vec![opened, sign("]")], T::Text)
                    }
                    _ => self.coerce(path, T::Text, Coercion::Implicit)?,
                };
                match name {
                    "json_extract" => call(J::Extract, vec![json, path], T::Json),
                    _ => call(J::ExtractText, vec![json, path], T::Text),
                }
            }
            ("json_keys", 1) => {
                let [json] = take(arguments);
                let json = self.json_or_text(json)?;
                call(J::KeysOfJson, vec![json], T::list(T::Text))
            }
            _ => return Ok(Special::NoMatch(arguments)),
        };
        Ok(Special::Bound(call))
    }

    /// A json, a jsonb, or a text that is read as json.
    fn json_or_text(&mut self, value: Expression) -> Result<Expression> {
        match value.data_type {
            DataType::Json | DataType::Jsonb => Ok(value),
            _ => self.coerce(value, DataType::Json, Coercion::Explicit),
        }
    }

    fn call_taken(&mut self, taken: &Taken, arguments: Vec<Expression>) -> Result<Special> {
        let list = DataType::list(DataType::Text);
        let wanted = |of: DataType| if of == TEXTS { list } else { of };
        let fits = |(argument, &of): (&Expression, &DataType)| {
            let is = argument.data_type;
            // A text is read as a path, too, which it is not in PostgreSQL.
            is == wanted(of)
                || is == DataType::Null
                || (matches!(of, DataType::Text | DataType::JsonPath) && is.is_text())
        };
        let count = arguments.len();
        if count < taken.required || count > taken.types.len() || !arguments.iter().zip(taken.types).all(fits) {
            return Ok(Special::NoMatch(arguments));
        }
        let mut given = Vec::with_capacity(taken.types.len());
        for (argument, &of) in arguments.into_iter().zip(taken.types) {
            let coercion = if of == DataType::JsonPath { Coercion::Explicit } else { Coercion::Implicit };
            given.push(self.coerce(argument, wanted(of), coercion)?);
        }
        // What may be left out: variables that there are none of, errors that are told, jsonb_set that creates.
        for &of in &taken.types[count..] {
            given.push(match of {
                DataType::Jsonb => Expression::constant(Value::text("{}"), DataType::Jsonb),
                _ => Expression::boolean(taken.function == JsonbFunction::Set),
            });
        }
        Ok(Special::Bound(call(taken.function, given, taken.to)))
    }

    /// The array of what a function of JSON gives as rows: of jsonb, of texts, of rows of a key and a value; none if the name is
    /// of none.
    pub(super) fn array_of_json_rows(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Option<Expression>> {
        use DataType as T;
        use JsonbFunction as J;
        if name == "jsonb_path_query" {
            let taken = Taken {
                function: J::PathQuery,
                types: &[T::Jsonb, T::JsonPath, T::Jsonb, T::Boolean],
                required: 2,
                to: T::list(T::Jsonb),
            };
            return match self.call_taken(&taken, arguments)? {
                Special::Bound(array) => Ok(Some(array)),
                Special::NoMatch(arguments) => Err(no_function(name, &arguments)),
            };
        }
        let (function, of) = match name {
            "jsonb_each" => (J::Each, T::Jsonb),
            "jsonb_each_text" => (J::EachText, T::Jsonb),
            "json_each" => (J::EachOfJson, T::Json),
            "json_each_text" => (J::EachTextOfJson, T::Json),
            "jsonb_object_keys" => (J::Keys, T::Jsonb),
            "json_object_keys" => (J::KeysOfJson, T::Json),
            _ => return Ok(None),
        };
        if arguments.len() != 1 || (arguments[0].data_type != of && arguments[0].data_type != T::Null) {
            return Err(no_function(name, &arguments));
        }
        let [json] = take(arguments);
        let json = self.coerce(json, of, Coercion::Implicit)?;
        let texts = call(function, vec![json], T::list(T::Text));
        if name.ends_with("_keys") {
            return Ok(Some(texts));
        }
        let value = if name.ends_with("_text") { T::Text } else { of };
        let fields = vec![("key".to_owned(), T::Text), ("value".to_owned(), value)];
        Ok(Some(relabel(texts, T::list(T::row(None, fields)))))
    }

    /// `?|`, `?&`, `@>`, `<@`, `@?`, `@@`, `#-`, `-` and `||` of a jsonb.
    pub(super) fn jsonb_operator(
        &mut self,
        function: JsonbFunction,
        spelling: &str,
        left: Expression,
        right: Expression,
    ) -> Result<Expression> {
        use DataType as T;
        use JsonbFunction as J;
        let (l, r, position) = (left.data_type, right.data_type, left.position);
        if l == T::Null && r == T::Null {
            return Err(ambiguous_operator(spelling, l, r, position));
        }
        let wanted = match function {
            J::Contains | J::Concatenate => T::Jsonb,
            J::PathExists | J::PathMatch => T::JsonPath,
            J::WithoutKey => match r {
                of if of.is_integer() => T::Integer,
                of if of.element().is_some() => T::list(T::Text),
                _ => T::Text,
            },
            _ => T::list(T::Text),
        };
        let function = match (function, wanted) {
            (J::WithoutKey, T::Integer) => J::WithoutElement,
            (J::WithoutKey, of) if of.element().is_some() => J::WithoutKeys,
            (function, _) => function,
        };
        let is_text = |of: DataType| matches!(of, T::Text | T::JsonPath);
        let fits = |is: DataType, of: DataType| is == of || is == T::Null || (is_text(of) && is.is_text());
        let is_array = |is: DataType| is.element().is_some_and(DataType::is_text) && wanted.element().is_some();
        if !fits(l, T::Jsonb) || !(fits(r, wanted) || is_array(r) || (wanted == T::Integer && r != T::BigInt)) {
            return Err(no_operator(spelling, l, r, position));
        }
        let left = self.coerce(left, T::Jsonb, Coercion::Implicit)?;
        let coercion = if wanted == T::JsonPath { Coercion::Explicit } else { Coercion::Implicit };
        let right = self.coerce(right, wanted, coercion)?;
        Ok(match function {
            J::PathExists | J::PathMatch => {
                let none = Expression::constant(Value::text("{}"), T::Jsonb);
                call(function, vec![left, right, none, Expression::boolean(true)], T::Boolean)
            }
            J::Contains | J::HasAny | J::HasAll => call(function, vec![left, right], T::Boolean),
            _ => call(function, vec![left, right], T::Jsonb),
        })
    }
}
