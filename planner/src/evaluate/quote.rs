//! Names and texts as SQL writes them, and `format`, which puts them into a template.

use super::Call;
use super::array::Array;
use super::long_text::LongText;
use super::parse::is_blank;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::types::DataType;
use crate::value::Value;
use std::str::Chars;

/// The words that are no names without quotes: PostgreSQL 15's that are not "unreserved".
const RESERVED: &str = "\
    all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case \
    cast char character check coalesce collate collation column concurrently constraint create cross \
    current_catalog current_date current_role current_schema current_time current_timestamp current_user dec \
    decimal default deferrable desc distinct do else end except exists extract false fetch float for foreign \
    freeze from full grant greatest group grouping having ilike in initially inner inout int integer intersect \
    interval into is isnull join lateral leading least left like limit localtime localtimestamp national natural \
    nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay \
    placing position precision primary real references returning right row select session_user setof similar \
    smallint some substring symmetric table tablesample then time timestamp to trailing treat trim true union \
    unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement \
    xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable";

/// A name as SQL text, in quotes if it needs them.
pub fn identifier(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let needs_none = !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(is_plain)
        && !RESERVED.split_ascii_whitespace().any(|word| word == name);
    if needs_none { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// A text as a literal of SQL.
pub(super) fn literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if text.contains('\\') { format!("E'{}'", quoted.replace('\\', "\\\\")) } else { format!("'{quoted}'") }
}

/// The parts of a name with dots, as they are without quotes. What stands behind the last is an error if that is strict.
///
/// # Errors
/// 22023 for what is no name.
fn identifiers(text: &str, strict: bool) -> Result<Vec<String>> {
    let wrong = || {
        let message = format!("string is not a valid identifier: \"{text}\"");
        Err(Error::new(ErrorKind::InvalidParameter, message))
    };
    let (mut parts, mut rest) = (Vec::new(), text.trim_start_matches(is_blank));
    loop {
        let (part, behind) = if let Some(quoted) = rest.strip_prefix('"') {
            let mut part = String::new();
            let mut from = quoted;
            let behind = loop {
                let Some((before, behind)) = from.split_once('"') else { return wrong() };
                part.push_str(before);
                match behind.strip_prefix('"') {
                    Some(more) => {
                        part.push('"');
                        from = more;
                    }
                    None => break behind,
                }
            };
            if part.is_empty() {
                return wrong();
            }
            (part, behind)
        } else {
            let is_start = |letter: char| letter.is_alphabetic() || letter == '_' || !letter.is_ascii();
            let is_more = |letter: char| is_start(letter) || letter.is_ascii_digit() || letter == '$';
            let end = rest.find(|letter| !is_more(letter)).unwrap_or(rest.len());
            if !rest.starts_with(is_start) {
                return wrong();
            }
            (rest[..end].to_ascii_lowercase(), &rest[end..])
        };
        parts.push(part);
        rest = behind.trim_start_matches(is_blank);
        match rest.strip_prefix('.') {
            Some(next) => rest = next.trim_start_matches(is_blank),
            None if rest.is_empty() || !strict => return Ok(parts),
            None => return wrong(),
        }
    }
}

/// The value of a function that does not give NULL for every NULL argument.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    match call.function {
        Function::Format if call.arguments[0].is_null() => Ok(Some(Value::Null)),
        Function::Format => format(call.text(0)?, call).map(Some),
        _ => Ok(None),
    }
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    Ok(Some(match call.function {
        Function::QuoteIdentifier => Value::text(identifier(call.text(0)?)),
        Function::QuoteLiteral => Value::text(literal(call.text(0)?)),
        Function::ParseIdentifier => {
            let strict = call.arguments.get(1).is_none_or(Value::is_true);
            let parts = identifiers(call.text(0)?, strict)?.into_iter().map(Value::text).collect();
            Value::text(Array::of(parts).encode(DataType::Text))
        }
        _ => return Ok(None),
    }))
}

fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::InvalidParameter, message)
}

fn unterminated() -> Error {
    wrong("unterminated format() type specifier").with_hint("For a single \"%\" use \"%%\".")
}

/// `format(template, …)`: `%[n$][-][width](s|I|L)`, where the width may be `*` or `*n$`, an argument itself.
fn format(template: &str, call: &Call) -> Result<Value> {
    let mut out = LongText::default();
    let mut arguments = Arguments { call, last: 0 };
    let mut letters = template.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter.encode_utf8(&mut [0; 4]))?;
            continue;
        }
        if letters.as_str().starts_with('%') {
            letters.next();
            out.push("%")?;
            continue;
        }
        let place = place(&mut letters)?;
        let (is_left, width) = width(&mut letters, &mut arguments)?;
        let kind = letters.next().ok_or_else(unterminated)?;
        if !matches!(kind, 's' | 'I' | 'L') {
            let message = format!("unrecognized format() type specifier \"{kind}\"");
            return Err(wrong(&message).with_hint("For a single \"%\" use \"%%\"."));
        }
        let text = match (kind, arguments.take(place)?) {
            ('s', text) => text.unwrap_or_default().to_owned(),
            ('I', Some(text)) => identifier(text),
            ('I', None) => {
                let message = "null values cannot be formatted as an SQL identifier";
                return Err(Error::new(ErrorKind::NullNotAllowed, message));
            }
            (_, text) => text.map_or_else(|| "NULL".to_owned(), literal),
        };
        let blanks = width.saturating_sub(text.chars().count());
        let (before, after) = if is_left { (0, blanks) } else { (blanks, 0) };
        out.repeat(" ", before)?;
        out.push(&text)?;
        out.repeat(" ", after)?;
    }
    Ok(out.value())
}

/// What a template is filled with.
struct Arguments<'a, 'b> {
    call: &'a Call<'b>,
    /// The argument taken last; the next one follows it.
    last: usize,
}

impl<'b> Arguments<'_, 'b> {
    /// The argument at a place, or the next; none of NULL.
    fn take(&mut self, place: Option<usize>) -> Result<Option<&'b str>> {
        self.last = place.unwrap_or(self.last + 1);
        if self.last == 0 {
            return Err(wrong("format specifies argument 0, but arguments are numbered from 1"));
        }
        match self.call.arguments.get(self.last) {
            None => Err(wrong("too few arguments for format()")),
            Some(Value::Null) => Ok(None),
            Some(_) => self.call.text(self.last).map(Some),
        }
    }
}

/// Digits, if there are some.
fn digits(letters: &mut Chars) -> Result<Option<usize>> {
    let text = letters.as_str();
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 {
        return Ok(None);
    }
    *letters = text[count..].chars();
    let number = text[..count].parse::<i32>().ok().and_then(|number| usize::try_from(number).ok());
    number.map(Some).ok_or_else(|| Error::new(ErrorKind::NumericOverflow, "number is out of range"))
}

/// `n$`, if it stands there.
fn place(letters: &mut Chars) -> Result<Option<usize>> {
    let start = letters.clone();
    match digits(letters)? {
        None => Ok(None),
        Some(_) if letters.as_str().is_empty() => Err(unterminated()),
        Some(number) if letters.as_str().starts_with('$') => {
            letters.next();
            Ok(Some(number))
        }
        Some(_) => {
            *letters = start;
            Ok(None)
        }
    }
}

/// `-`, and a width, which if it is an argument may be negative for the same. NULL is none.
fn width(letters: &mut Chars, arguments: &mut Arguments) -> Result<(bool, usize)> {
    let mut is_left = false;
    while letters.as_str().starts_with('-') {
        letters.next();
        is_left = true;
    }
    if !letters.as_str().starts_with('*') {
        let width = digits(letters)?.unwrap_or(0);
        return if letters.as_str().is_empty() { Err(unterminated()) } else { Ok((is_left, width)) };
    }
    letters.next();
    let place = place(letters)?;
    let Some(text) = arguments.take(place)? else { return Ok((is_left, 0)) };
    let width: i32 = text.trim().parse().map_err(|_| {
        Error::new(ErrorKind::InvalidText, format!("invalid input syntax for type integer: \"{text}\""))
    })?;
    Ok((is_left || width < 0, width.unsigned_abs() as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::testing::{NULL, Typed, expect_error, expect_value, text};
    use crate::types::DataType;

    #[test]
    fn quoted() {
        for (name, shown) in [
            ("foo_1", "foo_1"),
            ("Foo", "\"Foo\""),
            ("a\"b", "\"a\"\"b\""),
            ("select", "\"select\""),
            ("abs", "abs"),
            ("1a", "\"1a\""),
            ("", "\"\""),
            ("é", "\"é\""),
        ] {
            assert_eq!(identifier(name), shown, "{name}");
        }
        for (value, shown) in [("a", "'a'"), ("", "''"), ("a'b", "'a''b'"), ("a\\b'c", "E'a\\\\b''c'")] {
            assert_eq!(literal(value), shown, "{value}");
        }
    }

    #[test]
    fn formatted() {
        let check = |template: &str, arguments: &[Typed], expected: &str| {
            let arguments = std::iter::once(text(template)).chain(arguments.iter().cloned()).collect();
            expect_value(Function::Format, arguments, text(expected));
        };
        check("%s|%I|%L|%%", &[text("a"), text("B c"), NULL], "a|\"B c\"|NULL|%");
        check("%10s|%-10s|%1$5s", &[text("ab"), text("cd")], "        ab|cd        |   ab");
        check("%*s%-*s|%*s|", &["5", "x", "3", "y", "-3", "z"].map(text), "    xy  |z  |");
        check("%2$*1$s", &[text("4"), text("é")], "   é");
        check("%1$s %s", &[text("a"), text("b")], "a b");
        check("%s", &[NULL], "");
        check("%*s", &[NULL, text("x")], "x");
        let fails = |template: &str, arguments: &[Typed], state: &str| {
            let arguments = std::iter::once(text(template)).chain(arguments.iter().cloned()).collect();
            expect_error(Function::Format, arguments, DataType::Text, state);
        };
        fails("%x", &[text("1")], "22023");
        fails("%s", &[], "22023");
        fails("%I", &[NULL], "22004");
        fails("%0$s", &[text("1")], "22023");
        fails("%5$s", &[text("1")], "22023");
        fails("%", &[], "22023");
        fails("%1", &[text("1")], "22023");
        fails("%1$5", &[text("1")], "22023");
        fails("%*s", &[text("q"), text("x")], "22P02");
        fails("%1073741823s%s", &[text("a"), text("b")], "54001");
    }
}
