//! Short strings as numbers: the bytes that each has of its own, the first one lowest, and above as many bytes as there may be
//! one more than how many there are; so zero bytes count, and no string has the code of NULL.

use crate::cpu::keys::part_values::PartValues;
use crate::cpu::vector::{TextVector, Vector, VectorData};
use crate::partial::byte_keys::first_eight;
use crate::plan::key_layout::ShortText;

/// The code of a string that is one of these; none of a longer one, or a shorter one than all of these.
#[inline]
pub(crate) fn short_code(text: &[u8], short: &ShortText) -> Option<u128> {
    let own = short.own(text).filter(|own| own.len() <= short.most as usize)?;
    let (low, high) = own.split_at(own.len().min(8));
    Some(
        u128::from(first_eight(low))
            | u128::from(first_eight(high)) << 64
            | (own.len() as u128 + 1) << (8 * short.most),
    )
}

/// The same of those that have up to seven bytes of their own; [`TextVector::LONG`] of a longer one, or a shorter one than all of
/// these.
#[inline(always)]
pub(crate) fn short_word(texts: &TextVector, position: usize, short: &ShortText) -> u64 {
    let (buffer, start, length) = texts.place(position);
    let length = length.wrapping_sub(short.prefix.len() + short.suffix.len());
    if length > short.most as usize {
        return TextVector::LONG;
    }
    debug_assert!(short.own(texts.bytes(position)).is_some(), "one of these strings");
    let start = start + short.prefix.len();
    let bytes = match buffer.get(start..start + 8).and_then(<[u8]>::first_chunk) {
        Some(eight) => u64::from_le_bytes(*eight) & ((1 << (8 * length)) - 1),
        None => first_eight(&buffer[start..start + length]),
    };
    bytes | (length as u64 + 1) << (8 * short.most)
}

/// As [`short_word`], of a string anywhere.
#[inline(always)]
pub(crate) fn word_of_text(text: &[u8], short: &ShortText) -> u64 {
    short_code(text, short).map_or(TextVector::LONG, |code| code as u64)
}

/// The bytes that a string has of its own by its code, and how many there are.
#[inline]
pub(crate) fn short_bytes(code: u128, short: &ShortText) -> ([u8; 16], usize) {
    let length = (code >> (8 * short.most)).saturating_sub(1) as usize;
    (code.to_le_bytes(), length.min(short.most as usize))
}

/// The bytes of the longest string among values; of codes of a dictionary, which says more of them, the most there are.
pub(crate) fn longest(vector: &Vector) -> usize {
    match &vector.data {
        VectorData::Text(texts) => texts.views().iter().fold(0, |most, view| most.max(view.length)) as usize,
        VectorData::Code { .. } => usize::MAX,
        _ => 0,
    }
}

/// Gives every string with its tuple.
pub(crate) fn each_text(values: PartValues<'_>, len: usize, mut each: impl FnMut(usize, &[u8])) {
    if let PartValues::Vector(Vector { data: VectorData::Text(texts), constant: false, .. }) = values {
        return (0..len).for_each(|tuple| each(tuple, texts.bytes(tuple)));
    }
    for tuple in 0..len {
        match values {
            PartValues::Vector(vector) => each(tuple, vector.text(tuple).unwrap_or_default().as_bytes()),
            PartValues::ColumnBuilder(column) => {
                each(tuple, if column.is_null(tuple) { b"" } else { column.text(tuple) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partial::byte_keys::is_code;
    use crate::plan::key_layout::PartDomain;
    use std::sync::Arc;

    fn check(texts: &[&str], short: &ShortText) {
        let (mut vector, mut codes) = (TextVector::default(), Vec::new());
        for (position, text) in texts.iter().enumerate() {
            vector.push(text);
            let own = text.len().checked_sub(short.prefix.len() + short.suffix.len());
            let code = short_code(text.as_bytes(), short);
            assert_eq!(code.is_some(), own.is_some_and(|own| own <= short.most as usize), "{text:?} {short:?}");
            if short.most <= 7 {
                let word = code.map_or(TextVector::LONG, |code| code as u64);
                assert_eq!(short_word(&vector, position, short), word, "{text:?} {short:?}");
            }
            let Some(code) = code else { continue };
            let (bytes, length) = short_bytes(code, short);
            assert_eq!([&short.prefix, &bytes[..length], &short.suffix].concat(), text.as_bytes());
            let domain = PartDomain::Short(Arc::new(short.clone()));
            assert!(code > 0 && is_code(&domain, code) && domain.codes().is_some_and(|codes| code < codes));
            codes.push(code);
        }
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count, "{short:?}");
    }

    #[test]
    fn codes_tell_strings_apart_and_give_them_back() {
        let all = [
            "",
            "\0",
            "\0\0",
            "a",
            "a\0",
            "\0a",
            "é",
            "abcdefg",
            "abcdef\0",
            "abcdefgh",
            "abcdefghijklmno",
            "zzzzzzzzzzzzzzzz",
        ];
        (1..=15).for_each(|most| check(&all, &ShortText::of(most)));
        let between = [
            "<>",
            "<<>",
            "<\0>",
            "<>>",
            "<é>",
            "<1234567>",
            "<12345678>",
            "<123456789012345>",
            "<1234567890123456>",
            "<",
        ];
        let short = |prefix: &str, suffix: &str, most| ShortText { prefix: prefix.into(), suffix: suffix.into(), most };
        for most in [1, 2, 7, 8, 15] {
            check(&between, &short("<", "", most));
            check(&between[..9], &short("<", ">", most));
        }
        // A prefix may end within a character.
        let short = ShortText { prefix: vec![0xc3], suffix: Vec::new(), most: 1 };
        check(&["é", "è"], &short);
    }

    #[test]
    fn codes_of_no_string_are_told() {
        let short = PartDomain::Short(Arc::new(ShortText::of(2)));
        assert!(is_code(&short, 0) && is_code(&short, 1 << 16) && is_code(&short, 2 << 16 | 0x61));
        for code in [1, 4 << 16, 2 << 16 | 0xff, 2 << 16 | 0x6161, 1 << 16 | 0x61, u128::MAX] {
            assert!(!is_code(&short, code), "{code:x}");
        }
    }
}
