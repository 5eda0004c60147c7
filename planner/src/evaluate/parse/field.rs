//! A date or timestamp's text, cut into fields before anybody asks what they mean: `Jan 8, 1999 04:05 PM` has a
//! word, two numbers, a time and a word.

/// A field. Letters are in lower case.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    /// Letters.
    Word(String),
    /// Digits, perhaps with a fraction.
    Number(String),
    /// Two or three parts of digits or letters with `-`, `/` or `.` between them.
    Date(Vec<String>),
    /// Digits with `:` between them, the last part perhaps with a fraction.
    Time(String),
    /// A signed offset behind a time.
    Zone(String),
}

/// The fields of a text, or none if it holds what no field can.
pub(super) fn split(text: &str) -> Option<Vec<Field>> {
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.as_str();
    let mut fields = Vec::new();
    let mut seen_time = false;
    while let Some(first) = rest.chars().next() {
        if first == ',' || first.is_ascii_whitespace() {
            rest = &rest[1..];
            continue;
        }
        let (field, length) = if first.is_ascii_digit() {
            number_date_or_time(rest)
        } else if first.is_ascii_alphabetic() {
            word_or_date(rest)
        } else if matches!(first, '+' | '-') && seen_time {
            let length = 1 + run(&rest[1..], |c| c.is_ascii_digit() || c == ':');
            (Field::Zone(rest[..length].to_owned()), length)
        } else {
            return None;
        };
        seen_time |= matches!(field, Field::Time(_) | Field::Number(_));
        fields.push(field);
        rest = &rest[length..];
    }
    Some(fields)
}

fn number_date_or_time(rest: &str) -> (Field, usize) {
    let digits = run(rest, |c| c.is_ascii_digit());
    match rest[digits..].chars().next() {
        Some(':') => {
            let length = run(rest, |c| c.is_ascii_digit() || matches!(c, ':' | '.'));
            (Field::Time(rest[..length].to_owned()), length)
        }
        // Six digits and more are a time with a fraction (040506.5), fewer a year and its day (1999.008).
        Some('.') if digits >= 6 => {
            let length = digits + 1 + run(&rest[digits + 1..], |c| c.is_ascii_digit());
            (Field::Number(rest[..length].to_owned()), length)
        }
        Some('-' | '/' | '.') => date(rest).unwrap_or_else(|| (Field::Number(rest[..digits].to_owned()), digits)),
        _ => (Field::Number(rest[..digits].to_owned()), digits),
    }
}

fn word_or_date(rest: &str) -> (Field, usize) {
    let letters = run(rest, |c| c.is_ascii_alphabetic());
    let word = || (Field::Word(rest[..letters].to_owned()), letters);
    match rest[letters..].chars().next() {
        Some('-' | '/' | '.') => date(rest).unwrap_or_else(word),
        _ => word(),
    }
}

/// Up to three parts with one separator between them.
fn date(rest: &str) -> Option<(Field, usize)> {
    let mut parts = Vec::new();
    let mut length = 0;
    let mut separator = None;
    loop {
        let part = &rest[length..];
        let size = match part.chars().next()? {
            c if c.is_ascii_digit() => run(part, |c| c.is_ascii_digit()),
            c if c.is_ascii_alphabetic() => run(part, |c| c.is_ascii_alphabetic()),
            _ => return None,
        };
        parts.push(part[..size].to_owned());
        length += size;
        let next = rest[length..].chars().next();
        let goes_on = matches!(next, Some('-' | '/' | '.')) && (separator.is_none() || separator == next);
        if parts.len() == 3 || !goes_on {
            return (parts.len() > 1).then_some((Field::Date(parts), length));
        }
        separator = next;
        length += 1;
    }
}

/// How many bytes at the start are of this (ASCII) kind.
pub(super) fn run(text: &str, kind: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !kind(c)).unwrap_or(text.len())
}
