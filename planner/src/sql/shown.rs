//! Kept texts as they are shown: with what they name as it is called now, and instants as the session's clock shows them.
//!
//! A view's text is shown as it was written where that still says what the view is; what has changed is put in its place. A relation
//! with another name has the old one as its alias, by which the text knows it; one whose columns are called otherwise, or that has
//! more of them, stands as a query that gives those which the text knows.

use super::kept::type_name;
use super::text::Text;
use crate::catalog::{Mark, Marked, Meant, TableName, View};
use crate::evaluate::quote::identifier as quoted;
use crate::evaluate::{self, UTC};
use crate::types::{DataType, OidKind};
use crate::value::Value;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use std::ops::Range;

/// Words that may stand before a literal as its type.
const TYPES: [&str; 9] =
    ["date", "time", "timetz", "timestamp", "timestamptz", "zone", "interval", "regclass", "regtype"];

/// The name and the columns of a relation.
pub(crate) type NamedRelation = (String, Vec<String>);

/// What a session shows kept texts by.
pub struct Showing<'s> {
    /// Its time zone.
    pub zone: &'s str,
    /// The name of the object of a number, as the session sees it.
    pub object: &'s dyn Fn(OidKind, u32) -> Option<String>,
    /// A relation as the session sees it, and its columns.
    pub relation: &'s dyn Fn(&TableName) -> Option<NamedRelation>,
}

impl Showing<'_> {
    /// The query of a view.
    pub fn view(&self, view: &View) -> String {
        let text = Text::new(&view.sql);
        let tokens = solid(&view.sql);
        let mut shown = String::new();
        let mut end = 0;
        for Mark { at, what } in &view.marks {
            let starts = |token: &TokenWithSpan| text.offset(token.span.start) == Some(*at);
            let Some(first) = tokens.iter().position(starts).filter(|_| *at >= end) else { continue };
            let place = |last: usize| *at..text.offset(tokens[last].span.end).unwrap_or(view.sql.len());
            let changed = match what {
                Marked::Relation(written, aliased) => {
                    let last = name_end(&tokens, first);
                    let known = view.relation(written).zip(view.sql.get(place(last)));
                    known
                        .and_then(|(meant, name)| self.relation(meant, name, *aliased))
                        .map(|shown| (place(last), shown))
                }
                Marked::Literal(written, data_type) => {
                    let value = view.literals.get(written, *data_type);
                    let shown = value.and_then(|value| self.literal(&tokens, first, (written, value), *data_type));
                    shown.map(|shown| (place(first), shown))
                }
            };
            if let Some((Range { start, end: behind }, changed)) = changed {
                shown.push_str(view.sql.get(end..start).unwrap_or_default());
                shown.push_str(&changed);
                end = behind;
            }
        }
        shown.push_str(view.sql.get(end..).unwrap_or_default());
        shown
    }

    /// A relation that is not what its name in a text says any more.
    fn relation(&self, meant: &Meant, written: &str, aliased: bool) -> Option<String> {
        let (shown, columns) = (self.relation)(&meant.now)?;
        let then = meant.columns.as_deref().unwrap_or_default();
        let alias = |always: bool| match aliased || !(always || meant.now.name != meant.then.name) {
            true => String::new(),
            false => format!(" AS {}", quoted(&meant.then.name)),
        };
        if columns == then {
            let is_same = shown == written || (meant.now == meant.then && meant.written.schema.is_some());
            return (!is_same).then(|| format!("{shown}{}", alias(false)));
        }
        let column = |(now, then): (&String, &String)| match now == then {
            true => quoted(now),
            false => format!("{} AS {}", quoted(now), quoted(then)),
        };
        let columns: Vec<String> = columns.iter().zip(then).map(column).collect();
        Some(format!("(SELECT {} FROM {shown}){}", columns.join(", "), alias(true)))
    }

    /// A literal whose text says something else now, or would in another session; its type stands around it or behind it.
    fn literal(
        &self,
        tokens: &[TokenWithSpan],
        at: usize,
        (written, value): (&str, &Value),
        data_type: DataType,
    ) -> Option<String> {
        let text = self.value(value, data_type);
        if text == written && !data_type.is_zoned() {
            return None;
        }
        let before = at.checked_sub(1).map(|before| &tokens[before].token);
        let is_typed =
            matches!(before, Some(Token::Word(word)) if TYPES.iter().any(|of| word.value.eq_ignore_ascii_case(of)));
        let is_cast = tokens.get(at + 1).is_some_and(|token| token.token == Token::DoubleColon);
        let text = text.replace('\'', "''");
        Some(match is_typed || is_cast {
            true => format!("'{text}'"),
            false => format!("'{text}'::{}", type_name(data_type)),
        })
    }

    fn value(&self, value: &Value, data_type: DataType) -> String {
        match (value, data_type) {
            (Value::Int(number), DataType::Oid(kind)) => {
                let name = u32::try_from(*number).ok().and_then(|number| (self.object)(kind, number));
                name.unwrap_or_else(|| number.to_string())
            }
            _ => evaluate::format_in(value, data_type, self.zone),
        }
    }

    /// An expression that is kept in a form which means the same under all settings.
    pub fn expression(&self, text: &str) -> String {
        if !text.contains("::") || !["zone", "reg"].iter().any(|part| text.contains(part)) {
            return text.to_owned();
        }
        let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).with_unescape(false).tokenize().unwrap_or_default();
        let mut shown = String::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::SingleQuotedString(value) => {
                    let changed = self.constant(&value.replace("''", "'"), &tokens[at + 1..]);
                    match changed {
                        Some(changed) => shown.push_str(&format!("'{}'", changed.replace('\'', "''"))),
                        None => shown.push_str(&token.to_string()),
                    }
                }
                other => shown.push_str(&other.to_string()),
            }
        }
        shown
    }

    /// The text of a constant of the type that stands behind it.
    fn constant(&self, text: &str, behind: &[Token]) -> Option<String> {
        let [Token::DoubleColon, Token::Word(word), rest @ ..] = behind else { return None };
        let name = word.value.to_ascii_lowercase();
        let words = rest.iter().filter(|token| !matches!(token, Token::Whitespace(_)));
        let words = words.take(3).map(|token| token.to_string().to_ascii_lowercase()).collect::<Vec<_>>().join(" ");
        let of = match name.as_str() {
            "timestamp" if words.starts_with("with time zone") => DataType::TimestampTz,
            "timestamptz" => DataType::TimestampTz,
            _ => DataType::Oid(OidKind::named(&name)?),
        };
        let value = evaluate::parse_in(text, of, UTC).ok()?;
        Some(self.value(&value, of))
    }
}

/// The tokens of a text without blanks and comments.
fn solid(text: &str) -> Vec<TokenWithSpan> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize_with_location().unwrap_or_default();
    tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect()
}

/// Where a name with dots ends that begins at a token.
fn name_end(tokens: &[TokenWithSpan], first: usize) -> usize {
    let mut last = first;
    while tokens.get(last + 1).is_some_and(|token| token.token == Token::Period)
        && tokens.get(last + 2).is_some_and(|token| matches!(token.token, Token::Word(_)))
    {
        last += 2;
    }
    last
}
