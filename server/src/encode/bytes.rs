//! bytea and uuid: hexadecimal digits, or the bytes as they are.

use super::Cells;
use crate::wire::room::Room;
use multiloop::arrow::array::{Array as _, BinaryArray, FixedSizeBinaryArray};

/// Arrays of bytes.
pub(super) trait Bytes: Send {
    fn is_null_at(&self, row: usize) -> bool;
    fn bytes(&self, row: usize) -> &[u8];
}

impl Bytes for BinaryArray {
    fn is_null_at(&self, row: usize) -> bool {
        self.is_null(row)
    }

    fn bytes(&self, row: usize) -> &[u8] {
        self.value(row)
    }
}

impl Bytes for FixedSizeBinaryArray {
    fn is_null_at(&self, row: usize) -> bool {
        self.is_null(row)
    }

    fn bytes(&self, row: usize) -> &[u8] {
        self.value(row)
    }
}

/// How bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As they are.
    Raw,
    /// `\x1f`.
    Hexadecimal,
    /// `a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11`.
    Hyphens,
}

struct Written<A> {
    array: A,
    form: Form,
}

/// The values of an array.
pub(super) fn cells(array: impl Bytes + 'static, form: Form) -> Box<dyn Cells> {
    Box::new(Written { array, form })
}

impl<A: Bytes> Cells for Written<A> {
    fn is_null(&self, row: usize) -> bool {
        self.array.is_null_at(row)
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        let bytes = self.array.bytes(row);
        match self.form {
            Form::Raw => out.extend_from_slice(bytes),
            Form::Hexadecimal => {
                out.extend_from_slice(b"\\x");
                put_digits(bytes, out);
            }
            Form::Hyphens => {
                for (at, byte) in bytes.iter().enumerate() {
                    if matches!(at, 4 | 6 | 8 | 10) {
                        out.push(b'-');
                    }
                    put_digits(&[*byte], out);
                }
            }
        }
    }
}

fn put_digits(bytes: &[u8], out: &mut Room<'_>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.put([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}
