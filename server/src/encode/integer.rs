//! Integers: decimal digits, or their bytes, the highest first.

use super::Form;

/// Decimal digits.
pub(super) struct Digits;

/// The bytes, the highest first.
pub(super) struct Bytes;

macro_rules! integers {
    ($($native:ty),*) => {$(
        impl Form<$native> for Digits {
            fn put(&self, value: $native, out: &mut Vec<u8>) {
                out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
            }
        }

        impl Form<$native> for Bytes {
            fn put(&self, value: $native, out: &mut Vec<u8>) {
                out.extend_from_slice(&value.to_be_bytes());
            }
        }
    )*};
}

integers!(i16, i32, i64, u32);
