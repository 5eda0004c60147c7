//! Places of rows: `(block,offset)`, or the bytes of both.

use super::Form;
use crate::wire::room::Room;
use multiloop::format::place_pair;

/// `(block,offset)`.
pub(super) struct Text;

/// The block's bytes and the offset's, the highest first.
pub(super) struct Bytes;

impl Form<i64> for Text {
    fn put(&self, value: i64, out: &mut Room<'_>) {
        let (block, offset) = place_pair(value);
        out.push(b'(');
        out.digits(block.into());
        out.push(b',');
        out.digits(offset.into());
        out.push(b')');
    }
}

impl Form<i64> for Bytes {
    fn put(&self, value: i64, out: &mut Room<'_>) {
        let (block, offset) = place_pair(value);
        out.put(block.to_be_bytes());
        out.put(offset.to_be_bytes());
    }
}
