//! Kept texts as they are shown: with what they name as it is called now, and instants as the session's clock shows them.
//!
//! A view's text is shown as it was written where that still says what the view is; what has changed is put in its place. A relation
//! with another name has the old one as its alias, by which the text knows it; one whose columns are called otherwise, or that has
//! more of them, stands as a query that gives those which the text knows.

use super::kept::{is_name, type_name};
use super::text::Text;
use crate::catalog::{Mark, Marked, Meant, TableName, View, called};
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
        let place = |first: usize, last: usize| {
            let start = text.offset(tokens[first].span.start).unwrap_or(view.sql.len());
            start..text.offset(tokens[last].span.end).unwrap_or(view.sql.len())
        };
        let (mut changes, mut relations, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        for Mark { at, what } in &view.marks {
            let starts = |token: &TokenWithSpan| text.offset(token.span.start) == Some(*at);
            let Some(first) = tokens.iter().position(starts) else { continue };
            match what {
                Marked::Relation(written, aliased) => {
                    relations.push(first);
                    let place = place(first, name_end(&tokens, first));
                    let known = view.relation(written).zip(view.sql.get(place.clone()));
                    if let Some(shown) = known.and_then(|(meant, name)| self.relation(meant, name, *aliased)) {
                        changes.push((place, shown));
                        moved.push(written);
                    }
                }
                Marked::Literal(written, data_type) => {
                    let value = view.literals.get(written, *data_type);
                    let shown = value.and_then(|value| self.literal(&tokens, first, (written, value), *data_type));
                    changes.extend(shown.map(|shown| (place(first, first), shown)));
                }
            }
        }
        // What is another relation now, or a query, is known by its name alone.
        for first in (0..tokens.len()).filter(|first| !relations.contains(first)) {
            if let Some(name) = moved.iter().find(|name| is_qualified(&tokens, first, name)) {
                changes.push((place(first, first + 2), quoted(&name.name)));
            }
        }
        for meant in &view.names {
            for (places, shown) in renamed_calls(&tokens, meant) {
                changes.push((place(places.start, places.end), shown));
            }
        }
        with_changes(&view.sql, changes)
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

/// Where a text calls a function by a name that it has no more, and what it is called now.
fn renamed_calls(tokens: &[TokenWithSpan], meant: &Meant) -> Vec<(Range<usize>, String)> {
    let (Some(was), Some(is)) = (called(&meant.written.name), called(&meant.now.name)) else { return Vec::new() };
    let has_moved = meant.now.schema != meant.then.schema;
    if was == is && !has_moved {
        return Vec::new();
    }
    let is_named = |at: usize, name: &str| match &tokens[at].token {
        Token::Word(word) => is_name(word, name),
        _ => false,
    };
    let mut calls = Vec::new();
    for at in 0..tokens.len() {
        let is_call = tokens.get(at + 1).is_some_and(|token| token.token == Token::LParen);
        if !is_call || !is_named(at, was) {
            continue;
        }
        let has_schema = at > 0 && tokens[at - 1].token == Token::Period;
        let is_it = match (&meant.written.schema, has_schema) {
            (Some(schema), true) => at > 1 && is_named(at - 2, schema),
            (_, has_schema) => !has_schema,
        };
        if !is_it {
            continue;
        }
        let shown = match &meant.now.schema {
            Some(schema) if has_schema || has_moved => format!("{}.{}", quoted(schema), quoted(is)),
            _ => quoted(is),
        };
        calls.push((if has_schema { at - 2 } else { at }..at, shown));
    }
    calls
}

/// A text in which other texts stand in some places.
fn with_changes(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    changes.sort_by_key(|(place, _)| place.start);
    let (mut shown, mut end) = (String::new(), 0);
    for (Range { start, end: behind }, changed) in changes {
        if start >= end {
            shown.push_str(text.get(end..start).unwrap_or_default());
            shown.push_str(&changed);
            end = behind;
        }
    }
    shown.push_str(text.get(end..).unwrap_or_default());
    shown
}

/// Whether `schema.table.column` or `schema.table.*` begins at a token, of this table.
fn is_qualified(tokens: &[TokenWithSpan], first: usize, table: &TableName) -> bool {
    let is_named = |at: usize, name: &str| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_some() => word.value == name,
        Some(Token::Word(word)) => word.value.to_lowercase() == name,
        _ => false,
    };
    let is_dot = |at: usize| tokens.get(at).is_some_and(|token| token.token == Token::Period);
    let Some(schema) = &table.schema else { return false };
    is_named(first, schema)
        && is_dot(first + 1)
        && is_named(first + 2, &table.name)
        && is_dot(first + 3)
        && !first.checked_sub(1).is_some_and(is_dot)
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
