//! Text: its bytes, in both formats.

use super::Cells;
use multiloop::arrow::array::{Array as _, StringArray};

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
