//! bit and bit varying in binary: the number of bits, then bytes of eight bits each, the first bit the highest; what is left of the
//! last byte is zero.

use super::Cells;
use crate::wire::room::Room;
use multiloop::arrow::array::{Array as _, StringArray};

struct Bits(StringArray);

/// The values of an array of digits.
pub(super) fn cells(array: StringArray) -> Box<dyn Cells> {
    Box::new(Bits(array))
}

impl Cells for Bits {
    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        let digits = self.0.value(row).as_bytes();
        // An array's offsets have 31 bits.
        out.extend_from_slice(&(digits.len() as u32).to_be_bytes());
        for eight in digits.chunks(8) {
            let bits = eight.iter().enumerate();
            out.push(bits.fold(0, |byte, (at, digit)| byte | u8::from(*digit == b'1') << (7 - at)));
        }
    }
}

/// The digits of a value in binary; none of other bytes.
pub(crate) fn digits(bytes: &[u8]) -> Option<String> {
    let (length, bytes) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(i32::from_be_bytes(*length)).ok()?;
    if bytes.len() != length.div_ceil(8) {
        return None;
    }
    let digit = |at: usize| if bytes[at / 8] >> (7 - at % 8) & 1 == 1 { '1' } else { '0' };
    Some((0..length).map(digit).collect())
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn bytes_of_bits() {
        let of = |length: i32, bytes: &[u8]| digits(&[&length.to_be_bytes()[..], bytes].concat());
        assert_eq!(of(0, &[]).as_deref(), Some(""));
        assert_eq!(of(3, &[0xa0]).as_deref(), Some("101"));
        // Bits behind the last are none.
        assert_eq!(of(9, &[0x80, 0xff]).as_deref(), Some("100000001"));
        for (length, bytes) in [(-1, &[][..]), (1, &[]), (8, &[1, 2]), (i32::MAX, &[1])] {
            assert_eq!(of(length, bytes), None);
        }
        assert_eq!(digits(&[0, 0]), None);
    }
}
