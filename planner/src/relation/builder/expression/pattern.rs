//! LIKE and ILIKE, regular expressions, SIMILAR TO, and the functions of these.
//!
//! A char(n) is stored without its trailing blanks, which count in a pattern match. So it is padded before it is
//! matched, unless the pattern shows that blanks at the end make no difference.

use super::call::{Special, take};
use super::coercion::Coercion;
use super::operator::{no_operator, not};
use super::{blanks, fold};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, PatternFunction};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

/// One of LIKE, ILIKE, `~`, `~*` and their negations.
#[derive(Clone, Copy, Debug)]
pub struct PatternOperator {
    /// Like, ILike, or a match of a regular expression.
    pub function: Function,
    /// NOT LIKE, `!~~`, `!~`.
    pub negated: bool,
}

impl PatternOperator {
    pub(super) fn spelling(self) -> &'static str {
        match (self.function, self.negated) {
            (Function::Like, false) => "~~",
            (Function::Like, true) => "!~~",
            (Function::Pattern(PatternFunction::Matches), false) => "~",
            (Function::Pattern(PatternFunction::Matches), true) => "!~",
            (Function::Pattern(_), false) => "~*",
            (Function::Pattern(_), true) => "!~*",
            (_, false) => "~~*",
            (_, true) => "!~~*",
        }
    }
}

impl Builder<'_> {
    /// `value [NOT] LIKE pattern [ESCAPE escape]`, `value ~ pattern`.
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
            DataType::Char(length) if escape.is_some() || !ignores_blanks_at_end(operator.function, &pattern) => {
                pad(value, length)
            }
            _ => value,
        };
        let mut arguments = vec![value, pattern];
        if let Some(escape) = escape {
            arguments.push(self.escape(escape)?);
        }
        let matches = fold::call(operator.function, arguments, DataType::Boolean);
        Ok(if operator.negated { not(matches) } else { matches })
    }

    /// `value [NOT] SIMILAR TO pattern [ESCAPE escape]`.
    pub fn similar(
        &mut self,
        negated: bool,
        value: Expression,
        pattern: Expression,
        escape: Option<Expression>,
    ) -> Result<Expression> {
        let pattern = self.similar_pattern(pattern, escape)?;
        let operator = PatternOperator { function: Function::Pattern(PatternFunction::Matches), negated };
        self.like(operator, value, pattern, None)
    }

    /// The regular expression of a pattern of SQL's own.
    fn similar_pattern(&mut self, pattern: Expression, escape: Option<Expression>) -> Result<Expression> {
        let position = pattern.position;
        let mut arguments = vec![self.coerce(pattern, DataType::Text, Coercion::Implicit)?];
        if let Some(escape) = escape {
            arguments.push(self.escape(escape)?);
        }
        Ok(fold::call(Function::Pattern(PatternFunction::Similar), arguments, DataType::Text).at(position))
    }

    /// The functions of patterns whose signatures are not all there is to say.
    pub(super) fn special_pattern_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let arguments: Vec<Expression> = match name {
            "regexp_match" | "regexp_split_to_array" | "string_split_regex" | "str_split_regex" => {
                arguments.into_iter().map(|argument| self.as_string(argument)).collect()
            }
            _ => arguments,
        };
        let may_be_text = |value: &Expression| value.data_type.is_text() || value.data_type == DataType::Null;
        let call = match (name, arguments.len()) {
            ("regexp_extract" | "regexp_extract_all", 2..=4) => {
                let is_all = name.ends_with("_all");
                let function = if is_all { PatternFunction::ExtractAll } else { PatternFunction::Extract };
                let mut given = Vec::with_capacity(4);
                for (argument, of) in
                    arguments.into_iter().zip([DataType::Text, DataType::Text, DataType::Integer, DataType::Text])
                {
                    if of == DataType::Integer && argument.data_type.element().is_some() {
                        return Err(
                            Error::unsupported("regexp_extract by the names of groups is").at(argument.position)
                        );
                    }
                    given.push(self.coerce(argument, of, Coercion::Implicit)?);
                }
                let to = if is_all { DataType::list(DataType::Text) } else { DataType::Text };
                fold::call(Function::Pattern(function), given, to)
            }
            ("regexp_match" | "regexp_split_to_array" | "string_split_regex" | "str_split_regex", 2..=3)
                if arguments.iter().all(may_be_text) =>
            {
                let function = match name {
                    "regexp_match" => PatternFunction::Groups,
                    _ => PatternFunction::Split,
                };
                let texts = arguments.into_iter().map(|argument| self.settle(argument).map(blanks::as_text));
                let texts = texts.collect::<Result<_>>()?;
                fold::call(Function::Pattern(function), texts, DataType::list(DataType::Text))
            }
            // `SUBSTRING(text SIMILAR pattern ESCAPE escape)`.
            ("substring", 3) if arguments.iter().all(may_be_text) => {
                let [text, pattern, escape] = take(arguments);
                let text = blanks::as_text(self.settle(text)?);
                let pattern = self.similar_pattern(pattern, Some(escape))?;
                fold::call(Function::Pattern(PatternFunction::Substring), vec![text, pattern], DataType::Text)
            }
            ("similar_to_escape", 1..=2) if arguments.iter().all(may_be_text) => {
                let mut arguments = arguments.into_iter();
                let Some(pattern) = arguments.next() else { return Ok(Special::NoMatch(Vec::new())) };
                self.similar_pattern(pattern, arguments.next())?
            }
            _ => return Ok(Special::NoMatch(arguments)),
        };
        Ok(Special::Bound(call))
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
fn ignores_blanks_at_end(function: Function, pattern: &Expression) -> bool {
    let Some(Value::Text(pattern)) = fold::constant(pattern) else { return false };
    !matches!(function, Function::Pattern(_))
        && pattern.ends_with('%')
        && !pattern.contains(['_', '\\'])
        && !pattern.contains(" %")
}
