//! `to_number`: a number that stands in a text in the form of a template.
//!
//! The template is walked part by part. A place takes a digit, a point or a sign if one comes next, and a character goes by with
//! it whatever it is; letters of the template go by with a character that can be no part of a number.

use super::number::{Part, Picture, Sign};
use crate::error::{Error, ErrorKind, Result};
use crate::numeric::Numeric;
use crate::value::Value;

/// What has been read.
struct Reader<'a> {
    picture: &'a Picture,
    letters: Vec<char>,
    at: usize,
    sign: Option<char>,
    digits: String,
    before: usize,
    behind: usize,
    has_point: bool,
}

/// The number of a text; NULL where the template is empty.
///
/// # Errors
/// 0A000 for RN and EEEE, 22P02 for a text that has no number, 42601 for a template that is none.
pub(super) fn number(text: &str, template: &str) -> Result<Value> {
    if template.is_empty() {
        return Ok(Value::Null);
    }
    let picture = Picture::read(template)?;
    for (is_there, name) in [(picture.is_roman, "RN"), (picture.is_exponential, "EEEE")] {
        if is_there {
            let message = format!("\"{name}\" not supported for input");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
    }
    let mut reader = Reader {
        picture: &picture,
        letters: text.chars().collect(),
        at: 0,
        sign: None,
        digits: String::new(),
        before: 0,
        behind: 0,
        has_point: false,
    };
    for part in &picture.parts {
        if reader.next().is_none() {
            break;
        }
        if reader.part(*part) {
            reader.at += 1;
        }
    }
    let digits = reader.digits.trim_end_matches('.');
    let sign = reader.sign.filter(|sign| *sign == '-').map_or("", |_| "-");
    if digits.is_empty() {
        let shown = format!("{}{digits}", reader.sign.unwrap_or(' '));
        let message = format!("invalid input syntax for type numeric: \"{shown}\"");
        return Err(Error::new(ErrorKind::InvalidText, message));
    }
    let value = Numeric::parse(&format!("{sign}{digits}"))?;
    if picture.shifted == 0 {
        return Ok(Value::numeric(value));
    }
    let factor = Numeric::from_integer(10).power(&Numeric::from_integer(-(picture.shifted as i64)))?;
    Ok(Value::numeric(value.multiply(&factor)?))
}

impl Reader<'_> {
    fn next(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    /// Passes over characters that can be no part of a number.
    fn pass(&mut self, count: usize) {
        for _ in 0..count {
            match self.next() {
                Some(letter) if !letter.is_ascii_digit() && !".,+-".contains(letter) => self.at += 1,
                _ => return,
            }
        }
    }

    /// Reads what a part stands for; whether a character goes by with it.
    fn part(&mut self, part: Part) -> bool {
        match part {
            Part::Place(_) => {
                self.place();
                true
            }
            Part::Comma => (!self.digits.is_empty() || !self.picture.is_bare) && self.next() == Some(','),
            Part::Currency => {
                self.pass(1);
                false
            }
            Part::Ordinal(_) => {
                self.pass(2);
                false
            }
            Part::Minus => self.own_sign(&['-']),
            Part::Plus => self.own_sign(&['+']),
            Part::PlusOrMinus => self.own_sign(&['-', '+']),
            Part::Letter(_) => {
                self.pass(1);
                false
            }
            Part::Roman(_) => false,
        }
    }

    fn own_sign(&mut self, signs: &[char]) -> bool {
        match self.next() {
            Some(letter) if signs.contains(&letter) => {
                self.sign = Some(letter);
                true
            }
            _ => {
                self.pass(1);
                false
            }
        }
    }

    /// A digit or a point, with the sign before or behind it.
    fn place(&mut self) {
        if self.next() == Some(' ') {
            self.at += 1;
        }
        let is_anchored = matches!(self.picture.sign, Sign::Before | Sign::Behind);
        if self.sign.is_none() && self.before + self.behind == 0 {
            let opens = self.picture.sign == Sign::Brackets;
            let takes = self.picture.sign != Sign::Behind;
            match self.next() {
                Some('-') if takes => (self.sign, self.at) = (Some('-'), self.at + 1),
                Some('<') if opens => (self.sign, self.at) = (Some('-'), self.at + 1),
                Some('+') if takes => (self.sign, self.at) = (Some('+'), self.at + 1),
                _ => {}
            }
        }
        let Some(next) = self.next() else { return };
        let mut is_read = false;
        if next.is_ascii_digit() {
            if self.has_point && self.behind == self.picture.behind {
                return;
            }
            self.digits.push(next);
            *(if self.has_point { &mut self.behind } else { &mut self.before }) += 1;
            is_read = true;
        } else if self.picture.has_point && !self.has_point && next == '.' {
            self.digits.push('.');
            self.has_point = true;
            is_read = true;
        }
        if self.sign.is_some() || self.before + self.behind == 0 {
            return;
        }
        let behind = self.letters.get(self.at + 1).copied();
        match behind {
            Some(sign @ ('-' | '+')) if is_anchored && is_read => {
                self.sign = Some(sign);
                self.at += 1;
            }
            _ => {
                let has_none = !self.picture.has_own_minus && !self.picture.has_own_plus;
                if !is_read && !is_anchored && has_none && matches!(next, '-' | '+') {
                    self.sign = Some(next);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_read() {
        for (text, template, expected) in [
            ("12,454.8-", "99G999D9S", "-12454.8"),
            ("-34,338,492", "99G999G999", "-34338492"),
            ("<564646.654564>", "999999.999999PR", "-564646.654564"),
            ("0.00001-", "9.999999S", "-0.00001"),
            ("5.01-", "FM9.999999S", "-5.01"),
            (".0", "99999999.99999999", "0.0"),
            ("$1,234.56", "L9,999.99", "1234.56"),
            ("123456", "999G999", "123456"),
            ("12 3", "99 9", "123"),
        ] {
            let value = number(text, template).expect("it can be read");
            let shown = crate::evaluate::format(&value, crate::types::DataType::Numeric);
            assert_eq!(shown, expected, "{text} {template}");
        }
        assert_eq!(number("abc", "999").unwrap_err().sqlstate(), "22P02");
        assert_eq!(number("1", "RN").unwrap_err().sqlstate(), "0A000");
    }
}
