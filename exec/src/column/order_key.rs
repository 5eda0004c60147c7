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
