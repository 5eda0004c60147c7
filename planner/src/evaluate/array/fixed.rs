//! Elements of a fixed width: booleans, integers, dates and times, and floats in the text of an array.
//!
//! An element is its mark and so many *digits*, bytes from 0x40 to 0x7F with six bits each, the highest first. So the element at a
//! position begins at a multiple of the stride, the number of elements follows from the text's length, and a value is made of its
//! digits by shifts and masks, without a branch. No digit is a mark, or the byte 0, and all are ASCII. A NULL has its mark and
//! digits of zero bits.
//!
//! What the digits spell is the *key*, a number without a sign that is in the order of the values:
//!
//! | carrier | digits | key |
//! |---|---|---|
//! | boolean | 1 | 0 or 1 |
//! | smallint | 3 | the number and 2^17 |
//! | integer, date | 6 | the number and 2^35 |
//! | bigint, time, timestamp | 11 | the number with its sign bit turned |
//! | real | 6 | the bits of a real, of a negative one all turned, else the sign bit; one zero, one NaN |
//! | double | 11 | the same of a double |

use crate::types::DataType;
use crate::value::{Value, canonical_float_bits};

const VALUE: u8 = super::key::VALUE as u8;
const NULL: u8 = super::key::NULL as u8;

/// What is added to the six bits of a digit.
const DIGIT: u8 = 0x40;

/// The same in each byte.
const DIGITS: u64 = 0x4040_4040_4040_4040;

/// The bits of digits that are not theirs to choose.
const FORM: u64 = 0xC0C0_C0C0_C0C0_C0C0;

/// Half of the keys of smallint, and of integer: what is added to a number.
const HALF_SMALL: i64 = 1 << 17;
const HALF_INTEGER: i64 = 1 << 35;

const SIGN_64: u64 = 1 << 63;
const SIGN_32: u32 = 1 << 31;

/// Which numbers elements are; see the file's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fixed {
    /// boolean.
    Boolean,
    /// smallint.
    Small,
    /// integer, date, enums.
    Integer,
    /// bigint, time, timestamps, oids.
    Long,
    /// real.
    Real,
    /// double precision.
    Double,
}

impl Fixed {
    /// Every kind.
    pub const ALL: [Fixed; 6] = [Fixed::Boolean, Fixed::Small, Fixed::Integer, Fixed::Long, Fixed::Real, Fixed::Double];

    /// That of elements of a type; none of those that have as many bytes as they need.
    #[inline]
    pub fn of(element: DataType) -> Option<Fixed> {
        Some(match element.carrier() {
            DataType::Boolean => Fixed::Boolean,
            DataType::SmallInt => Fixed::Small,
            DataType::Integer | DataType::Date => Fixed::Integer,
            DataType::BigInt | DataType::Time | DataType::Timestamp => Fixed::Long,
            DataType::Real => Fixed::Real,
            DataType::Double => Fixed::Double,
            _ => return None,
        })
    }

    /// Digits of an element.
    #[inline]
    pub const fn digits(self) -> usize {
        match self {
            Fixed::Boolean => 1,
            Fixed::Small => 3,
            Fixed::Integer | Fixed::Real => 6,
            Fixed::Long | Fixed::Double => 11,
        }
    }

    /// Bytes of an element: its mark and its digits.
    #[inline]
    pub const fn stride(self) -> usize {
        self.digits() + 1
    }

    /// Whether values are floats.
    pub const fn is_float(self) -> bool {
        matches!(self, Fixed::Real | Fixed::Double)
    }

    /// The key of an integer, or of 0 and 1; of one that is too large for its type the nearest, which is still too large.
    #[inline(always)]
    pub fn key_of_integer(self, number: i64) -> u64 {
        match self {
            Fixed::Small => (number.clamp(-HALF_SMALL, HALF_SMALL - 1) + HALF_SMALL) as u64,
            Fixed::Integer => (number.clamp(-HALF_INTEGER, HALF_INTEGER - 1) + HALF_INTEGER) as u64,
            Fixed::Boolean => u64::from(number != 0),
            _ => number as u64 ^ SIGN_64,
        }
    }

    /// The key of a float.
    #[inline(always)]
    pub fn key_of_float(self, number: f64) -> u64 {
        let bits = canonical_float_bits(number);
        if self == Fixed::Real {
            let real = f64::from_bits(bits) as f32;
            let bits = if real == 0.0 { 0 } else { real.to_bits() };
            return u64::from(if bits & SIGN_32 != 0 { !bits } else { bits | SIGN_32 });
        }
        if bits & SIGN_64 != 0 { !bits } else { bits | SIGN_64 }
    }

    /// The integer of a key.
    #[inline(always)]
    pub fn integer(self, key: u64) -> i64 {
        match self {
            Fixed::Boolean => key as i64,
            Fixed::Small => key as i64 - HALF_SMALL,
            Fixed::Integer => key as i64 - HALF_INTEGER,
            _ => (key ^ SIGN_64) as i64,
        }
    }

    /// The float of a key.
    #[inline(always)]
    pub fn float(self, key: u64) -> f64 {
        if self == Fixed::Real {
            let ordered = key as u32;
            let bits = if ordered & SIGN_32 != 0 { ordered ^ SIGN_32 } else { !ordered };
            return f64::from(f32::from_bits(bits));
        }
        f64::from_bits(if key & SIGN_64 != 0 { key ^ SIGN_64 } else { !key })
    }

    /// The key of a value; none of NULL.
    pub fn key_of(self, value: &Value) -> Option<u64> {
        match value {
            Value::Null => None,
            Value::Boolean(value) => Some(u64::from(*value)),
            Value::Int(number) if !self.is_float() => Some(self.key_of_integer(*number)),
            Value::Float(number) if self.is_float() => Some(self.key_of_float(*number)),
            other => {
                debug_assert!(false, "{other:?} among elements that are {self:?}");
                None
            }
        }
    }

    /// The value of a key.
    pub fn value(self, key: u64) -> Value {
        match self {
            Fixed::Boolean => Value::Boolean(key != 0),
            Fixed::Real | Fixed::Double => Value::Float(self.float(key)),
            _ => Value::Int(self.integer(key)),
        }
    }

    /// Appends an element.
    #[inline]
    pub fn push(self, key: Option<u64>, out: &mut Vec<u8>) {
        let mark = if key.is_some() { VALUE } else { NULL };
        out.extend_from_slice(&self.element(mark, key.unwrap_or(0))[..self.stride()]);
    }

    /// An element, and bytes behind it that are none of it.
    #[inline(always)]
    pub fn element(self, mark: u8, key: u64) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes.copy_from_slice(&self.word(mark, key).to_le_bytes()[..12]);
        bytes
    }

    /// An element as a number of which the lowest byte is the first one; those behind the last are 0.
    #[inline(always)]
    pub fn word(self, mark: u8, key: u64) -> u128 {
        let mark = u64::from(mark);
        match self {
            Fixed::Boolean => u128::from(mark | (u64::from(DIGIT) | key) << 8),
            Fixed::Small => {
                let word = spread(key) | DIGITS & 0xFF_FFFF | mark << 24;
                u128::from((word as u32).swap_bytes())
            }
            Fixed::Integer | Fixed::Real => {
                let word = spread(key) | DIGITS & 0xFFFF_FFFF_FFFF | mark << 48;
                u128::from((word << 8).swap_bytes())
            }
            Fixed::Long | Fixed::Double => {
                let word = spread(key >> 48) | DIGITS & 0xFF_FFFF | mark << 24;
                u128::from((word as u32).swap_bytes()) | u128::from((spread(key) | DIGITS).swap_bytes()) << 32
            }
        }
    }

    /// The mark and the key of the element at the front of some bytes; none of fewer bytes.
    #[inline(always)]
    pub fn read(self, bytes: &[u8]) -> Option<(u8, u64)> {
        let mark = *bytes.first()?;
        let key = match self {
            Fixed::Boolean => u64::from(bytes.get(1)? & 0x3F),
            Fixed::Small => unspread(u64::from(four(bytes, 0)?) & 0xFF_FFFF),
            Fixed::Integer | Fixed::Real => {
                // The last digit of the first four bytes is the first of the others.
                let (high, low) = (u64::from(four(bytes, 0)?), u64::from(four(bytes, 3)?));
                unspread(high << 24 & 0xFFFF_FF00_0000 | low & 0xFF_FFFF)
            }
            Fixed::Long | Fixed::Double => {
                let high = u64::from(four(bytes, 0)?) & 0xFF_FFFF;
                unspread(high) << 48 | unspread(u64::from_be_bytes(*bytes.get(4..)?.first_chunk()?))
            }
        };
        Some((mark, key))
    }

    /// The key, or NULL, of the element at the front of a text that may be anything: none where there is no such element.
    pub(super) fn checked(self, bytes: &[u8]) -> Option<Option<u64>> {
        let digits = bytes.get(1..self.stride())?;
        let (mark, key) = self.read(bytes)?;
        let (front, rest) = digits.as_rchunks::<8>();
        let is_form = |digit: &u8| digit & FORM as u8 == DIGIT;
        let are_digits =
            front.iter().all(is_form) && rest.iter().all(|eight| u64::from_be_bytes(*eight) & FORM == DIGITS);
        // The first digit of a long key has room for more than there is.
        let fits = match self {
            Fixed::Boolean => key <= 1,
            Fixed::Real => key <= u32::MAX.into(),
            Fixed::Long | Fixed::Double => digits[0] < DIGIT | 0x10,
            Fixed::Small | Fixed::Integer => true,
        };
        match mark {
            VALUE if are_digits && fits => Some(Some(key)),
            NULL if are_digits && key == 0 => Some(None),
            _ => None,
        }
    }
}

/// Four bytes from one on as a number.
#[inline(always)]
fn four(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The lower 48 bits of a number, six in each byte.
#[inline(always)]
fn spread(bits: u64) -> u64 {
    let x = bits & 0xFF_FFFF | (bits & 0xFFFF_FF00_0000) << 8;
    let x = x & 0x0000_0FFF_0000_0FFF | (x & 0x00FF_F000_00FF_F000) << 4;
    x & 0x003F_003F_003F_003F | (x & 0x0FC0_0FC0_0FC0_0FC0) << 2
}

/// The number of which [`spread`] made bytes; their upper two bits are left out.
#[inline(always)]
fn unspread(bytes: u64) -> u64 {
    let x = bytes & 0x003F_003F_003F_003F | (bytes & 0x3F00_3F00_3F00_3F00) >> 2;
    let x = x & 0x0000_0FFF_0000_0FFF | (x & 0x0FFF_0000_0FFF_0000) >> 4;
    x & 0xFF_FFFF | (x & 0x00FF_FFFF_0000_0000) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(fixed: Fixed, key: Option<u64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        fixed.push(key, &mut bytes);
        bytes
    }

    #[test]
    fn elements_are_read_back_and_sort() {
        let around = |bit: u64| [bit, !bit, bit - 1].map(|bits| bits as i64);
        let bits: Vec<i64> = (0..64).flat_map(|bit| around(1 << bit)).collect();
        for fixed in Fixed::ALL {
            let (low, high) = match fixed {
                Fixed::Boolean => (0, 1),
                Fixed::Small => (i16::MIN.into(), i16::MAX.into()),
                Fixed::Integer => (i32::MIN.into(), i32::MAX.into()),
                _ => (i64::MIN, i64::MAX),
            };
            let mut values: Vec<Value> = match fixed {
                Fixed::Boolean => vec![Value::Boolean(false), Value::Boolean(true)],
                Fixed::Real => bits.iter().map(|&bits| Value::Float(f32::from_bits(bits as u32).into())).collect(),
                Fixed::Double => bits.iter().map(|&bits| Value::Float(f64::from_bits(bits as u64))).collect(),
                _ => bits.iter().filter(|bits| (low..=high).contains(bits)).map(|&bits| Value::Int(bits)).collect(),
            };
            values.sort_by(Value::compare);
            let null = element(fixed, None);
            assert_eq!((null.len(), fixed.checked(&null)), (fixed.stride(), Some(None)));
            let mut last: Option<(&Value, Vec<u8>)> = None;
            for value in &values {
                let bytes = element(fixed, fixed.key_of(value));
                assert!(bytes[1..].iter().all(|byte| (0x40..0x80).contains(byte)), "{value:?} {bytes:?}");
                let key = fixed.checked(&bytes).flatten().expect("it is an element");
                assert_eq!(fixed.value(key).compare(value), std::cmp::Ordering::Equal, "{fixed:?} {value:?}");
                assert_eq!(fixed.read(&bytes), Some((VALUE, key)));
                assert_eq!(fixed.read(&[&bytes[..], b"@\x01"].concat()), Some((VALUE, key)));
                assert!(bytes < null);
                if let Some((before, before_bytes)) = &last {
                    assert_eq!(before.compare(value), before_bytes.cmp(&bytes), "{fixed:?} {before:?} {value:?}");
                }
                last = Some((value, bytes));
            }
        }
    }

    #[test]
    fn numbers_beyond_a_type_stay_beyond_it() {
        for (fixed, most) in [(Fixed::Small, i64::from(i16::MAX)), (Fixed::Integer, i64::from(i32::MAX))] {
            for number in [i64::MIN, -2 - most, most + 1, i64::MAX] {
                let read = fixed.integer(fixed.key_of_integer(number));
                assert!(read.signum() == number.signum() && (read < -1 - most || read > most), "{fixed:?} {number}");
            }
        }
    }

    #[test]
    fn what_is_no_element() {
        for fixed in Fixed::ALL {
            let whole = element(fixed, Some(1));
            for end in 0..whole.len() {
                assert_eq!(fixed.checked(&whole[..end]), None);
            }
            for at in 0..whole.len() {
                for byte in [0, 1, b'?', 0x80, 0xC0] {
                    let mut other = whole.clone();
                    other[at] = byte;
                    assert_eq!(fixed.checked(&other), None, "{fixed:?} {at} {byte}");
                }
            }
            let mut null = whole.clone();
            null[0] = NULL;
            assert_eq!(fixed.checked(&null), None);
        }
        assert_eq!(Fixed::Long.checked(b"\x02\x50@@@@@@@@@@"), None);
        assert_eq!(Fixed::Boolean.checked(b"\x02B"), None);
    }
}
