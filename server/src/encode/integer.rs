//! Integers: decimal digits, or their bytes, the highest first.

use super::Form;
use crate::wire::room::Room;

/// Decimal digits.
pub(super) struct Digits;

/// The bytes, the highest first.
pub(super) struct Bytes;

macro_rules! integers {
    ($($native:ty),*) => {$(
        impl Form<$native> for Digits {
            fn put(&self, value: $native, out: &mut Room<'_>) {
                let value = i64::from(value);
                if value < 0 {
                    out.push(b'-');
                }
                out.digits(value.unsigned_abs());
            }

            fn is_plain(&self) -> bool {
                true
            }
        }

        impl Form<$native> for Bytes {
            fn put(&self, value: $native, out: &mut Room<'_>) {
                out.put(value.to_be_bytes());
            }

            fn field(&self, value: $native, out: &mut Room<'_>) {
                out.put((size_of::<$native>() as i32).to_be_bytes());
                self.put(value, out);
            }
        }
    )*};
}

integers!(i16, i32, i64, u32);
