//! The templates of dates and times: fields, with what stands before and behind their names, and letters.

/// The names of fields, the longer first where one begins another. `Month` and its kin say the case of what they show.
const NAMES: &[&str] = &[
    "Y,YYY", "y,yyy", "SSSSS", "sssss", "MONTH", "Month", "month", "IDDD", "iddd", "IYYY", "iyyy", "YYYY", "yyyy",
    "SSSS", "ssss", "HH24", "hh24", "HH12", "hh12", "A.D.", "a.d.", "A.M.", "a.m.", "B.C.", "b.c.", "P.M.", "p.m.",
    "DAY", "Day", "day", "DDD", "ddd", "IYY", "iyy", "YYY", "yyy", "MON", "Mon", "mon", "TZH", "tzh", "TZM", "tzm",
    "FF1", "ff1", "FF2", "ff2", "FF3", "ff3", "FF4", "ff4", "FF5", "ff5", "FF6", "ff6", "AD", "ad", "AM", "am", "BC",
    "bc", "CC", "cc", "DD", "dd", "DY", "Dy", "dy", "FX", "fx", "HH", "hh", "ID", "id", "IW", "iw", "IY", "iy", "MI",
    "mi", "MM", "mm", "MS", "ms", "OF", "of", "PM", "pm", "RM", "rm", "SS", "ss", "TZ", "tz", "US", "us", "WW", "ww",
    "YY", "yy", "D", "d", "I", "i", "J", "j", "Q", "q", "W", "w", "Y", "y",
];

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Field(Field),
    Letter(char),
}

/// A field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// As it is written.
    pub(super) name: &'static str,
    /// FM: no blanks and zeros around it.
    pub(super) is_bare: bool,
    /// `TH` or `th` behind it.
    pub(super) ordinal: Option<Ordinal>,
}

/// The ending of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ordinal {
    Upper,
    Lower,
}

impl Ordinal {
    /// The ending of this number.
    pub(super) fn of(self, digits: &str) -> String {
        let mut last = digits.bytes().rev().filter(u8::is_ascii_digit);
        let (units, tens) = (last.next(), last.next());
        let ending = match units {
            _ if tens == Some(b'1') => "th",
            Some(b'1') => "st",
            Some(b'2') => "nd",
            Some(b'3') => "rd",
            _ => "th",
        };
        if self == Ordinal::Upper { ending.to_ascii_uppercase() } else { ending.to_owned() }
    }
}

impl Field {
    /// The name in upper case, which says what it is.
    pub(super) fn key(self) -> String {
        self.name.to_ascii_uppercase()
    }

    /// Whether it is read as digits.
    pub(super) fn is_number(self) -> bool {
        let key = self.key();
        let is_word = matches!(key.as_str(), "AD" | "BC" | "AM" | "PM" | "DAY" | "DY" | "MON" | "MONTH" | "RM" | "FX");
        !is_word && !key.contains('.') && !key.starts_with("TZ") && key != "OF"
    }
}

/// The parts of a template. What is in double quotes is letters.
pub(super) fn parts(template: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(letter) = rest.chars().next() {
        if let Some((field, length)) = field(rest) {
            rest = &rest[length..];
            parts.push(Part::Field(field));
        } else if letter == '"' {
            rest = quoted(&rest[1..], &mut |letter| parts.push(Part::Letter(letter)));
        } else {
            rest = &rest[letter.len_utf8()..];
            // Outside of quotes a backslash protects a quote alone.
            if letter == '\\' && rest.starts_with('"') {
                rest = &rest[1..];
                parts.push(Part::Letter('"'));
            } else {
                parts.push(Part::Letter(letter));
            }
        }
    }
    parts
}

/// Hands over the letters up to a quote; a backslash protects the next. What follows is given back.
pub(super) fn quoted<'a>(text: &'a str, put: &mut dyn FnMut(char)) -> &'a str {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => {
                if let Some(letter) = letters.next() {
                    put(letter);
                }
            }
            _ => put(letter),
        }
    }
    letters.as_str()
}

/// The field that a text begins with, and how long it is written.
fn field(text: &str) -> Option<(Field, usize)> {
    let mut rest = text;
    let (mut is_bare, mut is_translated) = (false, false);
    while let Some(prefix) = ["FM", "fm", "TM", "tm"].into_iter().find(|prefix| rest.starts_with(prefix)) {
        is_bare |= prefix.eq_ignore_ascii_case("fm");
        is_translated |= prefix.eq_ignore_ascii_case("tm");
        rest = &rest[2..];
    }
    let name = NAMES.iter().copied().find(|name| rest.starts_with(name))?;
    rest = &rest[name.len()..];
    let ordinal = match rest.get(..2) {
        Some("TH") => Some(Ordinal::Upper),
        Some("th") => Some(Ordinal::Lower),
        _ => None,
    };
    if ordinal.is_some() {
        rest = &rest[2..];
    }
    // Names in another language are never padded, and English is one.
    is_bare |= is_translated && matches!(name.to_ascii_uppercase().as_str(), "MONTH" | "DAY");
    Some((Field { name, is_bare, ordinal }, text.len() - rest.len()))
}
