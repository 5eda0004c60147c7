//! Integers in the order of values that are none: chunks' ranges of floats and texts are of these.

/// A float as an integer of the same order: NaN last, both zeros alike.
pub fn float_key(float: f64) -> i64 {
    let float = if float.is_nan() { f64::NAN.abs() } else { float + 0.0 };
    let bits = float.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// A number for a text that is never less than that of one that stands before it: its first eight bytes. Lazy chunks' ranges of text
/// are of these.
pub fn text_order(text: &[u8]) -> i64 {
    let mut first = [0; 8];
    let len = text.len().min(8);
    first[..len].copy_from_slice(&text[..len]);
    i64::from_be_bytes(first) ^ i64::MIN
}

/// [`text_order`] of a string that stands among bytes.
#[inline]
pub(crate) fn text_order_at(bytes: &[u8], start: usize, len: usize) -> i64 {
    match bytes.get(start..).and_then(<[u8]>::first_chunk) {
        Some(eight) => {
            let behind = u64::MAX.checked_shr(8 * len.min(8) as u32).unwrap_or(0);
            (u64::from_be_bytes(*eight) & !behind) as i64 ^ i64::MIN
        }
        None => text_order(&bytes[start..start + len]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_ordered_by_what_they_begin_with() {
        let bytes = "abcdefghij-abc\u{0}\u{7f}ü------".as_bytes();
        for start in 0..bytes.len() {
            for len in 0..=bytes.len() - start {
                assert_eq!(text_order_at(bytes, start, len), text_order(&bytes[start..start + len]), "{start} {len}");
            }
        }
    }
}
