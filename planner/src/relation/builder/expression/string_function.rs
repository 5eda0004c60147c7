//! Functions of strings that have a syntax of their own, and those that take anything with a text.

use super::call::no_function;
use super::coercion::Coercion;
use super::pattern::pad;
use super::{blanks, fold, literal};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
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
fn boolean_letter(value: Expression) -> Expression {
    let letter = |letter: &str| Expression::constant(Value::text(letter), DataType::Text);
    let is_false = fold::call(Function::IsFalse, vec![value.clone()], DataType::Boolean);
    let null = Expression::constant(Value::Null, DataType::Text);
    fold::call(Function::Case, vec![value, letter("t"), is_false, letter("f"), null], DataType::Text)
}

impl Builder<'_> {
    /// A value as text: strings as they are, other values printed.
    pub(super) fn text_of(&mut self, value: Expression) -> Result<Expression> {
        if value.data_type.is_text() {
            return Ok(blanks::as_text(value));
        }
        self.coerce(value, DataType::Text, Coercion::Assignment)
    }

    /// `concat(…)` and `concat_ws(separator, …)`, of values of any type.
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

    /// 0A000 where SUBSTRING starts at a string: that is a regular expression.
    pub fn check_substring_start(&self, from: &Expression) -> Result<()> {
        if from.data_type.is_text() || literal::unknown_text(from).is_some() {
            return Err(Error::unsupported("SUBSTRING with a regular expression is").at(from.position));
        }
        Ok(())
    }

    /// `OVERLAY(text PLACING new FROM from FOR count)`, which is
    /// `substring(text, 1, from - 1) || new || substring(text, from + count)`.
    pub fn overlay(&mut self, [text, new, from]: [Expression; 3], count: Option<Expression>) -> Result<Expression> {
        let position = text.position;
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
