//! LIKE and ILIKE.
//!
//! A char(n) is stored without its trailing blanks, which count in a pattern match. So it is padded before it is
//! matched, unless the pattern shows that blanks at the end make no difference.

use super::coercion::Coercion;
use super::fold;
use super::operator::{no_operator, not};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

/// One of LIKE, ILIKE and their negations.
#[derive(Clone, Copy, Debug)]
pub struct PatternOperator {
    /// Like or ILike.
    pub function: Function,
    /// NOT LIKE, `!~~`.
    pub negated: bool,
}

impl PatternOperator {
    pub(super) fn spelling(self) -> &'static str {
        match (self.function, self.negated) {
            (Function::Like, false) => "~~",
            (Function::Like, true) => "!~~",
            (_, false) => "~~*",
            (_, true) => "!~~*",
        }
    }
}

impl Builder<'_> {
    /// `value [NOT] LIKE pattern [ESCAPE escape]`.
    pub fn like(
        &mut self,
        operator: PatternOperator,
        value: Expression,
        pattern: Expression,
        escape: Option<Expression>,
    ) -> Result<Expression> {
        let position = value.position.or(pattern.position);
        let (value, pattern) = (self.as_string(value), self.as_string(pattern));
        let (l, r) = (value.data_type, pattern.data_type);
        let stringy = |data_type: DataType| data_type.is_text() || data_type == DataType::Null;
        if !stringy(l) || !stringy(r) {
            return Err(no_operator(operator.spelling(), l, r, position));
        }
        let value = self.settle(value)?;
        let pattern = self.settle(pattern)?;
        let value = match l {
            DataType::BPCHAR => value,
            DataType::Char(length) if escape.is_some() || !ignores_blanks_at_end(&pattern) => pad(value, length),
            _ => value,
        };
        let mut arguments = vec![value, pattern];
        if let Some(escape) = escape {
            arguments.push(self.escape(escape)?);
        }
        let matches = fold::call(operator.function, arguments, DataType::Boolean);
        Ok(if operator.negated { not(matches) } else { matches })
    }

    fn escape(&mut self, escape: Expression) -> Result<Expression> {
        let escape = self.coerce(escape, DataType::Text, Coercion::Implicit)?;
        if let Some(Value::Text(text)) = fold::constant(&escape)
            && text.chars().nth(1).is_some()
        {
            return Err(Error::new(ErrorKind::InvalidEscape, "invalid escape string")
                .at(escape.position)
                .with_hint("Escape string must be empty or one character."));
        }
        Ok(escape)
    }
}

/// A char(n) with its blanks.
pub(super) fn pad(value: Expression, length: u32) -> Expression {
    let position = value.position;
    let length = i64::from(length);
    let length = Expression::constant(Value::Int(length), DataType::Integer);
    fold::call(Function::RightPad, vec![value, length], DataType::Text).at(position)
}

/// Whether a pattern matches a text with blanks at its end just when it matches it without them: it ends in `%`,
/// and nothing in it can match these blanks but a `%`.
fn ignores_blanks_at_end(pattern: &Expression) -> bool {
    let Some(Value::Text(pattern)) = fold::constant(pattern) else { return false };
    pattern.ends_with('%') && !pattern.contains(['_', '\\']) && !pattern.contains(" %")
}
