//! What has a syntax of its own and is a function, or nearly: CASE, EXTRACT, POSITION, SUBSTRING, TRIM, OVERLAY, CEIL, FLOOR,
//! COLLATE.

use crate::error::{Error, ErrorKind, Result};
use crate::relation::Expression;
use crate::relation::builder::Scope;
use crate::sql::binder::Binder;
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast::{self, CeilFloorKind, DateTimeField};

impl Binder<'_, '_> {
    /// Both forms of CASE; the simple one compares its operand with each WHEN.
    pub(super) fn bind_case(
        &mut self,
        operand: Option<&ast::Expr>,
        branches: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let mut operand = operand.map(|operand| self.bind_expression(operand, scope)).transpose()?;
        let position = operand.as_ref().and_then(|operand| operand.position);
        let drawn = operand.as_mut().filter(|operand| operand.draws()).map(|operand| self.builder.taken_out(operand));
        let mut bound = Vec::with_capacity(branches.len());
        for branch in branches {
            let when = self.bind_expression(&branch.condition, scope)?;
            let condition = self.builder.case_condition(operand.as_ref(), when)?;
            bound.push((condition, self.bind_expression(&branch.result, scope)?));
        }
        let otherwise = otherwise.map(|otherwise| self.bind_expression(otherwise, scope)).transpose()?;
        let value = self.builder.case(bound, otherwise)?;
        match drawn {
            Some(drawn) => self.builder.over_computed(vec![drawn], value, position),
            None => Ok(value),
        }
    }

    /// `EXTRACT(field FROM source)`.
    pub(super) fn bind_extract(
        &mut self,
        field: &ast::DateTimeField,
        source: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let source = self.bind_expression(source, scope)?;
        let name = match field {
            ast::DateTimeField::Custom(ident) => ident.value.to_ascii_lowercase(),
            other => other.to_string().to_ascii_lowercase(),
        };
        self.builder.extract(&name, source)
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
        self.builder.call_by_name("strpos", vec![text, part], position)
    }

    /// `SUBSTRING(text FROM from FOR count)`, `SUBSTRING(text, from, count)`, where `from` may be a pattern, and SUBSTR.
    pub(super) fn bind_substring(
        &mut self,
        name: &str,
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
        let mut arguments = vec![text, from];
        if let Some(count) = count {
            arguments.push(self.bind_expression(count, scope)?);
        }
        self.builder.call_by_name(name, arguments, position)
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
        self.builder.call_by_name(name, arguments, position)
    }

    /// `OVERLAY(text PLACING new FROM from FOR count)`.
    pub(super) fn bind_overlay(
        &mut self,
        [text, new, from]: [&ast::Expr; 3],
        count: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let text = self.bind_expression(text, scope)?;
        let new = self.bind_expression(new, scope)?;
        let from = self.bind_expression(from, scope)?;
        let count = count.map(|count| self.bind_expression(count, scope)).transpose()?;
        self.builder.overlay([text, new, from], count)
    }

    /// `CEIL(a)` and `FLOOR(a)`, which sqlparser reads as syntax of their own.
    pub(super) fn bind_rounding(
        &mut self,
        name: &str,
        argument: &ast::Expr,
        field: &CeilFloorKind,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let position = self.start(argument);
        if !matches!(field, CeilFloorKind::DateTimeField(DateTimeField::NoDateTime)) {
            return Err(Error::unsupported(format_args!("{name} with a field or scale is")).at(position));
        }
        let argument = self.bind_expression(argument, scope)?;
        self.builder.call_by_name(name, vec![argument], position)
    }

    /// `value COLLATE "C"`: the order that all text has here.
    pub(super) fn bind_collate(
        &mut self,
        value: &ast::Expr,
        collation: &ast::ObjectName,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let value = self.bind_expression(value, scope)?;
        let value = self.builder.settle(value)?;
        let name = collation.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.as_str());
        if !matches!(name, Some("C" | "POSIX" | "ucs_basic" | "default")) {
            return Err(Error::unsupported(format_args!("collation {collation} is")).at(value.position));
        }
        if !value.data_type.is_text() {
            let message = format!("collations are not supported by type {}", value.data_type);
            return Err(Error::new(ErrorKind::TypeMismatch, message).at(value.position));
        }
        Ok(value)
    }
}
