//! JSON: checked as it is read, and jsonb in one form.
//!
//! That form is PostgreSQL's: the keys of an object by length, then by bytes, of equal keys the last; a blank behind colons and
//! commas; numbers as NUMERICs, with the digits that they came with; strings without needless escapes. There is a parser here, not
//! a library's, because a number must keep its digits and the text of a json must stay as it is.
//!
//! `member` looks into values and `each` takes objects apart; `change` makes other values of them, `order` compares them, `path` has
//! the paths of SQL/JSON, `typed` reads structs and arrays out of them. `scan` finds parts without building values, for kernels.

mod change;
mod each;
mod member;
mod order;
mod path;
pub mod scan;
mod typed;

use super::calendar::is_infinite_timestamp;
use super::{Call, array, format, logical, structure};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, JsonFunction};
use crate::meter;
use crate::numeric::Numeric;
use crate::stack;
use crate::types::DataType;
use crate::value::Value;
pub(super) use path::normal as path_normal;
use std::fmt::Write;
pub(super) use typed::typed;

/// Arrays and objects within each other, at most.
const DEPTH_MAX: u32 = 6_000;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    /// null, true, false, or a number.
    Plain(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// An error (22P02) for a text that is no JSON.
pub(super) fn check(text: &str) -> Result<()> {
    Parser { text, at: 0, depth: 0, keeps: false, signs: false }.whole().map(drop)
}

/// The normal form of a JSON text; 22P02 for what is none, 0A000 for a character NUL, which no text has.
pub(super) fn normal(text: &str) -> Result<String> {
    let json = Parser { text, at: 0, depth: 0, keeps: true, signs: false }.whole()?;
    let mut out = String::with_capacity(text.len());
    json.write(&mut out);
    Ok(out)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    /// Whether what strings and numbers are is wanted, not only whether they are some.
    keeps: bool,
    /// Whether a zero keeps its sign, which a NUMERIC has none for.
    signs: bool,
}

impl Parser<'_> {
    fn whole(mut self) -> Result<Json> {
        let json = self.value()?;
        self.skip_blanks();
        if self.at < self.text.len() { Err(self.invalid()) } else { Ok(json) }
    }

    fn invalid(&self) -> Error {
        let rest = &self.text[self.at.min(self.text.len())..];
        let detail = match rest.split(|c: char| c.is_ascii_whitespace() || c == ',').next() {
            None | Some("") => "The input string ended unexpectedly.".to_owned(),
            Some(token) => format!("Token \"{}\" is invalid.", token.chars().take(40).collect::<String>()),
        };
        Error::new(ErrorKind::InvalidText, "invalid input syntax for type json").with_detail(detail)
    }

    fn skip_blanks(&mut self) {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        while self.text.as_bytes().get(self.at).is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Takes a byte if it is the next that is no blank.
    fn accept(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.accept(byte) { Ok(()) } else { Err(self.invalid()) }
    }

    fn value(&mut self) -> Result<Json> {
        meter::spend(32)?;
        self.skip_blanks();
        match self.text.as_bytes().get(self.at) {
            Some(b'{' | b'[') => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return Err(Error::new(ErrorKind::TooComplex, "JSON nests too deeply"));
                }
                let nested = stack::more(|| if self.accept(b'[') { self.array() } else { self.object() });
                self.depth -= 1;
                nested
            }
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z') => self.word(),
            _ => Err(self.invalid()),
        }
    }

    fn array(&mut self) -> Result<Json> {
        let mut elements = Vec::new();
        if self.accept(b']') {
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value()?);
            if self.accept(b']') {
                return Ok(Json::Array(elements));
            }
            self.expect(b',')?;
        }
    }

    fn object(&mut self) -> Result<Json> {
        self.expect(b'{')?;
        let mut fields = Vec::new();
        if self.accept(b'}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.skip_blanks();
            let key = self.string()?;
            self.expect(b':')?;
            fields.push((key, self.value()?));
            if self.accept(b'}') {
                return Ok(Json::Object(fields));
            }
            self.expect(b',')?;
        }
    }

    fn word(&mut self) -> Result<Json> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        match &rest[..length] {
            word @ ("null" | "true" | "false") => {
                self.at += length;
                Ok(Json::Plain(word.to_owned()))
            }
            _ => Err(self.invalid()),
        }
    }

    fn number(&mut self) -> Result<Json> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let whole = start + usize::from(bytes[start] == b'-');
        let mut end = digits(whole);
        let leading_zero = bytes.get(whole) == Some(&b'0') && end > whole + 1;
        if end == whole || leading_zero {
            return Err(self.invalid());
        }
        if bytes.get(end) == Some(&b'.') {
            let fraction = digits(end + 1);
            if fraction == end + 1 {
                return Err(self.invalid());
            }
            end = fraction;
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent == end + 1 + sign {
                return Err(self.invalid());
            }
            end = exponent;
        }
        if bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | 0x80..)) {
            return Err(self.invalid());
        }
        self.at = end;
        let text = &self.text[start..end];
        if !self.keeps {
            return Ok(Json::Plain(String::new()));
        }
        let number = Numeric::parse(text)?.to_string();
        let loses = self.signs && text.starts_with('-') && !number.starts_with('-');
        Ok(Json::Plain(if loses { format!("-{number}") } else { number }))
    }

    /// The characters of a string.
    fn string(&mut self) -> Result<String> {
        if self.text.as_bytes().get(self.at) != Some(&b'"') {
            return Err(self.invalid());
        }
        let start = self.at;
        self.at += 1;
        let mut content = String::new();
        loop {
            meter::spend(4)?;
            let Some(letter) = self.text[self.at..].chars().next() else {
                self.at = start;
                return Err(self.invalid());
            };
            match letter {
                '"' => {
                    self.at += 1;
                    return Ok(content);
                }
                '\0'..='\u{1f}' => return Err(self.invalid()),
                '\\' => {
                    if let Some(letter) = self.escape()? {
                        content.push(letter);
                    }
                }
                plain => {
                    self.at += plain.len_utf8();
                    if self.keeps {
                        content.push(plain);
                    }
                }
            }
        }
    }

    /// What an escape stands for; none where nobody wants to know.
    fn escape(&mut self) -> Result<Option<char>> {
        let letter = match self.text.as_bytes().get(self.at + 1) {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(*plain),
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.invalid()),
        };
        self.at += 2;
        Ok(Some(letter))
    }

    fn unicode_escape(&mut self) -> Result<Option<char>> {
        let unit = self.unit(self.at)?;
        self.at += 6;
        if !self.keeps {
            return Ok(None);
        }
        if unit == 0 {
            return Err(Error::new(ErrorKind::Unsupported, "unsupported Unicode escape sequence: \\u0000 is no text"));
        }
        let mut code = unit;
        if (0xD800..0xDC00).contains(&unit) {
            let low = self.unit(self.at)?;
            if !(0xDC00..0xE000).contains(&low) {
                return Err(self.invalid());
            }
            self.at += 6;
            code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
        char::from_u32(code).map(Some).ok_or_else(|| self.invalid())
    }

    /// The number of `\uXXXX`.
    fn unit(&self, at: usize) -> Result<u32> {
        let digits = self.text.get(at..at + 6).and_then(|text| text.strip_prefix("\\u"));
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or_else(|| self.invalid())
    }
}

/// A number as a NUMERIC shows it: zero has no sign.
fn unsigned_zero(number: &str) -> &str {
    let zero = number.strip_prefix('-').filter(|rest| rest.bytes().all(|byte| matches!(byte, b'0' | b'.')));
    zero.unwrap_or(number)
}

impl Json {
    fn write(self, out: &mut String) {
        match self {
            Json::Plain(text) => out.push_str(unsigned_zero(&text)),
            Json::String(text) => append_json_text(&text, out),
            Json::Array(elements) => {
                out.push('[');
                for (at, element) in elements.into_iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    stack::more(|| element.write(out));
                }
                out.push(']');
            }
            Json::Object(mut fields) => {
                sort_fields(&mut fields);
                out.push('{');
                for (at, (key, value)) in fields.into_iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    append_json_text(&key, out);
                    out.push_str(": ");
                    stack::more(|| value.write(out));
                }
                out.push('}');
            }
        }
    }
}

/// Puts fields in order, each key once: of equal ones the last.
fn sort_fields(fields: &mut Vec<(String, Json)>) {
    // The last comes first, and is kept.
    fields.reverse();
    fields.sort_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    fields.dedup_by(|(later, _), (earlier, _)| later == earlier);
}

/// Adds a text as a string of JSON.
pub fn append_json_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in meter::pieces_while_wanted(text).flat_map(str::chars) {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' => write!(out, "\\u{:04x}", u32::from(letter)).expect("a String can be written to"),
            plain => out.push(plain),
        }
    }
    out.push('"');
}

/// Adds a value that is not NULL as JSON; instants are shown in a time zone.
pub fn append_json(value: &Value, data_type: DataType, zone: &str, out: &mut String) {
    match (value, data_type) {
        (Value::Text(json), DataType::Json | DataType::Jsonb) => out.push_str(json),
        (Value::Boolean(value), _) => out.push_str(if *value { "true" } else { "false" }),
        (Value::Text(encoded), DataType::Nested(_)) if data_type.element().is_some() => {
            let element = data_type.element().unwrap_or(DataType::Text);
            let array = array::Array::decode(encoded, element).unwrap_or_default();
            array.nest(out, &mut |out, open| out.push(if open { '[' } else { ']' }), &mut |out, value| match value {
                Value::Null => out.push_str("null"),
                value => append_json(value, element, zone, out),
            });
        }
        (Value::Vector(elements), _) => {
            let of = data_type.vector_of().map_or(DataType::Double, |(of, _)| of);
            for (at, element) in elements.iter().enumerate() {
                out.push(if at > 0 { ',' } else { '[' });
                append_json(&Value::Float(*element), of, zone, out);
            }
            out.push(']');
        }
        (Value::Text(encoded), DataType::Nested(_)) if let Some(fields) = data_type.struct_fields() => {
            let values = structure::decode(encoded, fields).unwrap_or_default();
            out.push('{');
            for (at, (value, (name, of))) in values.iter().zip(fields).enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                append_json_text(name, out);
                out.push(':');
                match value {
                    Value::Null => out.push_str("null"),
                    value => append_json(value, *of, zone, out),
                }
            }
            out.push('}');
        }
        (Value::Int(micros), DataType::Timestamp | DataType::TimestampTz) => {
            let text = logical::show(value, data_type, zone);
            if is_infinite_timestamp(*micros) {
                return append_json_text(&text, out);
            }
            let text = text.replacen(' ', "T", 1);
            let (text, era) = text.strip_suffix(" BC").map_or((text.as_str(), ""), |text| (text, " BC"));
            // Minutes of an offset are always shown.
            let is_short = text.get(text.len() - 3..).is_some_and(|end| end.starts_with(['+', '-']));
            let minutes = if data_type == DataType::TimestampTz && is_short { ":00" } else { "" };
            let text = format!("{text}{minutes}{era}");
            append_json_text(&text, out);
        }
        (_, number) if number.is_numeric() => {
            let text = format::format_value(value, number);
            if text.ends_with(|last: char| last.is_ascii_digit()) {
                out.push_str(&text);
            } else {
                append_json_text(&text, out);
            }
        }
        _ => append_json_text(&logical::show(value, data_type, zone), out),
    }
}

/// The value of a function that NULL arguments need not make NULL.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    let part = |at: usize| match &call.arguments[at] {
        Value::Null => Ok("null"),
        _ => call.text(at),
    };
    let mut out = String::new();
    match call.function {
        Function::Json(JsonFunction::Array) => {
            out.push('[');
            for at in 0..call.arguments.len() {
                out.push_str(if at > 0 { ", " } else { "" });
                out.push_str(part(at)?);
            }
            out.push(']');
        }
        // As `json_build_object`, without blanks; the keys are names.
        Function::Json(JsonFunction::Row) => {
            out.push('{');
            for at in (0..call.arguments.len()).step_by(2) {
                out.push_str(if at > 0 { "," } else { "" });
                append_json_text(call.text(at)?, &mut out);
                out.push(':');
                out.push_str(part(at + 1)?);
            }
            out.push('}');
        }
        Function::Json(JsonFunction::Object) => {
            out.push('{');
            for at in (0..call.arguments.len()).step_by(2) {
                if call.arguments[at].is_null() {
                    let message = format!("argument {}: key must not be null", at + 1);
                    return Err(Error::new(ErrorKind::InvalidParameter, message));
                }
                out.push_str(if at > 0 { ", " } else { "" });
                append_json_text(call.text(at)?, &mut out);
                out.push_str(" : ");
                out.push_str(part(at + 1)?);
            }
            out.push('}');
        }
        _ => return Ok(None),
    }
    Ok(Some(Value::text(out)))
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    Ok(Some(match call.function {
        Function::JsonOf(data_type) => {
            let zone = if call.arguments.len() > 1 { call.text(1)? } else { logical::UTC };
            let mut out = String::new();
            append_json(&call.arguments[0], data_type, zone, &mut out);
            Value::text(out)
        }
        Function::Json(JsonFunction::Kind) => {
            let first = call.text(0)?.trim_start_matches([' ', '\t', '\n', '\r']).bytes().next();
            Value::text(match first {
                Some(b'{') => "object",
                Some(b'[') => "array",
                Some(b'"') => "string",
                Some(b't' | b'f') => "boolean",
                Some(b'n') => "null",
                _ => "number",
            })
        }
        Function::Json(JsonFunction::OfArray) => of_array(call.text(0)?, ", "),
        Function::Json(JsonFunction::OfLines) => of_array(call.text(0)?, ", \n "),
        Function::Json(JsonFunction::OfPairs) => of_pairs(call.text(0)?)?,
        Function::Json(JsonFunction::Elements) => elements(call.text(0)?, false, "json_array_elements")?,
        Function::Json(JsonFunction::ElementTexts) => elements(call.text(0)?, true, "json_array_elements_text")?,
        Function::Json(JsonFunction::BinaryElements) => elements(call.text(0)?, false, "")?,
        Function::Json(JsonFunction::BinaryElementTexts) => elements(call.text(0)?, true, "")?,
        Function::Json(function) => return member::apply(function, call),
        Function::Jsonb(function) => {
            for topic in [change::apply, order::apply, each::apply, path::apply] {
                if let Some(value) = topic(function, call)? {
                    return Ok(Some(value));
                }
            }
            return Ok(None);
        }
        _ => return Ok(None),
    }))
}

/// `json_agg`: an array of JSON of the texts of an array, which are JSON.
fn of_array(texts: &str, comma: &str) -> Value {
    let texts = array::Array::decode(texts, DataType::Text).unwrap_or_default().elements;
    let mut out = String::from("[");
    for (at, text) in texts.iter().enumerate() {
        out.push_str(if at > 0 { comma } else { "" });
        out.push_str(if let Value::Text(text) = text { text } else { "null" });
    }
    out.push(']');
    Value::text(out)
}

/// `json_object_agg`: an object of keys and values, which are JSON, in turn.
fn of_pairs(texts: &str) -> Result<Value> {
    let texts = array::Array::decode(texts, DataType::Text).unwrap_or_default().elements;
    let mut out = String::from("{ ");
    for (at, pair) in texts.chunks(2).enumerate() {
        let Some(Value::Text(key)) = pair.first() else {
            return Err(Error::new(ErrorKind::InvalidParameter, "field name must not be null"));
        };
        out.push_str(if at > 0 { ", " } else { "" });
        append_json_text(key, &mut out);
        out.push_str(" : ");
        out.push_str(if let Some(Value::Text(value)) = pair.get(1) { value } else { "null" });
    }
    out.push_str(" }");
    Ok(Value::text(out))
}

/// The elements of an array of JSON as an array: as they are written, or as texts. `name` is the function's that is to
/// be in the error for what is none; jsonb's functions have another.
fn elements(text: &str, as_texts: bool, name: &str) -> Result<Value> {
    let mut parser = Parser { text, at: 0, depth: 0, keeps: as_texts, signs: false };
    if !parser.accept(b'[') {
        let is_object = parser.accept(b'{');
        let what = match (name.is_empty(), is_object) {
            (true, true) => "cannot extract elements from an object".to_owned(),
            (true, false) => "cannot extract elements from a scalar".to_owned(),
            (false, true) => format!("cannot call {name} on a non-array"),
            (false, false) => format!("cannot call {name} on a scalar"),
        };
        return Err(Error::new(ErrorKind::InvalidParameter, what));
    }
    let mut found = Vec::new();
    let mut ended = parser.accept(b']');
    while !ended {
        parser.skip_blanks();
        let start = parser.at;
        let value = parser.value()?;
        let written = &text[start..parser.at];
        found.push(match value {
            Json::String(content) if as_texts => Value::text(content),
            _ if as_texts && written == "null" => Value::Null,
            _ => Value::text(written),
        });
        ended = parser.accept(b']');
        if !ended {
            parser.expect(b',')?;
        }
    }
    let of = if as_texts { DataType::Text } else { DataType::Json };
    Ok(Value::text(array::Array::of(found).encode(of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form() {
        for (text, form) in [
            (" null ", "null"),
            ("[ ]", "[]"),
            (
                r#"{"b":1.50,"a":[1,2,{"x":null}],"b":2e3,"aa":"\u00e9\n\/"}"#,
                r#"{"a": [1, 2, {"x": null}], "b": 2000, "aa": "é\n/"}"#,
            ),
            ("-0", "0"),
            ("1E-3", "0.001"),
            (r#""\ud83d\ude00\u001f""#, "\"😀\\u001f\""),
            (r#"{"":{"":""}}"#, r#"{"": {"": ""}}"#),
        ] {
            check(text).expect("it is JSON");
            assert_eq!(normal(text).unwrap(), form, "{text}");
            assert_eq!(normal(form).unwrap(), form, "{text}");
        }
    }

    #[test]
    fn what_is_none() {
        for text in [
            "",
            " ",
            "nul",
            "True",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "1a",
            "[1,]",
            "[1",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "{\"a\":1,}",
            "\"",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "1 2",
            "'a'",
            "\"\\u00é0\"",
            "é",
        ] {
            assert_eq!(check(text).unwrap_err().sqlstate(), "22P02", "{text}");
            assert_eq!(normal(text).unwrap_err().sqlstate(), "22P02", "{text}");
        }
        for text in ["\"\\ud83d\"", "\"\\ude00\"", "\"\\ud83d\\ud83d\""] {
            check(text).expect("a json's escapes are not looked at");
            assert_eq!(normal(text).unwrap_err().sqlstate(), "22P02", "{text}");
        }
        assert!(check("\"\\u0000\"").is_ok());
        assert!(normal("\"\\u0000\"").is_err());
        let deep = "[".repeat(10_000);
        assert_eq!(check(&deep).unwrap_err().sqlstate(), "54001");
        let nested = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert_eq!(normal(&nested).unwrap(), nested);
    }
}
