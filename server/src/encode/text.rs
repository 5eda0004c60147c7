//! Text and what is like it: its bytes, in both formats. In binary jsonb has its version before it, and `"char"` is one byte.

use super::{Cells, NULL};
use crate::wire::room::Room;
use multiloop::arrow::array::{Array as _, StringArray};
use multiloop::arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};

/// The one version of jsonb's binary form.
pub(crate) const JSONB_VERSION: u8 = 1;

/// Bytes of a text that are copied at once.
const SHORT: usize = 32;

struct Texts {
    offsets: OffsetBuffer<i32>,
    bytes: Buffer,
    nulls: Option<NullBuffer>,
}

/// The values of an array.
pub(super) fn cells(array: StringArray) -> Box<dyn Cells> {
    let (offsets, bytes, nulls) = array.into_parts();
    Box::new(Texts { offsets, bytes, nulls })
}

impl Texts {
    fn bytes(&self, row: usize) -> &[u8] {
        &self.bytes[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}

impl Cells for Texts {
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        out.extend_from_slice(self.bytes(row));
    }

    fn field(&self, row: usize, out: &mut Room<'_>) {
        if self.is_null(row) {
            return out.put(NULL);
        }
        let (start, end) = (self.offsets[row] as usize, self.offsets[row + 1] as usize);
        // An array's offsets have 31 bits.
        out.put(((end - start) as u32).to_be_bytes());
        match self.bytes[start..].first_chunk::<SHORT>() {
            // Those behind it are another row's.
            Some(bytes) if end - start <= SHORT => out.put_some(*bytes, end - start),
            _ => out.extend_from_slice(&self.bytes[start..end]),
        }
    }
}

struct Strings(Vec<Option<String>>);

/// Texts that are made one by one: together they may be more than one array holds.
pub(super) fn strings(texts: Vec<Option<String>>) -> Box<dyn Cells> {
    Box::new(Strings(texts))
}

impl Cells for Strings {
    fn is_null(&self, row: usize) -> bool {
        self.0[row].is_none()
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        out.extend_from_slice(self.0[row].as_deref().unwrap_or_default().as_bytes());
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

    fn value(&self, row: usize, out: &mut Room<'_>) {
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

    fn value(&self, row: usize, out: &mut Room<'_>) {
        out.push(match self.0.value(row).as_bytes() {
            [] => 0,
            [b'\\', octal @ ..] if octal.len() == 3 => {
                octal.iter().fold(0u8, |byte, digit| byte.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0')))
            }
            [first, ..] => *first,
        });
    }
}
