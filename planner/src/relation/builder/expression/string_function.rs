//! Functions of strings that have a syntax of their own, and those that take anything with a text.

use super::call::{Special, no_function, take};
use super::coercion::Coercion;
use super::pattern::pad;
use super::{blanks, fold};
use crate::error::Result;
use crate::function::{Function, TextFunction};
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::{DataType, OidKind};
use crate::value::Value;

/// A char(n) with its trailing blanks, for the few functions that see them; any other value as it is.
pub(super) fn with_blanks(value: Expression) -> Expression {
    match value.data_type {
        DataType::BPCHAR => fold::call(Function::Cast, vec![value], DataType::Text),
        DataType::Char(length) => pad(value, length),
        _ => value,
    }
}

/// A boolean as it is shown, `t` or `f`; a cast to text gives `true` and `false`.
pub(super) fn boolean_letter(value: Expression) -> Expression {
    let letter = |letter: &str| Expression::constant(Value::text(letter), DataType::Text);
    let is_false = fold::call(Function::IsFalse, vec![value.clone()], DataType::Boolean);
    let null = Expression::constant(Value::Null, DataType::Text);
    fold::call(Function::Case, vec![value, letter("t"), is_false, letter("f"), null], DataType::Text)
}

/// A name, in quotes if it would be another without.
fn identifier(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_');
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// The name of a type as DuckDB has it.
fn duck_name(data_type: DataType) -> String {
    use DataType as T;
    if let Some(element) = data_type.element() {
        return format!("{}[]", duck_name(element));
    }
    if let Some((of, length)) = data_type.vector_of() {
        return format!("{}[{length}]", duck_name(of));
    }
    if let Some(fields) = data_type.struct_fields() {
        let fields = fields.iter().map(|(name, of)| format!("{} {}", identifier(name), duck_name(*of)));
        return format!("STRUCT({})", fields.collect::<Vec<_>>().join(", "));
    }
    match data_type {
        T::Null => "\"NULL\"".to_owned(),
        text if text.is_text() => "VARCHAR".to_owned(),
        T::Decimal { precision, scale } => format!("DECIMAL({precision},{scale})"),
        T::Numeric => "DECIMAL".to_owned(),
        T::Real => "FLOAT".to_owned(),
        T::Double => "DOUBLE".to_owned(),
        T::Timestamp => "TIMESTAMP".to_owned(),
        T::TimestampTz => "TIMESTAMP WITH TIME ZONE".to_owned(),
        T::Time => "TIME".to_owned(),
        T::Bytea => "BLOB".to_owned(),
        T::Jsonb => "JSON".to_owned(),
        bits if bits.is_bits() => "BIT".to_owned(),
        made if made.labels().is_some() => made.to_string(),
        other => other.to_string().to_uppercase(),
    }
}

impl Builder<'_> {
    /// A value as text: strings as they are, other values printed.
    pub(super) fn text_of(&mut self, value: Expression) -> Result<Expression> {
        if value.data_type.is_text() {
            return Ok(blanks::as_text(value));
        }
        self.coerce(value, DataType::Text, Coercion::Assignment)
    }

    /// `concat(…)`, `concat_ws(separator, …)` and `format(template, …)`, of values of any type.
    pub(super) fn concat_skip_null(&mut self, function: Function, arguments: Vec<Expression>) -> Result<Expression> {
        let mut texts = Vec::with_capacity(arguments.len());
        for argument in arguments {
            texts.push(match argument.data_type {
                DataType::Boolean => boolean_letter(argument),
                _ => self.text_of(with_blanks(argument))?,
            });
        }
        Ok(fold::call(function, texts, DataType::Text))
    }

    /// Functions of strings that take values of any type, or look at types and NULLs alone.
    pub(super) fn special_string_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let call = match (name, arguments.len()) {
            ("quote_literal", 1) => {
                let [value] = take(arguments);
                let text = self.text_of(with_blanks(value))?;
                fold::call(Function::QuoteLiteral, vec![text], T::Text)
            }
            ("quote_nullable", 1) => {
                let [value] = take(arguments);
                let text = self.text_of(with_blanks(value))?;
                let quoted = fold::call(Function::QuoteLiteral, vec![text], T::Text);
                let null = Expression::constant(Value::text("NULL"), T::Text);
                fold::call(Function::Coalesce, vec![quoted, null], T::Text)
            }
            ("parse_ident", 1..=2) => {
                let mut texts = arguments.into_iter();
                let mut given = Vec::with_capacity(2);
                for to in [T::Text, T::Boolean] {
                    if let Some(argument) = texts.next() {
                        let argument = self.as_string(argument);
                        given.push(self.coerce(argument, to, Coercion::Implicit)?);
                    }
                }
                fold::call(Function::ParseIdentifier, given, T::list(T::Text))
            }
            ("format", 1..) => self.concat_skip_null(Function::Format, arguments)?,
            ("num_nulls" | "num_nonnulls", 1..) => {
                let test = if name == "num_nulls" { Function::IsNull } else { Function::IsNotNull };
                let count = |value: Expression| {
                    let test = fold::call(test, vec![value], T::Boolean);
                    fold::call(Function::Cast, vec![test], T::Integer)
                };
                let counts = arguments.into_iter().map(|value| self.settle_any(value).map(count));
                let mut counts = counts.collect::<Result<Vec<_>>>()?.into_iter();
                let first = counts.next().unwrap_or_else(|| Expression::constant(Value::Int(0), T::Integer));
                counts.fold(first, |sum, count| fold::call(Function::Add, vec![sum, count], T::Integer))
            }
            ("pg_typeof", 1) => {
                let [value] = take(arguments);
                let name = match value.data_type {
                    T::Null => "unknown".to_owned(),
                    T::Varchar(_) => "character varying".to_owned(),
                    T::Char(_) => "character".to_owned(),
                    T::Decimal { .. } => "numeric".to_owned(),
                    known => known.of_any_length().to_string(),
                };
                let name = Expression::new(ExpressionKind::Constant(Value::text(name)), T::Null);
                self.coerce(name, T::Oid(OidKind::Type), Coercion::Explicit)?
            }
            ("overlay", 3..=4) => {
                let mut arguments = arguments;
                let count = if arguments.len() > 3 { arguments.pop() } else { None };
                self.overlay(take(arguments), count)?
            }
            _ => return self.special_word_function(name, arguments),
        };
        Ok(Special::Bound(call))
    }

    /// Those that DuckDB has and PostgreSQL has not.
    fn special_word_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let call = match (name, arguments.len()) {
            ("hash", 1..) => {
                let mut texts = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let argument = self.settle(argument)?;
                    texts.push(self.text_of(with_blanks(argument))?);
                }
                fold::call(Function::Text(TextFunction::Hash), texts, T::BigInt)
            }
            ("printf", 1..) => self.printf(arguments)?,
            ("typeof", 1) => {
                let is_text = matches!(fold::constant(&arguments[0]), Some(Value::Text(_)));
                let name = match arguments[0].data_type {
                    T::Null if is_text => "VARCHAR".to_owned(),
                    known if known.is_of_structs() => duck_name(known.settled()),
                    known => duck_name(known),
                };
                Expression::constant(Value::text(name), T::Text)
            }
            ("string_split" | "str_split" | "split", 2) => {
                let texts = arguments.into_iter().map(|argument| self.coerce(argument, T::Text, Coercion::Implicit));
                let texts = texts.collect::<Result<_>>()?;
                fold::call(Function::Text(TextFunction::Split), texts, T::list(T::Text))
            }
            ("array_extract" | "list_extract" | "list_element", 2)
                if arguments[0].data_type.is_text()
                    || (arguments[0].data_type == T::Null && fold::constant(&arguments[0]).is_some()) =>
            {
                let [text, place] = take(arguments);
                let one = Expression::constant(Value::Int(1), T::Integer);
                return self.match_signature("substring", vec![text, place, one]);
            }
            _ => return Ok(Special::NoMatch(arguments)),
        };
        Ok(Special::Bound(call))
    }

    /// `printf(template, …)`: integers as bigints, other numbers as doubles, all else as texts.
    fn printf(&mut self, arguments: Vec<Expression>) -> Result<Expression> {
        let mut given = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.into_iter().enumerate() {
            let of = argument.data_type;
            given.push(match of {
                _ if at == 0 => self.coerce(argument, DataType::Text, Coercion::Implicit)?,
                of if of.is_integer() => self.coerce(argument, DataType::BigInt, Coercion::Implicit)?,
                of if of.is_numeric() => self.coerce(argument, DataType::Double, Coercion::Implicit)?,
                _ => {
                    let argument = self.settle(argument)?;
                    self.text_of(argument)?
                }
            });
        }
        Ok(fold::call(Function::Text(TextFunction::Printf), given, DataType::Text))
    }

    /// `OVERLAY(text PLACING new FROM from FOR count)`, which is
    /// `substring(text, 1, from - 1) || new || substring(text, from + count)`.
    pub fn overlay(&mut self, [text, new, from]: [Expression; 3], count: Option<Expression>) -> Result<Expression> {
        let position = text.position;
        if text.data_type == DataType::Bytea || new.data_type == DataType::Bytea {
            let mut arguments = vec![self.coerce(text, DataType::Bytea, Coercion::Implicit)?, new, from];
            arguments.extend(count);
            return match self.special_byte_function("overlay", arguments)? {
                Special::Bound(call) => Ok(call.at(position)),
                Special::NoMatch(arguments) => Err(no_function("overlay", &arguments).at(position)),
            };
        }
        if text.data_type.is_bits() || new.data_type.is_bits() {
            let arguments = [text, new, from].into_iter().chain(count).collect();
            return self.overlay_bits(arguments, position);
        }
        let stringy = |value: &Expression| value.data_type.is_text() || value.data_type == DataType::Null;
        let small =
            |value: &Expression| matches!(value.data_type, DataType::SmallInt | DataType::Integer | DataType::Null);
        if !stringy(&text) || !stringy(&new) || !small(&from) || !count.as_ref().is_none_or(small) {
            let mut arguments = vec![text, new, from];
            arguments.extend(count);
            return Err(no_function("overlay", &arguments).at(position));
        }
        let text = blanks::as_text(self.settle(text)?);
        let new = blanks::as_text(self.settle(new)?);
        let from = self.coerce(from, DataType::Integer, Coercion::Implicit)?;
        let count = match count {
            Some(count) => self.coerce(count, DataType::Integer, Coercion::Implicit)?,
            None => fold::call(Function::Length, vec![new.clone()], DataType::Integer),
        };
        let one = Expression::constant(Value::Int(1), DataType::Integer);
        let before = fold::call(Function::Subtract, vec![from.clone(), one.clone()], DataType::Integer);
        let after = fold::call(Function::Add, vec![from, count], DataType::Integer);
        let head = fold::call(Function::Substring, vec![text.clone(), one, before], DataType::Text);
        let tail = fold::call(Function::Substring, vec![text, after], DataType::Text);
        let start = fold::call(Function::Concat, vec![head, new], DataType::Text);
        Ok(fold::call(Function::Concat, vec![start, tail], DataType::Text))
    }
}
