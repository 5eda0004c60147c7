//! Object identifiers: numbers, or the names of what they stand for.

use super::Cells;
use crate::wire::room::Room;
use multiloop::arrow::array::{Array as _, UInt32Array};
use multiloop::{OidKind, Sight};

struct Named {
    array: UInt32Array,
    kind: OidKind,
    sight: Sight,
}

/// The values of an array as names.
pub(super) fn named(array: UInt32Array, kind: OidKind, sight: &Sight) -> Box<dyn Cells> {
    Box::new(Named { array, kind, sight: sight.clone() })
}

impl Cells for Named {
    fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row)
    }

    fn value(&self, row: usize, out: &mut Room<'_>) {
        out.extend_from_slice(self.sight.name_of(self.kind, self.array.value(row)).as_bytes());
    }
}
