//! Literals: numbers, strings, typed strings, parameters.

use super::data_type::restriction;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::Expression;
use crate::relation::builder::{bits_literal, null, text};
use crate::sql::binder::Binder;
use crate::types::DataType;
use sqlparser::ast;

impl Binder<'_, '_> {
    /// A literal or a parameter.
    pub(super) fn bind_value(&mut self, value: &ast::ValueWithSpan) -> Result<Expression> {
        use ast::Value as V;
        let position = self.position(value.span);
        let bound = match &value.value {
            V::Number(digits, false) => self.builder.number(digits),
            V::SingleQuotedString(text)
            | V::EscapedStringLiteral(text)
            | V::UnicodeStringLiteral(text)
            | V::NationalStringLiteral(text) => Ok(self::text(text)),
            V::DollarQuotedString(text) => Ok(self::text(&text.value)),
            V::Boolean(value) => Ok(Expression::boolean(*value)),
            V::Null => Ok(null()),
            V::Placeholder(name) => self.bind_parameter(name),
            V::SingleQuotedByteStringLiteral(digits) => bits_literal(&format!("b{digits}")),
            V::HexStringLiteral(digits) => bits_literal(&format!("x{digits}")),
            V::Number(_, true)
            | V::TripleSingleQuotedString(_)
            | V::TripleDoubleQuotedString(_)
            | V::DoubleQuotedByteStringLiteral(_)
            | V::TripleSingleQuotedByteStringLiteral(_)
            | V::TripleDoubleQuotedByteStringLiteral(_)
            | V::SingleQuotedRawStringLiteral(_)
            | V::DoubleQuotedRawStringLiteral(_)
            | V::TripleSingleQuotedRawStringLiteral(_)
            | V::TripleDoubleQuotedRawStringLiteral(_)
            | V::QuoteDelimitedStringLiteral(_)
            | V::NationalQuoteDelimitedStringLiteral(_)
            | V::DoubleQuotedString(_) => Err(Error::unsupported(format_args!("literal {value} is"))),
        };
        bound.map(|expression| expression.at(position)).map_err(|error| error.at(position))
    }

    fn bind_parameter(&mut self, name: &str) -> Result<Expression> {
        let number = name.strip_prefix('$').and_then(|digits| digits.parse::<u32>().ok());
        let known = number.and_then(|number| self.builder.parameter(number).ok());
        known.ok_or_else(|| Error::new(ErrorKind::UnknownParameter, format!("there is no parameter {name}")))
    }

    /// `date '1998-12-01'`, and every other `type 'text'`.
    pub(super) fn bind_typed_string(&mut self, typed: &ast::TypedString) -> Result<Expression> {
        let text = self.bind_value(&typed.value)?;
        let position = text.position;
        let data_type = match typed.data_type {
            // Only here it is of any length.
            ast::DataType::Bit(None) => DataType::BIT,
            _ => self.data_type(&typed.data_type, position)?,
        };
        self.builder.typed_literal(text, data_type, restriction(&typed.data_type))
    }
}
