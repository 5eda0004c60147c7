//! Functions of strings that have a syntax of their own, and those that take anything with a text.

use super::call::no_function;
use super::coercion::Coercion;
use super::pattern::pad;
use super::{blanks, fold, literal};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::sql::binder::Binder;
use crate::sql::scope::Scope;
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast;

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

impl Binder<'_> {
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

    /// `POSITION(part IN text)`.
    pub(super) fn bind_position(
        &mut self,
        part: &ast::Expr,
        text: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let part = self.bind_expression(part, scope)?;
        let text = self.bind_expression(text, scope)?;
        let position = part.position.or(text.position);
        self.call_by_name("strpos", vec![text, part], position)
    }

    /// `SUBSTRING(text FROM from FOR count)`, `SUBSTRING(text, from, count)`.
    pub(super) fn bind_substring(
        &mut self,
        text: &ast::Expr,
        from: Option<&ast::Expr>,
        count: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let text = self.bind_expression(text, scope)?;
        let position = text.position;
        let from = match from {
            Some(from) => self.bind_expression(from, scope)?,
            None => Expression::constant(Value::Int(1), DataType::Integer),
        };
        if from.data_type.is_text() || literal::unknown_text(&from).is_some() {
            return Err(Error::unsupported("SUBSTRING with a regular expression is").at(from.position));
        }
        let mut arguments = vec![text, from];
        if let Some(count) = count {
            arguments.push(self.bind_expression(count, scope)?);
        }
        self.call_by_name("substring", arguments, position)
    }

    /// `TRIM([BOTH|LEADING|TRAILING] [characters] FROM text)`.
    pub(super) fn bind_trim(
        &mut self,
        side: Option<ast::TrimWhereField>,
        text: &ast::Expr,
        characters: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let name = match side {
            None | Some(ast::TrimWhereField::Both) => "btrim",
            Some(ast::TrimWhereField::Leading) => "ltrim",
            Some(ast::TrimWhereField::Trailing) => "rtrim",
        };
        let mut arguments = vec![self.bind_expression(text, scope)?];
        if let Some(characters) = characters {
            arguments.push(self.bind_expression(characters, scope)?);
        }
        let position = arguments[0].position;
        self.call_by_name(name, arguments, position)
    }

    /// `OVERLAY(text PLACING new FROM from FOR count)`, which is
    /// `substring(text, 1, from - 1) || new || substring(text, from + count)`.
    pub(super) fn bind_overlay(
        &mut self,
        [text, new, from]: [&ast::Expr; 3],
        count: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let text = self.bind_expression(text, scope)?;
        let new = self.bind_expression(new, scope)?;
        let from = self.bind_expression(from, scope)?;
        let position = text.position;
        let count = count.map(|count| self.bind_expression(count, scope)).transpose()?;
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
