//! The templates of numbers: digits and where they stand, signs, and letters.

use super::picture::{Ordinal, quoted};
use crate::error::{Error, ErrorKind, Result};

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `9`, `0`, `.` or `D`: a place of the number. Whether a zero is shown in any case.
    Place(bool),
    Comma,
    Currency,
    /// `MI`.
    Minus,
    /// `PL`.
    Plus,
    /// `SG`.
    PlusOrMinus,
    /// `RN`; in upper case or not.
    Roman(bool),
    Ordinal(Ordinal),
    Letter(char),
}

/// Where a sign stands that is part of the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sign {
    /// A blank or a minus in front.
    #[default]
    Plain,
    /// `S` in front of the digits, or among them.
    Before,
    /// `S` behind the digits.
    Behind,
    /// `PR`: angle brackets around what is negative.
    Brackets,
}

/// A template, and what is counted in it.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pub(super) parts: Vec<Part>,
    /// Places before and behind the point.
    pub(super) before: usize,
    pub(super) behind: usize,
    /// Places behind `V`: powers of ten that the number is multiplied by.
    pub(super) shifted: usize,
    is_shifted: bool,
    pub(super) has_point: bool,
    /// The places before the first `0`, if there is one.
    pub(super) zero_start: Option<usize>,
    /// The places up to the last `0`.
    pub(super) zero_end: usize,
    /// FM.
    pub(super) is_bare: bool,
    pub(super) sign: Sign,
    /// Places before the point in front of `S`.
    before_sign: usize,
    /// MI, PL or SG.
    pub(super) has_own_minus: bool,
    pub(super) has_own_plus: bool,
    pub(super) is_exponential: bool,
    pub(super) is_roman: bool,
}

/// The names of parts, the longer first where one begins another; in either case.
const NAMES: [&str; 20] =
    ["EEEE", "FM", "MI", "PL", "PR", "RN", "SG", "SP", "TH", ",", ".", "0", "9", "B", "C", "D", "G", "L", "S", "V"];

fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::Syntax, message)
}

impl Picture {
    /// Reads a template.
    ///
    /// # Errors
    /// 42601 for parts that do not go together.
    pub(super) fn read(template: &str) -> Result<Picture> {
        let mut picture = Picture::default();
        let mut rest = template;
        while let Some(letter) = rest.chars().next() {
            let named = |name: &&str| rest.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name));
            if let Some(name) = NAMES.into_iter().find(|name| named(name)) {
                let is_upper = letter.is_ascii_uppercase();
                picture.take(name, is_upper)?;
                rest = &rest[name.len()..];
            } else if letter == '"' {
                rest = quoted(&rest[1..], &mut |letter| picture.parts.push(Part::Letter(letter)));
            } else {
                picture.parts.push(Part::Letter(letter));
                rest = &rest[letter.len_utf8()..];
            }
        }
        if picture.sign == Sign::Before && picture.before == picture.before_sign {
            picture.sign = Sign::Behind;
        }
        Ok(picture)
    }

    fn take(&mut self, name: &str, is_upper: bool) -> Result<()> {
        if self.is_exponential {
            return Err(wrong("\"EEEE\" must be the last pattern used"));
        }
        let has_sign = self.sign != Sign::Plain;
        let has_own_sign = self.has_own_minus || self.has_own_plus;
        let part = match name {
            "9" if self.sign == Sign::Brackets => return Err(wrong("\"9\" must be ahead of \"PR\"")),
            "0" if self.sign == Sign::Brackets => return Err(wrong("\"0\" must be ahead of \"PR\"")),
            "9" | "0" => return self.place(name == "0"),
            "." | "D" => {
                if self.has_point {
                    return Err(wrong("multiple decimal points"));
                }
                if self.is_shifted {
                    return Err(wrong("cannot use \"V\" and decimal point together"));
                }
                self.has_point = true;
                Part::Place(false)
            }
            "," | "G" => Part::Comma,
            "L" => Part::Currency,
            "S" | "MI" | "PL" | "SG" | "PR" => return self.sign(name),
            "RN" => {
                self.is_roman = true;
                Part::Roman(is_upper)
            }
            "TH" => Part::Ordinal(if is_upper { Ordinal::Upper } else { Ordinal::Lower }),
            "V" if self.has_point => return Err(wrong("cannot use \"V\" and decimal point together")),
            "V" => {
                self.is_shifted = true;
                return Ok(());
            }
            "FM" => {
                self.is_bare = true;
                return Ok(());
            }
            "EEEE" => {
                if self.is_bare || has_sign || has_own_sign || self.is_roman || self.is_shifted {
                    let detail = "\"EEEE\" may only be used together with digit and decimal point patterns.";
                    return Err(wrong("\"EEEE\" is incompatible with other formats").with_detail(detail));
                }
                self.is_exponential = true;
                return Ok(());
            }
            // B, C and SP mean nothing.
            _ => return Ok(()),
        };
        self.parts.push(part);
        Ok(())
    }

    /// S, MI, PL, SG and PR.
    fn sign(&mut self, name: &str) -> Result<()> {
        let has_sign = self.sign != Sign::Plain;
        let has_own_sign = self.has_own_minus || self.has_own_plus;
        let part = match name {
            "S" if has_sign && self.sign != Sign::Brackets => return Err(wrong("cannot use \"S\" twice")),
            "S" if has_own_sign || has_sign => {
                return Err(wrong("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together"));
            }
            "S" => {
                self.sign = if self.has_point { Sign::Behind } else { Sign::Before };
                self.before_sign = self.before;
                return Ok(());
            }
            "MI" | "PL" | "SG" if matches!(self.sign, Sign::Before | Sign::Behind) => {
                return Err(wrong(&format!("cannot use \"S\" and \"{name}\" together")));
            }
            "MI" => {
                self.has_own_minus = true;
                Part::Minus
            }
            "PL" => {
                self.has_own_plus = true;
                Part::Plus
            }
            "SG" => {
                (self.has_own_minus, self.has_own_plus) = (true, true);
                Part::PlusOrMinus
            }
            "PR" if has_sign || has_own_sign => {
                return Err(wrong("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together"));
            }
            "PR" => {
                self.sign = Sign::Brackets;
                return Ok(());
            }
            _ => unreachable!("these are all"),
        };
        self.parts.push(part);
        Ok(())
    }

    fn place(&mut self, is_zero: bool) -> Result<()> {
        if is_zero && !self.has_point && self.zero_start.is_none() {
            self.zero_start = Some(self.before);
        }
        if self.is_shifted && !is_zero {
            self.shifted += 1;
        } else if self.has_point {
            self.behind += 1;
        } else {
            self.before += 1;
        }
        if is_zero {
            self.zero_end = self.before + self.behind;
        }
        self.parts.push(Part::Place(is_zero));
        Ok(())
    }
}
