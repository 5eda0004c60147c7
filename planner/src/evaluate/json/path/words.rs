//! The words of paths of SQL/JSON: names, texts in quotes, numbers, variables, signs.

use crate::error::{Error, ErrorKind, Result};
use crate::numeric::Numeric;

/// A word of a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    /// A name without quotes.
    Name(String),
    /// A text in quotes.
    Text(String),
    Number(String),
    /// `$name`, `$"name"`.
    Variable(String),
    /// An operator or a bracket.
    Sign(&'static str),
}

/// Signs, the longer first where one begins another.
const SIGNS: [&str; 30] = [
    "**", "==", "!=", "<>", "<=", ">=", "&&", "||", "=", "<", ">", "!", "+", "-", "*", "/", "%", "(", ")", "[", "]",
    "{", "}", ".", ",", "?", "@", "$", "~", "|",
];

pub(super) fn wrong(text: &str, at: Option<&str>) -> Error {
    let message = match at {
        Some(word) => format!("syntax error at or near \"{word}\" of jsonpath input"),
        None => "syntax error at end of jsonpath input".to_owned(),
    };
    Error::new(ErrorKind::Syntax, message).with_detail(format!("The path is \"{text}\"."))
}

pub(super) fn words(text: &str) -> Result<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if letter.is_ascii_whitespace() {
            rest = &rest[1..];
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").ok_or_else(|| wrong(text, None))?.1;
            continue;
        }
        if letter == '"' {
            let (content, behind) = quoted(text, &rest[1..])?;
            words.push(Word::Text(content));
            rest = behind;
            continue;
        }
        if let Some(variable) = rest.strip_prefix('$') {
            if let Some(quote) = variable.strip_prefix('"') {
                let (content, behind) = quoted(text, quote)?;
                words.push(Word::Variable(content));
                rest = behind;
                continue;
            }
            let end = variable.find(|c: char| !is_of_name(c)).unwrap_or(variable.len());
            if end > 0 {
                words.push(Word::Variable(variable[..end].to_owned()));
                rest = &variable[end..];
                continue;
            }
        }
        let is_fraction = letter == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let behind_value = matches!(
            words.last(),
            Some(Word::Sign("]" | ")" | "$" | "@" | "*" | "}") | Word::Variable(_) | Word::Name(_))
        );
        if letter.is_ascii_digit() || (is_fraction && !behind_value) {
            let (number, behind) = number(text, rest)?;
            words.push(Word::Number(number));
            rest = behind;
            continue;
        }
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            words.push(Word::Sign(sign));
            rest = &rest[sign.len()..];
            continue;
        }
        let (name, behind) = name(text, rest)?;
        words.push(Word::Name(name));
        rest = behind;
    }
    Ok(words)
}

/// Whether a letter may be in a name without quotes.
fn is_of_name(letter: char) -> bool {
    !letter.is_ascii_whitespace() && !"?%$.[]{}()|&!=<>@#,*:-+/\\\"".contains(letter)
}

/// A name, in which a backslash may stand before anything.
fn name<'t>(text: &str, rest: &'t str) -> Result<(String, &'t str)> {
    let (mut name, mut rest) = (String::new(), rest);
    while let Some(letter) = rest.chars().next() {
        if letter == '\\' {
            let (letter, behind) = escape(text, &rest[1..])?;
            name.push(letter);
            rest = behind;
        } else if is_of_name(letter) {
            name.push(letter);
            rest = &rest[letter.len_utf8()..];
        } else {
            break;
        }
    }
    if name.is_empty() {
        let shown: String = rest.chars().take(1).collect();
        return Err(wrong(text, Some(&shown)));
    }
    Ok((name, rest))
}

/// The text up to the closing quote, and what is behind it.
fn quoted<'t>(text: &str, rest: &'t str) -> Result<(String, &'t str)> {
    let (mut content, mut rest) = (String::new(), rest);
    loop {
        let letter = rest.chars().next().ok_or_else(|| wrong(text, None))?;
        rest = &rest[letter.len_utf8()..];
        match letter {
            '"' => return Ok((content, rest)),
            '\\' => {
                let (letter, behind) = escape(text, rest)?;
                content.push(letter);
                rest = behind;
            }
            plain => content.push(plain),
        }
    }
}

/// What stands behind a backslash.
fn escape<'t>(text: &str, rest: &'t str) -> Result<(char, &'t str)> {
    let letter = rest.chars().next().ok_or_else(|| wrong(text, None))?;
    let behind = &rest[letter.len_utf8()..];
    let plain = match letter {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        'x' => return code(text, behind, 2),
        'u' => match behind.strip_prefix('{') {
            Some(digits) => {
                let (digits, behind) = digits.split_once('}').ok_or_else(|| wrong(text, None))?;
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                return Ok((code.filter(|code| *code != '\0').ok_or_else(|| wrong(text, Some("\\u")))?, behind));
            }
            None => return unit(text, behind),
        },
        other => other,
    };
    Ok((plain, behind))
}

fn digits(text: &str, rest: &str, count: usize) -> Result<u32> {
    let digits = rest.get(..count).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or_else(|| wrong(text, Some("\\")))
}

fn code<'t>(text: &str, rest: &'t str, count: usize) -> Result<(char, &'t str)> {
    let code = char::from_u32(digits(text, rest, count)?).filter(|code| *code != '\0');
    Ok((code.ok_or_else(|| wrong(text, Some("\\")))?, &rest[count..]))
}

/// Four digits, or two times four of a pair of surrogates.
fn unit<'t>(text: &str, rest: &'t str) -> Result<(char, &'t str)> {
    let high = digits(text, rest, 4)?;
    if !(0xD800..0xDC00).contains(&high) {
        return code(text, rest, 4);
    }
    let low = rest[4..].strip_prefix("\\u").ok_or_else(|| wrong(text, Some("\\u")))?;
    let unit = digits(text, low, 4)?;
    let pair = (0xDC00..0xE000).contains(&unit).then(|| 0x1_0000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
    Ok((pair.and_then(char::from_u32).ok_or_else(|| wrong(text, Some("\\u")))?, &low[4..]))
}

fn number<'t>(text: &str, rest: &'t str) -> Result<(String, &'t str)> {
    let bytes = rest.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if end > 1 && bytes[0] == b'0' {
        return Err(trailing(text, rest));
    }
    if bytes.get(end) == Some(&b'.') && (end == 0 || !bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic)) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent == end + 1 + sign {
            return Err(trailing(text, rest));
        }
        end = exponent;
    }
    if rest[end..].starts_with(|letter: char| is_of_name(letter)) {
        return Err(trailing(text, rest));
    }
    let value = Numeric::parse(&rest[..end])?;
    Ok((value.to_string(), &rest[end..]))
}

fn trailing(text: &str, rest: &str) -> Error {
    let shown: String = rest.chars().take_while(|letter| is_of_name(*letter)).collect();
    let message = format!("trailing junk after numeric literal at or near \"{shown}\" of jsonpath input");
    Error::new(ErrorKind::Syntax, message).with_detail(format!("The path is \"{text}\"."))
}
