//! Arrays as people write them: `{1,2,NULL}`, `{{"a b",c},{d,e}}`, `[0:1]={1,2}`.

use super::{Array, Bound, DIMENSIONS_MAX, too_many_dimensions};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::logical;
use crate::evaluate::parse::is_blank;
use crate::types::DataType;
use crate::value::Value;

/// The text of an array, as PostgreSQL shows it.
pub(in crate::evaluate) fn show(array: &Array, element: DataType, zone: &str) -> String {
    let mut text = String::new();
    if array.bounds.iter().any(|bound| bound.lower != 1) {
        text.push_str(&super::dimensions::shown(array));
        text.push('=');
    }
    array.nest(&mut text, &mut |text, open| text.push(if open { '{' } else { '}' }), &mut |text, value| match value {
        Value::Null => text.push_str("NULL"),
        value => show_element(&logical::show(value, element, zone), text),
    });
    text
}

/// An element that could be read as something else is quoted.
fn show_element(element: &str, text: &mut String) {
    let quoted = element.is_empty()
        || element.eq_ignore_ascii_case("null")
        || element.contains(|c| matches!(c, '{' | '}' | '"' | '\\' | ',') || is_blank(c));
    if !quoted {
        return text.push_str(element);
    }
    text.push('"');
    for letter in element.chars() {
        if matches!(letter, '"' | '\\') {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push('"');
}

/// The array of a text; see [`crate::evaluate::logical`].
///
/// # Errors
/// 22P02 for a text that is none, 2202E for bounds that are none, whatever an element's text gives.
pub(in crate::evaluate) fn read(text: &str, element: DataType, zone: &str) -> Result<Array> {
    let malformed = |detail: &str| {
        let error = Error::new(ErrorKind::InvalidText, format!("malformed array literal: \"{text}\""));
        error.with_detail(detail.to_owned())
    };
    let mut reader = Reader { rest: text.trim_start_matches(is_blank), lengths: Vec::new(), elements: Vec::new() };
    let given = match reader.bounds() {
        Ok(given) => given,
        Err(Fault::Syntax(hint)) => return Err(malformed(hint)),
        Err(Fault::Error(error)) => return Err(error),
    };
    if !reader.rest.starts_with('{') {
        return Err(malformed("Array value must start with \"{\" or dimension information."));
    }
    let read = reader.level(0).and_then(|_| {
        let ended = reader.rest.trim_matches(is_blank).is_empty();
        if ended { Ok(()) } else { Err(Fault::Syntax("Junk after closing right brace.")) }
    });
    match read {
        Ok(()) => {}
        Err(Fault::Syntax(hint)) => return Err(malformed(hint)),
        Err(Fault::Error(error)) => return Err(error),
    }
    let lengths = reader.lengths.iter().map(|length| length.unwrap_or(0));
    let bounds = match given {
        None => lengths.map(Bound::from_one).collect(),
        Some(given) => {
            if !given.iter().map(|bound| bound.length).eq(lengths) {
                return Err(malformed("Specified array dimensions do not match array contents."));
            }
            given
        }
    };
    let value = |text: Option<String>| match text {
        None => Ok(Value::Null),
        Some(text) => logical::read(&text, element, zone),
    };
    Array::checked(bounds, reader.elements.into_iter().map(value).collect::<Result<_>>()?)
}

enum Fault {
    /// The text is no array; why, as a sentence.
    Syntax(&'static str),
    Error(Error),
}

const UNEXPECTED: &str = "Unexpected array element.";
const ENDED: &str = "Unexpected end of input.";
const RAGGED: &str = "Multidimensional arrays must have sub-arrays with matching dimensions.";

struct Reader<'a> {
    rest: &'a str,
    /// The length of each dimension; none before its first part has ended.
    lengths: Vec<Option<usize>>,
    /// None is NULL.
    elements: Vec<Option<String>>,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(is_blank);
    }

    fn accept(&mut self, letter: char) -> bool {
        match self.rest.strip_prefix(letter) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// `[1:2][0:4]=` in front of an array.
    fn bounds(&mut self) -> std::result::Result<Option<Vec<Bound>>, Fault> {
        let mut bounds = Vec::new();
        while self.accept('[') {
            let first = self.subscript()?;
            let (lower, upper) = if self.accept(':') { (first, self.subscript()?) } else { (1, first) };
            if !self.accept(']') {
                return Err(Fault::Syntax("Missing \"]\" after array dimensions."));
            }
            if upper < lower {
                let message = "upper bound cannot be less than lower bound";
                return Err(Fault::Error(Error::new(ErrorKind::ArraySubscript, message)));
            }
            bounds.push(Bound { lower, length: (i64::from(upper) - i64::from(lower) + 1) as usize });
            if bounds.len() > DIMENSIONS_MAX {
                return Err(Fault::Error(too_many_dimensions(bounds.len())));
            }
        }
        if bounds.is_empty() {
            return Ok(None);
        }
        self.skip_blanks();
        if !self.accept('=') {
            return Err(Fault::Syntax("Missing \"=\" after array dimensions."));
        }
        self.skip_blanks();
        Ok(Some(bounds))
    }

    fn subscript(&mut self) -> std::result::Result<i32, Fault> {
        let sign = usize::from(self.rest.starts_with(['-', '+']));
        let end = self.rest[sign..].find(|c: char| !c.is_ascii_digit()).map_or(self.rest.len(), |at| at + sign);
        let (digits, rest) = self.rest.split_at(end);
        if digits.len() == sign {
            return Err(Fault::Syntax("\"[\" must introduce explicitly-specified array dimensions."));
        }
        self.rest = rest;
        digits
            .parse()
            .map_err(|_| Fault::Error(Error::new(ErrorKind::NumericOverflow, "array bound is out of integer range")))
    }

    /// What stands in a pair of braces, of which the first is next.
    fn level(&mut self, depth: usize) -> std::result::Result<(), Fault> {
        if depth == DIMENSIONS_MAX {
            return Err(Fault::Error(too_many_dimensions(depth + 1)));
        }
        self.accept('{');
        if self.lengths.len() == depth {
            if !self.elements.is_empty() {
                return Err(Fault::Syntax(RAGGED));
            }
            self.lengths.push(None);
        }
        let mut count = 0;
        self.skip_blanks();
        if !self.accept('}') {
            loop {
                self.skip_blanks();
                if self.rest.starts_with('{') {
                    self.level(depth + 1)?;
                } else {
                    self.element(depth)?;
                }
                count += 1;
                self.skip_blanks();
                if self.accept('}') {
                    break;
                }
                if !self.accept(',') {
                    return Err(Fault::Syntax(if self.rest.is_empty() { ENDED } else { UNEXPECTED }));
                }
            }
        }
        if *self.lengths[depth].get_or_insert(count) == count { Ok(()) } else { Err(Fault::Syntax(RAGGED)) }
    }

    fn element(&mut self, depth: usize) -> std::result::Result<(), Fault> {
        if depth + 1 != self.lengths.len() {
            return Err(Fault::Syntax(RAGGED));
        }
        let element = if self.accept('"') { Some(self.quoted()?) } else { self.bare()? };
        self.elements.push(element);
        Ok(())
    }

    fn quoted(&mut self) -> std::result::Result<String, Fault> {
        let mut content = String::new();
        let mut letters = self.rest.chars();
        loop {
            match letters.next().ok_or(Fault::Syntax(ENDED))? {
                '"' => break,
                '\\' => content.push(letters.next().ok_or(Fault::Syntax(ENDED))?),
                plain => content.push(plain),
            }
        }
        self.rest = letters.as_str();
        Ok(content)
    }

    /// An element without quotes: blanks at its end do not belong to it.
    fn bare(&mut self) -> std::result::Result<Option<String>, Fault> {
        let mut content = String::new();
        // Bytes that are not blanks at the end.
        let mut solid = 0;
        let mut escaped = false;
        let mut letters = self.rest.char_indices();
        let end = loop {
            match letters.next().ok_or(Fault::Syntax(ENDED))? {
                (at, ',' | '}') => break at,
                (_, '"' | '{') => return Err(Fault::Syntax(UNEXPECTED)),
                (_, '\\') => {
                    content.push(letters.next().ok_or(Fault::Syntax(ENDED))?.1);
                    solid = content.len();
                    escaped = true;
                }
                (_, plain) => {
                    content.push(plain);
                    solid = if is_blank(plain) { solid } else { content.len() };
                }
            }
        };
        self.rest = &self.rest[end..];
        content.truncate(solid);
        if content.is_empty() {
            return Err(Fault::Syntax(UNEXPECTED));
        }
        Ok((escaped || !content.eq_ignore_ascii_case("null")).then_some(content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::logical::UTC;

    #[test]
    fn texts() {
        for (text, data_type, shown) in [
            ("{}", DataType::Integer, "{}"),
            (" { 1 , 2,NULL } ", DataType::Integer, "{1,2,NULL}"),
            ("{{1,2},{3,4}}", DataType::Integer, "{{1,2},{3,4}}"),
            ("[0:1][2:3]={{1,2},{3,4}}", DataType::Integer, "[0:1][2:3]={{1,2},{3,4}}"),
            ("[1:2] = {1,2}", DataType::Integer, "{1,2}"),
            ("[2]={1,2}", DataType::Integer, "{1,2}"),
            (
                "{a b, \"c,d\",\"null\",null,\"\",\\null,e\\ , \\\"}",
                DataType::Text,
                "{\"a b\",\"c,d\",\"null\",NULL,\"\",\"null\",\"e \",\"\\\"\"}",
            ),
            ("{{{{{{7}}}}}}", DataType::Integer, "{{{{{{7}}}}}}"),
            ("{t,false}", DataType::Boolean, "{t,f}"),
            ("{1.50,2}", DataType::Numeric, "{1.50,2}"),
            ("{\"2024-01-01 00:00+01\"}", DataType::TimestampTz, "{\"2023-12-31 23:00:00+00\"}"),
            ("{\"\\\\\\\\x00\"}", DataType::Bytea, "{\"\\\\x5c783030\"}"),
        ] {
            let array = read(text, data_type, UTC).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(show(&array, data_type, UTC), shown, "{text}");
            assert_eq!(read(shown, data_type, UTC).unwrap(), array, "{text}");
        }
    }

    #[test]
    fn what_is_none() {
        for (text, state) in [
            ("", "22P02"),
            ("1,2", "22P02"),
            ("{1,2", "22P02"),
            ("{1,}", "22P02"),
            ("{,1}", "22P02"),
            ("{1} 2", "22P02"),
            ("{1,2}}", "22P02"),
            ("{1,{2}}", "22P02"),
            ("{{1},2}", "22P02"),
            ("{{1,2},{3}}", "22P02"),
            ("{{1},{}}", "22P02"),
            ("{1\"2\"}", "22P02"),
            ("{\"1\"2}", "22P02"),
            ("{\"1", "22P02"),
            ("{a}", "22P02"),
            ("[1:3]={1,2}", "22P02"),
            ("[1:2]{1,2}", "22P02"),
            ("[]={1}", "22P02"),
            ("[2:1]={}", "2202E"),
            ("[99999999999]={1}", "22003"),
            ("[2147483647:2147483647]={1}", "2202E"),
            ("{{{{{{{1}}}}}}}", "54001"),
        ] {
            assert_eq!(read(text, DataType::Integer, UTC).unwrap_err().sqlstate(), state, "{text}");
        }
    }
}
