//! `printf`: `%[flags][width][.precision]letter`, as C has it; with the flags `,` and `'` for a mark between thousands.

use super::Call;
use super::text::{BYTES_MAX, too_long};
use crate::error::{Error, ErrorKind, Result};
use crate::value::Value;

/// What stands between `%` and the letter.
#[derive(Debug, Default)]
struct Form {
    is_left: bool,
    shows_plus: bool,
    blank_for_plus: bool,
    is_zero_filled: bool,
    is_alternate: bool,
    thousands: Option<char>,
    width: usize,
    precision: Option<usize>,
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidParameter, message)
}

/// Arguments are taken one after the other; the first is the template.
struct Arguments<'a, 'b> {
    call: &'a Call<'b>,
    next: usize,
}

impl<'a> Arguments<'a, '_> {
    fn take(&mut self) -> Result<&'a Value> {
        self.next += 1;
        self.call.arguments.get(self.next).ok_or_else(|| wrong("too few arguments for printf()".to_owned()))
    }

    fn number(&mut self) -> Result<i64> {
        match self.take()? {
            Value::Int(number) => Ok(*number),
            _ => Err(wrong("a width of printf() must be an integer".to_owned())),
        }
    }
}

/// The text of a template and its arguments.
pub(super) fn printf(call: &Call) -> Result<String> {
    let mut rest = call.text(0)?;
    let mut arguments = Arguments { call, next: 0 };
    let mut out = String::new();
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let mut form = Form::default();
        rest = read_form(rest, &mut form, &mut arguments)?;
        let letter = rest.chars().next().ok_or_else(|| wrong("unterminated printf() specifier".to_owned()))?;
        rest = &rest[letter.len_utf8()..];
        if form.width > BYTES_MAX || form.precision.is_some_and(|precision| precision > BYTES_MAX) {
            return Err(too_long());
        }
        out.push_str(&shown(letter, &form, arguments.take()?)?);
        if out.len() > BYTES_MAX {
            return Err(too_long());
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// Reads flags, width, precision and the lengths of C's types, which mean nothing; what is left.
fn read_form<'t>(text: &'t str, form: &mut Form, arguments: &mut Arguments) -> Result<&'t str> {
    let mut rest = text;
    while let Some(flag) = rest.chars().next() {
        match flag {
            '-' => form.is_left = true,
            '+' => form.shows_plus = true,
            ' ' => form.blank_for_plus = true,
            '0' => form.is_zero_filled = true,
            '#' => form.is_alternate = true,
            ',' | '\'' | '_' => form.thousands = Some(flag),
            _ => break,
        }
        rest = &rest[1..];
    }
    let mut number = |rest: &mut &'t str| -> Result<Option<i64>> {
        if let Some(behind) = rest.strip_prefix('*') {
            *rest = behind;
            return arguments.number().map(Some);
        }
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        let digits = &rest[..count];
        *rest = &rest[count..];
        Ok(if digits.is_empty() { None } else { Some(digits.parse::<i32>().map_or(i64::MAX, i64::from)) })
    };
    if let Some(width) = number(&mut rest)? {
        form.is_left |= width < 0;
        form.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
    }
    if let Some(behind) = rest.strip_prefix('.') {
        rest = behind;
        let precision = number(&mut rest)?.unwrap_or(0);
        form.precision = usize::try_from(precision).ok();
    }
    Ok(rest.trim_start_matches(['l', 'h', 'z', 'j', 't', 'q']))
}

/// A value in a form.
fn shown(letter: char, form: &Form, value: &Value) -> Result<String> {
    let kind = match value {
        Value::Int(_) => "an integer",
        Value::Float(_) => "a float",
        _ => "a text",
    };
    let (sign, body) = match (letter, value) {
        ('d' | 'i' | 'u', Value::Int(number)) => {
            (sign(*number < 0, form), grouped(&at_least(number.unsigned_abs().to_string(), form), form))
        }
        ('x', Value::Int(number)) => (String::new(), prefixed("0x", format!("{number:x}"), form)),
        ('X', Value::Int(number)) => (String::new(), prefixed("0X", format!("{number:X}"), form)),
        ('o', Value::Int(number)) => (String::new(), prefixed("0", format!("{number:o}"), form)),
        ('c', Value::Int(number)) => {
            let letter = u32::try_from(*number).ok().and_then(char::from_u32);
            let letter = letter.ok_or_else(|| wrong(format!("{number} is no character")))?;
            return Ok(filled(String::new(), letter.to_string(), form, false));
        }
        ('f' | 'F' | 'e' | 'E' | 'g' | 'G', Value::Float(number)) => {
            let is_negative = number.is_sign_negative() && !number.is_nan();
            let body = if number.is_finite() { float(letter, number.abs(), form) } else { special(letter, *number) };
            (sign(is_negative, form), body)
        }
        ('s', Value::Text(text)) => {
            let text = match form.precision {
                Some(precision) => text.chars().take(precision).collect(),
                None => text.to_string(),
            };
            return Ok(filled(String::new(), text, form, false));
        }
        _ => return Err(wrong(format!("printf() cannot show {kind} as \"%{letter}\""))),
    };
    let is_finite = !matches!(value, Value::Float(number) if !number.is_finite());
    Ok(filled(sign, body, form, is_finite))
}

fn sign(is_negative: bool, form: &Form) -> String {
    let sign = match (is_negative, form.shows_plus, form.blank_for_plus) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    };
    sign.to_owned()
}

fn prefixed(prefix: &str, digits: String, form: &Form) -> String {
    let digits = at_least(digits, form);
    if form.is_alternate && digits != "0" { format!("{prefix}{digits}") } else { digits }
}

/// Digits of an integer, as many as the precision asks for.
fn at_least(digits: String, form: &Form) -> String {
    match form.precision {
        Some(precision) if digits.len() < precision => "0".repeat(precision - digits.len()) + &digits,
        _ => digits,
    }
}

/// Digits before the point in groups of three.
fn grouped(digits: &str, form: &Form) -> String {
    let Some(mark) = form.thousands else { return digits.to_owned() };
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            out.push(mark);
        }
        out.push(digit);
    }
    out + rest
}

fn special(letter: char, number: f64) -> String {
    let word = if number.is_nan() { "nan" } else { "inf" };
    if letter.is_ascii_uppercase() { word.to_ascii_uppercase() } else { word.to_owned() }
}

/// A number that is not negative.
fn float(letter: char, number: f64, form: &Form) -> String {
    let precision = form.precision.unwrap_or(6);
    let text = match letter.to_ascii_lowercase() {
        'f' => grouped(&format!("{number:.precision$}"), form),
        'e' => exponential(number, precision),
        _ => {
            // The shorter of both, of so many digits that mean something.
            let precision = precision.max(1);
            let shown = exponential(number, precision - 1);
            let exponent: i32 = shown.rsplit('e').next().and_then(|digits| digits.parse().ok()).unwrap_or(0);
            let text = if exponent < -4 || exponent >= precision as i32 {
                shown
            } else {
                let behind = usize::try_from(precision as i32 - 1 - exponent).unwrap_or(0);
                format!("{number:.behind$}")
            };
            if form.is_alternate { text } else { without_zeros(&text) }
        }
    };
    if letter.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
}

fn exponential(number: f64, precision: usize) -> String {
    let shown = format!("{number:.precision$e}");
    let (mantissa, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Without the zeros that the fraction ends in.
fn without_zeros(text: &str) -> String {
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    if !mantissa.contains('.') {
        return text.to_owned();
    }
    format!("{}{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

fn filled(sign: String, body: String, form: &Form, is_number: bool) -> String {
    let missing = form.width.saturating_sub(sign.chars().count() + body.chars().count());
    if form.is_left {
        return sign + &body + &" ".repeat(missing);
    }
    if form.is_zero_filled && is_number {
        return sign + &"0".repeat(missing) + &body;
    }
    " ".repeat(missing) + &sign + &body
}
