//! Text and what is like it: its bytes, in both formats. In binary jsonb has its version before it, and `"char"` is one byte.

use super::Cells;
use multiloop::arrow::array::{Array as _, StringArray};

/// The one version of jsonb's binary form.
pub(crate) const JSONB_VERSION: u8 = 1;

struct Texts(StringArray);

/// The values of an array.
pub(super) fn cells(array: StringArray) -> Box<dyn Cells> {
    Box::new(Texts(array))
}

impl Cells for Texts {
    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0.value(row).as_bytes());
    }
}

struct Versioned(StringArray);

/// The values of an array with jsonb's version.
pub(super) fn versioned(array: StringArray) -> Box<dyn Cells> {
    Box::new(Versioned(array))
}

impl Cells for Versioned {
    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Vec<u8>) {
        out.push(JSONB_VERSION);
        out.extend_from_slice(self.0.value(row).as_bytes());
    }
}

struct Letters(StringArray);

/// The values of an array, a byte each. What is no ASCII is kept as `\303`; nothing is a zero.
pub(super) fn letters(array: StringArray) -> Box<dyn Cells> {
    Box::new(Letters(array))
}

impl Cells for Letters {
    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Vec<u8>) {
        out.push(match self.0.value(row).as_bytes() {
            [] => 0,
            [b'\\', octal @ ..] if octal.len() == 3 => {
                octal.iter().fold(0u8, |byte, digit| byte.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0')))
            }
            [first, ..] => *first,
        });
    }
}
