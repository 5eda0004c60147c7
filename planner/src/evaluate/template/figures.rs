//! Numbers in the form of a template: their digits are put into its places, from the left, with the sign where it first may stand.

use super::number::{Part, Picture, Sign};
use crate::error::Result;
use crate::numeric::Numeric;
use std::fmt::Write;

/// Digits of a double and of a real that mean something.
const DOUBLE_DIGITS: usize = 15;
const REAL_DIGITS: usize = 6;

/// The width of roman numbers.
const ROMAN_WIDTH: usize = 15;

/// A numeric in the form of a template.
pub(super) fn show_numeric(value: &Numeric, template: &str) -> Result<String> {
    let picture = Picture::read(template)?;
    if picture.is_roman {
        let whole = value.round(0).to_string();
        return Ok(fill_roman(&picture, whole.parse().unwrap_or(0)));
    }
    if picture.is_exponential {
        return Ok(exponential(&value.to_string(), picture.before, picture.behind));
    }
    let shift = i64::try_from(picture.shifted).unwrap_or(i64::MAX);
    let value = match picture.shifted {
        0 => value.clone(),
        _ => value.multiply(&Numeric::parse(&format!("1e{shift}"))?)?,
    };
    let rounded = value.round(i64::try_from(picture.behind).unwrap_or(i64::MAX));
    Ok(fill(&picture, &rounded.to_string()))
}

/// A double or a real in the form of a template.
pub(super) fn show_float(value: f64, is_real: bool, template: &str) -> Result<String> {
    let mut picture = Picture::read(template)?;
    if picture.is_roman {
        return Ok(fill_roman(&picture, value.round_ties_even() as i64));
    }
    if picture.is_exponential {
        let shown = if value.is_finite() { format!("{value:e}") } else { "NaN".to_owned() };
        return Ok(exponential(&shown, picture.before, picture.behind));
    }
    let digits_max = if is_real { REAL_DIGITS } else { DOUBLE_DIGITS };
    let value = value * 10f64.powi(i32::try_from(picture.shifted).unwrap_or(i32::MAX));
    let whole = format!("{:.0}", value.abs()).len();
    let behind = if whole >= digits_max { 0 } else { picture.behind.min(digits_max - whole) };
    picture.behind = behind;
    let shown = match value {
        _ if value.is_nan() => "NaN".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
        _ => format!("{value:.behind$}"),
    };
    Ok(fill(&picture, &shown))
}

/// `1.23e+04`: digits are rounded half away from zero.
fn exponential(text: &str, before: usize, behind: usize) -> String {
    let Ok(value) = Numeric::parse(text) else { return crosses(before, behind) };
    if value.scale().is_none() {
        return crosses(before, behind);
    }
    let shown = value.abs().to_string();
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    let point = shown.find('.').unwrap_or(shown.len());
    let first = digits.find(|digit| digit != '0');
    let sign = if value.signum() == Some(-1) { '-' } else { ' ' };
    let mut exponent = first.map_or(0, |first| point as i64 - first as i64 - 1);
    let significant = &digits[first.unwrap_or(0)..];
    // One digit, a point, and the rest: rounding may carry into one more.
    let scaled = format!("{}.{}", &significant[..1], &significant[1..]);
    let mut mantissa = Numeric::parse(&scaled).map_or(scaled, |mantissa| mantissa.round(behind as i64).to_string());
    if mantissa.starts_with("10") {
        exponent += 1;
        mantissa = if behind == 0 { "1".to_owned() } else { format!("1.{}", "0".repeat(behind)) };
    }
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{mantissa}e{exponent_sign}{:02}", exponent.abs())
}

/// What stands for a number that has no such form.
fn crosses(before: usize, behind: usize) -> String {
    format!(" {}.{}", "#".repeat(before), "#".repeat(behind + 4))
}

/// A whole number in roman figures, which has room for 15 letters.
fn fill_roman(picture: &Picture, number: i64) -> String {
    let mut out = String::new();
    for part in &picture.parts {
        match part {
            Part::Roman(is_upper) => {
                let shown = roman(number);
                let shown = if *is_upper { shown } else { shown.to_lowercase() };
                let width = if picture.is_bare { 0 } else { ROMAN_WIDTH };
                write!(out, "{shown:>width$}").expect("a string can be written to");
            }
            Part::Letter(letter) => out.push(*letter),
            _ => {}
        }
    }
    out
}

fn roman(number: i64) -> String {
    const FIGURES: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&number) {
        return "#".repeat(ROMAN_WIDTH);
    }
    let mut rest = number;
    let mut out = String::new();
    for (value, figure) in FIGURES {
        while rest >= value {
            out.push_str(figure);
            rest -= value;
        }
    }
    out
}

/// Puts a number, rounded to the places that there are, into them.
fn fill(picture: &Picture, number: &str) -> String {
    let (is_negative, number) = number.strip_prefix('-').map_or((false, number), |number| (true, number));
    let before = picture.before + picture.shifted;
    let whole = number.find('.').unwrap_or(number.len());
    let number = match whole > before {
        true => format!("{}.{}", "#".repeat(before), "#".repeat(picture.behind)),
        false => number.to_owned(),
    };
    let mut filled = Filled {
        picture,
        is_negative,
        number: number.chars().collect(),
        at: 0,
        last: None,
        blanks: before.saturating_sub(whole),
        places: (picture.behind + before).saturating_sub(1),
        place: 0,
        has_digits: false,
        // `PL` alone leaves the minus to the number.
        is_signed: picture.has_own_minus,
        out: String::new(),
    };
    if picture.is_bare && picture.has_point {
        filled.last = filled.last_that_counts();
    }
    if !filled.is_signed && filled.blanks == 0 {
        filled.places += 1;
    }
    for part in &picture.parts {
        filled.put(*part);
    }
    filled.out
}

/// A number on its way into a template.
struct Filled<'a> {
    picture: &'a Picture,
    is_negative: bool,
    number: Vec<char>,
    /// What of the number is next.
    at: usize,
    /// Of a bare template the last of the number that is shown unless it must be.
    last: Option<usize>,
    /// Places before the number's first digit.
    blanks: usize,
    places: usize,
    /// The places so far.
    place: usize,
    has_digits: bool,
    is_signed: bool,
    out: String,
}

impl Filled<'_> {
    /// The last digit behind the point that is not zero, or that stands in front of a `0`; the point if there is none.
    fn last_that_counts(&self) -> Option<usize> {
        let point = self.number.iter().position(|letter| *letter == '.')?;
        let digit = (point + 1..self.number.len()).rev().find(|at| self.number[*at] != '0');
        let last = digit.unwrap_or(point);
        let wanted = match self.picture.zero_end > self.blanks {
            true => (self.number.len() - 1).min(self.picture.zero_end - self.blanks),
            false => 0,
        };
        Some(last.max(wanted))
    }

    /// Whether the point is the last that counts.
    fn ends_in_point(&self) -> bool {
        self.last.is_some_and(|last| self.number[last] == '.')
    }

    /// Whether the zero in front of the point is next, which is left out.
    fn at_leading_zero(&self) -> bool {
        self.picture.zero_start.is_none()
            && self.at == 0
            && self.number.first() == Some(&'0')
            && self.picture.behind != 0
    }

    /// Whether a zero is shown at this place though the number has not begun.
    fn is_zero_place(&self) -> bool {
        self.picture.zero_start.is_some_and(|start| start <= self.place)
    }

    fn put(&mut self, part: Part) {
        let is_bare = self.picture.is_bare;
        match part {
            Part::Place(is_zero) => self.put_place(is_zero),
            Part::Comma if self.has_digits => self.out.push(','),
            Part::Minus if self.is_negative => self.out.push('-'),
            Part::Plus if !self.is_negative => self.out.push('+'),
            Part::Comma | Part::Minus | Part::Plus if is_bare => {}
            Part::Comma | Part::Minus | Part::Plus | Part::Currency => self.out.push(' '),
            Part::PlusOrMinus => self.out.push(if self.is_negative { '-' } else { '+' }),
            Part::Ordinal(ordinal) => {
                let is_number = self.number.first() != Some(&'#');
                if is_number && !self.is_negative && !self.picture.has_point {
                    let number: String = self.number.iter().collect();
                    self.out.push_str(&ordinal.of(&number));
                }
            }
            Part::Letter(letter) => self.out.push(letter),
            Part::Roman(_) => {}
        }
    }

    /// The sign stands where the first digit does.
    fn put_sign(&mut self) {
        let begins = self.place >= self.blanks || self.picture.zero_start == Some(self.place);
        if self.is_signed || !begins || (self.at_leading_zero() && !self.ends_in_point()) {
            return;
        }
        match (self.picture.sign, self.is_negative) {
            (Sign::Behind, _) => return,
            (Sign::Before, false) => self.out.push('+'),
            (Sign::Brackets, true) => self.out.push('<'),
            (_, true) => self.out.push('-'),
            (Sign::Brackets | Sign::Plain, false) => self.out.push_str(if self.picture.is_bare { "" } else { " " }),
        }
        self.is_signed = true;
    }

    fn put_place(&mut self, is_zero: bool) {
        self.put_sign();
        let is_bare = self.picture.is_bare;
        if self.place < self.blanks {
            if self.is_zero_place() {
                self.out.push('0');
                self.has_digits = true;
            } else if !is_bare {
                self.out.push(' ');
            }
        } else if let Some(&next) = self.number.get(self.at) {
            if next == '.' {
                if !self.ends_in_point() || is_bare {
                    self.out.push('.');
                }
            } else if self.last.is_some_and(|last| self.at > last) && !is_zero {
                // Zeros at the end of a bare number.
            } else if self.at_leading_zero() {
                if !is_bare {
                    self.out.push(' ');
                } else if self.ends_in_point() {
                    self.out.push('0');
                }
            } else {
                self.out.push(next);
                self.has_digits = true;
            }
            self.at += 1;
        }
        let mut end = self.places + usize::from(self.blanks > 0) + usize::from(self.picture.has_point);
        if self.last == Some(self.at) {
            end = self.place;
        }
        if self.place + 1 == end {
            match self.picture.sign {
                Sign::Brackets if self.is_signed && self.is_negative => self.out.push('>'),
                Sign::Brackets if self.is_signed && !is_bare => self.out.push(' '),
                Sign::Behind => self.out.push(if self.is_negative { '-' } else { '+' }),
                _ => {}
            }
        }
        self.place += 1;
    }
}
