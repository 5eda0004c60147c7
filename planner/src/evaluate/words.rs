//! Functions of texts that SQL itself does not have (`TextFunction`): letters as numbers and without accents, parts, bars, hashes.

use super::array::Array;
use super::{Call, alike, printf};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, TextFunction};
use crate::types::DataType;
use crate::value::Value;
use md5::{Digest as _, Md5};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The value of a function that NULL arguments need not make NULL.
pub(super) fn apply_to_nulls(call: &Call) -> Result<Option<Value>> {
    if call.function != Function::Text(TextFunction::Hash) {
        return Ok(None);
    }
    let mut hash = Md5::new();
    for (at, value) in call.arguments.iter().enumerate() {
        match value {
            Value::Null => hash.update([0]),
            _ => {
                let text = call.text(at)?;
                hash.update([1]);
                hash.update((text.len() as u64).to_le_bytes());
                hash.update(text);
            }
        }
    }
    let digest = hash.finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    Ok(Some(Value::Int(i64::from_le_bytes(first))))
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use TextFunction as T;
    let Function::Text(function) = call.function else { return Ok(None) };
    let pair = || Ok::<_, Error>((call.text(0)?, call.text(1)?));
    Ok(Some(match function {
        T::Levenshtein => pair().and_then(|(a, b)| alike::levenshtein(a, b)).map(Value::Int)?,
        T::DamerauLevenshtein => pair().and_then(|(a, b)| alike::damerau_levenshtein(a, b)).map(Value::Int)?,
        T::Hamming => pair().and_then(|(a, b)| alike::hamming(a, b)).map(Value::Int)?,
        T::Jaccard => pair().and_then(|(a, b)| alike::jaccard(a, b)).map(Value::Float)?,
        T::Jaro => pair().and_then(|(a, b)| alike::jaro(a, b)).map(Value::Float)?,
        T::JaroWinkler => pair().and_then(|(a, b)| alike::jaro_winkler(a, b)).map(Value::Float)?,
        T::CodePoint => Value::Int(call.text(0)?.chars().next().map_or(-1, |letter| i64::from(u32::from(letter)))),
        T::StripAccents => Value::text(strip_accents(call.text(0)?)),
        T::Bar => Value::text(bar(call.float(0)?, call.float(1)?, call.float(2)?, call.float(3)?)?),
        T::Printf => Value::text(printf::printf(call)?),
        // Of the bits that the type has.
        T::ToBinary if call.types[0] == DataType::BigInt => Value::text(format!("{:b}", call.int(0)?)),
        T::ToBinary => Value::text(format!("{:b}", call.int(0)? as i32)),
        T::ToOctal if call.types[0] == DataType::BigInt => Value::text(format!("{:o}", call.int(0)?)),
        T::ToOctal => Value::text(format!("{:o}", call.int(0)? as i32)),
        T::Split => {
            let (text, separator) = pair()?;
            let parts = match separator {
                "" if text.is_empty() => vec![Value::text("")],
                "" => text.chars().map(|letter| Value::text(letter.to_string())).collect(),
                _ => text.split(separator).map(Value::text).collect(),
            };
            Value::text(Array::of(parts).encode(DataType::Text))
        }
        T::UuidOf => Value::text(uuid(&[call.float(0)?, call.float(1)?, call.float(2)?])),
        T::Hash => return Ok(None),
    }))
}

/// Letters with an accent by the letter without: a line of `accents.txt` begins with the plain one.
static PLAIN: LazyLock<FxHashMap<char, char>> = LazyLock::new(|| {
    let mut plain = FxHashMap::default();
    for line in include_str!("accents.txt").lines() {
        let mut letters = line.chars();
        if let Some(base) = letters.next() {
            plain.extend(letters.map(|letter| (letter, base)));
        }
    }
    plain
});

/// A text without the accents of its letters, be they part of a letter or behind it.
fn strip_accents(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let is_mark =
        |letter: char| matches!(letter, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}');
    let kept = text.chars().filter(|&letter| !is_mark(letter));
    kept.map(|letter| PLAIN.get(&letter).copied().unwrap_or(letter)).collect()
}

/// A bar of blocks, of up to `width` of them for a value from `low` to `high`.
fn bar(value: f64, low: f64, high: f64, width: f64) -> Result<String> {
    /// The widest bar.
    const WIDTH_MAX: f64 = 1000.0;
    const PARTS: [&str; 8] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let wrong = |message: &str| Err(Error::new(ErrorKind::NumericOverflow, message));
    if width.is_nan() || !(1.0..=WIDTH_MAX).contains(&width) {
        return wrong("the width of a bar must be from 1 to 1000");
    }
    let filled = if value.is_nan() || low.is_nan() || high.is_nan() || value <= low {
        0.0
    } else if value >= high {
        width
    } else {
        width * (value - low) / (high - low)
    };
    if !filled.is_finite() {
        return wrong("the bounds of a bar are too far apart");
    }
    let eighths = (filled * PARTS.len() as f64) as usize;
    let (whole, rest) = (eighths / PARTS.len(), eighths % PARTS.len());
    let mut shown = "█".repeat(whole);
    if rest > 0 {
        shown.push_str(PARTS[rest]);
    }
    let mut count = whole + usize::from(rest > 0);
    while (count as f64) < width {
        shown.push(' ');
        count += 1;
    }
    Ok(shown)
}

/// A uuid of the fourth version: 122 bits of three numbers, of which each has 53.
fn uuid(numbers: &[f64; 3]) -> String {
    let mut bits: u128 = 0;
    for number in numbers {
        bits = (bits << 43) ^ ((number * (1_u64 << 53) as f64) as u128);
    }
    let bits = (bits & !(0xF << 76) & !(0b11 << 62)) | (4 << 76) | (0b10 << 62);
    let digits = format!("{bits:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_without_accents() {
        assert_eq!(strip_accents("ÀÉîõüñçøłß mühleisen"), "AEiouncøłß muhleisen");
        assert_eq!(strip_accents("e\u{301}"), "e");
    }

    #[test]
    fn bars() {
        assert_eq!(bar(5.0, 0.0, 10.0, 10.0).unwrap(), "█████     ");
        assert_eq!(bar(3.3, 0.0, 10.0, 8.0).unwrap(), "██▋     ");
        assert_eq!(bar(f64::NAN, 0.0, 10.0, 2.0).unwrap(), "  ");
        assert!(bar(1.0, 0.0, 10.0, 0.0).is_err());
    }

    #[test]
    fn a_uuid_has_its_version() {
        let made = uuid(&[0.999_999_9, 0.5, 0.1]);
        assert_eq!((made.len(), &made[14..15]), (36, "4"));
        assert!(matches!(&made[19..20], "8" | "9" | "a" | "b"));
    }
}
