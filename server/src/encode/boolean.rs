//! Booleans: `t` and `f`, or a byte.

use super::{Cells, Form};
use crate::wire::room::Room;
use multiloop::arrow::array::{Array as _, BooleanArray};

/// `t` or `f`.
pub(super) struct Letter;

/// 1 or 0.
pub(super) struct Byte;

impl Form<bool> for Letter {
    fn put(&self, value: bool, out: &mut Room<'_>) {
        out.push(if value { b't' } else { b'f' });
    }

    fn is_plain(&self) -> bool {
        true
    }
}

impl Form<bool> for Byte {
    fn put(&self, value: bool, out: &mut Room<'_>) {
        out.push(u8::from(value));
    }
}

struct Booleans<F> {
    array: BooleanArray,
    form: F,
}

/// The values of an array.
pub(super) fn cells(array: BooleanArray, form: impl Form<bool> + 'static) -> Box<dyn Cells> {
    Box::new(Booleans { array, form })
}

impl<F: Form<bool>> Cells for Booleans<F> {
    fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        self.form.put(self.array.value(row), out);
    }

    fn is_plain(&self) -> bool {
        self.form.is_plain()
    }
}
